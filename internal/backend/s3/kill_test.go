package s3

import (
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/porttest"
	"vitrine/internal/test/vitrinetest"
)

func init() {
	porttest.ChunkProcess(func(address string) (vitrine.Blobs, error) { return open(ctx, address, time.Now, brief) })
}

// TestKilledChunks kills processes during chunks.
func TestKilledChunks(t *testing.T) {
	server := vitrinetest.S3(t)
	address := server.Address(server.Bucket(t), "")
	porttest.KilledChunks(t, address, opened(t, address), int(brief.chunk), 1000)
}

// TestChunksTurns checks that a chunk is refused, not kept waiting, while as
// many others are arriving as have room in memory.
func TestChunksTurns(t *testing.T) {
	b := opened(t, "s3://key:secret@files?endpoint=http://127.0.0.1:1")
	b.limits.stall = time.Millisecond
	for range maxAppends {
		b.appends <- struct{}{}
	}
	if _, err := b.Append(ctx, putGrant, 0, strings.NewReader("text"), nil); vitrine.CodeOf(err) != vitrine.CodeUnavailable {
		t.Errorf("Append without a turn = %v, want unavailable", err)
	}
}
