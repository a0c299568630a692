package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"vitrine"
	"vitrine/internal/durable"
)

// Import stores the bytes of a sealed blob from elsewhere, whole or not at all.
// That a blob of this size is there already is success, and nothing is read of
// body; of another size, ErrExists. Errors besides: CodeUploadInProgress,
// CodeURLUsed (the key was deleted here) and CodeSizeMismatch, as of Receive.
func (b *Blobs) Import(ctx context.Context, k vitrine.UploadID, size int64, body io.Reader) error {
	if err := valid(k); err != nil {
		return err
	}
	switch st, err := os.Stat(b.path(k)); {
	case err == nil && st.Size() == size:
		return durable.SyncDir(b.shard(k)) // as Seal does
	case err == nil:
		return fmt.Errorf("%w: %s has %d bytes, not %d", vitrine.ErrExists, b.path(k), st.Size(), size)
	case !errors.Is(err, os.ErrNotExist):
		return vitrine.Unavailable(err)
	}
	_, err := b.Receive(ctx, vitrine.PutGrant{Key: k, Size: size}, body)
	return err
}
