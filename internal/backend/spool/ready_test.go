package spool

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/ingest"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/test/porttest"
)

// awayLog is a log that can be unavailable.
type awayLog struct {
	vitrine.ViewLog
	away atomic.Bool
}

func (l *awayLog) Append(ctx context.Context, b vitrine.Batch) (vitrine.Outcome, error) {
	if l.away.Load() {
		return vitrine.Outcome{}, vitrine.Unavailable(errors.New("the log is away"))
	}
	return l.ViewLog.Append(ctx, b)
}

// TestNotReadyWhenFull checks that with an unavailable log and a full spool
// views are refused, and that Ready returns an error until the spool has space
// again.
func TestNotReadyWhenFull(t *testing.T) {
	log, err := viewlog.Open(filepath.Join(t.TempDir(), "views.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	l := &awayLog{ViewLog: log}
	s, _ := open(t, t.TempDir())
	s.MaxBytes = 2 * probeBytes
	drained := make(chan struct{}, 100)
	v := &ingest.Views{Log: l, Spool: s, Patience: time.Hour, Notice: func(err error) {
		if err == nil {
			drained <- struct{}{}
		}
	}}
	v.Start()
	defer v.Close()
	add := func(id int) error {
		view := porttest.SpoolBatch(id).Views[0]
		view.Bot = ""
		return v.Add(t.Context(), &view)
	}
	l.away.Store(true)
	n, kept := 1, 0
	for ; ; n++ {
		if err := v.Ready(); err != nil {
			t.Fatalf("Ready while views are accepted = %v, want nil", err)
		}
		if err := add(n); err != nil {
			if vitrine.CodeOf(err) != vitrine.CodeUnavailable || !errors.Is(err, ErrFull) {
				t.Fatal(err)
			}
			break
		}
		kept++
	}
	if err := v.Ready(); !errors.Is(err, ErrFull) {
		t.Errorf("Ready with a full spool = %v, want ErrFull", err)
	}
	l.away.Store(false)
	<-drained
	if err := v.Ready(); err != nil {
		t.Errorf("Ready with an empty spool = %v, want nil", err)
	}
	if err := add(n + 1); err != nil {
		t.Error(err)
	}
	counts, err := log.AccountCounts(t.Context(), 7)
	if views := counts[1<<60].Views; err != nil || views != int64(kept+1) {
		t.Errorf("%d views, want %d: %v", views, kept+1, err)
	}
}
