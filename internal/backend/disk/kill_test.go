package disk

import (
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/porttest"
)

func init() {
	porttest.ChunkProcess(func(dir string) (vitrine.Blobs, error) { return New(dir, "", nil, time.Now) })
}

// TestKilledChunks kills processes during chunks.
func TestKilledChunks(t *testing.T) {
	dir := t.TempDir()
	porttest.KilledChunks(t, dir, newBlobs(t, dir), 400_000, 1000)
}
