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
	sum, err := b.receive(ctx, g, part, body)
	if err != nil {
		// Whoever opened the file before it is removed finds that out when they have locked it. Stored bytes have another name.
		_ = os.Remove(part.Name())
		return "", unavailable(err)
	}
	return `"` + sum + `"`, nil
}

func (b *Blobs) receive(ctx context.Context, g vitrine.PutGrant, part *os.File, body io.Reader) (sum string, err error) {
	// Whoever held the lock before may have finished.
	if err = b.free(g.Key); err != nil {
		return "", err
	}
	if sum, err = fill(ctx, part, body, g.Size); err != nil {
		return "", err
	}
	// And the key may have been deleted meanwhile.
	if err = b.free(g.Key); err != nil {
		return "", err
	}
	return sum, b.store(part, g.Key, sum)
}

// store gives whole bytes their name, beside their sum: from then on they are stored.
func (b *Blobs) store(part *os.File, k vitrine.UploadID, sum string) error {
	if err := os.MkdirAll(b.shard(k), 0o700); err != nil {
		return err
	}
	if err := b.rename(part, k, sum); err != nil {
		return errors.Join(err, remove(b.path(k)+sumSuffix))
	}
	// The bytes have their name, and somebody may use them already: nothing is taken back. An error says that power loss may still
	// undo it; Seal tries again.
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
	if n != size {
		return "", vitrine.Errorf(vitrine.CodeSizeMismatch, "The transfer ended after %d of %d bytes. It can be tried again.", n, size)
	}
	switch m, err := io.ReadFull(body, make([]byte, 1)); {
	case m > 0:
		return "", vitrine.Errorf(vitrine.CodeSizeMismatch, "The file is larger than the %d bytes announced in step 1.", size)
	case err != io.EOF: // a body that does not end here has not come whole
		return "", brokenOff(err, n)
	}
	if err := durable.Sync(f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// copyTo copies to a file and a hash in step, and starts writing to the device as it goes.
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
