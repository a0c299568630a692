package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"vitrine"
	"vitrine/internal/base/durable"
)

// Receive stores a body under its key atomically and durably, with its SHA-256.
// Repeating it with the same body succeeds.
func (b *Blobs) Receive(ctx context.Context, g vitrine.PutGrant, body io.Reader) (string, error) {
	switch state, err := b.state(g.Key); {
	case err != nil:
		return "", err
	case state == keyUsed:
		return "", errUsed()
	case state == keyStored:
		return b.compareRepeated(ctx, g, body)
	}
	part, err := lock(b.part(g.Key), os.O_CREATE|os.O_RDWR)
	if errors.Is(err, durable.ErrLocked) {
		return "", vitrine.Errorf(vitrine.CodeUploadInProgress,
			"Another transfer to this URL is under way. Wait for its end.")
	}
	if err != nil {
		return "", vitrine.Unavailable(err)
	}
	defer part.Close()
	etag, stored, err := b.receive(ctx, g, part.File, body)
	if stored {
		_ = b.removeChunks(g.Key) // or Seal does
	} else {
		// Another process may have opened the file before this removal. It
		// detects that after it has the lock. Stored bytes have another name.
		_ = os.Remove(part.Name())
	}
	if err != nil {
		return "", unavailable(err)
	}
	return etag, nil
}

// receive implements Receive. The caller holds the lock on part. It reports
// whether part became the stored bytes.
func (b *Blobs) receive(ctx context.Context, g vitrine.PutGrant, part *os.File,
	body io.Reader) (etag string, stored bool, err error) {
	// The previous holder of the lock may have completed the transfer.
	switch state, err := b.state(g.Key); {
	case err != nil:
		return "", false, err
	case state == keyUsed:
		return "", false, errUsed()
	case state == keyStored:
		etag, err := b.compareRepeated(ctx, g, body)
		return etag, false, err
	}
	sum, err := fill(ctx, part, body, g.Size)
	if err != nil {
		return "", false, err
	}
	if err := b.storeFirst(part, g.Key, sum); err != nil {
		return "", false, err
	}
	return `"` + sum + `"`, true, nil
}

// storeFirst stores the complete part unless the key has been stored or deleted
// during the transfer. Of a PUT and an upload in chunks that end at the same
// time, one succeeds: both wait for the lock of the directory.
func (b *Blobs) storeFirst(part *os.File, k vitrine.UploadID, sum string) error {
	if err := os.MkdirAll(b.shard(k), 0o700); err != nil {
		return err
	}
	dir, err := openLocked(b.shard(k), os.O_RDONLY, durable.Hold{Wait: true})
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := b.requireState(k, keyFree); err != nil {
		return err
	}
	return b.store(part, k, sum)
}

// store writes the hash and renames the complete part to its final name. From
// then on the bytes are stored.
func (b *Blobs) store(part *os.File, k vitrine.UploadID, sum string) error {
	if err := b.rename(part, k, sum); err != nil {
		return errors.Join(err, remove(b.path(k)+sumSuffix))
	}
	// The bytes have their final name and may already be in use, so an error
	// does not undo the rename. After an error a power failure may undo it.
	// Seal tries again.
	return vitrine.UnavailableAfter(unavailable(durable.SyncDir(b.shard(k))))
}

func (b *Blobs) rename(part *os.File, k vitrine.UploadID, sum string) error {
	if err := writeFile(b.path(k)+sumSuffix, sum+"  "+string(k)+"\n"); err != nil {
		return err
	}
	if err := durable.SyncDir(b.blobs); err != nil {
		return err
	}
	now := b.now()
	if err := os.Chtimes(part.Name(), now, now); err != nil { // Sweep compares this time
		return err
	}
	return durable.Rename(part.Name(), b.path(k))
}

// unavailable returns err if it has a code, otherwise an error with
// CodeUnavailable.
func unavailable(err error) error {
	if vitrine.CodeOf(err) != vitrine.CodeInternal {
		return err // nil, too
	}
	return vitrine.Unavailable(err)
}

// keyState is the state of a key in the directory.
type keyState int

const (
	keyFree   keyState = iota
	keyStored          // its bytes are stored
	keyUsed            // its bytes were deleted
)

// state returns the state of a key. Errors are ErrNotFound for an invalid key,
// and CodeUnavailable.
func (b *Blobs) state(k vitrine.UploadID) (keyState, error) {
	if err := valid(k); err != nil {
		return keyFree, err
	}
	for _, at := range []struct {
		path  string
		state keyState
	}{{b.used(k), keyUsed}, {b.path(k), keyStored}} {
		if _, err := os.Lstat(at.path); err == nil {
			return at.state, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return keyFree, vitrine.Unavailable(err)
		}
	}
	return keyFree, nil
}

// requireState returns an error if a key is no longer in the given state.
func (b *Blobs) requireState(k vitrine.UploadID, want keyState) error {
	state, err := b.state(k)
	if err == nil && state != want {
		err = errUsed()
	}
	return err
}

// fill writes exactly size bytes of body to f and returns their SHA-256.
func fill(ctx context.Context, f *os.File, body io.Reader, size int64) (string, error) {
	if err := f.Truncate(0); err != nil {
		return "", err
	}
	n, sum, err := copyTo(ctx, f, io.LimitReader(body, size), size)
	if err != nil {
		return "", err
	}
	if n != size {
		return "", errShort(n, size)
	}
	if err := requireEnd(body, size); err != nil {
		return "", err
	}
	if err := durable.Sync(f); err != nil {
		return "", err
	}
	return sum, nil
}

// requireEnd returns an error if body does not end after size bytes.
func requireEnd(body io.Reader, size int64) error {
	switch m, err := io.ReadFull(body, make([]byte, 1)); {
	case m > 0:
		return vitrine.Errorf(vitrine.CodeSizeMismatch, "The file is larger than the %d bytes announced in step 1.",
			size)
	case err != io.EOF: // the body is incomplete
		return errInterrupted(err, size)
	}
	return nil
}

func errShort(after, size int64) error {
	return vitrine.Errorf(vitrine.CodeSizeMismatch, "The transfer ended after %d of %d bytes. It can be tried again.",
		after, size)
}

// errInterrupted returns the error of a body that failed, which may have a code
// of its own.
func errInterrupted(err error, after int64) error {
	if vitrine.CodeOf(err) != vitrine.CodeInternal {
		return err
	}
	return &vitrine.Error{Code: vitrine.CodeSizeMismatch, Err: err,
		Message: fmt.Sprintf("The transfer broke off after %d bytes. It can be tried again.", after)}
}

func writeFile(path, text string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, durable.Sync(f), f.Close())
}
