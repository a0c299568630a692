package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"vitrine"
	"vitrine/internal/backend/disk"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/base/durable"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
)

type backupCmd struct {
	To    string
	Since string
	instance.Places
	command.JSONFlag
}

func newBackup() *command.Command {
	c := new(backupCmd)
	cmd := command.New("backup", "Back up an instance into a directory while it runs.", c.Run)
	cmd.Long = `The server may run at the same time. The backup contains the state of one moment, with everything
that was acknowledged before the command began. Files are linked if the backup is on the file system
of the data directory, and copied otherwise. Keep a copy on another disk, in case this disk fails.

Back up PostgreSQL and buckets with their own tools, or copy the instance into a
directory with "vitrine admin migrate".`
	cmd.Examples("admin backup /backups/monday",
		"admin backup /backups/tuesday --since /backups/monday --data /var/lib/vitrine")
	cmd.Arg(&c.To, "to", "Directory to create for the backup. It gets its name when the backup is complete.")
	cmd.Path(&c.Since, "since", "DIR", "Earlier backup on the same file system. Unchanged files are linked from it and take no more room.")
	cmd.Take(&c.Places, &c.JSONFlag)
	return cmd
}

// Run creates a backup.
func (c *backupCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	if c.Database != "" || c.Views != "" || c.Files != "" {
		return terminal.Usage("this command only backs up instances that keep everything in their data directory. Otherwise use pg_dump and the bucket’s versions, or copy the instance into a directory with \"vitrine admin migrate\"")
	}
	if err := c.RefuseBackup(); err != nil {
		return err
	}
	if !c.Exists() {
		return fmt.Errorf("there is no Vitrine instance in %s; name its directory with --data or VITRINE_DATA", c.Data)
	}
	to, err := filepath.Abs(c.To)
	if err != nil {
		return err
	}
	if inside, err := filepath.Rel(c.Data, to); err == nil && filepath.IsLocal(inside) {
		return terminal.Usage(fmt.Sprintf("%s is inside the data directory %s: choose a directory outside it, best on another disk", c.To, c.Data))
	}
	for name, schema := range map[string]string{instance.StoreFile: sqldb.StoreSchema,
		instance.ViewsFile: sqldb.ViewLogSchema} {
		l, err := sqldb.LookAt(ctx, filepath.Join(c.Data, name), schema)
		if err != nil {
			return fmt.Errorf("look at %s: %w", name, err)
		}
		if l.There && l.Version != l.Known {
			return fmt.Errorf("%s has schema version %d, but this program expects %d: make the backup with the version that serves the instance", name, l.Version, l.Known)
		}
	}
	if c.Since != "" {
		if _, err := instance.ReadManifest(c.Since); err != nil {
			return fmt.Errorf("--since: %w", err)
		}
	}
	m, err := newBuild(c.To, instance.ManifestName, func(dir string) (*instance.Manifest, error) {
		b := &backup{from: c.Data, to: dir, meter: &terminal.Meter{T: t}}
		if c.Since != "" {
			b.since = filepath.Join(c.Since, instance.FilesDir)
		}
		defer b.meter.End()
		return b.make(ctx)
	})
	if err != nil {
		return checkSpace(err, c.To)
	}
	if err := instance.NoteBackup(c.Data, m.Moment); err != nil {
		t.Tell("warning: the server will not know of this backup: %v", err)
	}
	if c.JSON {
		if err := t.JSON(m); err != nil {
			return err
		}
	} else {
		t.Say("Backup %s: %s.", terminal.Plain(c.To), contentsOf(m))
	}
	if len(m.Damaged) > 0 {
		return fmt.Errorf("the backup is complete, but files of the instance are damaged or missing: %s",
			strings.Join(m.Damaged, ", "))
	}
	return nil
}

// contentsOf says what a backup has. Links can have several files: their
// versions.
func contentsOf(m *instance.Manifest) string {
	return fmt.Sprintf("%s, %s, %s, %s (%s), as of %s", terminal.Counted(m.Accounts, "account"),
		terminal.Counted(m.Links, "link"), terminal.Counted(m.Views, "view"), terminal.Counted(m.Files, "file"),
		terminal.FormatSize(m.FileBytes), terminal.Stamp(m.Moment))
}

// checkSpace adds a hint to an error about missing disk space.
func checkSpace(err error, where string) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		strings.Contains(err.Error(), "database or disk is full") {
		return fmt.Errorf("there is no space for %s, and nothing was kept of it: %w", where, err)
	}
	return err
}

// partialDir is the temporary directory inside an existing empty target, for
// example a mounted volume.
const partialDir = "vitrine-partial"

// newBuild calls f to fill a temporary directory and then renames it to name.
// If the target exists and is empty, it moves the entries up instead, with last
// at the end. If f fails, it deletes the temporary directory. The next call
// deletes the leftovers of a killed process.
func newBuild[T any](name, last string, f func(dir string) (T, error)) (made T, err error) {
	name, err = filepath.Abs(name)
	if err != nil {
		return made, err
	}
	there, used, err := dirState(name)
	if err != nil {
		return made, err
	}
	if used {
		return made, fmt.Errorf("%s exists and is not empty; choose a new directory", name)
	}
	dir := name + "." + partialDir
	if there {
		dir = filepath.Join(name, partialDir)
	}
	lock, err := lockBuild(dir)
	if err != nil {
		return made, err
	}
	defer lock.Close()
	made, err = f(dir)
	switch {
	case err != nil:
		return made, errors.Join(err, os.RemoveAll(dir))
	case there:
		return made, moveToParent(dir, last)
	}
	return made, errors.Join(durable.Rename(dir, name), durable.SyncDir(filepath.Dir(name)))
}

// moveToParent moves the entries of a directory to its parent. It moves last at
// the end.
func moveToParent(dir, last string) error {
	all, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range all {
		if e.Name() != last {
			err = errors.Join(err, durable.Rename(filepath.Join(dir, e.Name()), filepath.Join(dir, "..", e.Name())))
		}
	}
	if err == nil {
		err = errors.Join(durable.SyncDir(filepath.Dir(dir)),
			durable.Rename(filepath.Join(dir, last), filepath.Join(dir, "..", last)), os.Remove(dir))
	}
	return errors.Join(err, durable.SyncDir(filepath.Dir(dir)))
}

// dirState reports whether a directory exists, and whether it contains entries
// other than a partial build.
func dirState(dir string) (there, used bool, err error) {
	all, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, false, nil
	case errors.Is(err, syscall.ENOTDIR):
		return true, true, nil
	case err != nil:
		return false, false, err
	}
	return true, len(all) > 1 || len(all) == 1 && all[0].Name() != partialDir, nil
}

// lockBuild creates an empty directory and locks it.
func lockBuild(dir string) (durable.Locked, error) {
	for _, again := range []bool{false, true} {
		err := os.Mkdir(dir, 0o700)
		if errors.Is(err, fs.ErrNotExist) {
			return durable.Locked{}, fmt.Errorf("there is no directory %s: create it first", filepath.Dir(dir))
		}
		if err != nil && (again || !errors.Is(err, fs.ErrExist)) {
			return durable.Locked{}, err
		}
		f, ferr := os.Open(dir)
		if ferr != nil {
			return durable.Locked{}, ferr
		}
		locked, ferr := durable.Lock(f, durable.Hold{})
		if ferr != nil {
			f.Close()
			return durable.Locked{}, fmt.Errorf("%s is being filled by another process", dir)
		}
		if err == nil {
			return locked, nil
		}
		ferr = os.RemoveAll(dir) // left over from a killed process
		if err := errors.Join(ferr, locked.Close()); err != nil {
			return durable.Locked{}, err
		}
	}
	return durable.Locked{}, fmt.Errorf("%s is being filled by another process", dir)
}

// backup is a running backup.
type backup struct {
	from, to string // data directory and target
	since    string // files directory of an earlier backup
	meter    *terminal.Meter

	manifest instance.Manifest
	files    *disk.Backup
	owned    map[vitrine.UploadID]bool
	store    *sqldb.Snapshot
	views    *sqldb.Snapshot
}

// make copies most files first, so that deletes are blocked only briefly, while
// it copies the databases and the files stored since.
func (b *backup) make(ctx context.Context) (*instance.Manifest, error) {
	b.manifest = instance.Manifest{Format: instance.ManifestFormat, Program: b.meter.T.Version, Began: time.Now().UTC()}
	b.files = &disk.Backup{From: filepath.Join(b.from, instance.FilesDir), To: filepath.Join(b.to, instance.FilesDir),
		Since: b.since, Progress: b.meter.Add,
		Damaged: func(k vitrine.UploadID) { b.damaged(k) }}
	pins, err := b.files.Begin()
	if err != nil {
		return nil, err
	}
	defer pins.Close()
	b.meter.Begin("files", -1)
	if err := b.files.CopyAll(ctx); err != nil {
		return nil, err
	}
	defer b.release()
	if err := b.moment(ctx); err != nil {
		return nil, err
	}
	if err := b.databases(ctx); err != nil {
		return nil, err
	}
	b.meter.Begin("files since then", -1)
	if err := b.files.Finish(ctx); err != nil {
		return nil, err
	}
	keep := func(k vitrine.UploadID) bool { return b.owned[k] }
	if b.manifest.Files, b.manifest.FileBytes, err = b.files.DeleteExcept(ctx, keep); err != nil {
		return nil, err
	}
	if err := b.files.Sync(); err != nil {
		return nil, err
	}
	b.manifest.Ended = time.Now().UTC()
	return &b.manifest, b.manifest.Write(b.to)
}

func (b *backup) damaged(k vitrine.UploadID) {
	b.manifest.Damaged = append(b.manifest.Damaged, string(k))
}

func (b *backup) release() {
	for _, s := range []*sqldb.Snapshot{b.store, b.views} {
		if s != nil {
			_ = s.Close()
		}
	}
}

// moment copies the databases while deletes are blocked. Processes record a
// delete in the store first, so all files in the copied store exist. It copies
// the spool first, then the log, then the store. Records move from the spool to
// the log, so none are lost, and the copied store includes everything that the
// log refers to.
func (b *backup) moment(ctx context.Context) (err error) {
	held, err := b.files.HoldDeletes()
	if err != nil {
		return err
	}
	defer held.Close()
	if err := copySpools(b.from, b.to); err != nil {
		return err
	}
	if b.views, err = sqldb.HoldSnapshot(ctx, filepath.Join(b.from, instance.ViewsFile)); err != nil {
		return err
	}
	if b.store, err = sqldb.HoldSnapshot(ctx, filepath.Join(b.from, instance.StoreFile)); err != nil {
		return err
	}
	b.manifest.Moment = time.Now().UTC()
	b.owned = map[vitrine.UploadID]bool{}
	err = sqlstore.ReadSnapshot(b.store, func(tx vitrine.Tx) error {
		return ownedBlobs(tx, func(o ownedBlob) error {
			b.owned[o.Key] = true
			there, err := b.files.Pin(ctx, o.Key, o.Parts)
			if err == nil && !there && !o.Upload {
				b.damaged(o.Key)
			}
			return err
		})
	})
	return errors.Join(err, b.files.CopyUsedKeys(ctx))
}

// copyFile copies a file into a directory and creates the directory if
// necessary. If it returns nil, the copy is complete and durable.
func copyFile(from, to string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	w, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, durable.Sync(w), w.Close())
}

// databases copies the databases and writes the spooled views to the copied
// log.
func (b *backup) databases(ctx context.Context) (err error) {
	for _, d := range []struct {
		name     string
		snapshot **sqldb.Snapshot
	}{{instance.ViewsFile, &b.views}, {instance.StoreFile, &b.store}} {
		b.meter.Begin(d.name, 0)
		begun := false
		err := (*d.snapshot).CopyTo(ctx, filepath.Join(b.to, d.name), func(done, all int64) {
			if !begun {
				b.meter.Begin(d.name, all)
				begun = true
			}
			b.meter.Set(done)
		})
		if err == nil {
			err = sqldb.NeedWhole(ctx, filepath.Join(b.to, d.name))
		}
		if errors.Is(err, vitrine.ErrDamaged) {
			return &terminal.AdvisedError{Err: fmt.Errorf("no backup was made: in %s, %w", b.from, err),
				Lines: []string{"Keep the earlier backups. Stop the server, keep a copy of the file, and restore the last backup."}}
		}
		if err != nil {
			return err
		}
	}
	if b.manifest.Views, err = b.views.Views(ctx); err != nil {
		return err
	}
	// As "account list" and "link list" show them.
	if b.manifest.Accounts, err = b.store.Count(ctx, "accounts", "closed_at IS NULL"); err != nil {
		return err
	}
	if b.manifest.Links, err = b.store.Count(ctx, "links", "deleted_at IS NULL AND site = 0 AND version_of = 0"); err != nil {
		return err
	}
	b.release()
	b.store, b.views = nil, nil
	if err := finishCopy(ctx, b.to); err != nil {
		return err
	}
	for _, name := range []string{instance.StoreFile, instance.ViewsFile} {
		f, err := instance.HashFile(b.to, name)
		if err != nil {
			return err
		}
		b.manifest.Databases = append(b.manifest.Databases, f)
	}
	return nil
}
