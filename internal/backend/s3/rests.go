package s3

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"vitrine"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"
)

// A chunk may end within a part. What it has of the part is an object
// incoming/KEY-SIZE.OFFSET, which is written once, until the part is complete.
const (
	restMark = '.'

	// minRest is the size below which such bytes are not kept, so that a part
	// has few of these objects: the client sends them again.
	minRest = 64 << 10
)

// rests is what is stored of the next part of an upload in chunks.
type rests struct {
	at   []int64 // the offset of each object in the file
	size int64   // bytes of all of them
}

// newRests returns the rests behind an offset without a gap, fewer bytes than a
// part. sizes has the size of each object by its offset.
func newRests(sizes map[int64]int64, from, part int64) (r rests) {
	for {
		size, ok := sizes[from+r.size]
		if !ok || size <= 0 || r.size+size >= part {
			return r
		}
		r.at = append(r.at, from+r.size)
		r.size += size
	}
}

func restKey(incoming string, at int64) string {
	return incoming + string(restMark) + strconv.FormatInt(at, 10)
}

// restAt returns the offset of a rest of an incoming object.
func restAt(key, incoming string) (at int64, ok bool) {
	text, ok := strings.CutPrefix(key, incoming+string(restMark))
	if !ok {
		return 0, false
	}
	at, err := strconv.ParseInt(text, 10, 64)
	return at, err == nil && at >= 0
}

// keep stores the bytes of a chunk that do not complete a part, also if the
// client is gone.
func (t *chunked) keep(ctx context.Context, content []byte) error {
	if len(content) < minRest {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteTime)
	defer cancel()
	at := t.at()
	key := restKey(t.b.incoming(t.grant.Key, t.grant.Size), at)
	out, err := t.b.api.PutObject(ctx, &sdk.PutObjectInput{Bucket: &t.b.bucket, Key: &key,
		Body: bytes.NewReader(content), ContentType: aws.String(octets), IfNoneMatch: aws.String("*")})
	switch {
	case refusedToReplace(err):
		return vitrine.Errorf(vitrine.CodeOffsetMismatch,
			"Another chunk has arrived at %d. Ask for the offset (HEAD) and continue there.", at)
	case err == nil && aws.ToString(out.ETag) == "":
		err = errIncompleteResponse
	}
	if err != nil {
		return t.b.fault("write", key, err)
	}
	t.rests.at = append(t.rests.at, at)
	t.rests.size += int64(len(content))
	return nil
}

// readRests reads the beginning of a part.
func (t *chunked) readRests(ctx context.Context, part []byte) error {
	for i, at := range t.rests.at {
		end := t.at()
		if i+1 < len(t.rests.at) {
			end = t.rests.at[i+1]
		}
		key := restKey(t.b.incoming(t.grant.Key, t.grant.Size), at)
		body, o, err := t.b.get(ctx, key, "", 0, end-at)
		if isNotFound(err) { // deleted with the upload, or by another process
			return vitrine.Unavailable(fmt.Errorf("%s: %w", key, err))
		}
		if err != nil {
			return err
		}
		_, err = io.ReadFull(body, part[at-t.parts:end-t.parts])
		if err == nil && o.size != end-at {
			err = errSize(end-at, o.size)
		}
		body.Close()
		if err != nil {
			return t.b.fault("read", key, err)
		}
	}
	return nil
}

// dropRests deletes what a part has replaced.
func (t *chunked) dropRests(ctx context.Context) {
	if len(t.rests.at) > 0 {
		t.b.deleteLeftovers(ctx, func(ctx context.Context) error {
			for _, at := range t.rests.at {
				if err := t.b.remove(ctx, restKey(t.b.incoming(t.grant.Key, t.grant.Size), at)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	t.rests = rests{}
}
