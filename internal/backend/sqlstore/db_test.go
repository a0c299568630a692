package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/vitrinetest"
)

// TestOverlookedFailure checks that a database error that the function ignores
// still fails the transaction, and that nothing of it is stored.
func TestOverlookedFailure(t *testing.T) {
	s := openTestStore(t, sqltest.NewPlace(t))
	err := s.Update(t.Context(), func(tx vitrine.Tx) error {
		if err := tx.PutSecret("before", []byte("v")); err != nil {
			return err
		}
		if _, err := tx.(Tx).Exec("INSERT INTO nowhere VALUES (1)"); err == nil {
			t.Error("INSERT into a missing table succeeds")
		}
		if err := tx.PutSecret("after", []byte("v")); err == nil {
			t.Error("a transaction continues after a database error")
		}
		return nil
	})
	if vitrine.CodeOf(err) != vitrine.CodeUnavailable || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("Update with an ignored error = %v, want unavailable with the reason", err)
	}
	err = s.Read(t.Context(), func(tx vitrine.Tx) error {
		for _, name := range []string{"before", "after"} {
			if _, err := tx.Secret(name); !errors.Is(err, vitrine.ErrNotFound) {
				t.Errorf("secret %s: %v, want ErrNotFound", name, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestReadChangesNothing(t *testing.T) {
	s := openTestStore(t, sqltest.NewPlace(t))
	err := s.Read(t.Context(), func(tx vitrine.Tx) error { return tx.PutSecret("s", []byte("v")) })
	if vitrine.CodeOf(err) != vitrine.CodeUnavailable {
		t.Errorf("Read that writes = %v, want unavailable", err)
	}
}

// TestFull checks that on a full disk a write fails, stores nothing, and
// succeeds when there is space again (promise 17).
func TestFull(t *testing.T) {
	s := openTestStore(t, filepath.Join(t.TempDir(), "store.db"))
	pages := func(n int) {
		t.Helper()
		err := s.DB.Update(t.Context(), func(t *sqldb.Tx) error {
			var is int64
			return t.Get([]any{&is}, fmt.Sprintf("PRAGMA max_page_count = %d", n))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	big := make([]byte, 100_000)
	write := func(name string) error {
		return s.Update(context.Background(), func(tx vitrine.Tx) error {
			return errors.Join(tx.PutSecret("a"+name, []byte("v")), tx.PutSecret("b"+name, big))
		})
	}
	if err := write("0"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		pages(1) // the current number; a connection that failed is replaced by one without this limit
		if err := write("1"); vitrine.CodeOf(err) != vitrine.CodeUnavailable || !strings.Contains(err.Error(), "full") {
			t.Errorf("write without space = %v, want unavailable because it is full", err)
		}
	}
	err := s.Read(t.Context(), func(tx vitrine.Tx) error {
		_, err0 := tx.Secret("a0")
		if _, err := tx.Secret("a1"); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("part of a failed write: %v, want ErrNotFound", err)
		}
		return err0
	})
	if err != nil {
		t.Errorf("Read without space = %v, want nil", err)
	}
	pages(1_000_000)
	if err := write("1"); err != nil {
		t.Errorf("write with space again = %v, want nil", err)
	}
	sqltest.CheckIntegrity(t, s.DB)
}

// TestBusy checks that a transaction waits for another process's, and is run
// again if the wait was too long.
func TestBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := openTestStore(t, path)
	other := sql.OpenDB(sqldb.SqliteFile(sqldb.SqliteName(path, sqldb.ReaderCache, "")))
	defer other.Close()
	// Wait only one millisecond, so that waits are soon too long.
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("PRAGMA busy_timeout = 1"); err != nil {
		t.Fatal(err)
	}
	if err := s.DB.Update(t.Context(), func(t *sqldb.Tx) error {
		var is int64
		return t.Get([]any{&is}, "PRAGMA busy_timeout = 1")
	}); err != nil {
		t.Fatal(err)
	}
	held, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	err = s.Update(t.Context(), func(vitrine.Tx) error { t.Error("two transactions write at once"); return nil })
	if vitrine.CodeOf(err) != vitrine.CodeUnavailable || !sqldb.SqliteDialect.Busy(err) {
		t.Errorf("Update while another process writes = %v, want busy", err)
	}
	if err := s.Read(t.Context(), func(vitrine.Tx) error { return nil }); err != nil {
		t.Errorf("Read while another process writes = %v, want nil", err)
	}
	if err := held.Rollback(); err != nil {
		t.Fatal(err)
	}
	// A busy error inside the function runs it again.
	runs := 0
	err = s.DB.Update(t.Context(), func(t *sqldb.Tx) error {
		if runs++; runs == 1 {
			held, err := other.Begin()
			if err == nil {
				return errors.Join(errors.New("two write at once"), held.Rollback())
			}
			return t.Failed(err)
		}
		return nil
	})
	if err != nil || runs != 2 {
		t.Errorf("transaction with a busy error: %v after %d runs, want 2", err, runs)
	}
}

// TestTwoProcesses checks that of transactions of two handles that count and
// insert at a limit, only the allowed number succeeds.
func TestTwoProcesses(t *testing.T) {
	path := sqltest.NewPlace(t)
	stores := []*Store{openTestStore(t, path), openTestStore(t, path)}
	a := &vitrine.Account{Email: "ann@example.org", ViewerKey: []byte("k"), CreatedAt: vitrinetest.Epoch}
	if err := stores[0].Update(t.Context(), func(tx vitrine.Tx) error { return tx.AddAccount(a) }); err != nil {
		t.Fatal(err)
	}
	errFull := errors.New("full")
	passed := make(chan int, 100)
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			err := stores[i%2].Update(context.Background(), func(tx vitrine.Tx) error {
				n, _, err := tx.CountLinks(a.ID)
				if err != nil {
					return err
				}
				if n >= 5 {
					return errFull
				}
				return tx.AddLink(&vitrine.Link{Account: a.ID, Slug: vitrine.Slug(fmt.Sprint("slug-", i)),
					CreatedAt: vitrinetest.Epoch})
			})
			if err == nil {
				passed <- i
			} else if err != errFull {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(passed) != 5 {
		t.Errorf("%d transactions succeeded, want 5", len(passed))
	}
}

// queries returns the queries that must use an index.
func queries() map[string]func(tx Tx) {
	now := vitrinetest.Epoch
	cursor := vitrine.LinkCursor{CreatedAt: now, ID: 1}
	return map[string]func(tx Tx){
		"UploadByKey":  func(tx Tx) { _, _ = tx.UploadByKey(1, "k") },
		"CountUploads": func(tx Tx) { _, _, _ = tx.CountUploads(1, now) },
		"Held":         func(tx Tx) { _, _, _ = tx.Held(1, now, "") },
		"HeldUntil":    func(tx Tx) { _, _ = tx.HeldUntil(1, now, "", vitrine.Bytes, 1) },
		"CountSpare":   func(tx Tx) { _, _ = tx.CountSpare(1, now) },
		"Spare":        func(tx Tx) { _, _ = tx.Spare(1, now) },
		"SlugHolder":   func(tx Tx) { _, _ = tx.SlugHolder("s", now) },
		"StaleUploads": func(tx Tx) { _, _ = tx.StaleUploads(vitrine.UploadOpen, now, 5) },
		"LinkBySlug":   func(tx Tx) { _, _ = tx.LinkBySlug("s") },
		"Links":        func(tx Tx) { _, _ = tx.Links(vitrine.LinkQuery{Account: 1, Limit: 20, Before: cursor}) },
		"Links state":  func(tx Tx) { _, _ = tx.Links(vitrine.LinkQuery{State: vitrine.StateProcessing}) },
		"Links all": func(tx Tx) {
			_, _ = tx.Links(vitrine.LinkQuery{Files: true, State: vitrine.StateLive, Before: cursor, Limit: 500})
		},
		"Links ID":    func(tx Tx) { _, _ = tx.Links(vitrine.LinkQuery{Sort: vitrine.SortID, After: 7, Limit: 1000}) },
		"Links bytes": func(tx Tx) { _, _ = tx.Links(vitrine.LinkQuery{WithBytes: true, NoTrash: true}) },
		"Links trash": func(tx Tx) {
			_, _ = tx.Links(vitrine.LinkQuery{Account: 1, Trash: true, Files: true, Sort: vitrine.SortDeleted,
				Before: cursor, Limit: 51})
		},
		"Links leaving trash": func(tx Tx) {
			_, _ = tx.Links(vitrine.LinkQuery{Trash: true, TrashEnds: now, Files: true, Limit: 50})
		},
		"Links trashed versions": func(tx Tx) {
			_, _ = tx.Links(vitrine.LinkQuery{Of: 7, Trash: true, Sort: vitrine.SortID})
		},
		"Links words": func(tx Tx) { _, _ = tx.Links(vitrine.LinkQuery{Account: 1, Words: []string{"a"}, Limit: 51}) },
		"Labels":      func(tx Tx) { _, _ = tx.Labels(1) },
		"Links label": func(tx Tx) {
			_, _ = tx.Links(vitrine.LinkQuery{Account: 1, Label: "a", Limit: 51})
		},
		"Links title": func(tx Tx) {
			_, _ = tx.Links(vitrine.LinkQuery{Account: 1, Sort: vitrine.SortTitle,
				Limit: 51})
		},
		"Links size": func(tx Tx) {
			_, _ = tx.Links(vitrine.LinkQuery{Account: 1, Sort: vitrine.SortSize,
				Limit: 51})
		},
		"LinkIDs": func(tx Tx) {
			_, _ = tx.LinkIDs(vitrine.LinkQuery{Account: 1, Kind: "pdf",
				Words: []string{"a"}})
		},
		"OldSlug":       func(tx Tx) { _, _ = tx.OldSlug("s", now) },
		"OldSlugs":      func(tx Tx) { _, _ = tx.OldSlugs(1, now) },
		"CountLinks":    func(tx Tx) { _, _, _ = tx.CountLinks(1) },
		"Links preview": func(tx Tx) { _, _ = tx.Links(vitrine.LinkQuery{PreviewDue: true, Limit: 200}) },
		"Links SHA-256": func(tx Tx) { _, _ = tx.LinksBySHA256("s", 5) },
		"BytesRefused":  func(tx Tx) { _, _ = tx.BytesRefused("s") },
		"ScanDue":       func(tx Tx) { _, _ = tx.ScanDue(vitrine.StateLive, "s", 7, 5) },
		"Links site":    func(tx Tx) { _, _ = tx.Links(vitrine.LinkQuery{Site: 1}) },
		"Links files": func(tx Tx) {
			_, _ = tx.Links(vitrine.LinkQuery{Account: 1, Files: true, Limit: 20, Before: cursor})
		},
		"LinkFacts":      func(tx Tx) { _, _ = tx.LinkFacts(1) },
		"LinkFactsOf":    func(tx Tx) { _, _ = tx.LinkFactsOf([]vitrine.LinkID{1, 2}) },
		"LinkTotals":     func(tx Tx) { _, _, _ = tx.LinkTotals(1) },
		"SiteBySlug":     func(tx Tx) { _, _ = tx.SiteBySlug("s") },
		"Sites":          func(tx Tx) { _, _ = tx.Sites(1) },
		"AlbumBySlug":    func(tx Tx) { _, _ = tx.AlbumBySlug("s") },
		"Albums":         func(tx Tx) { _, _ = tx.Albums(1) },
		"AlbumLinks":     func(tx Tx) { _, _ = tx.AlbumLinks(1, 4) },
		"AlbumSizes":     func(tx Tx) { _, _ = tx.AlbumSizes(1) },
		"Keys":           func(tx Tx) { _, _ = tx.Keys(1) },
		"KeyByHash":      func(tx Tx) { _, _ = tx.KeyByHash([32]byte{}) },
		"Key":            func(tx Tx) { _, _ = tx.Key(1) },
		"CountKeys":      func(tx Tx) { _, _, _, _ = tx.CountKeys(1, now, now) },
		"AccountByEmail": func(tx Tx) { _, _ = tx.AccountByEmail("a") },
	}
}

// TestPlans checks that every query of the store uses an index.
func TestPlans(t *testing.T) {
	several := map[string]int{"LinkFacts": 3, "LinkTotals": 2}
	s := openTestStore(t, filepath.Join(t.TempDir(), "store.db"))
	a := &vitrine.Account{Email: "ann@example.org", ViewerKey: []byte("k"), CreatedAt: vitrinetest.Epoch}
	if err := s.Update(t.Context(), func(tx vitrine.Tx) error { return tx.AddAccount(a) }); err != nil {
		t.Fatal(err)
	}
	for name, run := range queries() {
		err := s.DB.Read(t.Context(), func(tx *sqldb.Tx) error {
			clear(tx.Conn.Statements)
			run(Tx{tx})
			queries := slices.Collect(maps.Keys(tx.Conn.Statements))
			if want := max(1, several[name]); len(queries) != want {
				t.Errorf("%s runs %d queries", name, len(queries))
			}
			for _, query := range queries {
				sqltest.CheckPlan(t, tx, name, query)
			}
			return tx.Err
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFieldsAtTheirEdges(t *testing.T) {
	s := openTestStore(t, sqltest.NewPlace(t))
	a := &vitrine.Account{Email: "ann@example.org",
		CreatedAt: time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC)} // without a viewer key
	err := s.Update(t.Context(), func(tx vitrine.Tx) error {
		return errors.Join(tx.AddAccount(a), tx.PutSecret("empty", nil))
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Read(t.Context(), func(tx vitrine.Tx) error {
		got, err := tx.Account(a.ID)
		if err == nil && (len(got.ViewerKey) != 0 || !got.CreatedAt.Equal(a.CreatedAt) || !got.ViewerKeyAt.IsZero()) {
			t.Errorf("account = %+v", got)
		}
		v, err2 := tx.Secret("empty")
		if len(v) != 0 {
			t.Errorf("secret = %q, want none", v)
		}
		return errors.Join(err, err2)
	})
	if err != nil {
		t.Error(err)
	}
}
