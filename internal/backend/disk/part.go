package disk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"vitrine"
	"vitrine/internal/base/durable"
)

// partMark separates the key from the part name. Temporary files have a second
// one, before a unique suffix.
const partMark = "~"

func (b *Blobs) partPath(k vitrine.UploadID, p vitrine.Part) string {
	return b.path(k) + partMark + string(p)
}

// validPart returns an error for an invalid key or part, so that it never
// becomes a file name.
func validPart(k vitrine.UploadID, p vitrine.Part) error {
	if _, ok := vitrine.ParsePart(string(p)); !ok {
		return vitrine.ErrNotFound
	}
	return valid(k)
}

// PutPart stores a part of a blob. The part is complete and durable when
// PutPart returns nil.
func (b *Blobs) PutPart(ctx context.Context, k vitrine.UploadID, p vitrine.Part, body io.Reader) error {
	if err := validPart(k, p); err != nil {
		return err
	}
	if !exists(b.path(k)) {
		return vitrine.ErrNotFound
	}
	f, err := os.CreateTemp(b.shard(k), string(k)+partMark+string(p)+partMark+"*")
	if err != nil {
		return err
	}
	_, err = io.Copy(f, contextReader{ctx, body})
	if err = errors.Join(err, durable.Sync(f), f.Close()); err == nil {
		err = durable.Rename(f.Name(), b.partPath(k, p))
	}
	if !exists(b.path(k)) { // deleted concurrently, possibly before this part was stored
		return errors.Join(vitrine.ErrNotFound, remove(f.Name()), remove(b.partPath(k, p)))
	}
	if err != nil {
		return errors.Join(err, remove(f.Name()))
	}
	return durable.SyncDir(b.shard(k))
}

// contextReader is a reader that fails when its context ends.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// OpenPart opens a stored part for reading.
func (b *Blobs) OpenPart(_ context.Context, k vitrine.UploadID, p vitrine.Part) (vitrine.Blob, error) {
	if err := validPart(k, p); err != nil {
		return nil, err
	}
	return open(b.partPath(k, p))
}

// DeletePart deletes a part.
func (b *Blobs) DeletePart(_ context.Context, k vitrine.UploadID, p vitrine.Part) error {
	if validPart(k, p) != nil {
		return nil
	}
	held, err := b.lockDeletes()
	if err != nil {
		return err
	}
	defer held.Close()
	if err := remove(b.partPath(k, p)); err != nil {
		return err
	}
	return syncIfThere(b.shard(k))
}

// deleteParts deletes all parts of a key, including unfinished ones.
func (b *Blobs) deleteParts(k vitrine.UploadID) error {
	all, err := os.ReadDir(b.shard(k))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range all {
		if strings.HasPrefix(e.Name(), string(k)+partMark) {
			err = errors.Join(err, remove(filepath.Join(b.shard(k), e.Name())))
		}
	}
	return err
}

// sweepPart deletes a part that has no blob or was never completed.
func (b *Blobs) sweepPart(name string, due func() bool) error {
	key, part, _ := strings.Cut(name, partMark)
	k := vitrine.UploadID(key)
	if valid(k) != nil || exists(b.path(k)) && !strings.Contains(part, partMark) || !due() {
		return nil
	}
	return remove(filepath.Join(b.shard(k), name))
}

// syncIfThere syncs a directory if it exists.
func syncIfThere(dir string) error {
	if err := durable.SyncDir(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
