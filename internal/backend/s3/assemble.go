package s3

import (
	"bytes"
	"context"
	"io"

	"vitrine"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// assembly is a multipart upload. The object is invisible until complete.
type assembly struct {
	b       *Blobs
	key, id string
	parts   []types.CompletedPart
}

func (b *Blobs) assemble(ctx context.Context, key string) (*assembly, error) {
	out, err := b.api.CreateMultipartUpload(ctx, &sdk.CreateMultipartUploadInput{Bucket: &b.bucket, Key: &key,
		ContentType: aws.String(octets)})
	if err == nil && aws.ToString(out.UploadId) == "" {
		err = errIncompleteResponse
	}
	if err != nil {
		return nil, b.fault("begin to write", key, err)
	}
	return &assembly{b: b, key: key, id: *out.UploadId}, nil
}

// add uploads the next part.
func (a *assembly) add(ctx context.Context, content []byte) error {
	number := aws.Int32(int32(len(a.parts)) + 1)
	out, err := a.b.api.UploadPart(ctx, &sdk.UploadPartInput{Bucket: &a.b.bucket, Key: &a.key, UploadId: &a.id,
		PartNumber: number, Body: bytes.NewReader(content)})
	if err == nil && aws.ToString(out.ETag) == "" {
		err = errIncompleteResponse
	}
	if err != nil {
		return a.b.fault("write", a.key, err)
	}
	a.parts = append(a.parts, types.CompletedPart{PartNumber: number, ETag: out.ETag})
	return nil
}

// complete creates the object from the parts, or aborts the upload. With
// exclusive, it returns errReplaced if the key exists.
func (a *assembly) complete(ctx context.Context, exclusive bool) error {
	in := &sdk.CompleteMultipartUploadInput{Bucket: &a.b.bucket, Key: &a.key, UploadId: &a.id,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: a.parts}}
	if exclusive {
		in.IfNoneMatch = aws.String("*")
	}
	out, err := a.b.api.CompleteMultipartUpload(ctx, in)
	if err == nil && aws.ToString(out.ETag) != "" {
		return nil
	}
	if err == nil {
		return a.b.fault("write", a.key, errIncompleteResponse)
	}
	a.b.deleteLeftovers(ctx, a.abort)
	if exclusive && (refusedToReplace(err) || codeOf(err) == "NoSuchUpload") { // an attempt succeeded
		return errReplaced
	}
	return a.b.fault("write", a.key, err)
}

// abort aborts the upload and deletes its parts. It also succeeds if the upload
// does not exist.
func (a *assembly) abort(ctx context.Context) error {
	_, err := a.b.api.AbortMultipartUpload(ctx, &sdk.AbortMultipartUploadInput{Bucket: &a.b.bucket, Key: &a.key,
		UploadId: &a.id})
	if err == nil || codeOf(err) == "NoSuchUpload" {
		return nil
	}
	return a.b.fault("abort the upload of", a.key, err)
}

const (
	chunkSize = 8 << 20 // part size, which is buffered for retries
	maxChunks = 9_000   // below the protocol's limit of 10,000
)

// write replaces an object atomically. size is -1 if unknown.
func (b *Blobs) write(ctx context.Context, key string, size int64, body io.Reader) error {
	chunk := max(chunkSize, size/maxChunks)
	var buf bytes.Buffer
	if _, err := io.CopyN(&buf, body, chunk); err == io.EOF {
		if size >= 0 && int64(buf.Len()) != size {
			return errSize(size, int64(buf.Len()))
		}
		return b.putSmall(ctx, key, buf.Bytes())
	} else if err != nil {
		return err
	}
	a, err := b.assemble(ctx, key)
	if err != nil {
		return err
	}
	var total int64
	for err == nil && buf.Len() > 0 {
		total += int64(buf.Len())
		if err = a.add(ctx, buf.Bytes()); err != nil {
			break
		}
		buf.Reset()
		if _, err = io.CopyN(&buf, body, chunk); err == io.EOF {
			err = nil
		}
	}
	if err == nil && size >= 0 && total != size {
		err = errSize(size, total)
	}
	if err != nil {
		b.deleteLeftovers(ctx, a.abort)
		return err
	}
	return a.complete(ctx, false)
}

func errSize(want, got int64) error {
	return vitrine.Errorf(vitrine.CodeSizeMismatch, "The file has %d bytes where %d were expected.", got, want)
}
