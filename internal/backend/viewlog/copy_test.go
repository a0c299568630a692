package viewlog

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/viewlogtest"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// fillStore writes n rows with different values into every table of a SQLite
// store, some of them NULL if the column permits it. A later key was assigned
// and deleted.
func fillStore(t testing.TB, s *sqlstore.Store, n int) {
	t.Helper()
	for _, name := range sqlstore.Tables {
		err := s.DB.Update(t.Context(), func(x *sqldb.Tx) error {
			var columns, types []string
			var nullable []bool
			err := x.Each(func(s sqldb.Scanner) error {
				var c, of string
				var null bool
				err := s.Scan(&c, &of, &null)
				columns, types, nullable = append(columns, c), append(types, of), append(nullable, null)
				return err
			}, "SELECT name, type, \"notnull\" = 0 AND pk = 0 FROM pragma_table_info($1) ORDER BY cid", name)
			for i := 0; i < n && err == nil; i++ {
				row := make([]any, len(columns))
				for c := range columns {
					row[c] = valueOf(columns[c], types[c], i)
					if nullable[c] && i%4 == 1 {
						row[c] = nil
					}
				}
				_, err = x.Exec("INSERT INTO "+name+" ("+strings.Join(columns, ", ")+") VALUES ("+sqldb.Placeholders(1,
					len(columns))+")", row...)
			}
			return err
		})
		if err != nil {
			t.Fatal(name, err)
		}
	}
	err := s.DB.Update(t.Context(), func(x *sqldb.Tx) error {
		if _, err := x.Exec("INSERT INTO attempts (id, key, at) VALUES ($1, $2, $3)", int64(9999), []byte("x"),
			int64(1)); err != nil {
			return err
		}
		return x.Put("DELETE FROM attempts WHERE id = $1", int64(9999))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// valueOf returns the i-th value of a column. IDs are 10, 13, 16 …
func valueOf(column, of string, i int) any {
	switch {
	case of == "BOOLEAN":
		return i%3 == 0
	case of == "BLOB":
		return fmt.Appendf(nil, "\x00\xff%s %d", column, i)
	case of == "TEXT":
		return fmt.Sprintf("%s é 日本\n %d %s", column, i, strings.Repeat("x", i%50))
	case of == "INTEGER", column == "account", column == "link", column == "site", column == "webhook":
		return int64(10 + 3*i)
	case column == "album":
		return int64(10 + 3*(i/2))
	}
	return int64(i) << (i % 40) * int64(1-i%2*2)
}

// fillLog fills a log with views of many kinds. Some of their days are
// compacted and some are deleted.
func fillLog(t testing.TB, l *ViewLog, n int) {
	t.Helper()
	l.least = minViews{1, 1, 1}
	if _, err := l.BeginCopy(t.Context(), 0); err != nil { // so that there are changes, too
		t.Fatal(err)
	}
	g := sqltest.NewTraffic(7)
	var b vitrine.Batch
	for i := range n {
		v := g.Open()
		b.Views = append(b.Views, v)
		id := vitrine.ViewID(v.ID)
		if i%3 == 0 {
			b.Downloads = append(b.Downloads, vitrine.Download{ID: id + 1, Link: vitrine.LinkID(v.Link), View: id})
		}
	}
	last := report.DayOf(b.Views[n-1].At)
	if _, err := l.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if err := l.Import(t.Context(), vitrine.ImportReceipt{File: [32]byte{1, 2}, Lines: 1},
		[]vitrine.ViewRecord{g.Imported()}); err != nil {
		t.Fatal(err)
	}
	if err := l.RollUp(t.Context(), last-10); err != nil {
		t.Fatal(err)
	}
	if err := l.Expire(t.Context(), last-100); err != nil {
		t.Fatal(err)
	}
}

func smallBatches(t *testing.T) {
	rows, size := sqldb.BatchRows, sqldb.BatchBytes
	sqldb.BatchRows, sqldb.BatchBytes = 7, 2000
	t.Cleanup(func() { sqldb.BatchRows, sqldb.BatchBytes = rows, size })
}

// cutOff repeats a copy that is interrupted one batch later each time, until it
// is complete. It returns the number of interruptions.
func cutOff(t *testing.T, copy func(context.Context, sqldb.Copied) error) (cuts int) {
	t.Helper()
	for more := 1; ; more += 1 + more/2 {
		ctx, cancel := context.WithCancel(t.Context())
		batches := 0
		err := copy(ctx, func(string, int64, int64) {
			if batches++; batches == more {
				cancel()
			}
		})
		cancel()
		if err == nil {
			return cuts
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		cuts++
	}
}

// TestCopy copies a store and a log from SQLite to PostgreSQL, interrupted
// again and again, from there to another PostgreSQL database, and back to
// SQLite. All have the same rows, and assign the same next IDs.
func TestCopy(t *testing.T) {
	one, two := vitrinetest.PostgresDatabase(t), vitrinetest.PostgresDatabase(t)
	smallBatches(t)
	dir := t.TempDir()
	store := func(place string) *sqlstore.Store {
		s, err := sqlstore.Open(place)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	log := func(place string) *ViewLog {
		l, err := Open(place)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return l
	}
	first, firstLog := store(filepath.Join(dir, "a.db")), log(filepath.Join(dir, "av.db"))
	fillStore(t, first, 60)
	fillLog(t, firstLog, 1500)
	from, fromLog := first, firstLog
	for _, place := range []string{one, two, filepath.Join(dir, "b.db")} {
		to, toLog := store(place), log(strings.Replace(place, "b.db", "bv.db", 1))
		cuts := cutOff(t, func(ctx context.Context,
			addViews sqldb.Copied) error {
			return from.CopyTo(ctx, to, addViews)
		})
		cuts += cutOff(t, func(ctx context.Context,
			addViews sqldb.Copied) error {
			return fromLog.CopyTo(ctx, toLog, addViews)
		})
		if cuts < 10 {
			t.Errorf("%d interruptions, want at least 10", cuts)
		}
		differences, err := first.Compare(t.Context(), to)
		more, err2 := firstLog.Compare(t.Context(), toLog)
		if differences = append(differences, more...); err != nil || err2 != nil || len(differences) > 0 {
			t.Fatalf("%v, %v, differences %v", err, err2, differences)
		}
		if err := toLog.Audit(t.Context(), true, func(fault string, _ bool) { t.Error(fault) }); err != nil {
			t.Error(err)
		}
		from, fromLog = to, toLog
	}
	for _, s := range []*sqlstore.Store{first, from, store(one), store(two)} {
		err := s.Update(t.Context(), func(tx vitrine.Tx) error {
			a := &vitrine.Album{Account: 10, Slug: vitrine.Slug("fresh"), Title: "t", CreatedAt: vitrinetest.Epoch}
			if err := tx.AddAlbum(a); err != nil || a.ID != 10+3*59+1 {
				t.Errorf("ID of a new album = %d, %v", a.ID, err)
			}
			var id int64
			err := tx.(sqlstore.Tx).Get([]any{&id}, "INSERT INTO attempts (key, at) VALUES ($1, $2) RETURNING id",
				[]byte("y"), int64(2))
			if err != nil || id != 10000 {
				t.Errorf("ID of a new attempt = %d, %v, want 10000", id, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if _, err := fromLog.Append(t.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{sqltest.NewTraffic(3).Open()}}); err != nil {
		t.Error(err)
	}
	// A target that has changed is not overwritten, and does not count as the
	// same.
	if err := first.CopyTo(t.Context(), store(one),
		func(string, int64, int64) { t.Error("something was copied") }); err == nil {
		t.Log("the same row was added to both")
	}
	if err := firstLog.CopyTo(t.Context(), fromLog,
		func(string, int64, int64) { t.Error("something was copied") }); !errors.Is(err,
		sqldb.ErrOtherData) {
		t.Errorf("CopyTo a changed log = %v, want ErrOtherData", err)
	}
	if _, err := first.DB.Writer.DB.Exec("UPDATE keys SET name = 'other' WHERE id = 13"); err != nil {
		t.Fatal(err)
	}
	if differences, err := first.Compare(t.Context(), from); err != nil || len(differences) != 1 ||
		!strings.Contains(differences[0], "rows of the table keys") {
		t.Errorf("Compare with one changed row = %v, %v", differences, err)
	}
}

// TestMoved moves a generated history from SQLite to PostgreSQL and from
// PostgreSQL to SQLite. Its reports stay the same byte for byte, and the new
// log continues as the old one does. In one direction a link was deleted
// before. In the other, reports are also those of all views counted one by one.
func TestMoved(t *testing.T) {
	sqlite := func(t *testing.T) string { return filepath.Join(t.TempDir(), "views.db") }
	postgres := func(t *testing.T) string { return vitrinetest.PostgresDatabase(t) }
	for _, c := range []struct {
		name     string
		from, to func(*testing.T) string
		deleted  bool
	}{{"ToPostgreSQL", sqlite, postgres, false}, {"ToSQLite", postgres, sqlite, true}} {
		t.Run(c.name, func(t *testing.T) {
			open := func(place string) *ViewLog {
				l, err := Open(place)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { l.Close() })
				return l
			}
			from := open(c.from(t))
			viewlogtest.Moved(t, tier.Pick(8, 1), from, c.deleted, func() vitrine.ViewLog {
				to := open(c.to(t))
				if err := from.CopyTo(t.Context(), to, func(string, int64, int64) {}); err != nil {
					t.Fatal(err)
				}
				return to
			})
		})
	}
}

// TestCopyKnowsTables checks that each table of both databases is copied, or
// listed with a reason why it is not.
func TestCopyKnowsTables(t *testing.T) {
	address := vitrinetest.PostgresDatabase(t)
	for name, open := range map[string]func(place string) (*sqldb.DB, []string, error){
		"store": func(place string) (*sqldb.DB, []string, error) {
			s, err := sqlstore.Open(place)
			if err != nil {
				return nil, nil, err
			}
			return s.DB, sqlstore.Tables, nil
		},
		"log": func(place string) (*sqldb.DB, []string, error) {
			l, err := Open(place)
			if err != nil {
				return nil, nil, err
			}
			return l.db, viewlogTables, nil
		},
	} {
		for _, place := range []string{filepath.Join(t.TempDir(), "a.db"), address} {
			d, names, err := open(place)
			if err != nil {
				t.Fatal(err)
			}
			err = d.Read(t.Context(), func(x *sqldb.Tx) error {
				all, err := x.Tables()
				for table := range all {
					if !slices.Contains(names, table) && sqldb.NotCopied[table] == "" {
						t.Errorf("%s: the table %s is neither copied nor listed in NotCopied", name, table)
					}
					if len(all[table].Key) == 0 && slices.Contains(names, table) {
						t.Errorf("%s: the table %s has no key", name, table)
					}
				}
				if len(all) < len(names) {
					t.Errorf("%s: %d tables, want at least %d", name, len(all), len(names))
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
			if _, err := d.Writer.DB.Exec("CREATE TABLE forgotten (id BIGINT PRIMARY KEY)"); err != nil {
				t.Fatal(err)
			}
			if _, err := sqldb.SameTables(t.Context(), d, d, names); err == nil ||
				!strings.Contains(err.Error(), "forgotten") {
				t.Errorf("%s: SameTables with an unknown table = %v", name, err)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
