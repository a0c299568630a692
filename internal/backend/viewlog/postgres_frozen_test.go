package viewlog

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// TestPostgresFrozen freezes a server under load. Running operations fail, and
// new ones fail at once. When the server resumes everything continues, nothing
// acknowledged is lost, and no connection is left. Slow operations on another
// server complete in the meantime.
func TestPostgresFrozen(t *testing.T) {
	ctx := t.Context()
	server := vitrinetest.Postgres(t)
	place := server.NewDatabase(t)
	slow := openStoreWith(t, vitrinetest.PostgresDatabase(t), sqltest.Hasty)
	sqltest.Stable(t, slow, slow.DB)
	goroutines := runtime.NumGoroutine()
	store := openStoreWith(t, place, sqltest.Hasty)
	log, err := openWith(place, sqltest.Hasty)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() }) // after the server resumes
	sqltest.Stable(t, store, store.DB)
	put := func(n int64) error {
		return store.Update(context.Background(), func(tx vitrine.Tx) error {
			return tx.PutSecret(fmt.Sprint(n),
				[]byte("v"))
		})
	}
	appendOne := func(n int64) error {
		v := on(firstTestDay, n, 1, uint64(n%7))
		outcome, err := log.Append(context.Background(),
			vitrine.Batch{Views: []vitrine.ViewRecord{v}, Snapshots: []vitrine.Snapshot{
				{Link: vitrine.LinkID(v.Link), View: vitrine.ViewID(v.ID), At: v.At + 1000,
					Session: report.Session{PresentMs: 1000}}}})
		return errors.Join(err, errors.Join(outcome.Refused...))
	}
	read := func(int64) error {
		return store.Read(context.Background(), func(tx vitrine.Tx) error { _, err := tx.HasAccounts(); return err })
	}
	count := func(int64) error {
		_, err := log.Counts(context.Background(), []vitrine.LinkID{1})
		return err
	}
	for _, f := range []func(int64) error{put, appendOne, read, count} {
		if err := f(0); err != nil {
			t.Fatal(err)
		}
	}

	var others sync.WaitGroup
	free, err := slow.DB.Lock(ctx, "slow", true)
	if err != nil {
		t.Fatal(err)
	}
	others.Go(func() { // longer than the wait for a frozen server
		err := slow.DB.Read(ctx, func(tx *sqldb.Tx) error {
			var nothing string
			return tx.Get([]any{&nothing}, fmt.Sprintf("SELECT pg_sleep(%f)::text",
				(sqltest.Hasty.Silence+2*time.Second).Seconds()))
		})
		if err := errors.Join(err, free()); err != nil {
			t.Errorf("slow statement = %v, want nil", err)
		}
	})
	others.Go(func() {
		if free, err := slow.DB.Lock(ctx, "slow", true); err != nil || free() != nil {
			t.Errorf("waiting for a lock = %v", err)
		}
	})

	var all sync.WaitGroup
	var numbers atomic.Int64
	var acknowledged sync.Map // number of an update, or minus that of a view
	load, stop := context.WithCancel(ctx)
	var longest atomic.Int64
	work := func(f func(int64) error, sign int64) {
		for load.Err() == nil {
			n, began := numbers.Add(1), time.Now()
			err := f(n)
			longest.Store(max(longest.Load(), int64(time.Since(began))))
			switch {
			case err == nil && sign != 0:
				acknowledged.Store(sign*n, true)
			case err != nil && vitrine.CodeOf(err) != vitrine.CodeUnavailable:
				t.Error(err)
			case err != nil:
				<-time.After(time.Millisecond)
			}
		}
	}
	for range 4 {
		all.Go(func() { work(put, 1) })
		all.Go(func() { work(appendOne, -1) })
		all.Go(func() { work(read, 0) })
		all.Go(func() { work(count, 0) })
	}
	vitrinetest.WaitFor(t, time.Minute, "there is load", func() bool { return numbers.Load() > 200 })
	server.Freeze(t)
	frozen := time.Now()
	for name, f := range map[string]func(int64) error{"put": put, "append": appendOne, "read": read, "count": count} {
		all.Go(func() {
			if err := f(-1); vitrine.CodeOf(err) != vitrine.CodeUnavailable {
				t.Errorf("%s with a frozen server = %v, want unavailable", name, err)
			}
		})
	}
	var opened sync.WaitGroup
	opened.Go(func() {
		s, err := sqlstore.Open(sqltest.WithParameter(t, place, "connect_timeout", "3"))
		if err == nil {
			_ = s.Close()
			t.Error("Open with a frozen server succeeds, want an error")
		}
	})
	vitrinetest.WaitFor(t, time.Minute, "it is taken for frozen", func() bool {
		return store.DB.Changes.Lines.Frozen() && log.db.Background.(*sqldb.Listener).Lines.Frozen()
	})
	if t.Failed() {
		stop()
		t.FailNow()
	}
	t.Logf("counted as frozen after %v", time.Since(frozen).Round(time.Millisecond))
	for name, f := range map[string]func(int64) error{"put": put, "append": appendOne, "read": read, "count": count} {
		if err := f(-1); !errors.Is(err, sqldb.ErrFrozen) { // fails at once, without sending
			t.Errorf("%s with a server known to be frozen = %v, want ErrFrozen", name, err)
		}
	}
	before := sqltest.VersionOf(t, store)
	if sqltest.VersionOf(t, store) == before {
		t.Error("the version does not change although the database is unreachable")
	}
	opened.Wait()
	server.Thaw(t)
	thawed := time.Now()
	for name, f := range map[string]func(int64) error{"put": put, "append": appendOne, "read": read, "count": count} {
		vitrinetest.WaitFor(t, time.Minute, name+" after it", func() bool { return f(0) == nil })
	}
	t.Logf("everything continues %v after the server; the longest wait was %v",
		time.Since(thawed).Round(time.Millisecond),
		time.Duration(longest.Load()).Round(time.Millisecond))
	stop()
	all.Wait()
	others.Wait()

	kept := map[vitrine.ViewID]bool{}
	views, updates := 0, 0
	err = log.db.Read(ctx, func(tx *sqldb.Tx) error {
		return tx.VisitViews(func(_, id int64, _, _ []byte) error { kept[vitrine.ViewID(id)] = true; return nil },
			" FROM views AS o WHERE o.link = $1", []any{int64(1)})
	})
	if err != nil {
		t.Fatal(err)
	}
	err = store.Read(ctx, func(tx vitrine.Tx) error {
		acknowledged.Range(func(key, _ any) bool {
			switch n := key.(int64); {
			case n < 0:
				views++
				if !kept[vitrine.ViewID(on(firstTestDay, -n, 1, uint64(-n%7)).ID)] {
					t.Errorf("view %d was acknowledged, but is missing", -n)
				}
			default:
				updates++
				if _, err := tx.Secret(fmt.Sprint(n)); err != nil {
					t.Errorf("update %d was acknowledged: %v", n, err)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || views == 0 || updates == 0 {
		t.Errorf("%d views and %d updates were acknowledged, %v, want some", views, updates, err)
	}
	clean(t, log)
	sqltest.Stable(t, store, store.DB)
	// Each has the connections of its pool, the listener's, and the one that
	// migrated. This connection is added.
	vitrinetest.WaitFor(t, time.Minute, "no connection is left behind", func() bool {
		var n int
		err := store.DB.Read(ctx, func(tx *sqldb.Tx) error {
			return tx.Get([]any{&n}, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
		})
		return err == nil && n <= 2*(sqldb.PostgresConnections+2)
	})
	if err := errors.Join(store.Close(), log.Close()); err != nil {
		t.Error(err)
	}
	vitrinetest.WaitFor(t, time.Minute, "no goroutine is left behind",
		func() bool { return runtime.NumGoroutine() <= goroutines })
	t.Logf("acknowledged: %d views, %d updates", views, updates)
}
