package viewlog

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"vitrine"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// from returns a view with its own source.
func from(n int, source string) vitrine.ViewRecord {
	id := vitrine.ViewIDAt(vitrinetest.Epoch.UnixMilli()+int64(n), 0)
	return vitrine.ViewRecord{Account: 1, View: report.View{ID: int64(id), At: id.Ms(), Link: 1, Viewer: uint64(n),
		Source: source}}
}

func sources(t *testing.T, l *ViewLog) (list []string) {
	t.Helper()
	err := l.Views(t.Context(), 1, 0, 40_000, func(v *report.View) error {
		list = append(list, v.Source)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return list
}

func appendViews(t testing.TB, l *ViewLog, views ...vitrine.ViewRecord) {
	t.Helper()
	if o, err := l.Append(context.Background(), vitrine.Batch{Views: views}); err != nil || o.Refused != nil {
		t.Fatalf("Append = %v, %v", o.Refused, err)
	}
}

// TestWordsOfTwoProcesses lets two processes add the same and different words
// and read each other's.
func TestWordsOfTwoProcesses(t *testing.T) {
	path := sqltest.NewPlace(t)
	var logs []*ViewLog
	for range 2 {
		l, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		logs = append(logs, l)
	}
	const n = 300
	var all sync.WaitGroup
	for p, l := range logs {
		all.Go(func() {
			for i := range n {
				appendViews(t, l, from(2*i+p, fmt.Sprint("source ", i)))
			}
		})
	}
	all.Wait()
	for p, l := range logs {
		got := sources(t, l)
		if len(got) != 2*n {
			t.Fatalf("process %d sees %d views, want %d", p, len(got), 2*n)
		}
		for i, s := range got {
			if want := fmt.Sprint("source ", i/2); s != want {
				t.Fatalf("process %d: source of view %d = %q, want %q", p, i, s, want)
			}
		}
	}
	var words int64
	err := logs[0].read(t.Context(), func(t logTx) error { return t.Get([]any{&words}, "SELECT count(*) FROM words") })
	if err != nil || words != n {
		t.Errorf("%d words are stored, %v, want %d", words, err, n)
	}
}

// TestWordsOfFailedTransaction checks that a word of a failed transaction is
// not remembered, because its number is assigned again.
func TestWordsOfFailedTransaction(t *testing.T) {
	l := openTestLog(t)
	failed := errors.New("failed")
	err := l.update(t.Context(), func(t logTx, c *tables.Changes) error {
		v := from(1, "forgotten")
		_, err := l.write(t, c).views([]vitrine.ViewRecord{v})
		return errors.Join(err, failed)
	})
	if !errors.Is(err, failed) {
		t.Fatal(err)
	}
	appendViews(t, l, from(2, "another"), from(3, "forgotten"))
	if got := sources(t, l); fmt.Sprint(got) != "[another forgotten]" {
		t.Errorf("sources = %v", got)
	}
}

// TestWordsWithinTransaction checks that a transaction knows the words that it
// has added.
func TestWordsWithinTransaction(t *testing.T) {
	l := openTestLog(t)
	v := from(1, "a")
	v.Session = &report.Session{PresentMs: 1000, Screen: "1920+"}
	s := vitrine.Snapshot{Link: 1, View: vitrine.ViewID(v.ID), At: v.At + 1000,
		Session: report.Session{PresentMs: 2000, Screen: "0-575"}}
	outcome, err := l.Append(t.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{v},
		Snapshots: []vitrine.Snapshot{s}})
	if err != nil || outcome.Refused != nil {
		t.Fatal(outcome.Refused, err)
	}
	recent, err := l.Recent(t.Context(), vitrine.RecentQuery{Scope: vitrine.Scope{Link: 1}, To: segment.FirstID(40_000),
		N: 1})
	if err != nil || len(recent) != 1 || recent[0].Session.Screen != "1920+" || recent[0].Session.PresentMs != 2000 {
		t.Errorf("recent = %+v, %v", recent, err)
	}
}

// TestManyWords checks that more words than fit in memory are found, by the
// processes that have added them and by others.
func TestManyWords(t *testing.T) {
	path := sqltest.NewPlace(t)
	open := func() *ViewLog {
		l, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		l.words = tables.NewDict(l.db, 500, 300, 400)
		return l
	}
	l := open()
	const n = 3000
	for i := 0; i < n; {
		var views []vitrine.ViewRecord
		for ; len(views) < 250 && i < n; i++ {
			views = append(views, from(i, fmt.Sprint("source ", i)))
		}
		if err := l.Import(t.Context(), vitrine.ImportReceipt{Lines: int64(i)}, views); err != nil {
			t.Fatal(err)
		}
	}
	appendViews(t, l, from(n, "source 3"), from(n+1, fmt.Sprint("source ", n-1)))
	for _, l := range []*ViewLog{l, open()} {
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				for i, s := range sources(t, l) {
					want := fmt.Sprint("source ", i)
					switch i {
					case n:
						want = "source 3"
					case n + 1:
						want = fmt.Sprint("source ", n-1)
					}
					if s != want {
						t.Errorf("source of view %d = %q, want %q", i, s, want)
						return
					}
				}
			})
		}
		all.Wait()
		if len(l.words.Ids) > l.words.MaxIDs || len(l.words.Others) > l.words.MaxOthers {
			t.Errorf("%d and %d words are in memory, want at most the limits", len(l.words.Ids), len(l.words.Others))
		}
	}
	if err := l.Audit(t.Context(), true, func(fault string, _ bool) { t.Error(fault) }); err != nil {
		t.Error(err)
	}
}
