package access

import (
	"context"
	"errors"
	"fmt"

	"vitrine"
)

// Blobs is what this package uses of [vitrine.Blobs].
type Blobs interface {
	Open(ctx context.Context, key vitrine.UploadID) (vitrine.Blob, error)
}

// OpenWhole opens the bytes of a link. It returns Unavailable if they are
// missing or their size differs from the link's, so that a truncated file is
// not served as complete.
func OpenWhole(ctx context.Context, blobs Blobs, l *vitrine.Link) (vitrine.Blob, error) {
	b, err := blobs.Open(ctx, l.Upload)
	if err != nil {
		return nil, vitrine.Unavailable(fmt.Errorf("link %s: open the stored file %s: %w", l.Slug, l.Upload, err))
	}
	if n := b.Size(); n != l.Size {
		err := fmt.Errorf("link %s: the stored file %s has %d bytes, want %d: restore it from a backup", l.Slug,
			l.Upload, n, l.Size)
		return nil, vitrine.Unavailable(errors.Join(err, b.Close()))
	}
	return b, nil
}
