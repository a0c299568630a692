package s3

import (
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
	porttest.KilledChunks(t, address, opened(t, address), int(brief.chunk))
}
