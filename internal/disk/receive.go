package disk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"

	"vitrine"
	"vitrine/internal/durable"
)

const (
	copySize  = 256 << 10 // bytes of one write; the memory of a transfer
	flushSize = 8 << 20   // bytes after which writing to the device is begun, so that the last fsync has little left to do
)

// Receive stores a body in place of its key: whole, durable and named by its
// SHA-256, or not at all. The same body again is success.
func (b *Blobs) Receive(ctx context.Context, g vitrine.PutGrant, body io.Reader) (string, error) {
	switch state, err := b.state(g.Key); {
	case err != nil:
		return "", err
	case state == keyUsed:
		return "", errUsed()
	case state == keyStored:
		return b.again(ctx, g, body)
	}
	part, err := lock(b.part(g.Key), os.O_CREATE|os.O_RDWR)
	if errors.Is(err, errLocked) {
		return "", vitrine.Errorf(vitrine.CodeUploadInProgress,
			"Another transfer to this URL is under way. Wait for its end.")
	}
	if err != nil {
		return "", vitrine.Unavailable(err)
	}
	defer part.Close() // and with it the lock
	etag, stored, err := b.receive(ctx, g, part, body)
	if !stored {
		// Anyone who opened the file before it is removed finds that out when
		// they have locked it. Stored bytes have another name.
		_ = os.Remove(part.Name())
	}
	if err != nil {
		return "", unavailable(err)
	}
	return etag, nil
}

// receive does the work of Receive while the caller holds the lock on part. It
// reports whether part became the stored bytes.
func (b *Blobs) receive(ctx context.Context, g vitrine.PutGrant, part *os.File,
	body io.Reader) (etag string, stored bool, err error) {
	// Anyone who held the lock before may have finished.
	switch state, err := b.state(g.Key); {
	case err != nil:
		return "", false, err
	case state == keyUsed:
		return "", false, errUsed()
	case state == keyStored:
		etag, err := b.again(ctx, g, body)
		return etag, false, err
	}
	sum, err := fill(ctx, part, body, g.Size)
	if err != nil {
		return "", false, err
	}
	// And the key may have been deleted meanwhile.
	if err := b.still(g.Key, keyFree); err != nil {
		return "", false, err
	}
	if err := b.store(part, g.Key, sum); err != nil {
		return "", false, err
	}
	return `"` + sum + `"`, true, nil
}

// store gives whole bytes their name, beside their sum: from then on they are
// stored.
func (b *Blobs) store(part *os.File, k vitrine.UploadID, sum string) error {
	if err := os.MkdirAll(b.shard(k), 0o700); err != nil {
		return err
	}
	if err := b.rename(part, k, sum); err != nil {
		return errors.Join(err, remove(b.path(k)+sumSuffix))
	}
	// The bytes have their name, and someone may use them already: nothing is
	// taken back. An error says that power loss may still undo it; Seal tries
	// again.
	return durable.SyncDir(b.shard(k))
}

func (b *Blobs) rename(part *os.File, k vitrine.UploadID, sum string) error {
	if err := writeFile(b.path(k)+sumSuffix, sum+"  "+string(k)+"\n"); err != nil {
		return err
	}
	if err := durable.SyncDir(b.blobs); err != nil {
		return err
	}
	now := b.now()
	if err := os.Chtimes(part.Name(), now, now); err != nil { // for Sweep
		return err
	}
	return durable.Rename(part.Name(), b.path(k))
}

// unavailable returns err unchanged if it already has a code, and otherwise an
// error that says that storage failed.
func unavailable(err error) error {
	if vitrine.CodeOf(err) != vitrine.CodeInternal {
		return err
	}
	return vitrine.Unavailable(err)
}

// keyState is what the directory knows of a key.
type keyState int

const (
	keyFree   keyState = iota
	keyStored          // its bytes are stored
	keyUsed            // its bytes were deleted
)

// state looks a key up. Errors: ErrNotFound for what is no key,
// CodeUnavailable.
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

// still refuses a key that is no longer in a state.
func (b *Blobs) still(k vitrine.UploadID, want keyState) error {
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
	sum := sha256.New()
	n, err := copyTo(ctx, f, sum, io.LimitReader(body, size))
	if err != nil {
		return "", err
	}
	if n != size {
		return "", ended(n, size)
	}
	if err := atEnd(body, size); err != nil {
		return "", err
	}
	if err := durable.Sync(f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// atEnd refuses a body that does not end after the size bytes that were read of
// it.
func atEnd(body io.Reader, size int64) error {
	switch m, err := io.ReadFull(body, make([]byte, 1)); {
	case m > 0:
		return vitrine.Errorf(vitrine.CodeSizeMismatch, "The file is larger than the %d bytes announced in step 1.",
			size)
	case err != io.EOF: // it has not come whole
		return brokenOff(err, size)
	}
	return nil
}

func ended(after, size int64) error {
	return vitrine.Errorf(vitrine.CodeSizeMismatch, "The transfer ended after %d of %d bytes. It can be tried again.",
		after, size)
}

// copyTo copies to a file and a hash in step, and starts writing to the device
// as it goes.
func copyTo(ctx context.Context, f *os.File, sum hash.Hash, r io.Reader) (n int64, err error) {
	buf := make([]byte, copySize)
	var flushed int64
	for {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		m, rerr := io.ReadFull(r, buf)
		if m > 0 {
			sum.Write(buf[:m])
			if _, err := f.WriteAt(buf[:m], n); err != nil {
				return n, err
			}
			n += int64(m)
			if n-flushed >= flushSize {
				beginFlush(f, flushed, n-flushed)
				flushed = n
			}
		}
		switch {
		case rerr == io.EOF || rerr == io.ErrUnexpectedEOF:
			return n, nil
		case rerr != nil:
			return n, brokenOff(rerr, n)
		}
	}
}

func brokenOff(err error, after int64) error {
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
