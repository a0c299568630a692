package s3

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"golang.org/x/sync/errgroup"
)

const (
	copyParts        = 10_000 // maximum number of parts
	concurrentCopies = 4      // concurrent part copies
	sealTries        = 5      // attempts if the incoming bytes are replaced during the copy
	deleteTime       = 10 * time.Second
)

// errReplaced is returned if the source has been replaced or the destination
// exists.
var errReplaced = errors.New("replaced by another process")

// Seal copies the incoming bytes to the final key with a conditional write, so
// the first process that seals a key wins and later uploads have no effect. All
// copied parts have the same ETag, so they come from one upload. After a crash
// at any step, the next Seal finds the blob or starts again. Sweep deletes
// leftovers.
func (b *Blobs) Seal(ctx context.Context, k vitrine.UploadID) (vitrine.BlobInfo, error) {
	if err := valid(k); err != nil {
		return vitrine.BlobInfo{}, err
	}
	if err := b.checkConditionalWrites(ctx); err != nil {
		return vitrine.BlobInfo{}, err
	}
	for range sealTries {
		o, err := b.head(ctx, b.path(k))
		if err == nil {
			b.deleteLeftovers(ctx, func(ctx context.Context) error { return b.remove(ctx, b.incoming(k, o.size)) })
			return vitrine.BlobInfo{Size: o.size}, nil
		}
		if !isNotFound(err) {
			return vitrine.BlobInfo{}, err
		}
		o, err = b.incomingObject(ctx, k)
		if isNotFound(err) {
			o, err = b.head(ctx, b.path(k)) // another process may have sealed it between the requests
			return vitrine.BlobInfo{Size: o.size}, err
		}
		if err == nil {
			err = b.copy(ctx, k, o)
		}
		switch {
		case err == nil:
			return b.sealed(ctx, k, o)
		case !errors.Is(err, errReplaced):
			return vitrine.BlobInfo{}, err
		}
	}
	return vitrine.BlobInfo{}, b.fault("seal", b.path(k), fmt.Errorf("%w, %d times", errReplaced, sealTries))
}

// sealed completes a Seal after the copy. It deletes the incoming bytes only if
// they are the copied ones. It deletes the copy if the key was deleted
// concurrently, because the delete may have missed the copy.
func (b *Blobs) sealed(ctx context.Context, k vitrine.UploadID, o object) (vitrine.BlobInfo, error) {
	used, err := b.exists(ctx, b.used(k))
	if err != nil {
		return vitrine.BlobInfo{}, err
	}
	if used {
		return vitrine.BlobInfo{}, orNotFound(b.remove(ctx, b.path(k)))
	}
	made, err := b.head(ctx, b.path(k))
	if err != nil {
		return vitrine.BlobInfo{}, err // ErrNotFound: the key was deleted
	}
	if made.size != o.size {
		return vitrine.BlobInfo{}, b.fault("seal", b.path(k),
			fmt.Errorf("%d bytes were copied of %d", made.size, o.size))
	}
	b.deleteLeftovers(ctx, func(ctx context.Context) error { return b.remove(ctx, b.incoming(k, o.size)) })
	return vitrine.BlobInfo{Size: o.size}, nil
}

// deleteLeftovers deletes leftovers early. It ignores errors, because Sweep
// deletes them later.
func (b *Blobs) deleteLeftovers(ctx context.Context, f func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteTime)
	defer cancel()
	_ = f(ctx)
}

// copy copies o to the final key. It returns errReplaced if o is no longer in
// incoming, or if the final key exists.
func (b *Blobs) copy(ctx context.Context, k vitrine.UploadID, o object) error {
	key := b.path(k)
	a, err := b.assemble(ctx, key)
	if err != nil {
		return err
	}
	size := max(b.limits.part, (o.size+copyParts-1)/copyParts)
	a.parts = make([]types.CompletedPart, (o.size+size-1)/size)
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(concurrentCopies)
	for i := range a.parts {
		group.Go(func() error {
			part := &sdk.UploadPartCopyInput{Bucket: &b.bucket, Key: &key, UploadId: &a.id,
				PartNumber: aws.Int32(int32(i) + 1),
				CopySource: aws.String(b.bucket + "/" + b.incoming(k, o.size)), CopySourceIfMatch: &o.etag}
			if len(a.parts) > 1 {
				at := int64(i) * size
				part.CopySourceRange = aws.String(fmt.Sprintf("bytes=%d-%d", at, min(at+size, o.size)-1))
			}
			out, err := b.api.UploadPartCopy(within, part)
			switch {
			case refusedToReplace(err), codeOf(err) == "NoSuchKey":
				return errReplaced
			case err != nil:
				return b.fault("copy to", key, err)
			case out.CopyPartResult == nil || aws.ToString(out.CopyPartResult.ETag) == "":
				return b.fault("copy to", key, errIncompleteResponse)
			}
			a.parts[i] = types.CompletedPart{PartNumber: part.PartNumber, ETag: out.CopyPartResult.ETag}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		b.deleteLeftovers(ctx, a.abort)
		return err
	}
	return a.complete(ctx, true)
}
