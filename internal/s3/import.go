package s3

import (
	"context"
	"fmt"
	"io"

	"vitrine"
)

// Import stores the bytes of a sealed blob from elsewhere, whole or not at all.
// That a blob of this size is there already is success, and nothing is read of
// body; of another size, ErrExists. Nobody else may be giving the same key
// bytes.
func (b *Blobs) Import(ctx context.Context, k vitrine.UploadID, size int64, body io.Reader) error {
	if err := valid(k); err != nil {
		return err
	}
	switch o, err := b.look(ctx, b.path(k)); {
	case err == nil && o.size == size:
		return nil
	case err == nil:
		return fmt.Errorf("%w: %s has %d bytes, not %d", vitrine.ErrExists, b.path(k), o.size, size)
	case !isNotFound(err):
		return err
	}
	return b.write(ctx, b.path(k), size, body)
}
