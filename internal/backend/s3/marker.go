package s3

import (
	"context"
	"errors"
	"io"
	"strings"
)

// markerKey is the key of the marker object.
const markerKey = "mark"

// maxMarker is the maximum size of a marker that is read.
const maxMarker = 1 << 10

// Marker implements [vitrine.Blobs].
func (b *Blobs) Marker(ctx context.Context) (string, error) {
	key := b.prefix + markerKey
	body, o, err := b.get(ctx, key, "", 0, maxMarker)
	if isNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(body, maxMarker))
	if err == nil && int64(len(text)) != min(o.size, maxMarker) {
		err = io.ErrUnexpectedEOF
	}
	if err = errors.Join(err, body.Close()); err != nil {
		return "", b.fault("read", key, err)
	}
	return strings.TrimSpace(string(text)), nil
}

// PutMarker implements [vitrine.Blobs].
func (b *Blobs) PutMarker(ctx context.Context, token string) error {
	return b.putSmall(ctx, b.prefix+markerKey, []byte(token+"\n"))
}
