package analytics

import "testing"

// KeepInMemory changes how many changes a test collects before they are
// applied.
func KeepInMemory(t *testing.T, n int) {
	before := maxCollected
	maxCollected = n
	t.Cleanup(func() { maxCollected = before })
}
