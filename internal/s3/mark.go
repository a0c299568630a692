package s3

import (
	"context"
	"errors"
	"io"
	"strings"
)

// markKey is beside incoming and blobs.
const markKey = "mark"

// longestMark is of what is read of a mark, in bytes: those that are put are
// shorter.
const longestMark = 1 << 10

// Mark implements [vitrine.Blobs].
func (b *Blobs) Mark(ctx context.Context) (string, error) {
	key := b.prefix + markKey
	body, o, err := b.get(ctx, key, "", 0, longestMark)
	if isNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(body, longestMark))
	if err == nil && int64(len(text)) != min(o.size, longestMark) {
		err = io.ErrUnexpectedEOF
	}
	if err = errors.Join(err, body.Close()); err != nil {
		return "", b.fault("read", key, err)
	}
	return strings.TrimSpace(string(text)), nil
}

// PutMark implements [vitrine.Blobs].
func (b *Blobs) PutMark(ctx context.Context, mark string) error {
	return b.putSmall(ctx, b.prefix+markKey, []byte(mark+"\n"))
}
