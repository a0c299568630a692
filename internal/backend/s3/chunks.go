package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"vitrine"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// maxAppends is how many chunks arrive at a process at once. Each has a part in
// memory.
const maxAppends = 16

// Received returns how many bytes the parts of an upload in chunks have.
func (b *Blobs) Received(ctx context.Context, g vitrine.PutGrant) (int64, error) {
	n, _, err := b.arrived(ctx, g)
	return n, err
}

// Append stores a chunk as parts of a multipart upload of incoming/KEY-SIZE.
// All parts have the same size, except the last, so the bytes of a chunk behind
// its last whole part are not kept, and a chunk of less than a part is refused.
// A chunk with verify has one part at most. The last part completes the upload,
// unless a signed PUT has stored the key. A PUT that ends later replaces the
// bytes until Seal: no bucket refuses it.
//
// The caller excludes other processes. Two that store the same part at once do
// no harm but that the bytes of one of them stay.
func (b *Blobs) Append(ctx context.Context, g vitrine.PutGrant, offset int64, body io.Reader,
	verify func() error) (int64, error) {
	if err := valid(g.Key); err != nil {
		return 0, err
	}
	if _, busy := b.appending.LoadOrStore(g.Key, true); busy {
		return 0, vitrine.Errorf(vitrine.CodeUploadInProgress,
			"Another chunk of this upload is arriving. Wait for its end.")
	}
	defer b.appending.Delete(g.Key)
	select {
	case b.appends <- struct{}{}:
	case <-ctx.Done():
		return 0, vitrine.Unavailable(ctx.Err())
	}
	defer func() { <-b.appends }()
	n, a, err := b.arrived(ctx, g)
	switch {
	case err != nil:
		return 0, err
	case n == g.Size:
		return n, errUsed()
	case n != offset:
		return n, vitrine.Errorf(vitrine.CodeOffsetMismatch,
			"The chunk begins at %d, but %d bytes were received. Ask for the offset (HEAD) and continue there.", offset, n)
	}
	t := &chunked{b: b, grant: g, upload: a, at: n, body: body, verify: verify}
	if err := t.receive(ctx); err != nil {
		return t.at, err
	}
	return t.at, nil
}

func errUsed() error {
	return vitrine.Errorf(vitrine.CodeURLUsed, "This upload already has its file. Continue with step 3.")
}

// chunked is an upload in chunks during a chunk.
type chunked struct {
	b      *Blobs
	grant  vitrine.PutGrant
	upload *assembly // nil before the first part
	at     int64     // bytes of the parts
	body   io.Reader
	verify func() error
}

// receive stores the parts of a chunk.
func (t *chunked) receive(ctx context.Context) error {
	began, part := t.at, make([]byte, min(t.b.limits.chunk, t.grant.Size-t.at))
	for {
		part = part[:min(int64(len(part)), t.grant.Size-t.at)]
		n, err := io.ReadFull(t.body, part)
		switch {
		case err == io.EOF && (t.at > began || n == 0 && t.verify == nil):
			return nil // the chunk ends with a part, or is empty
		case err == io.EOF || err == io.ErrUnexpectedEOF && vitrine.CodeOf(err) == vitrine.CodeInternal:
			if t.at > began {
				return nil // the client reads how much is stored
			}
			return vitrine.Errorf(vitrine.CodeSizeMismatch,
				"A chunk must have %d bytes or more, unless it is the last. Nothing of this one was kept.", t.b.limits.chunk)
		case err != nil:
			return errInterrupted(err, t.at+int64(n))
		}
		if last := t.at+int64(n) == t.grant.Size; last || t.verify != nil {
			if err := t.end(last); err != nil {
				return err
			}
		}
		if err := t.store(ctx, part); err != nil || t.at == t.grant.Size || t.verify != nil {
			return err
		}
	}
}

// end checks that a chunk ends here.
func (t *chunked) end(last bool) error {
	switch n, err := io.ReadFull(t.body, make([]byte, 1)); {
	case n > 0 && !last:
		return vitrine.Errorf(vitrine.CodeInvalidRequest, "A chunk with a checksum must have %d bytes, unless it is the last.",
			t.b.limits.chunk)
	case n > 0:
		return vitrine.Errorf(vitrine.CodeTooManyBytes, "The file is larger than the %d bytes announced in step 1.",
			t.grant.Size)
	case err != io.EOF:
		return errInterrupted(err, t.at)
	}
	if t.verify == nil {
		return nil
	}
	return t.verify()
}

// errInterrupted returns the error of a body that failed, which may have a code
// of its own.
func errInterrupted(err error, after int64) error {
	if vitrine.CodeOf(err) != vitrine.CodeInternal {
		return err
	}
	return &vitrine.Error{Code: vitrine.CodeSizeMismatch, Err: err,
		Message: fmt.Sprintf("The transfer broke off after %d bytes. It can be tried again.", after)}
}

// store stores the next part, and completes the upload with the last one.
func (t *chunked) store(ctx context.Context, part []byte) (err error) {
	if t.upload == nil {
		if t.upload, err = t.b.assemble(ctx, t.b.incoming(t.grant.Key, t.grant.Size)); err != nil {
			return err
		}
	}
	err = t.upload.add(ctx, part)
	if codeOf(err) == "NoSuchUpload" { // the key was deleted or stored
		return errUsed()
	}
	if err != nil {
		return err
	}
	if t.at+int64(len(part)) == t.grant.Size {
		if err := t.b.completeChunks(ctx, t.grant.Key, t.upload); err != nil {
			return err
		}
	}
	t.at += int64(len(part))
	return nil
}

// completeChunks makes an object of all parts, unless there is one, or the key
// was deleted.
func (b *Blobs) completeChunks(ctx context.Context, k vitrine.UploadID, a *assembly) error {
	if err := b.checkConditionalWrites(ctx); err != nil {
		return err
	}
	err := a.complete(ctx, true)
	if errors.Is(err, errReplaced) {
		return errUsed()
	}
	if err != nil {
		return err
	}
	used, err := b.exists(ctx, b.used(k))
	if err == nil && used { // Sweep deletes the object
		err = errUsed()
	}
	return err
}

// arrived returns how many bytes of a key are stored, and its multipart upload,
// or nil if it has none. It completes an upload that has all its parts.
func (b *Blobs) arrived(ctx context.Context, g vitrine.PutGrant) (n int64, a *assembly, err error) {
	if err := valid(g.Key); err != nil {
		return 0, nil, err
	}
	used := false
	err = b.list(ctx, b.prefix+incomingDir+string(g.Key), func(e entry) error {
		switch e.key {
		case b.used(g.Key):
			used = true
		case b.incoming(g.Key, g.Size):
			if e.size == g.Size {
				n = g.Size
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return 0, nil, err
	case used:
		return 0, nil, errUsed()
	case n == g.Size:
		return n, nil, nil
	}
	if a, err = b.chunksOf(ctx, b.incoming(g.Key, g.Size)); err != nil {
		return 0, nil, err
	}
	if a == nil {
		o, err := b.head(ctx, b.path(g.Key)) // it may be sealed
		if isNotFound(err) {
			err = nil
		}
		return o.size, nil, err
	}
	if n, err = b.partsOf(ctx, a); err != nil || n < g.Size {
		return n, a, err
	}
	return n, nil, b.completeChunks(ctx, g.Key, a)
}

// chunksOf returns the multipart upload of a key that began first, or nil: all
// processes continue the same one.
func (b *Blobs) chunksOf(ctx context.Context, key string) (first *assembly, err error) {
	var at time.Time
	err = b.unfinished(ctx, key, func(a *assembly, begun time.Time) error {
		if a.key == key && (first == nil || begun.Before(at) || begun.Equal(at) && a.id < first.id) {
			first, at = a, begun
		}
		return nil
	})
	return first, err
}

// partsOf sets the parts of a multipart upload, from the first one on without a
// gap, and returns how many bytes they have.
func (b *Blobs) partsOf(ctx context.Context, a *assembly) (n int64, err error) {
	pages := sdk.NewListPartsPaginator(b.api, &sdk.ListPartsInput{Bucket: &b.bucket, Key: &a.key, UploadId: &a.id})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if codeOf(err) == "NoSuchUpload" { // completed or aborted by another process
			return 0, vitrine.Unavailable(err)
		}
		if err != nil {
			return 0, b.fault("list the parts of", a.key, err)
		}
		for _, p := range page.Parts {
			if int(aws.ToInt32(p.PartNumber)) != len(a.parts)+1 {
				return n, nil
			}
			a.parts = append(a.parts, types.CompletedPart{PartNumber: p.PartNumber, ETag: p.ETag})
			n += aws.ToInt64(p.Size)
		}
	}
	return n, nil
}

// Unfinished calls f for every upload in chunks that is not complete.
func (b *Blobs) Unfinished(ctx context.Context, f func(vitrine.UploadID, int64, time.Time) error) error {
	return b.unfinished(ctx, b.prefix+incomingDir, func(a *assembly, begun time.Time) error {
		id, size, _ := strings.Cut(strings.TrimPrefix(a.key, b.prefix+incomingDir), sizeMark)
		k, ok := vitrine.ParseUploadID(id)
		if _, err := strconv.ParseInt(size, 10, 64); !ok || err != nil {
			return nil
		}
		n, err := b.partsOf(ctx, a)
		if vitrine.CodeOf(err) == vitrine.CodeUnavailable && codeOf(err) == "NoSuchUpload" {
			return nil
		}
		if err != nil {
			return err
		}
		return f(k, n, begun)
	})
}

// abortChunks aborts the multipart uploads of a key.
func (b *Blobs) abortChunks(ctx context.Context, k vitrine.UploadID) error {
	return b.unfinished(ctx, b.prefix+incomingDir+string(k)+sizeMark, func(a *assembly, _ time.Time) error {
		return a.abort(ctx)
	})
}
