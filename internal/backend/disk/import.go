package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"vitrine"
	"vitrine/internal/base/durable"
)

// Import stores the bytes of a sealed blob from other storage atomically. If a
// blob of this size exists, it succeeds without reading body. If the size
// differs, it returns ErrExists. Other errors are CodeUploadInProgress,
// CodeURLUsed (the key was deleted here) and CodeSizeMismatch, as from Receive.
func (b *Blobs) Import(ctx context.Context, k vitrine.UploadID, size int64, body io.Reader) error {
	if err := valid(k); err != nil {
		return err
	}
	switch st, err := os.Stat(b.path(k)); {
	case err == nil && st.Size() == size:
		return durable.SyncDir(b.shard(k)) // like Seal
	case err == nil:
		return fmt.Errorf("%w: %s has %d bytes, not %d", vitrine.ErrExists, b.path(k), st.Size(), size)
	case !errors.Is(err, os.ErrNotExist):
		return vitrine.Unavailable(err)
	}
	_, err := b.Receive(ctx, vitrine.PutGrant{Key: k, Size: size}, body)
	return err
}
