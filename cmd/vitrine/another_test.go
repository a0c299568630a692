package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/test/vitrinetest"
)

func (h *held) upload(key string) client.Link {
	h.t.Helper()
	c, err := client.New(h.url, key)
	if err != nil {
		h.t.Fatal(err)
	}
	text := []byte("Nothing of this may be lost.\n")
	l, err := c.Upload(h.t.Context(), client.File{Name: "a.txt", Size: int64(len(text)),
		Content: bytes.NewReader(text)}, client.Options{})
	if err != nil {
		h.t.Fatal(err)
	}
	return l
}

// TestServeAnOlderState restores an older database into a data directory and
// serves it again. The server reports that the database is older than the log
// and the files; a new link does not show the views of another; no file is
// removed; and the commands say what to do.
func TestServeAnOlderState(t *testing.T) {
	t.Parallel()
	h := &held{t: t, data: filepath.Join(t.TempDir(), "data")}
	out, err := vitrineOn(h.data, "admin", "account", "create", "owner@example.org")
	if err != nil {
		t.Fatalf("account create: %v: %s", err, out)
	}
	lines := strings.Fields(out)
	key := lines[len(lines)-1]
	earlier, err := os.ReadFile(filepath.Join(h.data, instance.StoreFile))
	if err != nil {
		t.Fatal(err)
	}
	h.serve()
	lost := h.upload(key)
	h.open(lost.Slug, 5)
	h.waitForMark()
	h.stop(os.Interrupt)
	if out, err := vitrineOn(h.data, "admin", "audit", "--deep", "--all"); err != nil {
		t.Fatalf("audit: %v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(h.data, instance.StoreFile), earlier, 0o600); err != nil {
		t.Fatal(err)
	}
	check := func(succeeds bool, want string, args ...string) {
		t.Helper()
		out, err := vitrineOn(h.data, args...)
		if (err == nil) != succeeds || !strings.Contains(out, want) {
			t.Errorf("%s: %v\n%swant %q", args[0], err, out, want)
		}
	}
	check(false, "view log, link 1 of account 1: the link is not in the database", "admin", "audit")
	h.serve()
	h.wait(`(restored to an earlier moment than the log)`)
	h.wait(`(nothing is deleted from storage: these files were last used by another database)`)
	anew := h.upload(key)
	c, err := client.New(h.url, key)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.LinkAnalytics(t.Context(), anew.Slug, client.ReportQuery{Range: "7d"})
	if err != nil || r.Totals.Views != 0 || r.Totals.Downloads != 0 {
		t.Errorf("report of a new link = %+v, %v, want no views", r.Totals, err)
	}
	check(false, "wrong    files: These files were last used by another database", "doctor")
	check(false, "--yes", "admin", "repair", "files")
	check(true, "It contains 1 file,", "admin", "repair", "files", "--yes")
	check(true, "belong to this database.", "admin", "repair", "files")
	check(true, "ok       files: The files belong to this database.", "doctor")
	h.stop(os.Interrupt)
	in, err := instance.Open(t.Context(), instance.Places{Data: h.data})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	there := 0
	if err := in.Blobs.Each(t.Context(), func(vitrine.UploadID,
		vitrine.BlobInfo) error {
		there++
		return nil
	}); err != nil || there != 2 {
		t.Errorf("%d files, %v, want 2", there, err)
	}
}

// waitForMark waits until the server has marked its storage.
func (h *held) waitForMark() {
	h.t.Helper()
	tick, late := time.NewTicker(10*time.Millisecond), time.After(hang)
	defer tick.Stop()
	for {
		if _, err := os.Stat(filepath.Join(h.data, instance.FilesDir, "mark")); err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			h.t.Fatal("the server did not mark its storage")
		}
	}
}

// TestStorageClaim tests a bucket that belongs to another database: the
// commands report it, and an administrator decides.
func TestStorageClaim(t *testing.T) {
	t.Parallel()
	server := vitrinetest.SharedS3(t)
	places := instance.Places{Data: filepath.Join(t.TempDir(), "data"), Files: server.Address(server.Bucket(t), "")}
	tell := func(answer string, args ...string) (code int, output string) {
		var out bytes.Buffer
		code = run(t.Context(), &terminal.Terminal{Out: &out, Err: &out, In: strings.NewReader(answer),
			InTTY: answer != "", ErrTTY: true}, append(args, "--data", places.Data, "--files", places.Files))
		return code, out.String()
	}
	check := func(code int, want, answer string, args ...string) {
		t.Helper()
		if got, output := tell(answer, args...); got != code || !strings.Contains(output, want) ||
			strings.Contains(output, server.Secret) {
			t.Errorf("%s = %d, %s\nwant %d, %q", args, got, output, code, want)
		}
	}
	check(0, "", "", "admin", "account", "create", "owner@example.org")
	in, err := instance.Open(t.Context(), places)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	other := func() {
		t.Helper()
		if err := errors.Join(in.StorageOwner().Rotate(t.Context()),
			in.Blobs.PutMarker(t.Context(), "ANOTHERS")); err != nil {
			t.Fatal(err)
		}
	}
	check(0, "passes all checks", "", "doctor")
	other()
	check(terminal.ExitFailed, "hese files were last used by another database", "", "doctor")
	check(terminal.ExitFailed, "vitrine admin repair files", "", "doctor")
	check(terminal.ExitUsage, "--yes", "", "admin", "repair", "files")
	for _, no := range []string{"n\n", "\n", "yo", "no"} {
		check(terminal.ExitFailed, "It contains 0 files", no, "admin", "repair", "files")
	}
	check(terminal.ExitFailed, "last used by another database", "", "doctor")
	check(0, "now belong to this database.", "y\n", "admin", "repair", "files")
	check(0, "passes all checks", "", "doctor")
	other()
	check(0, "now belong to this database.", "", "admin", "repair", "files", "--yes")
	check(0, "ok       files: The files belong to this database.", "", "doctor")
}

// TestMigrateFilesBack moves the files to a bucket and, hours later, back. Each
// storage belongs to the database while it is used.
func TestMigrateFilesBack(t *testing.T) {
	t.Parallel()
	server := vitrinetest.SharedS3(t)
	h := newHistory(t, 4)
	here := instance.Places{Data: h.data}
	there := instance.Places{Data: h.data, Files: server.Address(server.Bucket(t), "")}
	kept := func(p instance.Places) {
		t.Helper()
		in, err := instance.Open(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if err := errors.Join(in.StorageOwner().Verify(t.Context()), in.StorageOwner().Rotate(t.Context()),
			in.StorageOwner().Rotate(t.Context())); err != nil {
			t.Error(err)
		}
	}
	kept(here)
	for _, move := range []struct{ from, to instance.Places }{{here, there}, {there, here}} {
		if out, err := vitrineOn(h.data, "admin", "migrate", settings(t, move.from), settings(t, move.to)); err != nil {
			t.Fatalf("migrate: %v: %s", err, out)
		}
		kept(move.to)
	}
	other := instance.Places{Data: filepath.Join(t.TempDir(), "other")}
	if out, err := vitrineOn(other.Data, "admin", "account", "create", "other@example.org"); err != nil {
		t.Fatalf("account create: %v: %s", err, out)
	}
	if out, err := vitrineOn(other.Data, "admin", "migrate", other.Data,
		settings(t, instance.Places{Data: other.Data, Files: there.Files})); err == nil ||
		!strings.Contains(out, "it contains other data") {
		t.Errorf("migrating another instance into the bucket: %v: %s, want an error", err, out)
	}
	h.run("admin", "audit", "--deep")
}

func (h *history) run(args ...string) {
	h.t.Helper()
	if out, err := vitrineOn(h.data, args...); err != nil {
		h.t.Errorf("vitrine %s: %v: %s", args[0], err, out)
	}
}
