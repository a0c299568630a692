package fault_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/backend/disk"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/fault"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// ports are real backends, and the same backends behind an injector.
type ports struct {
	store, faultyStore vitrine.Store
	log, faultyLog     vitrine.ViewLog
	blobs, faultyBlobs vitrine.Blobs
}

func open(t *testing.T, f *fault.Injector) ports {
	t.Helper()
	dir := t.TempDir()
	store, err1 := sqlstore.Open(filepath.Join(dir, "store.db"))
	log, err2 := viewlog.Open(filepath.Join(dir, "views.db"))
	blobs, err3 := disk.New(dir, "http://127.0.0.1/storage/", signer.New([]byte("k")),
		vitrinetest.NewClock(vitrinetest.Epoch).Now)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(store.Close(), log.Close()); err != nil {
			t.Error(err)
		}
	})
	return ports{store, f.Store(store), log, f.ViewLog(log), blobs, f.Blobs(blobs)}
}

var key = vitrine.UploadID(strings.Repeat("a", 26))

// flow uses each port and stops at the first failure.
func flow(p ports) error {
	ctx := context.Background()
	err := p.faultyStore.Update(ctx, func(tx vitrine.Tx) error {
		if err := tx.PutSecret("one", []byte("1")); err != nil {
			return err
		}
		_ = tx.PutSecret("two", []byte("2")) // its failure is ignored
		return nil
	})
	if err != nil {
		return err
	}
	if err := p.faultyStore.Read(ctx, func(tx vitrine.Tx) error {
		_,
			err := tx.Secret("one")
		return err
	}); err != nil {
		return err
	}
	o := report.View{ID: int64(vitrine.ViewIDAt(vitrinetest.Epoch.UnixMilli(), 0)), At: vitrinetest.Epoch.UnixMilli(),
		Link: 1}
	if _, err := p.faultyLog.Append(ctx, vitrine.Batch{Views: []vitrine.ViewRecord{{Account: 1,
		View: o}}}); err != nil {
		return err
	}
	g := vitrine.PutGrant{Key: key, Size: 5, Expires: vitrinetest.Epoch.Add(time.Hour)}
	if _, err := p.faultyBlobs.(vitrine.Receiver).Receive(ctx, g, strings.NewReader("hello")); err != nil {
		return err
	}
	if _, err := p.faultyBlobs.Seal(ctx, key); err != nil {
		return err
	}
	b, err := p.faultyBlobs.Open(ctx, key)
	if err != nil {
		return err
	}
	defer b.Close()
	text, err := io.ReadAll(b)
	if err == nil && string(text) != "hello" {
		err = errors.New("read " + string(text))
	}
	return err
}

func TestInjector(t *testing.T) {
	for _, after := range []bool{false, true} {
		n := int64(1)
		for ; ; n++ {
			f := &fault.Injector{N: n, After: after}
			p := open(t, f)
			err := flow(p)
			if !f.Hit() {
				if err != nil {
					t.Errorf("without a fault: %v", err)
				}
				break
			}
			if !errors.Is(err, fault.ErrInjected) {
				t.Errorf("with operation %d failing: %v, want ErrInjected", n, err)
			}
			// The transaction must be stored completely or not at all, and
			// completely if the answer of its commit, the fourth operation, was
			// lost.
			both := 0
			err = p.store.Read(t.Context(), func(tx vitrine.Tx) error {
				for _, name := range []string{"one", "two"} {
					if _, err := tx.Secret(name); err == nil {
						both++
					}
				}
				return nil
			})
			want := 0
			if n > 4 || n == 4 && after {
				want = 2
			}
			if err != nil || both != want {
				t.Errorf("with operation %d failing (after: %v): %d secrets, %v, want %d", n, after, both,
					err, want)
			}
			if counts, err := p.log.Counts(t.Context(), []vitrine.LinkID{1}); err != nil ||
				(counts[1].Views == 1) != (n > 7 || n == 7 && after) {
				t.Errorf("with operation %d failing (after: %v): counts = %v, %v", n, after, counts, err)
			}
		}
		if n < 13 {
			t.Errorf("the flow has %d operations, want at least 13", n-1)
		}
	}
}
