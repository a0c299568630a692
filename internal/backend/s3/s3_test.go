package s3

import (
	"context"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/porttest"
	"vitrine/internal/test/vitrinetest"
)

var ctx = context.Background()

func TestBlobs(t *testing.T) {
	server := vitrinetest.S3(t)
	porttest.Blobs(t, func(t *testing.T) vitrine.Blobs { return opened(t, server.Address(server.Bucket(t), "")) })
}

// patience is longer than any answer takes on a busy machine.
const patience = time.Minute

// brief are limits with few attempts, which end requests that hang by mistake.
var brief = limits{dial: patience, answer: patience, copying: patience, stall: patience, attempts: 2,
	pause: 10 * time.Millisecond, part: 5 << 20, chunk: 5 << 20}

func opened(t testing.TB, address string) *Blobs {
	t.Helper()
	b, err := open(ctx, address, time.Now, brief)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestMaxPut(t *testing.T) {
	b := opened(t, "s3://key:secret@files?endpoint=http://127.0.0.1:1")
	g := putGrant
	g.Size = MaxPut
	if _, err := b.SignPut(ctx, g); err != nil {
		t.Error(err)
	}
	g.Size++
	if _, err := b.SignPut(ctx, g); vitrine.CodeOf(err) != vitrine.CodeFileTooLarge {
		t.Errorf("SignPut of more than 5 GiB = %v, want file_too_large", err)
	}
}
