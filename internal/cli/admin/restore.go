package admin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"vitrine"
	"vitrine/internal/app/audit"
	"vitrine/internal/backend/disk"
	"vitrine/internal/base/durable"
	"vitrine/internal/base/notation"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
)

// restoresVersion is the command that restores a version of a file. Help and
// errors mention it, because "restore" is for backups.
const restoresVersion = "vitrine versions SLUG --restore N"

// restoreHint is for people who take restore for that command.
const restoreHint = "To show an earlier version of a link's file again, use: " + restoresVersion

type restoreCmd struct {
	From string
	Data string
	Deep bool
	command.JSONFlag
}

func newRestore() *command.Command {
	c := new(restoreCmd)
	cmd := command.New("restore", "Restore a backup into a new data directory.", c.Run)
	cmd.Long = `Creates a data directory from a backup, compares it with the manifest, and audits it. It gets its
name when it is complete. A directory that is not empty is refused.

` + restoreHint
	cmd.Examples("admin restore /backups/monday --data /var/lib/vitrine")
	cmd.PathArg(&c.From, "from", "Directory of the backup.")
	c.Data = "data"
	cmd.Path(&c.Data, "data", "DIR", "Data directory to create.").Env("VITRINE_DATA")
	cmd.Bool(&c.Deep, "deep", "Also read the bytes of every file and compare their SHA-256. Copied files are always compared.")
	cmd.Take(&c.JSONFlag)
	return cmd
}

// Run restores a backup.
func (c *restoreCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	m, err := instance.ReadManifest(c.From)
	if err != nil {
		return &terminal.AdvisedError{Err: err, Lines: []string{restoreHint}}
	}
	faults, linked := 0, int64(0)
	_, err = newBuild(c.Data, instance.StoreFile, func(dir string) (struct{}, error) {
		r := &restore{from: c.From, to: dir, manifest: m, meter: &terminal.Meter{T: t}}
		defer r.meter.End()
		if err := r.make(ctx); err != nil {
			return struct{}{}, err
		}
		r.meter.End()
		linked = r.linked
		faults, err = r.audit(ctx, c.Deep, t)
		return struct{}{}, err
	})
	switch {
	case err != nil:
		return checkSpace(err, c.Data)
	case faults > 0:
		return &terminal.AdvisedError{Err: fmt.Errorf("%s was restored, but the audit found faults: %d", c.Data, faults),
			Lines: []string{"Restore another backup. This directory stays: delete it, or name another one with --data."}}
	}
	if c.JSON {
		return t.JSON(restoredRow{c.Data, m})
	}
	t.Say("Restored in %s: %s. No faults%s.", terminal.Plain(c.Data), contentsOf(m), map[bool]string{true: ", but the bytes of linked files were not compared: --deep compares them"}[linked > 0 && !c.Deep])
	t.Say("Serve it with: %s serve --data %s", terminal.Self(), notation.ShellWord(c.Data))
	return nil
}

// restoredRow is the output for a restored backup: where it is, and what was
// in the backup.
type restoredRow struct {
	Data string `json:"data"`
	*instance.Manifest
}

// restore is a running restore.
type restore struct {
	from, to string
	manifest *instance.Manifest
	meter    *terminal.Meter
	linked   int64 // files whose bytes were not read
}

func (r *restore) make(ctx context.Context) error {
	for _, want := range r.manifest.Databases {
		if want.Name != filepath.Base(want.Name) {
			return fmt.Errorf("the manifest names a database %q", want.Name)
		}
		r.meter.Begin(want.Name, want.Bytes)
		if err := copyFile(filepath.Join(r.from, want.Name), filepath.Join(r.to, want.Name)); err != nil {
			return err
		}
		got, err := instance.HashFile(r.to, want.Name)
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("the backup is damaged: %s has %d bytes with SHA-256 %s, and its manifest says %d with %s", want.Name, got.Bytes, got.SHA256, want.Bytes, want.SHA256)
		}
		r.meter.Set(want.Bytes)
	}
	if err := errors.Join(copySpools(r.from, r.to), instance.NoteBackup(r.to, r.manifest.Moment)); err != nil {
		return err
	}
	return r.files(ctx)
}

func (r *restore) files(ctx context.Context) error {
	r.meter.Begin("files", r.manifest.FileBytes)
	var damaged []string
	files := &disk.Backup{From: filepath.Join(r.from, instance.FilesDir), To: filepath.Join(r.to, instance.FilesDir),
		Progress: r.meter.Add,
		Damaged:  func(k vitrine.UploadID) { damaged = append(damaged, string(k)) }}
	err := files.Make()
	if err == nil {
		err = files.CopyAll(ctx)
	}
	if err == nil {
		err = files.CopyUsedKeys(ctx)
	}
	if err != nil {
		return err
	}
	r.linked = files.Linked
	n, bytes, err := files.DeleteExcept(ctx, func(vitrine.UploadID) bool { return true })
	if err != nil {
		return err
	}
	if n != r.manifest.Files || bytes != r.manifest.FileBytes {
		return fmt.Errorf("the backup is damaged: it has %d files, of %d bytes in all, and its manifest says %d of %d",
			n, bytes, r.manifest.Files, r.manifest.FileBytes)
	}
	if len(damaged) > len(r.manifest.Damaged) {
		return fmt.Errorf("the backup is damaged: the bytes of these files are not those that were uploaded: %s",
			strings.Join(damaged, ", "))
	}
	return files.Sync()
}

// audit audits the restored data. First it deletes uploads that have expired
// since the backup, as a server would.
func (r *restore) audit(ctx context.Context, deep bool, t *terminal.Terminal) (faults int, err error) {
	places := instance.Places{Data: r.to}
	fault := func(fault string) {
		faults++
		fmt.Fprintln(t.Out, terminal.Plain(fault))
	}
	if err := databaseFaults(ctx, places, fault); err != nil {
		return 0, err
	}
	in, err := instance.Open(ctx, places)
	if err != nil {
		return faults, err
	}
	if err = in.Uploads.Sweep(ctx); err == nil {
		a := &audit.Checker{Store: in.Store, Blobs: in.Blobs, Log: in.Log, Now: in.Now, Deep: deep}
		err = a.Run(ctx, fault)
	}
	if err != nil {
		err = fmt.Errorf("the restored data cannot be audited: %w", err)
	}
	err = errors.Join(err, in.Close(), durable.SyncDir(r.to))
	return faults, err
}
