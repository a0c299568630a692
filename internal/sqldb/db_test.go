package sqldb

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
	"vitrine/internal/vitrinetest"
)

// A failure of the database that the function overlooks fails the transaction all the same, and nothing of it is left.
func TestOverlookedFailure(t *testing.T) {
	s := openTestStore(t, newPlace(t))
	err := s.Update(t.Context(), func(tx vitrine.Tx) error {
		if err := tx.PutSecret("before", []byte("v")); err != nil {
			return err
		}
		if _, err := tx.(storeTx).exec("INSERT INTO nowhere VALUES (1)"); err == nil {
			t.Error("a table that is not there takes a row")
		}
		if err := tx.PutSecret("after", []byte("v")); err == nil {
			t.Error("a transaction goes on after the database has failed")
		}
		return nil
	})
	if vitrine.CodeOf(err) != vitrine.CodeUnavailable || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("Update with a failure in it: %v, want unavailable and why", err)
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
	s := openTestStore(t, newPlace(t))
	err := s.Read(t.Context(), func(tx vitrine.Tx) error { return tx.PutSecret("s", []byte("v")) })
	if vitrine.CodeOf(err) != vitrine.CodeUnavailable {
		t.Errorf("a Read that writes: %v", err)
	}
}

// A full disk fails what needs more room, leaves nothing of it, and all is well once there is room (promise 17).
func TestFull(t *testing.T) {
	s := openTestStore(t, filepath.Join(t.TempDir(), "store.db"))
	pages := func(n int) {
		t.Helper()
		err := s.db.update(t.Context(), func(t *tx) error {
			var is int64
			return t.get([]any{&is}, fmt.Sprintf("PRAGMA max_page_count = %d", n))
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
		pages(1) // as many as there are; a connection that failed is opened anew, without that limit
		if err := write("1"); vitrine.CodeOf(err) != vitrine.CodeUnavailable || !strings.Contains(err.Error(), "full") {
			t.Errorf("with no room: %v, want unavailable, and that it is full", err)
		}
	}
	err := s.Read(t.Context(), func(tx vitrine.Tx) error {
		_, err0 := tx.Secret("a0")
		if _, err := tx.Secret("a1"); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("part of a write that failed: %v", err)
		}
		return err0
	})
	if err != nil {
		t.Errorf("reading with no room: %v", err)
	}
	pages(1_000_000)
	if err := write("1"); err != nil {
		t.Errorf("with room again: %v", err)
	}
	checkIntegrity(t, s.db)
}

// checkIntegrity has SQLite look for damage.
func checkIntegrity(t *testing.T, d *db) {
	t.Helper()
	err := d.read(context.Background(), func(tx *tx) error {
		return tx.each(func(s scanner) error {
			var found string
			if err := s.Scan(&found); err != nil {
				return err
			}
			if found != "ok" {
				t.Errorf("integrity: %s", found)
			}
			return nil
		}, "PRAGMA integrity_check")
	})
	if err != nil {
		t.Error(err)
	}
}

// A transaction waits for another process's, and is run again when the wait was too long.
func TestBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := openTestStore(t, path)
	other := sql.OpenDB(sqliteFile(sqliteName(path, readerCache, "")))
	defer other.Close()
	// Waits of one millisecond, so that they are soon too long.
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("PRAGMA busy_timeout = 1"); err != nil {
		t.Fatal(err)
	}
	if err := s.db.update(t.Context(), func(t *tx) error {
		var is int64
		return t.get([]any{&is}, "PRAGMA busy_timeout = 1")
	}); err != nil {
		t.Fatal(err)
	}
	held, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	err = s.Update(t.Context(), func(vitrine.Tx) error { t.Error("two write at once"); return nil })
	if vitrine.CodeOf(err) != vitrine.CodeUnavailable || !sqliteDialect.busy(err) {
		t.Errorf("Update while another process writes: %v", err)
	}
	if err := s.Read(t.Context(), func(vitrine.Tx) error { return nil }); err != nil {
		t.Errorf("Read while another process writes: %v", err)
	}
	if err := held.Rollback(); err != nil {
		t.Fatal(err)
	}
	// An error of being busy from within runs the function again.
	runs := 0
	err = s.db.update(t.Context(), func(t *tx) error {
		if runs++; runs == 1 {
			held, err := other.Begin()
			if err == nil {
				return errors.Join(errors.New("two write at once"), held.Rollback())
			}
			return t.fail(err)
		}
		return nil
	})
	if err != nil || runs != 2 {
		t.Errorf("a transaction that met another: %v after %d runs", err, runs)
	}
}

// Two handles on one file are as two processes: of a count-then-insert at the limit, one passes.
func TestTwoProcesses(t *testing.T) {
	path := newPlace(t)
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
				return tx.AddLink(&vitrine.Link{Account: a.ID, Slug: vitrine.Slug(fmt.Sprint("slug-", i)), CreatedAt: vitrinetest.Epoch})
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
		t.Errorf("%d transactions passed a limit of 5", len(passed))
	}
}

// queries are those that go by an index.
func queries() map[string]func(tx storeTx) {
	now := vitrinetest.Epoch
	cursor := vitrine.LinkCursor{CreatedAt: now, ID: 1}
	return map[string]func(tx storeTx){
		"UploadByKey":  func(tx storeTx) { _, _ = tx.UploadByKey(1, "k") },
		"CountUploads": func(tx storeTx) { _, _, _ = tx.CountUploads(1, now) },
		"Held":         func(tx storeTx) { _, _, _ = tx.Held(1, now, "") },
		"HeldUntil":    func(tx storeTx) { _, _ = tx.HeldUntil(1, now, "", vitrine.Bytes, 1) },
		"Lapsed":       func(tx storeTx) { _, _, _ = tx.Lapsed(1, now) },
		"SlugHolder":   func(tx storeTx) { _, _ = tx.SlugHolder("s", now) },
		"StaleUploads": func(tx storeTx) { _, _ = tx.StaleUploads(vitrine.UploadOpen, now, 5) },
		"LinkBySlug":   func(tx storeTx) { _, _ = tx.LinkBySlug("s") },
		"Links":        func(tx storeTx) { _, _ = tx.Links(vitrine.LinkQuery{Account: 1, Limit: 20, Before: cursor}) },
		"Links state":  func(tx storeTx) { _, _ = tx.Links(vitrine.LinkQuery{State: vitrine.StateProcessing}) },
		"Links ID":     func(tx storeTx) { _, _ = tx.Links(vitrine.LinkQuery{Sort: vitrine.SortID, After: 7, Limit: 1000}) },
		"Links bytes":  func(tx storeTx) { _, _ = tx.Links(vitrine.LinkQuery{WithBytes: true}) },
		"Links words":  func(tx storeTx) { _, _ = tx.Links(vitrine.LinkQuery{Account: 1, Words: []string{"a"}, Limit: 51}) },
		"Links title":  func(tx storeTx) { _, _ = tx.Links(vitrine.LinkQuery{Account: 1, Sort: vitrine.SortTitle, Limit: 51}) },
		"Links size":   func(tx storeTx) { _, _ = tx.Links(vitrine.LinkQuery{Account: 1, Sort: vitrine.SortSize, Limit: 51}) },
		"LinkIDs":      func(tx storeTx) { _, _ = tx.LinkIDs(vitrine.LinkQuery{Account: 1, Kind: "pdf", Words: []string{"a"}}) },
		"OldSlug":      func(tx storeTx) { _, _ = tx.OldSlug("s", now) },
		"OldSlugs":     func(tx storeTx) { _, _ = tx.OldSlugs(1, now) },
		"CountLinks":   func(tx storeTx) { _, _, _ = tx.CountLinks(1) },
		"Links site":   func(tx storeTx) { _, _ = tx.Links(vitrine.LinkQuery{Site: 1}) },
		"Links files": func(tx storeTx) {
			_, _ = tx.Links(vitrine.LinkQuery{Account: 1, Files: true, Limit: 20, Before: cursor})
		},
		"LinkFacts":      func(tx storeTx) { _, _ = tx.LinkFacts(1) },
		"SiteBySlug":     func(tx storeTx) { _, _ = tx.SiteBySlug("s") },
		"Sites":          func(tx storeTx) { _, _ = tx.Sites(1) },
		"AlbumBySlug":    func(tx storeTx) { _, _ = tx.AlbumBySlug("s") },
		"Albums":         func(tx storeTx) { _, _ = tx.Albums(1) },
		"AlbumLinks":     func(tx storeTx) { _, _ = tx.AlbumLinks(1, 4) },
		"AlbumSizes":     func(tx storeTx) { _, _ = tx.AlbumSizes(1) },
		"Keys":           func(tx storeTx) { _, _ = tx.Keys(1) },
		"KeyByHash":      func(tx storeTx) { _, _ = tx.KeyByHash([32]byte{}) },
		"AccountByEmail": func(tx storeTx) { _, _ = tx.AccountByEmail("a") },
	}
}

// Every query of the store goes by an index.
func TestPlans(t *testing.T) {
	s := openTestStore(t, filepath.Join(t.TempDir(), "store.db"))
	a := &vitrine.Account{Email: "ann@example.org", ViewerKey: []byte("k"), CreatedAt: vitrinetest.Epoch}
	if err := s.Update(t.Context(), func(tx vitrine.Tx) error { return tx.AddAccount(a) }); err != nil {
		t.Fatal(err)
	}
	for name, run := range queries() {
		err := s.db.read(t.Context(), func(tx *tx) error {
			clear(tx.conn.statements)
			run(storeTx{tx})
			queries := slices.Collect(maps.Keys(tx.conn.statements))
			if len(queries) != 1 {
				t.Errorf("%s takes %d queries", name, len(queries))
			}
			for _, query := range queries {
				checkPlan(t, tx, name, query)
			}
			return tx.err
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sorted are the queries that sort their answer, which is short, or of one account and told by an index alone.
var sorted = map[string]bool{"Links bytes": true, "Links words": true, "Links title": true, "Links size": true, "OldSlugs": true}

// sqlitePlan returns the steps of the plan of a query in SQLite.
func sqlitePlan(tx *tx, query string) (string, error) {
	args := make([]any, strings.Count(query, "$"))
	for i := range args {
		args[i] = 1
	}
	var plan []string
	err := tx.each(func(s scanner) error {
		var id, parent, unused int64
		var step string
		err := s.Scan(&id, &parent, &unused, &step)
		plan = append(plan, step)
		return err
	}, "EXPLAIN QUERY PLAN "+query, args...)
	return strings.Join(plan, "; "), err
}

func checkPlan(t *testing.T, tx *tx, name, query string) {
	all, err := sqlitePlan(tx, query)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if strings.Contains(all, "SCAN") || strings.Contains(all, "TEMP B-TREE") && !sorted[name] {
		t.Errorf("%s goes through whole tables: %s\n%s", name, all, query)
	}
	if (name == "CountLinks" || name == "Held" || name == "CountUploads") && !strings.Contains(all, "COVERING INDEX") {
		t.Errorf("%s reads rows: %s", name, all)
	}
}

func TestFieldsAtTheirEdges(t *testing.T) {
	s := openTestStore(t, newPlace(t))
	a := &vitrine.Account{Email: "ann@example.org", CreatedAt: time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC)} // no viewer's key
	err := s.Update(t.Context(), func(tx vitrine.Tx) error {
		return errors.Join(tx.AddAccount(a), tx.PutSecret("empty", nil))
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Read(t.Context(), func(tx vitrine.Tx) error {
		got, err := tx.Account(a.ID)
		if err == nil && (len(got.ViewerKey) != 0 || !got.CreatedAt.Equal(a.CreatedAt) || !got.ViewerKeyAt.IsZero()) {
			t.Errorf("account: %+v", got)
		}
		v, err2 := tx.Secret("empty")
		if len(v) != 0 {
			t.Errorf("secret: %q", v)
		}
		return errors.Join(err, err2)
	})
	if err != nil {
		t.Error(err)
	}
}
