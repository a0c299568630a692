package s3

import (
	"context"
	"fmt"
	"io"

	"vitrine"
)

// Import stores the bytes of a sealed blob from other storage atomically. If a
// blob of this size exists, it succeeds without reading body. If the size
// differs, it returns ErrExists. Nobody else may write to the key at the same
// time.
func (b *Blobs) Import(ctx context.Context, k vitrine.UploadID, size int64, body io.Reader) error {
	if err := valid(k); err != nil {
		return err
	}
	switch o, err := b.head(ctx, b.path(k)); {
	case err == nil && o.size == size:
		return nil
	case err == nil:
		return fmt.Errorf("%w: %s has %d bytes, not %d", vitrine.ErrExists, b.path(k), o.size, size)
	case !isNotFound(err):
		return err
	}
	return b.write(ctx, b.path(k), size, body)
}
