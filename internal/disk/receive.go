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
)

const (
	copySize  = 256 << 10 // bytes of one write; the memory of a transfer
	flushSize = 8 << 20   // bytes after which writing to the device is begun, so that the last fsync has little left to do
)

// Receive stores a body in place of its key: whole, durable and named by its SHA-256, or not at all.
func (b *Blobs) Receive(ctx context.Context, g vitrine.PutGrant, body io.Reader) (string, error) {
	if err := b.free(g.Key); err != nil {
		return "", err
	}
	part, err := lock(b.part(g.Key), os.O_CREATE|os.O_RDWR)
	if errors.Is(err, errLocked) {
		return "", vitrine.Errorf(vitrine.CodeUploadInProgress, "Another transfer to this URL is under way. Wait for its end.")
	}
	if err != nil {
		return "", vitrine.Unavailable(err)
	}
	defer part.Close() // and with it the lock
	// Whoever held the lock before may have finished.
	if err := b.free(g.Key); err != nil {
		return "", err
	}
	sum, err := fill(ctx, part, body, g.Size)
	if err == nil {
		err = b.prepare(g.Key, sum)
	}
	if err == nil {
		err = b.publish(part, g.Key)
	}
	if err != nil {
		// Whoever opened the file before it is removed finds that out when they have locked it.
		_ = os.Remove(part.Name())
		return "", unavailable(err)
	}
	return `"` + sum + `"`, nil
}

// publish gives whole bytes their name: from here on they are stored.
func (b *Blobs) publish(part *os.File, k vitrine.UploadID) error {
	if err := os.Rename(part.Name(), b.path(k)); err != nil {
		return err
	}
	if err := syncDir(b.shard(k)); err != nil {
		_ = os.Remove(b.path(k))
		return err
	}
	return nil
}

// unavailable is err if it is one for the caller already, else that storage failed.
func unavailable(err error) error {
	if vitrine.CodeOf(err) != vitrine.CodeInternal {
		return err
	}
	return vitrine.Unavailable(err)
}

// free refuses a key whose bytes are stored, or were.
func (b *Blobs) free(k vitrine.UploadID) error {
	if err := valid(k); err != nil {
		return err
	}
	for _, p := range []string{b.path(k), b.used(k)} {
		if _, err := os.Lstat(p); err == nil {
			return vitrine.Errorf(vitrine.CodeURLUsed, "The file of this upload URL is stored already: the URL works once.")
		} else if !errors.Is(err, fs.ErrNotExist) {
			return vitrine.Unavailable(err)
		}
	}
	return nil
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
	if n == size {
		// One byte more than announced is one too many.
		switch m, err := io.ReadFull(body, make([]byte, 1)); {
		case m > 0:
			return "", vitrine.Errorf(vitrine.CodeSizeMismatch, "The file is larger than the %d bytes announced in step 1.", size)
		case err != io.EOF: // a body that does not say that it ends here has not come whole
			return "", brokenOff(err, n)
		}
	}
	if n != size {
		return "", vitrine.Errorf(vitrine.CodeSizeMismatch, "The transfer ended after %d of %d bytes. It can be tried again.", n, size)
	}
	if err := f.Sync(); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// copyTo copies to a file and a hash in step, and starts writing to the device as it goes.
func copyTo(ctx context.Context, f *os.File, sum hash.Hash, r io.Reader) (n int64, err error) {
	buf := make([]byte, copySize)
	var flushed int64
	for {
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
		case ctx.Err() != nil:
			return n, ctx.Err()
		}
	}
}

func brokenOff(err error, after int64) error {
	return &vitrine.Error{Code: vitrine.CodeSizeMismatch, Err: err,
		Message: fmt.Sprintf("The transfer broke off after %d bytes. It can be tried again.", after)}
}

// prepare makes the place of a whole file, with its sum.
func (b *Blobs) prepare(k vitrine.UploadID, sum string) error {
	if err := os.MkdirAll(b.shard(k), 0o700); err != nil {
		return err
	}
	if err := writeFile(b.path(k)+sumSuffix, sum+"  "+string(k)+"\n"); err != nil {
		return err
	}
	return syncDir(b.blobs)
}

func writeFile(path, text string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}
