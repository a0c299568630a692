package disk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"

	"vitrine"
	"vitrine/internal/durable"
)

// again answers a transfer of a key whose bytes are stored: the answer to an
// earlier transfer may have been lost. It compares body with the stored bytes
// as it arrives and stores nothing. It returns the ETag of the stored bytes if
// body is the same, and CodeURLUsed at the first difference.
func (b *Blobs) again(ctx context.Context, g vitrine.PutGrant, body io.Reader) (string, error) {
	stored, err := os.Open(b.path(g.Key))
	if errors.Is(err, os.ErrNotExist) {
		return "", errUsed() // deleted meanwhile
	}
	if err != nil {
		return "", vitrine.Unavailable(err)
	}
	defer stored.Close()
	sum, err := compare(ctx, stored, body, g.Size)
	if err != nil {
		return "", unavailable(err)
	}
	// The earlier transfer may have failed in its last step, after the bytes
	// got their name.
	if err := durable.SyncDir(b.shard(g.Key)); err != nil {
		return "", vitrine.Unavailable(err)
	}
	// And the key may have been deleted meanwhile.
	if err := b.still(g.Key, keyStored); err != nil {
		return "", err
	}
	return `"` + sum + `"`, nil
}

// compare reads size bytes of stored and of body in step, and returns their
// SHA-256. Errors are those of fill, and CodeURLUsed where they differ.
func compare(ctx context.Context, stored, body io.Reader, size int64) (string, error) {
	buf := make([]byte, copySize) // for both
	want, got := buf[:copySize/2], buf[copySize/2:]
	sum := sha256.New()
	for n := int64(0); n < size; {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		m, err := io.ReadFull(body, got[:min(int64(len(got)), size-n)])
		if _, err := io.ReadFull(stored, want[:m]); err != nil {
			return "", err
		}
		if !bytes.Equal(got[:m], want[:m]) {
			return "", errUsed()
		}
		sum.Write(got[:m])
		n += int64(m)
		switch {
		case err == nil:
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return "", ended(n, size)
		default:
			return "", brokenOff(err, n)
		}
	}
	if err := atEnd(body, size); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// errUsed refuses a transfer of other bytes than those that are stored, or
// were.
func errUsed() error {
	return vitrine.Errorf(vitrine.CodeURLUsed, "This upload already has its file. Continue with step 3.")
}
