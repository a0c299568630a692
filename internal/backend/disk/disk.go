// Package disk stores blobs in a local directory.
//
// A transfer is received into incoming/KEY.part. When it is complete and
// durable, it is renamed to blobs/KE/KEY. Beside it are its SHA-256
// (KEY.sha256, in the format of sha256sum -c) and later its parts (KEY~NAME).
// An upload in chunks is received into incoming/KEY.chunks; see chunks.go.
// Stored bytes are sealed: nothing writes to them again. Deleting a key leaves
// incoming/KEY.used, so that its URLs stay invalid until the record is swept.
package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/base/durable"
	"vitrine/internal/base/signer"
)

const (
	partSuffix = ".part"
	usedSuffix = ".used"
	sumSuffix  = ".sha256"
)

// Blobs implements [vitrine.Blobs], vitrine.Receiver and publish.Resumer in a
// directory. Several processes may use it at the same time.
type Blobs struct {
	incoming, blobs string
	base            string
	signer          *signer.Signer
	now             func() time.Time
}

// New creates the directory if it is missing. base is the address that signed
// URLs begin with, such as http://host/storage/.
func New(dir, base string, signer *signer.Signer, now func() time.Time) (*Blobs, error) {
	b := &Blobs{incoming: filepath.Join(dir, "incoming"), blobs: filepath.Join(dir, "blobs"), base: base,
		signer: signer, now: now}
	for _, d := range []string{b.incoming, b.blobs} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, fmt.Errorf("make the blob directory: %w", err)
		}
	}
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := durable.SyncDir(d); err != nil {
			return nil, fmt.Errorf("make the blob directory: %w", err)
		}
	}
	return b, nil
}

func (b *Blobs) shard(k vitrine.UploadID) string { return filepath.Join(b.blobs, string(k[:2])) }
func (b *Blobs) path(k vitrine.UploadID) string  { return filepath.Join(b.shard(k), string(k)) }
func (b *Blobs) part(k vitrine.UploadID) string {
	return filepath.Join(b.incoming, string(k)+partSuffix)
}
func (b *Blobs) used(k vitrine.UploadID) string {
	return filepath.Join(b.incoming, string(k)+usedSuffix)
}

// SignPut returns a signed URL of this process's storage address.
func (b *Blobs) SignPut(_ context.Context, g vitrine.PutGrant) (string, error) {
	return b.base + string(g.Key) + "?" + b.signer.SignPut(g).Encode(), nil
}

// valid returns an error for an invalid key, so that it never becomes a file
// name.
func valid(k vitrine.UploadID) error {
	if _, ok := vitrine.ParseUploadID(string(k)); !ok {
		return vitrine.ErrNotFound
	}
	return nil
}

// Stat returns the size and hash of stored bytes.
func (b *Blobs) Stat(_ context.Context, k vitrine.UploadID) (vitrine.BlobInfo, error) {
	if err := valid(k); err != nil {
		return vitrine.BlobInfo{}, err
	}
	st, err := os.Stat(b.path(k))
	if err != nil {
		return vitrine.BlobInfo{}, notFound(err)
	}
	sum, err := os.ReadFile(b.path(k) + sumSuffix)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return vitrine.BlobInfo{}, err
	}
	hex, _, _ := strings.Cut(string(sum), " ")
	if len(hex) != 64 {
		hex = "" // callers compute it if necessary
	}
	return vitrine.BlobInfo{Size: st.Size(), SHA256: hex}, nil
}

// Seal makes the directory entry of the bytes durable, because Receive may have
// failed to. Nothing writes to stored bytes again. Seal also removes what
// chunks have left.
func (b *Blobs) Seal(ctx context.Context, k vitrine.UploadID) (vitrine.BlobInfo, error) {
	info, err := b.Stat(ctx, k)
	if err == nil {
		err = durable.SyncDir(b.shard(k))
	}
	if err == nil {
		err = b.removeChunks(k)
	}
	return info, err
}

// Open opens stored bytes for reading.
func (b *Blobs) Open(_ context.Context, k vitrine.UploadID) (vitrine.Blob, error) {
	if err := valid(k); err != nil {
		return nil, err
	}
	return open(b.path(k))
}

func open(path string) (vitrine.Blob, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, notFound(err)
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return blob{f, st.Size()}, nil
}

type blob struct {
	*os.File
	size int64
}

func (b blob) Size() int64 { return b.size }

// Delete deletes bytes and records that the key is used. It does not interrupt
// a running transfer, which fails at its end because of that record.
func (b *Blobs) Delete(_ context.Context, k vitrine.UploadID) error {
	if valid(k) != nil {
		return nil
	}
	held, err := b.lockDeletes()
	if err != nil {
		return err
	}
	defer held.Close()
	if err := os.WriteFile(b.used(k), nil, 0o600); err != nil {
		return err
	}
	now := b.now()
	if err := os.Chtimes(b.used(k), now, now); err != nil { // Sweep compares this time
		return err
	}
	if err := durable.SyncDir(b.incoming); err != nil {
		return err
	}
	if err := errors.Join(removePart(b.part(k)), b.removeChunks(k)); err != nil {
		return err
	}
	// The hash is deleted before the bytes, because a sweep finds bytes without
	// a hash, but not a hash without bytes. Parts are deleted last, because
	// PutPart checks that the bytes exist after it has stored a part.
	for _, p := range []string{b.path(k) + sumSuffix, b.path(k)} {
		if err := remove(p); err != nil {
			return err
		}
	}
	if err := b.deleteParts(k); err != nil {
		return err
	}
	return syncIfThere(b.shard(k))
}

// removePart deletes the partial file of a transfer unless the transfer is
// running.
func removePart(path string) error {
	f, err := lock(path, os.O_RDWR)
	if errors.Is(err, durable.ErrLocked) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return remove(path)
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Each calls f for every stored blob.
func (b *Blobs) Each(ctx context.Context, f func(vitrine.UploadID, vitrine.BlobInfo) error) error {
	return b.each(ctx, func(k vitrine.UploadID, _ fs.FileInfo) error {
		info, err := b.Stat(ctx, k)
		if errors.Is(err, vitrine.ErrNotFound) {
			return nil // deleted concurrently
		}
		if err != nil {
			return err
		}
		return f(k, info)
	})
}

func (b *Blobs) each(ctx context.Context, f func(vitrine.UploadID, fs.FileInfo) error) error {
	return b.files(ctx, func(name string, st fs.FileInfo) error {
		if k, ok := vitrine.ParseUploadID(name); ok {
			return f(k, st)
		}
		return nil
	})
}

// files calls f for every file in blobs/.
func (b *Blobs) files(ctx context.Context, f func(name string, st fs.FileInfo) error) error {
	shards, err := os.ReadDir(b.blobs)
	if err != nil {
		return err
	}
	for _, s := range shards {
		if err := entries(ctx, filepath.Join(b.blobs, s.Name()), f); err != nil {
			return err
		}
	}
	return nil
}

// entries calls f for every file of a directory. It skips files that are
// deleted during the call.
func entries(ctx context.Context, dir string, f func(name string, st fs.FileInfo) error) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		st, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = f(e.Name(), st)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func notFound(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return vitrine.ErrNotFound
	}
	return err
}
