package clickhouse

import (
	"fmt"
	"slices"
	"testing"

	"vitrine"
	"vitrine/internal/vitrinetest"
	"vitrine/internal/vitrinetest/tier"
	"vitrine/report"
)

// TestDaily compares tallies made of stored daily ones with tallies of the
// views themselves, while days are rolled up, change, are rebuilt, lose a link
// and expire.
func TestDaily(t *testing.T) {
	l := openTestLog(t, vitrinetest.ClickHouseDatabase(t))
	g := vitrinetest.NewTraffic(4, 257*60_000)
	var views []vitrine.ViewRecord
	for i := range 700 { // about four months
		views = append(views, g.Imported())
		views[i].Version = i % 4
	}
	if err := l.Import(ctx, vitrine.ImportReceipt{File: [32]byte{1}, Lines: 1}, views); err != nil {
		t.Fatal(err)
	}
	first, last := report.DayOf(views[0].At), report.DayOf(views[len(views)-1].At)
	step := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	trusted := func(want report.Day) {
		t.Helper()
		if got, err := l.c.trust(ctx, 1); err != nil || got.before() != want {
			t.Fatalf("stored tallies are right before %v, %v, want %v", got.before(), err, want)
		}
	}
	calls := 0
	same := func(when string) {
		t.Helper()
		calls++
		s, err := l.c.state(ctx)
		step("state", err)
		for _, scope := range []vitrine.Scope{{Account: 1}, {Account: 1, Link: 2}, {Account: 1, Link: 3}} {
			for i, days := range [][2]report.Day{{first, last + 1}, {first + 40, last - 3}, {last - 12, last + 1},
				{report.NoDay, 1<<31 - 1}, {first + 50, first + 51}} {
				if days[0] < s.forgotten {
					continue // there is nothing to compare
				}
				if i > 0 && i != 1+calls%4 && tier.Current() < tier.All {
					continue // sometimes
				}
				q := vitrine.TallyQuery{Scope: scope, From: days[0], To: days[1]}
				l.c.insideFrom = -(i % 2) // alternately read, or counted inside
				got, _, err := l.Tally(ctx, q)
				step("Tally", err)
				w := window{TallyQuery: q, ids: idsOf(max(q.From, s.forgotten), q.To), state: s}
				want, err := l.c.fold(ctx, w, w.where())
				step("fold", err)
				if scope.Link == 0 {
					want = want.OfAccount()
				} else {
					want = want.OfLink()
				}
				got, err1 := asStored(got, w)
				want, err2 := asStored(want, w)
				if err1 != nil || err2 != nil {
					t.Fatal(err1, err2)
				}
				if !got.Equal(want) {
					t.Errorf("%s, %+v: %d views, %d viewers, %d downloads, want %d, %d, %d", when, q,
						got.Views(), got.Uniques(q.From, q.To), got.Downloads(),
						want.Views(), want.Uniques(q.From, q.To), want.Downloads())
				}
			}
		}
		step("Audit", l.Audit(ctx, true, func(fault string, _ bool) { t.Errorf("%s: %s", when, fault) }))
	}
	same("as imported")
	step("Settle", l.RollUp(ctx, last-10))
	trusted(last - 10)
	same("settled")
	late := views[200]
	late.ID, late.Viewer = int64(vitrine.ViewIDAt(late.At+1, 9)), views[100].Viewer
	_, err := l.Append(ctx, vitrine.Batch{Views: []vitrine.ViewRecord{late}})
	step("Append", err)
	trusted(report.DayOf(late.At))
	same("with a late open")
	step("Settle", l.RollUp(ctx, last-10))
	trusted(last - 10)
	same("settled again")
	human := views[slices.IndexFunc(views[300:], func(o vitrine.ViewRecord) bool { return o.Bot == "" })+300]
	_, err = l.Append(ctx, vitrine.Batch{Snapshots: []vitrine.Snapshot{{Link: vitrine.LinkID(human.Link),
		View: vitrine.ViewID(human.ID), At: human.At + 1000,
		Session: report.Session{EngagedMs: 10, PresentMs: 20}, Bot: vitrine.BotAutomation}}})
	step("Append", err)
	trusted(report.DayOf(human.At))
	same("with an open that turned out to be a bot's")
	step("Settle", l.RollUp(ctx, last-10))
	rebuilt := func(want int) {
		t.Helper()
		n := 0
		step("Rebuild", l.Rebuild(ctx, func(vitrine.AccountID, report.Day) { n++ }))
		if n != want {
			t.Errorf("%d accounts were rebuilt, want %d", n, want)
		}
	}
	rebuilt(0)
	step("lose tallies", l.c.work(ctx, fmt.Sprintf("ALTER TABLE daily DELETE WHERE link = 0 AND toInt32(day) >= %d SETTINGS mutations_sync = 2", first+60)))
	found := 0
	step("Audit", l.Audit(ctx, true, func(text string, tally bool) {
		if found++; !tally {
			t.Errorf("audit reports another fault: %s", text)
		}
	}))
	if found == 0 {
		t.Error("the audit does not find missing tallies")
	}
	rebuilt(1)
	rebuilt(0)
	trusted(last - 10)
	same("with lost tallies made again")
	step("Erase", l.DeleteLink(ctx, 1))
	trusted(0)
	same("with a link erased")
	step("Settle", l.RollUp(ctx, last-2))
	trusted(last - 2)
	same("settled after that")
	q := vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, From: first, To: last + 1}
	before, _, err := l.Tally(ctx, q)
	step("Tally", err)
	step("Forget", l.Expire(ctx, first+80))
	if kept, err := l.RetainedFrom(ctx, 1); err != nil || kept <= first {
		t.Fatalf("views are kept from %v on, %v", kept, err)
	}
	after, _, err := l.Tally(ctx, q)
	step("Tally", err)
	if !after.Equal(before) {
		t.Error("the tally changed after its views expired")
	}
	same("with days forgotten")
}
