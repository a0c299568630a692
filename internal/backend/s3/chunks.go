package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"vitrine"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// maxAppends is how many chunks arrive at a process at once. Each has a part in
// memory, and one with a checksum has the chunk as well. Others wait for a
// moment.
const maxAppends = 16

// Received returns how many bytes of an upload in chunks are stored.
func (b *Blobs) Received(ctx context.Context, g vitrine.PutGrant) (int64, error) {
	return b.arrived(ctx, g)
}

// Append stores a chunk as parts of a multipart upload of incoming/KEY-SIZE.
// All parts have the same size, except the last. The bytes of a chunk behind
// its last whole part are an object of their own (rests) until the part is
// complete. The last part completes and seals the upload, unless a signed PUT
// has stored the key. A PUT that ends later has no effect then, although no
// bucket refuses it.
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
	turn := time.NewTimer(b.limits.stall)
	defer turn.Stop()
	select {
	case b.appends <- struct{}{}:
	case <-turn.C: // by slow clients
		return 0, vitrine.Unavailable(fmt.Errorf("%d chunks are arriving at this server", cap(b.appends)))
	case <-ctx.Done():
		return 0, vitrine.Unavailable(ctx.Err())
	}
	defer func() { <-b.appends }()
	t := &chunked{b: b, grant: g, body: body, verify: verify}
	switch err := t.open(ctx); {
	case err != nil:
		return 0, err
	case t.at() == g.Size:
		return g.Size, errUsed()
	case t.at() != offset:
		return t.at(), vitrine.Errorf(vitrine.CodeOffsetMismatch,
			"The chunk begins at %d, but %d bytes were received. Ask for the offset (HEAD) and continue there.", offset,
			t.at())
	}
	err := t.receive(ctx)
	return t.at(), err
}

func errUsed() error {
	return vitrine.Errorf(vitrine.CodeURLUsed, "This upload already has its file. Continue with step 3.")
}

// chunked is an upload in chunks during a request.
type chunked struct {
	b      *Blobs
	grant  vitrine.PutGrant
	upload *assembly // nil before the first part
	parts  int64     // bytes of the parts
	rests  rests     // what is stored behind them
	body   io.Reader
	verify func() error
	grown  bool // a part was stored
}

// at returns how many bytes are stored.
func (t *chunked) at() int64 { return t.parts + t.rests.size }

// receive stores a chunk.
func (t *chunked) receive(ctx context.Context) error {
	if t.verify != nil {
		if err := t.check(); err != nil {
			return err
		}
	}
	buffer := make([]byte, min(t.b.limits.chunk, t.grant.Size-t.parts))
	for {
		part := buffer[:min(t.b.limits.chunk, t.grant.Size-t.parts)]
		n, err := readFull(t.body, part[t.rests.size:])
		if err == nil {
			if err = t.store(ctx, part); err != nil || t.parts == t.grant.Size {
				return err
			}
			continue
		}
		broke := err != io.EOF
		if broke && vitrine.CodeOf(err) != vitrine.CodeInternal {
			return err // the upload has ended
		}
		began := t.at()
		if err := t.keep(ctx, part[t.rests.size:t.rests.size+int64(n)]); err != nil {
			return err
		}
		switch {
		case broke:
			return errInterrupted(err, began+int64(n))
		case n > 0 && t.at() == began && !t.grown:
			return vitrine.Errorf(vitrine.CodeSizeMismatch,
				"A chunk must have %d bytes or more, unless it is the last. Nothing of this one was kept.", minRest)
		}
		return nil
	}
}

// readFull fills p. It returns io.EOF if r ends before, and the errors of r.
func readFull(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = r.Read(p[n:])
		n += m
	}
	if n == len(p) {
		err = nil
	}
	return n, err
}

// check reads a chunk with a checksum, and compares it before anything of it is
// stored.
func (t *chunked) check() error {
	chunk := make([]byte, min(t.b.limits.chunk, t.grant.Size-t.at())+1)
	n, err := readFull(t.body, chunk)
	switch {
	case err == nil && t.at()+int64(n) > t.grant.Size:
		return t.tooMany()
	case err == nil:
		return vitrine.Errorf(vitrine.CodeInvalidRequest, "A chunk with a checksum must have at most %d bytes.",
			t.b.limits.chunk)
	case err != io.EOF:
		return errInterrupted(err, t.at())
	}
	t.body = bytes.NewReader(chunk[:n])
	return t.verify()
}

func (t *chunked) tooMany() error {
	return vitrine.Errorf(vitrine.CodeTooManyBytes, "The file is larger than the %d bytes announced in step 1.",
		t.grant.Size)
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

// store stores the next part, whose first bytes are the rests, and completes
// the upload with the last one.
func (t *chunked) store(ctx context.Context, part []byte) (err error) {
	last := t.parts+int64(len(part)) == t.grant.Size
	if last {
		switch _, err := readFull(t.body, make([]byte, 1)); {
		case err == nil:
			return t.tooMany()
		case err != io.EOF:
			return errInterrupted(err, t.at())
		}
	}
	if err := t.readRests(ctx, part); err != nil {
		return err
	}
	if t.upload == nil {
		if t.upload, err = t.b.assemble(ctx, t.b.incoming(t.grant.Key, t.grant.Size)); err != nil {
			return err
		}
	}
	err = t.upload.add(ctx, part)
	if err != nil {
		used, unknown := t.b.exists(ctx, t.b.used(t.grant.Key))
		if codeOf(err) == "NoSuchUpload" || unknown == nil && used { // the key was stored or deleted
			err = errUsed()
		}
		return err
	}
	t.grown = true
	if last {
		if err := t.b.completeChunks(ctx, t.grant, t.upload); err != nil {
			return err
		}
	}
	t.dropRests(ctx)
	t.parts += int64(len(part))
	return nil
}

// completeChunks makes an object of all parts and seals it, unless there is
// one, or the key was deleted.
func (b *Blobs) completeChunks(ctx context.Context, g vitrine.PutGrant, a *assembly) error {
	if err := b.checkConditionalWrites(ctx); err != nil {
		return err
	}
	err := a.complete(ctx, true)
	if errors.Is(err, errReplaced) {
		return errUsed()
	}
	if err == nil {
		_, err = b.Seal(ctx, g.Key)
	}
	if isNotFound(err) { // the key was deleted
		err = errUsed()
	}
	return err
}

// arrived returns how many bytes of a key are stored.
func (b *Blobs) arrived(ctx context.Context, g vitrine.PutGrant) (int64, error) {
	t := &chunked{b: b, grant: g}
	err := t.open(ctx)
	return t.at(), err
}

// open finds out what is stored. It completes an upload that has all its parts.
func (t *chunked) open(ctx context.Context) (err error) {
	b, g := t.b, t.grant
	if err := valid(g.Key); err != nil {
		return err
	}
	incoming := b.incoming(g.Key, g.Size)
	used, rests := false, map[int64]int64{} // rests before parts: a part deletes its rests
	err = b.list(ctx, b.prefix+incomingDir+string(g.Key), func(e entry) error {
		switch e.key {
		case b.used(g.Key):
			used = true
		case incoming:
			if e.size == g.Size {
				t.parts = g.Size
			}
		default:
			if at, ok := restAt(e.key, incoming); ok {
				rests[at] = e.size
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case used:
		return errUsed()
	case t.parts == g.Size:
		return nil
	}
	if t.upload, err = b.chunksOf(ctx, incoming); err != nil {
		return err
	}
	if o, err := b.Stat(ctx, g.Key); err == nil && o.Size == g.Size { // stored or sealed since then, or by a PUT
		t.parts, t.upload = g.Size, nil
		return nil
	} else if err != nil && !isNotFound(err) {
		return err
	}
	if t.upload != nil {
		if t.parts, err = b.partsOf(ctx, t.upload); err != nil {
			return err
		}
	}
	if t.parts == g.Size {
		return b.completeChunks(ctx, g, t.upload)
	}
	t.rests = newRests(rests, t.parts, b.limits.chunk)
	return nil
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
	type upload struct {
		rests map[int64]int64
		parts int64
		at    time.Time
	}
	all := map[vitrine.UploadID]*upload{}
	found := func(k vitrine.UploadID, at time.Time) *upload {
		if all[k] == nil {
			all[k] = &upload{rests: map[int64]int64{}}
		}
		if at.After(all[k].at) {
			all[k].at = at
		}
		return all[k]
	}
	err := b.list(ctx, b.prefix+incomingDir, func(e entry) error {
		k, _, ok := incomingKey(e)
		if i := strings.LastIndexByte(e.key, restMark); ok && i >= 0 {
			if at, isRest := restAt(e.key, e.key[:i]); isRest {
				found(k, e.at).rests[at] = e.size
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = b.unfinished(ctx, b.prefix+incomingDir, func(a *assembly, begun time.Time) error {
		k, isUsed, ok := incomingKey(entry{key: a.key})
		if !ok || isUsed {
			return nil
		}
		n, err := b.partsOf(ctx, a)
		if vitrine.CodeOf(err) == vitrine.CodeUnavailable && codeOf(err) == "NoSuchUpload" {
			return nil
		}
		if err == nil {
			u := found(k, begun)
			u.parts = max(u.parts, n)
		}
		return err
	})
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if err == nil {
			u := all[k]
			err = f(k, u.parts+newRests(u.rests, u.parts, b.limits.chunk).size, u.at)
		}
	}
	return err
}

// abortChunks aborts the multipart uploads of a key.
func (b *Blobs) abortChunks(ctx context.Context, k vitrine.UploadID) error {
	return b.unfinished(ctx, b.prefix+incomingDir+string(k)+sizeMark, func(a *assembly, _ time.Time) error {
		return a.abort(ctx)
	})
}
