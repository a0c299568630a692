package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"
)

// object is the attributes of an object.
type object struct {
	size int64
	etag string
}

// get reads an object from offset from up to offset to or the end. With an
// etag, it fails if the object has changed.
func (b *Blobs) get(ctx context.Context, key, etag string, from, to int64) (io.ReadCloser, object, error) {
	in := &sdk.GetObjectInput{Bucket: &b.bucket, Key: &key, Range: aws.String(fmt.Sprintf("bytes=%d-%d", from, to-1))}
	if etag != "" {
		in.IfMatch = &etag
	}
	out, err := b.api.GetObject(ctx, in)
	if codeOf(err) == "InvalidRange" && from == 0 { // a range of an empty object is invalid
		in.Range = nil
		out, err = b.api.GetObject(ctx, in)
	}
	if err != nil {
		return nil, object{}, b.fault("read", key, err)
	}
	o := object{etag: aws.ToString(out.ETag)}
	if o.size, err = sizeOf(out, from); err != nil || o.etag == "" {
		out.Body.Close()
		return nil, object{}, b.fault("read", key, errors.Join(errIncompleteResponse, err))
	}
	return out.Body, o, nil
}

// sizeOf returns the size of the whole object. from is the offset of the
// response body.
func sizeOf(out *sdk.GetObjectOutput, from int64) (int64, error) {
	if out.ContentRange == nil {
		if out.ContentLength == nil || from != 0 {
			return 0, errors.New("the server ignores ranges")
		}
		return *out.ContentLength, nil
	}
	span, size, _ := strings.Cut(strings.TrimPrefix(*out.ContentRange, "bytes "), "/")
	if !strings.HasPrefix(span, strconv.FormatInt(from, 10)+"-") {
		return 0, fmt.Errorf("asked for bytes from %d, got %q", from, *out.ContentRange)
	}
	return strconv.ParseInt(size, 10, 64)
}

// head returns the attributes of an object, or ErrNotFound. It reads one byte
// instead of using HEAD, because a HEAD response has no body that distinguishes
// a missing object from a missing bucket or denied access.
func (b *Blobs) head(ctx context.Context, key string) (object, error) {
	body, o, err := b.get(ctx, key, "", 0, 1)
	if err != nil {
		return object{}, err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(body, 1<<10)) // drain the body to reuse the connection
	return o, body.Close()
}

func (b *Blobs) exists(ctx context.Context, key string) (bool, error) {
	_, err := b.head(ctx, key)
	if isNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// remove deletes an object. It also succeeds if the object does not exist.
func (b *Blobs) remove(ctx context.Context, key string) error {
	_, err := b.api.DeleteObject(ctx, &sdk.DeleteObjectInput{Bucket: &b.bucket, Key: &key})
	if err = b.faultOrNil("delete", key, err); isNotFound(err) {
		return nil
	}
	return err
}

func (b *Blobs) putSmall(ctx context.Context, key string, content []byte) error {
	out, err := b.api.PutObject(ctx, &sdk.PutObjectInput{Bucket: &b.bucket, Key: &key, Body: bytes.NewReader(content),
		ContentType: aws.String(octets)})
	if err == nil && aws.ToString(out.ETag) == "" {
		err = errIncompleteResponse
	}
	return b.faultOrNil("write", key, err)
}

func (b *Blobs) faultOrNil(what, key string, err error) error {
	if err == nil {
		return nil
	}
	return b.fault(what, key, err)
}

// entry is an object in a listing.
type entry struct {
	key  string
	size int64
	etag string
	at   time.Time // modification time by the server's clock
}

// name returns the last element of the key.
func (e entry) name() string { return path.Base(e.key) }

// list calls f for every object with a key prefix, page by page.
func (b *Blobs) list(ctx context.Context, prefix string, f func(entry) error) error {
	pages := sdk.NewListObjectsV2Paginator(b.api, &sdk.ListObjectsV2Input{Bucket: &b.bucket, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err == nil && aws.ToString(page.Name) != b.bucket {
			err = errIncompleteResponse // a valid empty list includes the bucket name
		}
		if err != nil {
			return b.fault("list", prefix, err)
		}
		for _, o := range page.Contents {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f(entry{aws.ToString(o.Key), aws.ToInt64(o.Size), aws.ToString(o.ETag),
				aws.ToTime(o.LastModified)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeAll deletes all objects with a key prefix.
func (b *Blobs) removeAll(ctx context.Context, prefix string) error {
	return b.list(ctx, prefix, func(e entry) error { return b.remove(ctx, e.key) })
}
