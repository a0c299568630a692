package s3

import (
	"context"
	"io"

	"vitrine"
)

// validPart returns an error for an invalid key or part.
func validPart(k vitrine.UploadID, p vitrine.Part) error {
	if _, ok := vitrine.ParsePart(string(p)); !ok {
		return vitrine.ErrNotFound
	}
	return valid(k)
}

// PutPart stores a part of a blob.
func (b *Blobs) PutPart(ctx context.Context, k vitrine.UploadID, p vitrine.Part, body io.Reader) error {
	if err := validPart(k, p); err != nil {
		return err
	}
	if _, err := b.head(ctx, b.path(k)); err != nil {
		return err
	}
	if err := b.write(ctx, b.partPath(k, p), -1, body); err != nil {
		return err
	}
	_, err := b.head(ctx, b.path(k))
	if isNotFound(err) { // deleted concurrently, possibly before the delete could find this part
		return orNotFound(b.remove(ctx, b.partPath(k, p)))
	}
	return err
}

// OpenPart opens a part for reading.
func (b *Blobs) OpenPart(ctx context.Context, k vitrine.UploadID, p vitrine.Part) (vitrine.Blob, error) {
	if err := validPart(k, p); err != nil {
		return nil, err
	}
	return b.open(ctx, b.partPath(k, p))
}

// DeletePart deletes a part.
func (b *Blobs) DeletePart(ctx context.Context, k vitrine.UploadID, p vitrine.Part) error {
	if validPart(k, p) != nil {
		return nil
	}
	return b.remove(ctx, b.partPath(k, p))
}
