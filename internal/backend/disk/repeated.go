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
	"vitrine/internal/base/durable"
)

// compareRepeated handles a repeated transfer for a key whose bytes are stored,
// because the client may not have received the first response. It compares body
// with the stored bytes while it arrives and stores nothing. It returns the
// ETag if they are equal, and CodeURLUsed at the first difference.
func (b *Blobs) compareRepeated(ctx context.Context, g vitrine.PutGrant, body io.Reader) (string, error) {
	stored, err := os.Open(b.path(g.Key))
	if errors.Is(err, os.ErrNotExist) {
		return "", errUsed() // deleted concurrently
	}
	if err != nil {
		return "", vitrine.Unavailable(err)
	}
	defer stored.Close()
	sum, err := compare(ctx, stored, body, g.Size)
	if err != nil {
		return "", unavailable(err)
	}
	// The earlier transfer may have failed in its last step, after the rename.
	if err := durable.SyncDir(b.shard(g.Key)); err != nil {
		return "", vitrine.Unavailable(err)
	}
	// The key may have been deleted during the comparison.
	if err := b.requireState(g.Key, keyStored); err != nil {
		return "", err
	}
	return `"` + sum + `"`, nil
}

// compare reads size bytes of stored and body in parallel and returns their
// SHA-256. It returns the errors of fill, and CodeURLUsed at the first
// difference.
func compare(ctx context.Context, stored, body io.Reader, size int64) (string, error) {
	buf := make([]byte, copySize) // shared by both readers
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
			return "", errShort(n, size)
		default:
			return "", errInterrupted(err, n)
		}
	}
	if err := requireEnd(body, size); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// errUsed returns the error for a transfer whose bytes differ from the stored
// or deleted ones.
func errUsed() error {
	return vitrine.Errorf(vitrine.CodeURLUsed, "This upload already has its file. Continue with step 3.")
}
