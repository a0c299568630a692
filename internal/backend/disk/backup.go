package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"vitrine"
	"vitrine/internal/base/durable"
)

// pinnedDir is the directory with hard links to the bytes that a backup still
// has to copy. The links protect the bytes from deletes.
const pinnedDir = "pinned"

// Backup copies stored bytes from one directory to another. Both have the
// layout that New makes. It makes hard links if both are on one file system,
// because stored bytes never change. It streams copied bytes and verifies their
// SHA-256.
type Backup struct {
	From, To string
	// Since is a directory with an earlier copy. Unchanged files are linked
	// from there. It may be empty.
	Since string
	// Damaged is called for each blob whose bytes do not match their stored
	// SHA-256. The bytes are copied anyway.
	Damaged func(k vitrine.UploadID)
	// Progress is called after each copied or linked file.
	Progress func(bytes int64)

	Linked, Copied int64 // number of files of any kind

	unlinkable bool // From and To cannot share hard links
	pinned     []string
}

// blobsDir returns the directory of the stored bytes.
func blobsDir(dir string) string { return filepath.Join(dir, "blobs") }

// Make creates the directory To.
func (b *Backup) Make() (err error) {
	for _, d := range []string{blobsDir(b.To), filepath.Join(b.To, "incoming")} {
		err = errors.Join(err, os.MkdirAll(d, 0o700))
	}
	return err
}

// Begin starts a backup of a directory that is in use. It deletes the leftovers
// of an interrupted backup. It fails if another backup of the directory is
// running. Close ends the backup, also after an error.
func (b *Backup) Begin() (*Pins, error) {
	lock, err := lock(filepath.Join(b.From, "backup.lock"), os.O_CREATE|os.O_RDWR)
	if errors.Is(err, durable.ErrLocked) {
		return nil, fmt.Errorf("another backup of %s is being made", b.From)
	}
	if err != nil {
		return nil, err
	}
	p := &Pins{lock, filepath.Join(b.From, pinnedDir)}
	if err = errors.Join(b.Make(), os.RemoveAll(p.dir)); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return p, nil
}

// Pins are the pinned files and the lock of a running backup.
type Pins struct {
	lock durable.Locked
	dir  string
}

// Close deletes the pinned files and releases the lock.
func (p *Pins) Close() error { return errors.Join(os.RemoveAll(p.dir), p.lock.Close()) }

// CopyAll copies all stored bytes that are not copied yet. Bytes that are
// stored or deleted during the call may be copied or not.
func (b *Backup) CopyAll(ctx context.Context) error {
	from := &Blobs{blobs: blobsDir(b.From)}
	return from.each(ctx, func(k vitrine.UploadID, _ fs.FileInfo) error {
		_, err := b.add(ctx, k, false)
		return err
	})
}

// HoldDeletes waits for running deletes and blocks new ones until the returned
// file is closed. It takes the exclusive lock of blobs/. Deletes take it
// shared.
func (b *Backup) HoldDeletes() (durable.Locked, error) {
	return openLocked(blobsDir(b.From), os.O_RDONLY, durable.Hold{Wait: true})
}

// Pin protects the bytes and parts of a key while deletes are blocked. It links
// them, or records them for Finish to copy. It reports whether they exist.
func (b *Backup) Pin(ctx context.Context, k vitrine.UploadID, parts vitrine.Parts) (bool, error) {
	if valid(k) != nil {
		return false, nil
	}
	there, err := b.add(ctx, k, true)
	for _, p := range parts.All() {
		if err != nil || !there {
			break
		}
		if validPart(k, p) == nil {
			there, err = b.file(ctx, k, string(k)+partMark+string(p), true)
		}
	}
	return there, err
}

// Finish copies the pinned files.
func (b *Backup) Finish(ctx context.Context) error {
	for _, name := range b.pinned {
		k, _, _ := strings.Cut(name, partMark)
		k = strings.TrimSuffix(k, sumSuffix)
		if err := b.copy(ctx, vitrine.UploadID(k), filepath.Join(b.From, pinnedDir, name), name); err != nil {
			return err
		}
	}
	b.pinned = nil
	return nil
}

// CopyUsedKeys copies the records of used keys.
func (b *Backup) CopyUsedKeys(ctx context.Context) error {
	err := entries(ctx, filepath.Join(b.From, "incoming"), func(name string, st fs.FileInfo) error {
		if !strings.HasSuffix(name, usedSuffix) {
			return nil
		}
		to := filepath.Join(b.To, "incoming", name)
		err := os.WriteFile(to, nil, 0o600)
		if err == nil {
			err = os.Chtimes(to, st.ModTime(), st.ModTime())
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// DeleteExcept deletes from the copy all files of keys for which keep returns
// false. It returns the number of remaining keys and the total size of their
// bytes and parts.
func (b *Backup) DeleteExcept(ctx context.Context, keep func(vitrine.UploadID) bool) (keys, bytes int64, err error) {
	to := &Blobs{blobs: blobsDir(b.To)}
	err = to.files(ctx, func(name string, st fs.FileInfo) error {
		k, _, _ := strings.Cut(name, partMark)
		k = strings.TrimSuffix(k, sumSuffix)
		switch {
		case !keep(vitrine.UploadID(k)):
			return remove(filepath.Join(to.shard(vitrine.UploadID(k)), name))
		case k == name:
			keys++
		}
		if !strings.HasSuffix(name, sumSuffix) {
			bytes += st.Size()
		}
		return nil
	})
	return keys, bytes, err
}

// Sync makes the directory entries of the copy durable. The contents already
// are.
func (b *Backup) Sync() error {
	shards, err := os.ReadDir(blobsDir(b.To))
	for _, s := range shards {
		err = errors.Join(err, durable.SyncDir(filepath.Join(blobsDir(b.To), s.Name())))
	}
	return errors.Join(err, durable.SyncDir(blobsDir(b.To)), durable.SyncDir(filepath.Join(b.To, "incoming")),
		durable.SyncDir(b.To))
}

// add copies the bytes of a key, their hash and the existing parts. With pin,
// it copies only the bytes and the hash. It reports whether the bytes exist.
func (b *Backup) add(ctx context.Context, k vitrine.UploadID, pin bool) (bool, error) {
	there, err := b.file(ctx, k, string(k), pin)
	if err != nil || !there {
		return there, err
	}
	if _, err := b.file(ctx, k, string(k)+sumSuffix, pin); err != nil || pin {
		return true, err
	}
	parts, err := filepath.Glob(filepath.Join(blobsDir(b.From), string(k[:2]), string(k)+partMark+"*"))
	for _, path := range parts {
		name := filepath.Base(path)
		if err == nil && strings.Count(name, partMark) == 1 { // a temporary name has two marks
			_, err = b.file(ctx, k, name, false)
		}
	}
	return true, err
}

// file copies one file unless the copy exists. It reports whether the source
// exists.
func (b *Backup) file(ctx context.Context, k vitrine.UploadID, name string, pin bool) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	in := func(dir string) string { return filepath.Join(blobsDir(dir), string(k[:2]), name) }
	from, to := in(b.From), in(b.To)
	st, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if done, err := os.Lstat(to); err == nil {
		if pin || unchanged(st, done) {
			return true, nil
		}
		if err := remove(to); err != nil { // the part was replaced
			return false, err
		}
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return false, err
	}
	if b.Since != "" {
		if before, err := os.Lstat(in(b.Since)); err == nil && unchanged(st, before) &&
			os.Link(in(b.Since), to) == nil {
			return b.linked(st.Size()), nil
		}
	}
	if !b.unlinkable {
		err := os.Link(from, to)
		if err == nil {
			return b.linked(st.Size()), nil
		}
		if errors.Is(err, fs.ErrNotExist) { // deleted after Lstat
			return false, nil
		}
		b.unlinkable = true
	}
	if pin {
		return b.pin(ctx, k, from, name)
	}
	err = b.copy(ctx, k, from, name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (b *Backup) linked(n int64) bool {
	b.Linked++
	b.Progress(n)
	return true
}

// unchanged reports whether two files have the same size and modification time,
// so that one is a link to the other or its copy.
func unchanged(a, b fs.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// pin links a file into pinnedDir. If that fails, it copies the file
// immediately.
func (b *Backup) pin(ctx context.Context, k vitrine.UploadID, from, name string) (bool, error) {
	dir := filepath.Join(b.From, pinnedDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false, err
	}
	if err := os.Link(from, filepath.Join(dir, name)); err == nil {
		b.pinned = append(b.pinned, name)
		return true, nil
	}
	err := b.copy(ctx, k, from, name)
	return err == nil, err
}

// copy copies a file. If it returns nil, the copy is complete and durable.
func (b *Backup) copy(ctx context.Context, k vitrine.UploadID, from, name string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	st, err := r.Stat()
	if err != nil {
		return err
	}
	to := filepath.Join(blobsDir(b.To), string(k[:2]), name)
	w, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	n, sum, err := copyTo(ctx, w, r, st.Size())
	if err = errors.Join(err, durable.Sync(w), w.Close()); err == nil {
		err = os.Chtimes(to, st.ModTime(), st.ModTime())
	}
	if err != nil {
		return errors.Join(err, remove(to))
	}
	if want := b.storedHash(k); name == string(k) && want != "" && want != sum {
		b.Damaged(k)
	}
	b.Copied++
	b.Progress(n)
	return nil
}

// storedHash returns the stored SHA-256 of a blob, or "" if it is unknown.
func (b *Backup) storedHash(k vitrine.UploadID) string {
	for _, path := range []string{filepath.Join(blobsDir(b.From), string(k[:2]), string(k)+sumSuffix),
		filepath.Join(b.From, pinnedDir, string(k)+sumSuffix)} {
		if text, err := os.ReadFile(path); err == nil {
			hex, _, _ := strings.Cut(string(text), " ")
			return hex
		}
	}
	return ""
}

// lockDeletes waits while a backup blocks deletes, and then takes the shared
// lock until the returned file is closed. On systems that cannot lock
// directories, it does not wait.
func (b *Blobs) lockDeletes() (durable.Locked, error) {
	f, err := os.Open(b.blobs)
	if err != nil {
		return durable.Locked{}, err
	}
	l, _ := durable.Lock(f, durable.Hold{Shared: true, Wait: true})
	return l, nil
}
