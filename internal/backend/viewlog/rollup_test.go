package viewlog

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"vitrine"
	"vitrine/report"
)

// on returns a view of a link of account 1, some milliseconds after the start
// of a day.
func on(d report.Day, ms int64, link int64, viewer uint64) vitrine.ViewRecord {
	id := vitrine.ViewIDAt(d.StartMs()+ms, 0)
	return vitrine.ViewRecord{Account: 1, View: report.View{ID: int64(id), At: id.Ms(), Link: link, Viewer: viewer,
		Country: fmt.Sprint("C", viewer%3)}}
}

const firstTestDay report.Day = 20_032 // the first of 64 days that are stored together

func both(t *testing.T, h *facts, l *ViewLog, b vitrine.Batch) {
	t.Helper()
	h.batch(b)
	if _, err := l.Append(context.Background(), b); err != nil {
		t.Fatal(err)
	}
}

// addViews appends views to a log and its facts.
func addViews(t *testing.T, h *facts, l *ViewLog, views ...vitrine.ViewRecord) {
	t.Helper()
	both(t, h, l, vitrine.Batch{Views: views})
}

func rollUp(t testing.TB, l *ViewLog, before report.Day) {
	t.Helper()
	if err := l.RollUp(context.Background(), before); err != nil {
		t.Fatalf("RollUp before %d = %v, want nil", before, err)
	}
}

var account1 = vitrine.Scope{Account: 1}

// TestRollUpCutOff checks that a RollUp that is interrupted at any step is
// completed by the next one.
func TestRollUpCutOff(t *testing.T) {
	const d, links = firstTestDay, 6
	for _, days := range []report.Day{70, 13} {
		var views []vitrine.ViewRecord
		for day := range days {
			for link := range int64(links) {
				views = append(views, on(d+day, link, 1+link, uint64(link+int64(day)%5)))
			}
		}
		cuts := 0
		for lives, done := 0, false; !done; lives += 3 + lives/5 {
			l := openTestLog(t)
			l.least = minViews{1, 1, 1}
			h := newFacts()
			for _, v := range views {
				h.add(v, true)
			}
			if err := l.Import(t.Context(), vitrine.ImportReceipt{Lines: 1, At: (d + 200).Time()}, views); err != nil {
				t.Fatal(err)
			}
			ctx := &dyingContext{Context: t.Context(), lives: lives}
			done = l.RollUp(ctx, d+days) == nil
			cuts++
			h.check(t, l, account1, d, d+days)
			if err := l.RollUp(t.Context(), d+days); err != nil {
				t.Fatalf("%d days: RollUp after an interruption at step %d = %v, want nil", days, lives, err)
			}
			h.check(t, l, account1, d, d+days)
			h.check(t, l, vitrine.Scope{Account: 1, Link: 3}, d+1, d+days-1)
			clean(t, l)
			if t.Failed() {
				t.Fatalf("%d days: interrupted at step %d", days, lives)
			}
		}
		if cuts < 4 {
			t.Errorf("interrupted at %d steps, want at least 4", cuts)
		}
	}
}

// TestRollUpCutOffThenLate checks that what an interrupted RollUp has stored is
// not mixed with what is stored after late events.
func TestRollUpCutOffThenLate(t *testing.T) {
	const d = firstTestDay
	for done, lives := false, 4; !done; lives += 5 {
		l, h := openTestLog(t), newFacts()
		l.least = minViews{3, 1, 1}
		var views []vitrine.ViewRecord
		for link := range int64(5) {
			for day := range report.Day(66) {
				for n := range 2 + (link+int64(day))%2 {
					v := on(d+day, link*10+n, 1+link, uint64(link+int64(day)*n%5))
					v.Session = &report.Session{EngagedMs: 2000 + 977*link + 131*int64(day) + n, PresentMs: 90_000}
					views = append(views, v)
				}
			}
		}
		for _, v := range views {
			h.add(v, true)
		}
		if err := importViews(t, l, 1, views...); err != nil {
			t.Fatal(err)
		}
		done = l.RollUp(&dyingContext{Context: t.Context(), lives: lives}, d+65) == nil
		var b vitrine.Batch
		for i, v := range views {
			s := vitrine.Snapshot{Link: vitrine.LinkID(v.Link), View: vitrine.ViewID(v.ID), At: v.At + 3_000_000}
			switch {
			case v.Link == 2 || i%40 == 0:
				s.Bot = report.BotAutomation
			case v.Link == 3 && report.DayOf(v.At) == d+1 || i%50 == 0:
				s.Session = report.Session{EngagedMs: 85_000, PresentMs: 90_000}
				b.Views = append(b.Views, on(report.DayOf(v.At), 5_000_000+int64(i), v.Link, 77))
			default:
				continue
			}
			b.Snapshots = append(b.Snapshots, s)
		}
		both(t, h, l, b)
		rollUp(t, l, d+65)
		for link := range vitrine.LinkID(6) {
			for _, days := range []span{{d, d + 64}, {d, d + 66}, {d + 1, d + 16}, {d + 8, d + 9}} {
				h.check(t, l, vitrine.Scope{Account: 1, Link: link}, days.from, days.to)
			}
		}
		clean(t, l)
		if t.Failed() {
			t.Fatalf("interrupted at step %d", lives)
		}
	}
}

// TestRollUpDownloadsOnly checks that a day with only a download counts in the
// account's report, at any position in the calendar.
func TestRollUpDownloadsOnly(t *testing.T) {
	for first := range report.Day(66) {
		if first > 3 && first < 58 {
			continue
		}
		l, h := openTestLog(t), newFacts()
		v := on(firstTestDay+first, 0, 1, 1)
		addViews(t, h, l, v)
		rollUp(t, l, firstTestDay+first+1)
		late := vitrine.Download{ID: vitrine.ViewIDAt(v.At+86_400_000, 0), Link: 1, View: vitrine.ViewID(v.ID)}
		both(t, h, l, vitrine.Batch{Downloads: []vitrine.Download{late}})
		for _, days := range []report.Day{2, 3, 64, 130} {
			rollUp(t, l, firstTestDay+first+days)
			h.check(t, l, account1, firstTestDay, firstTestDay+200)
			h.check(t, l, vitrine.Scope{Account: 1, Link: 1}, firstTestDay, firstTestDay+200)
		}
		clean(t, l)
		if t.Failed() {
			t.Fatalf("with the view on day %d of 64", first)
		}
	}
}

// TestDownloadBeforeItsView checks that a download on a day before its view's,
// as after a clock was set back, stays with its view.
func TestDownloadBeforeItsView(t *testing.T) {
	for name, undo := range map[string]func(*testing.T, *facts, *ViewLog, vitrine.ViewRecord){
		"bot": func(t *testing.T, h *facts, l *ViewLog, v vitrine.ViewRecord) {
			both(t, h, l, vitrine.Batch{Snapshots: []vitrine.Snapshot{{Link: 2, View: vitrine.ViewID(v.ID), At: v.At,
				Bot: report.BotAutomation}}})
		},
		"delete": func(t *testing.T, h *facts, l *ViewLog, v vitrine.ViewRecord) {
			h.deleteLink(2)
			if err := l.DeleteLink(t.Context(), 2); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			const d = firstTestDay
			l, h := openTestLog(t), newFacts()
			v := on(d+5, 0, 2, 2)
			addViews(t, h, l, on(d+1, 0, 1, 1), v)
			both(t, h, l, vitrine.Batch{Downloads: []vitrine.Download{{ID: vitrine.ViewIDAt((d + 1).StartMs(), 7),
				Link: 2, View: vitrine.ViewID(v.ID)}}})
			rollUp(t, l, d+4)
			h.check(t, l, account1, d, d+9)
			undo(t, h, l, v)
			h.check(t, l, account1, d, d+9)
			rollUp(t, l, d+4)
			h.check(t, l, account1, d, d+9)
			clean(t, l)
		})
	}
}

// TestDeleteLinkLeavesNothing checks that a deleted link leaves no rows, even
// if it was its account's last one.
func TestDeleteLinkLeavesNothing(t *testing.T) {
	const d = firstTestDay
	l, h := openTestLog(t), newFacts()
	l.least = minViews{1, 1, 1}
	for day := range report.Day(70) {
		addViews(t, h, l, on(d+day, 0, 1, uint64(day%7)))
		if day%20 == 19 {
			rollUp(t, l, d+day)
		}
	}
	if err := l.DeleteLink(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	rollUp(t, l, d+80)
	for _, table := range []string{"links", "views", "viewers", "segments", "viewer_days", "tallies", "times", "daily_views",
		"downloads"} {
		var rows int64
		err := l.read(t.Context(), func(t logTx) error { return t.Get([]any{&rows}, "SELECT count(*) FROM "+table) })
		if err != nil || rows != 0 {
			t.Errorf("%s has %d rows, %v, want 0", table, rows, err)
		}
	}
	clean(t, l)
}

// TestRollUpAndReturning checks that RollUp changes no answer, not even which
// viewers are returning after an import.
func TestRollUpAndReturning(t *testing.T) {
	const d = firstTestDay
	for _, before := range []report.Day{0, d + 5} {
		l, h := openTestLog(t), newFacts()
		was := on(d, 0, 1, 1)
		h.add(was, true)
		if err := l.Import(t.Context(), vitrine.ImportReceipt{Lines: 1, At: d.Time()},
			[]vitrine.ViewRecord{was}); err != nil {
			t.Fatal(err)
		}
		rollUp(t, l, before)
		addViews(t, h, l, on(d+6, 0, 1, 1))
		h.check(t, l, account1, d, d+9)
		if t.Failed() {
			t.Fatalf("rolled up before %d", before)
		}
	}
}

// TestLateOnRolledUpDays checks that late events reach views in segments like
// others, also repeatedly.
func TestLateOnRolledUpDays(t *testing.T) {
	const d = firstTestDay
	for _, few := range []bool{true, false} {
		l, h := openTestLog(t), newFacts()
		if few {
			l.least = minViews{1, 1, 1}
		}
		var all []vitrine.ViewRecord
		for day := range report.Day(130) {
			for n := range int64(3) {
				all = append(all, on(d+day, n*1000, 1+n%2, uint64(day)%9+uint64(n)))
			}
		}
		addViews(t, h, l, all...)
		rollUp(t, l, d+125)
		r := rand.New(rand.NewPCG(3, 4))
		for i := range 25 {
			v := all[r.IntN(len(all))]
			id, link := vitrine.ViewID(v.ID), vitrine.LinkID(v.Link)
			b := vitrine.Batch{}
			switch i % 5 {
			case 0:
				b.Snapshots = append(b.Snapshots, vitrine.Snapshot{Link: link, View: id, At: v.At + 9000,
					Session: report.Session{EngagedMs: 8000, PresentMs: 9000}})
			case 1:
				b.Snapshots = append(b.Snapshots, vitrine.Snapshot{Link: link, View: id, At: v.At + 9000,
					Bot: report.BotAutomation})
			case 2:
				b.Downloads = append(b.Downloads, vitrine.Download{ID: id + 5, Link: link, View: id})
			case 3:
				b.Views = append(b.Views, on(report.DayOf(v.At), 5000+int64(i), v.Link, 3))
			case 4:
				v.Viewer++
				outcome, err := l.Append(t.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{v, all[0]}})
				refused := outcome.Refused
				if err != nil || len(refused) != 2 || refused[0] != vitrine.ErrExists || refused[1] != nil {
					t.Errorf("another view with an ID in a segment: %v, %v", refused, err)
				}
			}
			both(t, h, l, b)
			both(t, h, l, b)
			if i%3 == 0 {
				rollUp(t, l, d+126+report.Day(i))
			}
			for _, s := range []vitrine.Scope{account1, {Account: 1, Link: 1}} {
				h.check(t, l, s, d+report.Day(r.IntN(64)), d+65+report.Day(r.IntN(70)))
			}
			if t.Failed() {
				t.Fatalf("after late event %d", i)
			}
		}
		clean(t, l)
	}
}

// TestRollUpEdges checks the edges of days and of windows.
func TestRollUpEdges(t *testing.T) {
	const d = firstTestDay
	for _, before := range []report.Day{0, d, d + 1, d + 2, d + 65, d + 129, d + 200} {
		l, h := openTestLog(t), newFacts()
		h.check(t, l, account1, d, d+1)
		rollUp(t, l, before)
		h.check(t, l, account1, d, d+1)
		bot := on(d+3, 0, 2, 9)
		bot.Bot = "crawler"
		addViews(t, h, l, on(d, 0, 1, 1), on(d, 86_399_999, 1, 2), on(d+1, 0, 1, 1), bot, on(d+120, 0, 1, 2),
			on(d+120, 86_399_999, 2, 2), on(d+121, 0, 2, 1))
		rollUp(t, l, before)
		for from := d - 1; from <= d+2; from++ {
			for _, to := range []report.Day{d, d + 1, d + 2, d + 4, d + 64, d + 120, d + 121, d + 122, d + 200} {
				if from < to {
					h.check(t, l, account1, from, to)
					h.check(t, l, vitrine.Scope{Account: 1, Link: 1}, from, to)
					h.check(t, l, vitrine.Scope{Account: 1, Link: 2}, from, to)
				}
			}
		}
		clean(t, l)
		if t.Failed() {
			t.Fatalf("rolled up before %d", before)
		}
	}
}

// TestExpireDownloadsOnly checks that a day with only downloads still counts
// for its link after its views have expired.
func TestExpireDownloadsOnly(t *testing.T) {
	const d = firstTestDay
	for _, later := range []bool{true, false} {
		l, h := openTestLog(t), newFacts()
		v := on(d, 0, 1, 1)
		addViews(t, h, l, v, on(d, 1, 2, 2))
		if later {
			addViews(t, h, l, on(d+200, 0, 1, 1))
		}
		both(t, h, l, vitrine.Batch{Downloads: []vitrine.Download{{ID: vitrine.ViewIDAt((d + 70).StartMs(), 0), Link: 1,
			View: vitrine.ViewID(v.ID)}}})
		rollUp(t, l, d+300)
		check := func(when string) {
			t.Helper()
			for _, s := range []vitrine.Scope{account1, {Account: 1, Link: 1}} {
				for _, wrong := range h.wrong(l, s, d, d+300) {
					t.Errorf("%s, later views %v, %+v: %s", when, later, s, wrong)
				}
			}
		}
		check("rolled up")
		if err := l.Expire(t.Context(), d+290); err != nil {
			t.Fatal(err)
		}
		check("expired")
		clean(t, l)
	}
}
