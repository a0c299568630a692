package disk

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	mrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// stored is the content and a part of a blob.
type stored struct {
	content []byte
	part    bool
}

func store(t testing.TB, b *Blobs, n int) (vitrine.UploadID, []byte) {
	t.Helper()
	data := make([]byte, n)
	rand.Read(data)
	g := grant(n)
	if _, err := b.Receive(ctx, g, bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	return g.Key, data
}

// TestBackup backs up a directory during writes and deletions, onto the same
// file system and another one. The copy has the blobs that existed when
// deletions were suspended, with their parts, and no deleted ones.
func TestBackup(t *testing.T) {
	for name, to := range map[string]func(*testing.T) string{
		"linked": func(t *testing.T) string { return filepath.Join(t.TempDir(), "to") },
		"copied": func(t *testing.T) string { return filepath.Join(vitrinetest.OtherFileSystem(t), "to") },
	} {
		t.Run(name, func(t *testing.T) { testBackup(t, to(t), name == "linked") })
	}
}

func testBackup(t *testing.T, to string, linked bool) {
	from := filepath.Join(t.TempDir(), "from")
	b := newBlobs(t, from)
	var mu sync.Mutex // the store's lock, which a deletion takes first
	known := map[vitrine.UploadID]stored{}
	add := func() {
		k, data := store(t, b, 1+mrand.IntN(100_000))
		part := mrand.IntN(2) == 0
		if part {
			if err := b.PutPart(ctx, k, vitrine.PartPicture, bytes.NewReader(data)); err != nil {
				t.Error(err)
			}
		}
		mu.Lock()
		known[k] = stored{data, part}
		mu.Unlock()
	}
	remove := func() {
		mu.Lock()
		var gone vitrine.UploadID
		for gone = range known {
			break
		}
		delete(known, gone)
		mu.Unlock()
		if err := b.Delete(ctx, gone); err != nil {
			t.Error(err)
		}
	}
	for range 40 {
		add()
	}
	var all sync.WaitGroup
	var ended atomic.Bool
	var removed atomic.Int64
	for range 3 {
		all.Go(func() {
			for !ended.Load() {
				add()
				remove()
				removed.Add(1)
			}
		})
	}
	backup := &Backup{From: from, To: to, Progress: func(int64) {},
		Damaged: func(k vitrine.UploadID) { t.Errorf("%s is damaged", k) }}
	pins, err := backup.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&Backup{From: from, To: to + "2"}).Begin(); err == nil ||
		!strings.Contains(err.Error(), "another backup") {
		t.Errorf("a second concurrent backup = %v, want an error", err)
	}
	if err := backup.CopyAll(ctx); err != nil {
		t.Fatal(err)
	}
	add() // which one pass cannot have
	held, err := backup.HoldDeletes()
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	moment := map[vitrine.UploadID]stored{}
	for k, s := range known {
		moment[k] = s
	}
	late := vitrine.UploadID("")
	for late = range known {
		if _, err := os.Lstat(filepath.Join(blobsDir(to), string(late[:2]), string(late))); err != nil {
			break // it was added after All
		}
	}
	delete(known, late)
	mu.Unlock()
	deleted := make(chan struct{})
	var deletion error
	go func() { deletion = b.Delete(ctx, late); close(deleted) }()
	select {
	case <-deleted:
		t.Error("blobs were deleted while deletions were suspended")
	case <-time.After(50 * time.Millisecond):
	}
	for k, s := range moment {
		var parts vitrine.Parts
		if s.part {
			parts = parts.With(vitrine.PartPicture)
		}
		if there, err := backup.Pin(ctx, k, parts); err != nil || !there {
			t.Errorf("Pin(%s) = %v, %v", k, there, err)
		}
	}
	if err := backup.CopyUsedKeys(ctx); err != nil {
		t.Error(err)
	}
	held.Close()
	if <-deleted; deletion != nil {
		t.Error(deletion)
	}
	for before := removed.Load(); removed.Load() < before+20; { // deletions continue before the copies are made
		remove()
		add()
	}
	if err := backup.Finish(ctx); err != nil {
		t.Fatal(err)
	}
	ended.Store(true)
	all.Wait()
	keys, _, err := backup.DeleteExcept(ctx, func(k vitrine.UploadID) bool { _, ok := moment[k]; return ok })
	if err != nil || keys != int64(len(moment)) {
		t.Errorf("%d keys, %v, want %d", keys, err, len(moment))
	}
	if err := errors.Join(backup.Sync(), pins.Close()); err != nil {
		t.Error(err)
	}
	if (backup.Copied == 0) != linked || (backup.Linked == 0) == linked {
		t.Errorf("%d files copied, %d linked", backup.Copied, backup.Linked)
	}
	if _, err := os.Lstat(filepath.Join(from, pinnedDir)); err == nil {
		t.Error("pinned files are still pinned")
	}
	sameBlobs(t, newBlobs(t, to), moment)
	t.Logf("%d keys, %d copied, %d linked, %d deleted during the backup", keys, backup.Copied, backup.Linked,
		removed.Load())
}

func sameBlobs(t *testing.T, b *Blobs, want map[vitrine.UploadID]stored) {
	t.Helper()
	there := 0
	err := b.Each(ctx, func(k vitrine.UploadID, i vitrine.BlobInfo) error {
		there++
		if _, ok := want[k]; !ok || i.SHA256 == "" {
			t.Errorf("%s: expected = %v, SHA-256 = %q", k, ok, i.SHA256)
		}
		return nil
	})
	if err != nil || there != len(want) {
		t.Errorf("%d blobs, %v, want %d", there, err, len(want))
	}
	for k, s := range want {
		if got := read(t, b.Open, k); !bytes.Equal(got, s.content) {
			t.Errorf("%s: wrong bytes", k)
		}
		if s.part {
			part := func(ctx context.Context, k vitrine.UploadID) (vitrine.Blob, error) {
				return b.OpenPart(ctx, k, vitrine.PartPicture)
			}
			if got := read(t, part, k); !bytes.Equal(got, s.content) {
				t.Errorf("%s: wrong part", k)
			}
		}
	}
}

func read(t *testing.T, open func(context.Context, vitrine.UploadID) (vitrine.Blob, error), k vitrine.UploadID) []byte {
	t.Helper()
	blob, err := open(ctx, k)
	if err != nil {
		t.Error(k, err)
		return nil
	}
	defer blob.Close()
	data, err := io.ReadAll(blob)
	if err != nil {
		t.Error(k, err)
	}
	return data
}

// TestBackupSince checks that files which an earlier backup has are linked from
// there, and that damaged ones are copied and reported.
func TestBackupSince(t *testing.T) {
	first := filepath.Join(vitrinetest.OtherFileSystem(t), "to")
	from := filepath.Join(t.TempDir(), "from")
	b := newBlobs(t, from)
	whole, data := store(t, b, 1000)
	rotten, _ := store(t, b, 1000)
	if err := os.WriteFile(b.path(rotten), make([]byte, 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	var damaged []vitrine.UploadID
	run := func(to, since string) *Backup {
		b := &Backup{From: from, To: to, Since: since, Progress: func(int64) {},
			Damaged: func(k vitrine.UploadID) { damaged = append(damaged, k) }}
		if err := errors.Join(b.Make(), b.CopyAll(ctx), b.Sync()); err != nil {
			t.Fatal(err)
		}
		return b
	}
	run(first, "")
	if len(damaged) != 1 || damaged[0] != rotten {
		t.Errorf("damaged = %v, want %s", damaged, rotten)
	}
	second := first + "2"
	fresh, freshData := store(t, b, 500)
	if b := run(second, first); b.Linked != 4 || b.Copied != 2 { // each with its checksum
		t.Errorf("%d linked, %d copied, want 4 and 2", b.Linked, b.Copied)
	}
	if err := os.RemoveAll(first); err != nil {
		t.Fatal(err)
	}
	to := newBlobs(t, second)
	if !bytes.Equal(read(t, to.Open, whole), data) || !bytes.Equal(read(t, to.Open, fresh), freshData) {
		t.Error("wrong bytes")
	}
}
