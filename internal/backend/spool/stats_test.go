package spool

import (
	"context"
	"log/slog"
	"testing"

	"vitrine"
)

// TestStats checks what a spool says of its size, its age and its entries.
func TestStats(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if n := s.Stats(); n != (Stats{MaxBytes: defaultMaxBytes}) {
		t.Errorf("an empty spool: %+v", n)
	}
	b := vitrine.Batch{Downloads: make([]vitrine.Download, 3)}
	for range 2 {
		if err := s.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	full := s.Stats()
	if full.Bytes == 0 || full.Oldest.IsZero() || full.Stored != 6 || full.Taken != 0 {
		t.Errorf("with entries: %+v", full)
	}
	again, err := Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if n := again.Stats(); n.Bytes != full.Bytes || n.Oldest.IsZero() || n.Stored != 0 {
		t.Errorf("opened again: %+v", n)
	}
	err = again.Replay(t.Context(), func(b vitrine.Batch) (left vitrine.Batch, err error) {
		left.Downloads = b.Downloads[:1]
		return left, nil
	})
	if n := again.Stats(); err != nil || n.Taken != 5 || n.Stored != 0 || n.Oldest.IsZero() {
		t.Errorf("after a replay that left one: %+v, %v", n, err)
	}
	err = again.Replay(context.Background(), func(vitrine.Batch) (left vitrine.Batch, err error) { return left, nil })
	if n := again.Stats(); err != nil || n.Taken != 6 || n.Bytes != 0 || !n.Oldest.IsZero() {
		t.Errorf("replayed: %+v, %v", n, err)
	}
}
