package scan

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine"
)

// TestTemporaryFiles checks that a scan with more than fits into memory leaves
// no file, and fails if it cannot make one.
func TestTemporaryFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	views, d := history(r, 3000), newDictionary()
	count := func(dir string) error {
		t.Setenv("TMPDIR", dir)
		q := &Query{From: firstDay, To: firstDay + testDays, Word: d.Word, held: 1,
			End: vitrine.ViewIDAt((firstDay + testDays).StartMs(), 0)}
		s, err := Count(t.Context(), q, func(s *Scan) error { return feed(r, s, d, views) })
		if err == nil && s.counters[0].room.end+s.counters[1].room.end == 0 {
			t.Error("nothing was in a file")
		}
		return err
	}
	dir := t.TempDir()
	if err := count(dir); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	missing := filepath.Join(dir, "missing")
	if err := count(missing); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("without a directory: %v", err)
	}
}
