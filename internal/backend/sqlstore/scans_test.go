package sqlstore

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/storetest"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
)

// TestScans checks that no statement that the store runs reads a whole table,
// so that nothing becomes slower with all that is stored. Its statements are
// those of the suite of its port.
func TestScans(t *testing.T) {
	testScans(t, filepath.Join(t.TempDir(), "full.db"), func(t *testing.T) string {
		return filepath.Join(t.TempDir(), "store.db")
	}, map[string]string{
		"sqlite_sequence":                           "has a row for each table",
		"INSERT INTO accounts":                      "looks for rows that wait for the account, and there are none",
		"SELECT 1 FROM accounts":                    "ends at the first account that is not closed",
		"lower(email) LIKE":                         "an administrator searches for a part of an address",
		"closed_at IS NULL ORDER":                   "the list of all accounts",
		"accounts_banned":                           "has only suspended accounts",
		"accounts_own_changed":                      "has only accounts with views to classify again",
		"accounts_closing":                          "has only accounts that are being closed",
		"albums_of_account":                         "the list of all albums, for the audit",
		"sites_of_account":                          "the list of all websites, for the audit",
		"FROM site_pages ORDER":                     "the list of all pages, for the audit",
		"FROM recipients ORDER":                     "the list of all recipients, for the audit",
		"FROM known_readers ORDER":                  "the list of all known readers, for the audit",
		"AS rest":                                   "what readers left at deleted links, for the audit",
		"FROM links WHERE deleted_at IS NULL ORDER": "the list of all links, in parts or for the audit",
		"changes_of_all":                            "the history of the instance, read in its order",
		"changes_by_people":                         "the decisions by people, read in their order",
		"changes_activity_by_age":                   "the activity of all accounts, which only the suite reads",
		"SCAN q":                                    "counts at most 1000 rows",
		"AS at FROM letters":                        "counts at most 1000 rows, in the order of an index",
		"AS at FROM deliveries":                     "counts at most 1000 rows, in the order of an index",
	})
}

// TestPostgresScans is TestScans on PostgreSQL.
func TestPostgresScans(t *testing.T) {
	tier.Need(t, tier.All, "the suite once more, on PostgreSQL")
	sqltest.InPostgres(t)
	testScans(t, vitrinetest.PostgresDatabase(t), func(t *testing.T) string { return sqltest.NewPlace(t) },
		nil)
}

func testScans(t *testing.T, full string, place func(*testing.T) string, excused map[string]string) {
	var run sqltest.Statements
	storetest.Run(t, func(t *testing.T) vitrine.Store {
		s := openTestStore(t, place(t))
		run.Watch(s.DB)
		return s
	})
	s := openTestStore(t, full)
	if err := s.Update(t.Context(), fill); err != nil {
		t.Fatal(err)
	}
	run.Watch(s.DB)
	if _, err := s.Queues(t.Context()); err != nil {
		t.Fatal(err)
	}
	run.CheckScans(t, s.DB, excused)
}

// fill stores accounts with links and versions, and lets the database count its
// rows.
func fill(tx vitrine.Tx) (err error) {
	for n := range 2000 {
		at := vitrinetest.Epoch.Add(time.Duration(n) * time.Minute)
		a := &vitrine.Account{Email: fmt.Sprintf("%d@example.org", n/10), ViewerKey: []byte("k"), CreatedAt: at}
		if n%10 == 0 {
			err = errors.Join(err, tx.AddAccount(a))
		}
		l := &vitrine.Link{Account: vitrine.AccountID(n/10 + 1), Slug: vitrine.Slug(fmt.Sprintf("link-%d", n)),
			File:  vitrine.File{Name: "a.txt", Kind: "text", HasBytes: true, SHA256: fmt.Sprint(n)},
			State: vitrine.StateLive, CreatedAt: at, StateAt: at}
		err = errors.Join(err, l.Add(tx, vitrine.Owner(l.Account)))
		version := *l
		version.Slug, version.Of, version.Version = "", l.ID, 2
		if n%10 == 5 {
			err = errors.Join(err, tx.AddLink(&version))
		}
	}
	_, analyzed := tx.(Tx).Exec("ANALYZE")
	return errors.Join(err, analyzed)
}
