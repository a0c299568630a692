// Package s3 stores blobs in a bucket of Amazon S3 or of any compatible server
// with conditional writes (see Check).
//
// A signed URL uploads bytes to incoming/KEY-SIZE. Objects whose size differs
// from the name are ignored, even if the server accepted them. Seal copies one
// version of the object to blobs/KE/KEY, which is never overwritten, and
// deletes the incoming one. An upload in chunks is a multipart upload of the
// same object; incoming/KEY-SIZE.OFFSET has what a chunk has of the next part.
// Parts of a blob are stored beside it as KEY~NAME. A deleted key leaves
// incoming/KEY.used, so that later uploads to it are ignored. Any number of
// processes may use the bucket at the same time without a lock: see Seal,
// Delete and PutPart.
package s3

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"vitrine"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"
)

const (
	incomingDir = "incoming/"
	blobsDir    = "blobs/"
	checkDir    = "check/" // objects of Check, except those of exclusive
	usedSuffix  = ".used"
	sizeMark    = "-"      // between key and size
	partMark    = "~"      // between key and part name
	probePrefix = "check-" // prefix in incoming for objects of exclusive
	octets      = "application/octet-stream"
)

// Blobs implements [vitrine.Blobs] and [vitrine.Bucket] in a bucket.
type Blobs struct {
	api     *sdk.Client
	inside  *sdk.PresignClient // signs requests of this process
	outside *sdk.PresignClient // signs URLs for others
	plain   *client            // for requests with signed URLs
	bucket  string
	prefix  string // "" or with a slash at its end
	server  string // the origin for this process: scheme, host and port
	origin  string // the origin for browsers and clients
	now     func() time.Time
	limits  limits

	appending sync.Map      // keys of which a chunk is arriving
	appends   chan struct{} // chunks that are arriving, at most maxAppends

	mu    sync.Mutex
	tried bool // exclusive has succeeded
}

// Open returns the Blobs for an address (ParseAddress). Credentials that are
// not in the address come from the AWS configuration. Open does not connect to
// the server: see Check.
func Open(ctx context.Context, address string, now func() time.Time) (*Blobs, error) {
	return open(ctx, address, now, ordinary)
}

// Origin returns the origin of signed URLs: scheme, host and port.
func (b *Blobs) Origin() string { return b.origin }

// incoming returns the object key for incoming bytes of a size.
func (b *Blobs) incoming(k vitrine.UploadID, size int64) string {
	return b.prefix + incomingDir + string(k) + sizeMark + strconv.FormatInt(size, 10)
}
func (b *Blobs) used(k vitrine.UploadID) string {
	return b.prefix + incomingDir + string(k) + usedSuffix
}
func (b *Blobs) path(k vitrine.UploadID) string {
	return b.prefix + blobsDir + string(k[:2]) + "/" + string(k)
}
func (b *Blobs) partPath(k vitrine.UploadID, p vitrine.Part) string {
	return b.path(k) + partMark + string(p)
}

// probe returns a unique object key.
func (b *Blobs) probe() string {
	return b.prefix + incomingDir + probePrefix + strings.ToLower(rand.Text())
}

// valid returns an error for an invalid key.
func valid(k vitrine.UploadID) error {
	if _, ok := vitrine.ParseUploadID(string(k)); !ok {
		return vitrine.ErrNotFound
	}
	return nil
}

// MaxPut is the largest body of one request: 5 GiB.
const MaxPut = 5 << 30

// SignPut returns a signed URL for a body of the granted length and
// Content-Type. The server accepts repeated uploads while the URL is valid.
// Only the object that exists when the key is sealed is used. It returns
// CodeFileTooLarge above MaxPut.
func (b *Blobs) SignPut(ctx context.Context, g vitrine.PutGrant) (string, error) {
	if err := valid(g.Key); err != nil {
		return "", err
	}
	if most := int64(MaxPut); g.Size > most {
		return "", &vitrine.Error{Code: vitrine.CodeFileTooLarge, Field: "size", Limit: &most, Used: &g.Size,
			Message: "This instance accepts files of at most 5 GiB."}
	}
	return b.signPut(ctx, b.outside, b.incoming(g.Key, g.Size), g)
}

func (b *Blobs) signPut(ctx context.Context, signer *sdk.PresignClient, key string,
	g vitrine.PutGrant) (string, error) {
	r, err := signer.PresignPutObject(ctx, &sdk.PutObjectInput{Bucket: &b.bucket, Key: &key, ContentLength: &g.Size,
		ContentType: &g.Type},
		sdk.WithPresignExpires(b.urlLifetime(g.Expires)))
	if err != nil {
		return "", b.fault("sign a PUT of", key, err)
	}
	return r.URL, nil
}

// SignGet returns a signed URL from which a sealed blob can be read.
func (b *Blobs) SignGet(ctx context.Context, g vitrine.GetGrant) (string, error) {
	if err := valid(g.Key); err != nil {
		return "", err
	}
	key := b.path(g.Key)
	r, err := b.outside.PresignGetObject(ctx, &sdk.GetObjectInput{Bucket: &b.bucket, Key: &key,
		ResponseContentType:        &g.Type,
		ResponseContentDisposition: &g.Disposition, ResponseCacheControl: aws.String("private, no-store")},
		sdk.WithPresignExpires(b.urlLifetime(g.Expires)))
	if err != nil {
		return "", b.fault("sign a GET of", key, err)
	}
	return r.URL, nil
}

// urlLifetime returns the lifetime of a URL in whole seconds, at least one.
func (b *Blobs) urlLifetime(until time.Time) time.Duration {
	return max(until.Sub(b.now()).Truncate(time.Second), time.Second)
}

// Stat returns the attributes of the sealed bytes, or of the incoming ones if
// the key is not sealed or deleted.
func (b *Blobs) Stat(ctx context.Context, k vitrine.UploadID) (vitrine.BlobInfo, error) {
	if err := valid(k); err != nil {
		return vitrine.BlobInfo{}, err
	}
	o, err := b.head(ctx, b.path(k))
	if isNotFound(err) {
		if o, err = b.incomingObject(ctx, k); isNotFound(err) {
			o, err = b.head(ctx, b.path(k)) // another process may have sealed it between the requests
		}
	}
	return vitrine.BlobInfo{Size: o.size}, err
}

// incomingObject returns the incoming object of a key, or ErrNotFound if the
// key was deleted.
func (b *Blobs) incomingObject(ctx context.Context, k vitrine.UploadID) (found object, err error) {
	used := false
	err = b.list(ctx, b.prefix+incomingDir+string(k), func(e entry) error {
		switch e.key {
		case b.used(k):
			used = true
		case b.incoming(k, e.size):
			found = object{e.size, e.etag}
		}
		return nil
	})
	if err == nil && (used || found.etag == "") {
		err = vitrine.ErrNotFound
	}
	if err != nil {
		return object{}, err
	}
	return found, nil
}

// Delete records that the key is used, then deletes its bytes and parts. A
// concurrent Seal checks that record after it has stored the blob. A concurrent
// PutPart checks that the blob exists after it has stored the part.
func (b *Blobs) Delete(ctx context.Context, k vitrine.UploadID) error {
	if valid(k) != nil {
		return nil
	}
	if err := b.putSmall(ctx, b.used(k), []byte("used\n")); err != nil {
		return err
	}
	if err := errors.Join(b.abortChunks(ctx, k),
		b.removeAll(ctx, b.prefix+incomingDir+string(k)+sizeMark)); err != nil {
		return err
	}
	if err := b.remove(ctx, b.path(k)); err != nil {
		return err
	}
	return b.removeAll(ctx, b.path(k)+partMark)
}

// Each calls f for every sealed blob.
func (b *Blobs) Each(ctx context.Context, f func(vitrine.UploadID, vitrine.BlobInfo) error) error {
	return b.list(ctx, b.prefix+blobsDir, func(e entry) error {
		k, ok := vitrine.ParseUploadID(e.name())
		if !ok || b.path(k) != e.key {
			return nil
		}
		return f(k, vitrine.BlobInfo{Size: e.size})
	})
}
