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
	"vitrine/internal/durable"
)

// partMark is between a key and the name of a part, and again before what
// makes the name of an unfinished one unique.
const partMark = "~"

func (b *Blobs) partPath(k vitrine.UploadID, p vitrine.Part) string {
	return b.path(k) + partMark + string(p)
}

// validPart keeps anything that is no key or no part away from the file system.
func validPart(k vitrine.UploadID, p vitrine.Part) error {
	if _, ok := vitrine.ParsePart(string(p)); !ok {
		return vitrine.ErrNotFound
	}
	return valid(k)
}

// PutPart stores a part beside its blob, whole and durable.
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
	if !exists(b.path(k)) { // deleted meanwhile, perhaps without having seen this part
		return errors.Join(vitrine.ErrNotFound, remove(f.Name()), remove(b.partPath(k, p)))
	}
	if err != nil {
		return errors.Join(err, remove(f.Name()))
	}
	return durable.SyncDir(b.shard(k))
}

// contextReader ends with its context.
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

// OpenPart opens a stored part.
func (b *Blobs) OpenPart(_ context.Context, k vitrine.UploadID, p vitrine.Part) (vitrine.Blob, error) {
	if err := validPart(k, p); err != nil {
		return nil, err
	}
	return open(b.partPath(k, p))
}

// DeletePart removes a part.
func (b *Blobs) DeletePart(_ context.Context, k vitrine.UploadID, p vitrine.Part) error {
	if validPart(k, p) != nil {
		return nil
	}
	held, err := b.deleting()
	if err != nil {
		return err
	}
	defer held.Close()
	if err := remove(b.partPath(k, p)); err != nil {
		return err
	}
	return syncIfThere(b.shard(k))
}

// deleteParts removes every part of a key, unfinished ones too.
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

// sweepPart removes a part whose blob is gone, or one that was never finished.
func (b *Blobs) sweepPart(name string, due func() bool) error {
	key, part, _ := strings.Cut(name, partMark)
	k := vitrine.UploadID(key)
	if valid(k) != nil || exists(b.path(k)) && !strings.Contains(part, partMark) || !due() {
		return nil
	}
	return remove(filepath.Join(b.shard(k), name))
}

// syncIfThere syncs a directory that may not have been made.
func syncIfThere(dir string) error {
	if err := durable.SyncDir(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
