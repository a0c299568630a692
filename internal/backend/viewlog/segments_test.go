package viewlog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"vitrine"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/report"
)

func importViews(t testing.TB, l *ViewLog, line int64, views ...vitrine.ViewRecord) error {
	t.Helper()
	return l.Import(t.Context(), vitrine.ImportReceipt{File: [32]byte{1}, Lines: line, At: (firstTestDay + 100).Time()},
		views)
}

func idsOfLink(t *testing.T, l *ViewLog, link vitrine.LinkID) (list []vitrine.ViewID) {
	t.Helper()
	if err := l.Views(t.Context(), link, -1000, 40_000,
		func(v *report.View) error { list = append(list, vitrine.ViewID(v.ID)); return nil }); err != nil {
		t.Error(err)
	}
	return list
}

// TestImportOfOneMillisecond imports more views of one millisecond than fit in
// a segment. Each gets its own ID, in one batch and one by one.
func TestImportOfOneMillisecond(t *testing.T) {
	v := on(firstTestDay, 7, 1, 1)
	for _, batches := range [][]int{{1500, 1}, {1500, 1500}, {1023, 1, 1, 1}, {1024, 1024, 1024, 1},
		{500, 600, 700, 800, 1}} {
		l, all := openTestLog(t), 0
		for i, n := range batches {
			if err := importViews(t, l, int64(i+1), slices.Repeat([]vitrine.ViewRecord{v}, n)...); err != nil {
				t.Errorf("%v, batch %d: %v", batches, i, err)
				break
			}
			all += n
		}
		if got := idsOfLink(t, l, 1); len(got) != all || len(slices.Compact(slices.Clone(got))) != all {
			t.Errorf("%v: %d of %d views, %d different IDs", batches, len(got), all,
				len(slices.Compact(slices.Clone(got))))
		}
		clean(t, l)
	}
	// With gaps, too: an ID that moves past the end of a segment must not
	// collide with the next one.
	l, n := openTestLog(t), 0
	var views []vitrine.ViewRecord
	for i := range 1500 {
		v := v
		v.ID = int64(vitrine.ViewIDAt(v.At, i))
		views = append(views, v)
		n++
	}
	if err := importViews(t, l, 1, views...); err != nil {
		t.Fatal(err)
	}
	for i, at := range []int{1023, 1499, 1023, 0, 1022} {
		v.ID = int64(vitrine.ViewIDAt(v.At, at))
		if err := importViews(t, l, int64(i+2), v); err != nil {
			t.Errorf("another view with counter %d: %v", at, err)
			continue
		}
		n++
	}
	if got := idsOfLink(t, l, 1); len(slices.Compact(got)) != n {
		t.Errorf("%d IDs of %d views", len(got), n)
	}
	clean(t, l)
}

// TestImportGoesRound checks that after the last ID of a millisecond comes its
// first, on past and on running days.
func TestImportGoesRound(t *testing.T) {
	for _, d := range []report.Day{firstTestDay, firstTestDay + 100} {
		l := openTestLog(t)
		v := on(d, 7, 1, 1)
		v.ID = int64(vitrine.ViewIDAt(v.At, segment.Counters-1))
		if err := importViews(t, l, 1, v, v, v); err != nil {
			t.Errorf("day %d: %v", d, err)
			continue
		}
		if got := idsOfLink(t, l, 1); len(got) != 3 || got[0] != vitrine.ViewIDAt(v.At, 0) {
			t.Errorf("day %d: IDs = %v", d, got)
		}
	}
}

// TestSegmentsStayFew checks that history that is imported newest first, like
// most exports, does not make a segment for each view.
func TestSegmentsStayFew(t *testing.T) {
	for name, at := range map[string]func(int) int{
		"oldest first": func(i int) int { return i },
		"newest first": func(i int) int { return 5000 - i },
		"in disorder":  func(i int) int { return i * 7919 % 5003 },
	} {
		l := openTestLog(t)
		const n = 120
		for i := range n {
			if err := importViews(t, l, int64(i+1), on(firstTestDay, int64(at(i)), 1, uint64(i))); err != nil {
				t.Fatal(err)
			}
		}
		rollUp(t, l, firstTestDay+50)
		var segments int64
		err := l.read(t.Context(), func(t logTx) error { return t.Get([]any{&segments}, "SELECT count(*) FROM segments") })
		if err != nil || segments > 1+n/20 {
			t.Errorf("%s: %d views in %d segments, %v", name, n, segments, err)
		}
	}
}

// TestRecentNone checks that Recent with N = 0 or less returns nothing.
func TestRecentNone(t *testing.T) {
	l := openTestLog(t)
	v := on(firstTestDay, 0, 1, 1)
	v.Session = &report.Session{EngagedMs: 5}
	appendViews(t, l, v)
	rollUp(t, l, firstTestDay+1)
	for _, n := range []int{0, -1} {
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("Recent of %d panics: %v", n, p)
				}
			}()
			if got, err := l.Recent(t.Context(), vitrine.RecentQuery{Scope: vitrine.Scope{Link: 1},
				To: segment.FirstID(40_000), N: n,
				Engaged: true}); err != nil || len(got) != 0 {
				t.Errorf("Recent of %d = %v, %v", n, got, err)
			}
		}()
	}
}

// TestDamage checks that damaged tallies are repaired from the views and
// reported, and that a damaged segment is an error.
func TestDamage(t *testing.T) {
	const d = firstTestDay
	r := rand.New(rand.NewPCG(9, 9))
	randomHistory := randomHistory{r, d, 100, 4, 12}
	h := newFacts()
	views := randomHistory.imports(h, 500)
	slices.SortFunc(views, func(a, b vitrine.ViewRecord) int { return int(min(max(a.ID-b.ID, -1), 1)) })
	for _, table := range []struct {
		name, column, key string
		derived           bool
	}{
		{"tallies", "head", "link, level, day", true}, {"tallies", "body", "link, level, day", true},
		{"times", "data", "link, part, level, day", true}, {"daily_views", "data", "day", true},
		{"segments", "data", "link, first", false},
	} {
		for round := range 3 {
			l := openTestLog(t)
			l.least = []minViews{{1, 1, 1}, defaultMinViews, {2, 5, 9}}[round]
			if err := importViews(t, l, 1, views...); err != nil {
				t.Fatal(err)
			}
			rollUp(t, l, d+98)
			what := fmt.Sprint(table.name, ".", table.column, " round ", round)
			// All of it, or the rows of some days.
			where := []string{"1", "day % 2 = 0", "day % 3 = 1"}[round]
			if !table.derived {
				where = "1"
			}
			tamper(t, l, "UPDATE "+table.name+" SET "+table.column+" = CAST(substr("+table.column+", 1, 1 + length("+
				table.column+") / 2) || x'5a' || substr("+
				table.column+", 3 + length("+table.column+") / 2) AS BLOB) WHERE "+where)
			found := 0
			if err := l.Audit(t.Context(), true, func(text string, tally bool) {
				if found++; tally != table.derived {
					t.Errorf("%s: reported as a tally = %v: %s", what, tally, text)
				}
			}); err != nil && table.derived {
				t.Errorf("%s: Audit = %v", what, err)
			}
			if found == 0 {
				t.Errorf("%s: the audit finds nothing", what)
			}
			if table.derived {
				randomHistory.windows(t, h, l, 8)
			} else if _, _, err := l.Tally(t.Context(),
				vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, From: d - 1, To: d + 97,
					Cap: 10_000}); err == nil {
				t.Errorf("%s: no error", what)
			}
			if t.Failed() {
				t.Fatal(what)
			}
			if table.derived { // it is repaired when a day changes
				late := on(d-1, int64(round), 1, 4)
				late.Account = 2
				h2 := &facts{map[viewKey]*remembered{}, h.downloads, h.account}
				for k, o := range h.views {
					h2.views[k] = o
				}
				both(t, h2, l, vitrine.Batch{Views: []vitrine.ViewRecord{late,
					{Account: 1, View: on(d-1, 9, 2, 4).View}}})
				rollUp(t, l, d+99)
				randomHistory.windows(t, h2, l, 5)
				clean(t, l)
			}
			if t.Failed() {
				t.Fatalf("%s after the repair", what)
			}
		}
	}
}

// TestLostRows checks that the audit finds a missing row of derived data, and
// that it causes no panic.
func TestLostRows(t *testing.T) {
	const d = firstTestDay
	for _, lost := range []string{"tallies WHERE link = 0 AND level = 0", "tallies WHERE link = 0 AND level > 0",
		"tallies WHERE link > 0", "times", "daily_views"} {
		l := openTestLog(t)
		l.least = minViews{1, 1, 1}
		r := randomHistory{rand.New(rand.NewPCG(9, 9)), d, 100, 4, 12}
		h := newFacts()
		if err := importViews(t, l, 1, r.imports(h, 300)...); err != nil {
			t.Fatal(err)
		}
		rollUp(t, l, d+100)
		tamper(t, l, "DELETE FROM "+lost)
		found := faults(t, l)
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("without %s: panic: %v", lost, p)
				}
			}()
			wrong := append(h.wrong(l, account1, d, d+97), h.wrong(l, account1, d+8, d+16)...)
			if len(wrong) > 0 && len(found) == 0 {
				t.Errorf("without %s: %d answers are wrong, but the audit finds nothing", lost, len(wrong))
			}
		}()
	}
}

// TestAuditFindsMissingDailyViews checks that the audit finds a day whose views
// by link lack a link.
func TestAuditFindsMissingDailyViews(t *testing.T) {
	const d = firstTestDay
	l := openTestLog(t)
	appendViews(t, l, on(d, 0, 1, 1), on(d, 1, 2, 1))
	rollUp(t, l, d+1)
	var fold report.Fold
	v := on(d, 0, 1, 1)
	fold.Add(&v.View)
	tamper(t, l, "UPDATE daily_views SET data = $1", fold.Tally().AppendLinkViews(nil))
	if faults(t, l) == nil {
		t.Error("the audit finds nothing")
	}
}
