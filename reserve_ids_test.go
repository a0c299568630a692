package vitrine_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/sqldb"
	"vitrine/internal/vitrinetest"
	"vitrine/report"
)

// numbered is a database with a log of opens.
type numbered struct {
	*testing.T
	db  *sqldb.Store
	log vitrine.ViewLog
}

func (n numbered) must(err error) {
	n.Helper()
	if err != nil {
		n.Fatal(err)
	}
}

// link makes an account with a link.
func (n numbered) link(name string) *vitrine.Link {
	n.Helper()
	a, _, err := (&vitrine.Accounts{Store: n.db, Now: time.Now}).Create(n.Context(), name+"@example.org", vitrine.PlanPro)
	n.must(err)
	l := &vitrine.Link{Account: a.ID, Slug: vitrine.Slug(name), Title: name, State: vitrine.StateLive, CreatedAt: time.Now(), StateAt: time.Now()}
	n.must(n.db.Update(n.Context(), func(tx vitrine.Tx) error {
		if err := tx.AddLink(l); err != nil {
			return err
		}
		return tx.AddChange(&vitrine.Change{At: l.CreatedAt, By: vitrine.Owner(a.ID), Action: vitrine.ActionCreate, Account: a.ID, Link: l.ID, To: l.State})
	}))
	return l
}

func (n numbered) opened(l *vitrine.Link, times int) {
	n.Helper()
	var b vitrine.Batch
	for i := range times {
		id := vitrine.ViewIDAt(time.Now().UnixMilli(), i)
		b.Opens = append(b.Opens, vitrine.OpenRecord{Account: l.Account, Open: report.Open{ID: int64(id), At: id.Ms(), Link: int64(l.ID), Viewer: uint64(i)}})
	}
	_, err := n.log.Append(n.Context(), b)
	n.must(err)
}

// views are what the owner of a link is told of it.
func (n numbered) views(l *vitrine.Link) int64 {
	n.Helper()
	counts, err := n.log.AccountCounts(n.Context(), l.Account)
	n.must(err)
	var all int64
	for _, c := range counts {
		all += c.Views
	}
	return all
}

func (n numbered) audit() (faults []string) {
	n.Helper()
	blobs := &vitrine.Audit{Store: n.db, Blobs: nowhere{}, Log: n.log, Now: time.Now}
	n.must(blobs.Run(n.Context(), func(fault string) { faults = append(faults, fault) }))
	return faults
}

// nowhere has no files.
type nowhere struct{ vitrine.Blobs }

func (nowhere) Mark(context.Context) (string, error) { return "", nil }
func (nowhere) Each(context.Context, func(vitrine.UploadID, vitrine.BlobInfo) error) error {
	return nil
}

// A database that was restored to an earlier moment than the log gives no number again that the log knows: nobody is shown another's opens
// (promise 9), and the audit names those whose links are lost.
func TestRestoredBehindTheLog(t *testing.T) {
	for _, place := range []struct {
		name       string
		store, log func(t *testing.T) string
	}{
		{"SQLite", func(t *testing.T) string { return filepath.Join(databases(t), "store.db") }, func(t *testing.T) string { return filepath.Join(databases(t), "views.db") }},
		{"PostgreSQL", func(t *testing.T) string { return vitrinetest.PostgresDatabase(t) }, func(t *testing.T) string { return vitrinetest.PostgresDatabase(t) }},
	} {
		t.Run(place.name, func(t *testing.T) {
			open := func() *sqldb.Store {
				db, err := sqldb.OpenStore(place.store(t))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = db.Close() })
				return db
			}
			log, err := sqldb.OpenViewLog(place.log(t))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = log.Close() })
			n := numbered{t, open(), log}
			before := n.link("before")
			n.opened(before, 2)
			restored := numbered{t, open(), log}
			n.must(n.db.CopyTo(t.Context(), restored.db, func(string, int64, int64) {}))
			lost := n.link("lost")
			n.opened(lost, 5)
			if warning, err := vitrine.ReserveIDs(t.Context(), n.db, n.log); warning != "" || err != nil {
				t.Errorf("of a database that is not behind: %q, %v", warning, err)
			}
			if faults := n.audit(); len(faults) > 0 {
				t.Error("audit:", faults)
			}

			warning, err := vitrine.ReserveIDs(t.Context(), restored.db, restored.log)
			if err != nil || !strings.Contains(warning, "restored to an earlier moment") {
				t.Errorf("ReserveIDs says %q, %v", warning, err)
			}
			if warning, err := vitrine.ReserveIDs(t.Context(), restored.db, restored.log); warning != "" || err != nil {
				t.Errorf("ReserveIDs again says %q, %v", warning, err)
			}
			anew := restored.link("anew")
			if anew.ID <= lost.ID || anew.Account <= lost.Account || restored.views(anew) != 0 {
				t.Errorf("link %d of account %d has %d views; link %d of account %d was lost", anew.ID, anew.Account, restored.views(anew), lost.ID, lost.Account)
			}
			restored.opened(anew, 1)
			if restored.views(anew) != 1 || restored.views(before) != 2 {
				t.Errorf("%d and %d views", restored.views(anew), restored.views(before))
			}
			if faults := strings.Join(restored.audit(), "\n"); strings.Count(faults, "\n") != 1 || !strings.Contains(faults, "has no such link") || !strings.Contains(faults, "has no such account") {
				t.Errorf("audit:\n%s", faults)
			}
			n.must(log.DeleteLink(t.Context(), lost.ID))
		})
	}
}

// The audit names a link whose opens are another account's.
func TestAuditMixedLink(t *testing.T) {
	db, err1 := sqldb.OpenStore(filepath.Join(databases(t), "store.db"))
	log, err2 := sqldb.OpenViewLog(filepath.Join(databases(t), "views.db"))
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = db.Close(), log.Close() })
	n := numbered{t, db, log}
	one, two := n.link("one"), n.link("two")
	n.opened(&vitrine.Link{ID: one.ID, Account: two.Account}, 1)
	if faults := n.audit(); len(faults) != 1 || !strings.Contains(faults[0], "its opens are account 2's, and the link is account 1's") {
		t.Errorf("audit: %q", faults)
	}
}
