package viewlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
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

// cutter is a proxy between a store and its server. It closes a connection
// after it has passed a message that contains a word, so that the answer is
// lost.
type cutter struct {
	place string
	word  atomic.Pointer[[]byte]
	cuts  atomic.Int64
}

func newCutter(t *testing.T, place string) *cutter {
	t.Helper()
	u, err := url.Parse(place)
	if err != nil {
		t.Fatal(err)
	}
	server := u.Host
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	u.Host = l.Addr().String()
	c := &cutter{place: u.String()}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go c.serve(client, server)
		}
	}()
	return c
}

func (c *cutter) serve(client net.Conn, server string) {
	defer client.Close()
	s, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer s.Close()
	go func() { _, _ = io.Copy(client, s) }()
	b := make([]byte, 1<<16)
	for {
		n, err := client.Read(b)
		word := c.word.Load()
		cut := word != nil && bytes.Contains(b[:n], *word)
		if cut {
			c.cuts.Add(1)
			_ = client.Close()
		}
		if _, werr := s.Write(b[:n]); err != nil || werr != nil {
			return
		}
		if cut { // the server continues as if nothing had happened
			_, _ = io.Copy(io.Discard, s)
			return
		}
	}
}

func (c *cutter) arm(word string) {
	b := []byte(word)
	c.word.Store(&b)
}

func (c *cutter) disarm() { c.word.Store(nil) }

// TestPostgresCommitUnknown checks that a commit whose answer is lost returns
// an error and is not repeated, because it may have succeeded.
func TestPostgresCommitUnknown(t *testing.T) {
	place := vitrinetest.PostgresDatabase(t)
	c := newCutter(t, place)
	s, other := openTestStore(t, c.place), openTestStore(t, place)
	c.arm("COMMIT")
	runs := 0
	err := s.Update(t.Context(), func(tx vitrine.Tx) error {
		runs++
		return tx.AddAccount(&vitrine.Account{Email: "ann@example.org", CreatedAt: vitrinetest.Epoch})
	})
	c.disarm()
	if vitrine.CodeOf(err) != vitrine.CodeUnavailable || runs != 1 || c.cuts.Load() == 0 {
		t.Errorf("commit without an answer = %v after %d runs, %d connections closed", err, runs, c.cuts.Load())
	}
	has := false
	for ticker := time.NewTicker(time.Millisecond); !has; <-ticker.C { // the server may still be working on it
		err := other.Read(t.Context(), func(tx vitrine.Tx) (err error) { has, err = tx.HasAccounts(); return err })
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Update(t.Context(), func(tx vitrine.Tx) (err error) {
		has, err = tx.HasAccounts()
		return err
	}); err != nil || !has {
		t.Errorf("accounts afterwards: %v, %v, want some", has, err)
	}
}

// TestPostgresLostBeforeCommit checks that a connection that is lost before the
// commit leaves nothing.
func TestPostgresLostBeforeCommit(t *testing.T) {
	c := newCutter(t, vitrinetest.PostgresDatabase(t))
	s := openTestStore(t, c.place)
	err := s.Update(t.Context(), func(tx vitrine.Tx) error {
		err := tx.PutSecret("s", []byte("v"))
		c.arm("marker")
		_ = tx.PutSecret("marker", []byte("marker"))
		return err
	})
	c.disarm()
	if vitrine.CodeOf(err) != vitrine.CodeUnavailable {
		t.Errorf("Update = %v, want unavailable", err)
	}
	err = s.Read(t.Context(), func(tx vitrine.Tx) error { _, err := tx.Secret("s"); return err })
	if !errors.Is(err, vitrine.ErrNotFound) {
		t.Errorf("what was written before the connection was lost: %v, want ErrNotFound", err)
	}
}

// TestPostgresIdleConnectionsLost checks that connections that were lost while
// idle do not fail the next transactions.
func TestPostgresIdleConnectionsLost(t *testing.T) {
	place := vitrinetest.PostgresDatabase(t)
	s, other := openTestStore(t, place), openTestStore(t, place)
	var all sync.WaitGroup
	hold := make(chan bool)
	inside := make(chan bool)
	const n = 5
	for range n {
		all.Go(func() {
			if err := s.Read(context.Background(),
				func(vitrine.Tx) error { inside <- true; <-hold; return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	for range n {
		<-inside
	}
	close(hold)
	all.Wait()
	err := other.DB.Read(t.Context(), func(tx *sqldb.Tx) error {
		var cut int64
		err := tx.Get([]any{&cut}, "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		if err == nil && cut < n {
			t.Errorf("%d connections were closed, want at least %d", cut, n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 * n {
		if err := s.Read(t.Context(), func(vitrine.Tx) error { return nil }); err != nil {
			t.Errorf("Read after the connections were closed = %v, want nil", err)
		}
	}
	if err := s.Update(t.Context(), func(tx vitrine.Tx) error { return tx.PutSecret("s", nil) }); err != nil {
		t.Errorf("Update after the connections were closed = %v, want nil", err)
	}
}

// TestPostgresContention checks that each of many concurrent transactions
// completes: one that failed too often gets a turn of its own.
func TestPostgresContention(t *testing.T) {
	place := vitrinetest.PostgresDatabase(t)
	stores := []*sqlstore.Store{openTestStore(t, place), openTestStore(t, place), openTestStore(t, place)}
	if err := stores[0].Update(t.Context(), func(tx vitrine.Tx) error {
		return tx.PutSecret("n",
			[]byte{0})
	}); err != nil {
		t.Fatal(err)
	}
	const each, workers = 8, 24
	var all sync.WaitGroup
	var runs atomic.Int64
	for i := range workers {
		all.Go(func() {
			for range each {
				err := stores[i%len(stores)].Update(context.Background(), func(tx vitrine.Tx) error {
					runs.Add(1)
					v, err := tx.Secret("n")
					if err != nil {
						return err
					}
					return tx.PutSecret("n", []byte{v[0] + 1})
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	err := stores[1].Read(t.Context(), func(tx vitrine.Tx) error {
		v, err := tx.Secret("n")
		if err == nil && int(v[0]) != each*workers {
			t.Errorf("%d increments, want %d", v[0], each*workers)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d transactions needed %d runs", each*workers, runs.Load())
}

// TestPostgresLockLost checks that a lost lock is free for others, and
// that its holder gets an error on release.
func TestPostgresLockLost(t *testing.T) {
	place := vitrinetest.PostgresDatabase(t)
	s, other := openTestStore(t, place), openTestStore(t, place)
	release, err := s.DB.Lock(t.Context(), "test", true)
	if err != nil {
		t.Fatal(err)
	}
	err = other.DB.Read(t.Context(), func(tx *sqldb.Tx) error {
		var cut int64
		return tx.Get([]any{&cut}, "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
	})
	if err != nil {
		t.Fatal(err)
	}
	again, err := other.DB.Lock(t.Context(), "test", true)
	if err != nil {
		t.Fatal(err)
	}
	if err := release(); vitrine.CodeOf(err) != vitrine.CodeUnavailable {
		t.Errorf("release of a lost lock = %v, want unavailable", err)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
}

// TestPostgresFails stops a server again and again during appends and updates.
// Nothing acknowledged is lost, and the clients reconnect without help.
func TestPostgresFails(t *testing.T) {
	server := vitrinetest.Postgres(t)
	place := server.NewDatabase(t)
	store, err := sqlstore.Open(place)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	log, err := Open(place)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	const workers, failures, between = 4, 2, 40
	var views, updates [workers]int // number of acknowledged ones
	acknowledged := make(chan bool, 1)
	done := make(chan bool)
	ended := func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	}
	// again repeats an operation until it succeeds. The operation must be
	// idempotent.
	again := func(what string, f func() error) {
		for until := time.Now().Add(time.Minute); ; {
			err := f()
			if err == nil {
				select {
				case acknowledged <- true:
				default:
				}
				return
			}
			if vitrine.CodeOf(err) != vitrine.CodeUnavailable || time.Now().After(until) {
				t.Errorf("%s = %v, want unavailable", what, err)
				return
			}
			<-time.NewTimer(5 * time.Millisecond).C
		}
	}
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for n := 0; !ended(); n++ {
				v := on(firstTestDay, int64(n), int64(1+w), uint64(n%7))
				again("Append", func() error {
					outcome, err := log.Append(context.Background(), vitrine.Batch{Views: []vitrine.ViewRecord{v},
						Snapshots: []vitrine.Snapshot{{Link: vitrine.LinkID(v.Link), View: vitrine.ViewID(v.ID),
							At: v.At + 1000, Session: report.Session{PresentMs: 1000}}}})
					if outcome.Refused != nil || outcome.Early.Len() > 0 {
						t.Errorf("Append = %+v, want everything stored", outcome)
					}
					return err
				})
				views[w]++
			}
		})
		all.Go(func() {
			for n := 0; !ended(); n++ {
				again("Update", func() error {
					return store.Update(context.Background(), func(tx vitrine.Tx) error {
						return tx.PutSecret(fmt.Sprintf("%d-%d", w, n), []byte("v"))
					})
				})
				updates[w]++
			}
		})
	}
	for range failures {
		for range between {
			<-acknowledged
		}
		server.Stop(t)
		server.Start(t)
	}
	for range between {
		<-acknowledged
	}
	close(done)
	all.Wait()
	for w := range workers {
		counts, err := log.Counts(t.Context(), []vitrine.LinkID{vitrine.LinkID(1 + w)})
		if err != nil || counts[vitrine.LinkID(1+w)].Views != int64(views[w]) {
			t.Errorf("link %d has %d views, want %d, %v", 1+w, counts[vitrine.LinkID(1+w)].Views, views[w], err)
		}
		err = store.Read(t.Context(), func(tx vitrine.Tx) error {
			for n := range updates[w] {
				if _, err := tx.Secret(fmt.Sprintf("%d-%d", w, n)); err != nil {
					return fmt.Errorf("secret of update %d of %d: %w", n, w, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	clean(t, log)
	sqltest.Stable(t, store, store.DB)
	t.Logf("acknowledged: %v views, %v updates", views, updates)
}
