package viewlogtest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// Moved fills a log with a random history and then replaces it by the log that
// move returns. The new log must return the same reports byte for byte, for all
// links and accounts over windows of any length, also after both logs have
// received the same further views. With deleted, a link is deleted after some
// days; without it, reports must also be those of all views counted one by one.
// share is as in [Run].
func Moved(t *testing.T, share int, from vitrine.ViewLog, deleted bool, move func() vitrine.ViewLog) {
	h := history{logTest{t, from, share}, random{rand.New(rand.NewPCG(7, 99))}, newMemory(), 0, 0}
	step := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	h.live()
	h.later(h.kept, from) // mostly late views
	if deleted {
		step("DeleteLink", from.DeleteLink(ctx, 4))
		h.memory.deleteLink(4) // except its deleted days
	}
	h.audit()
	if !deleted {
		h.same("before")
	}
	to := move()
	after := history{logTest{t, to, share}, h.random, h.memory, 0, h.kept}
	after.audit()
	moved := func(when string) {
		t.Helper()
		h.sameAs(when, to)
		if !deleted {
			after.same(when)
		}
	}
	moved("moved")
	h.later(h.kept, from, to)
	after.audit()
	moved("gone on")
	step("RollUp", to.RollUp(ctx, day+historyDays+60))
	step("Expire", to.Expire(ctx, day+historyDays-5))
	step("RetainedFrom", after.keep())
	after.audit()
	if !deleted {
		after.same("expired more")
	}
	if _, err := to.Append(ctx, vitrine.Batch{Views: []vitrine.ViewRecord{view(1, 0, 10)}}); err != nil {
		t.Error(err)
	}
	step("DeleteLink", to.DeleteLink(ctx, 1))
	after.audit()
}

// later appends the same batches to logs, on days with stored views and for
// existing links.
func (h *history) later(kept report.Day, logs ...vitrine.ViewLog) {
	h.Helper()
	gone := func(id vitrine.ViewID) bool { return report.DayOf(id.Ms()) < kept }
	for range 12 {
		b := h.random.batch(h.memory)
		b.Views = nil
		for len(b.Views) < 12 {
			if v := h.view(); !gone(id(v)) && h.memory.accounts[vitrine.LinkID(v.Link)] != 0 {
				b.Views = append(b.Views, v)
			}
		}
		b.Snapshots = slices.DeleteFunc(b.Snapshots, func(s vitrine.Snapshot) bool { return gone(s.View) })
		b.Downloads = slices.DeleteFunc(b.Downloads, func(d vitrine.Download) bool { return gone(d.View) })
		b.Reclasses = slices.DeleteFunc(b.Reclasses, func(r vitrine.Reclass) bool { return gone(r.View) })
		refused, early := h.memory.append(b)
		for _, log := range logs {
			logTest{h.T, log, h.share}.wantAppend(b, refused, early)
		}
	}
}

// sameAs compares all reports of two logs.
func (h *history) sameAs(when string, other vitrine.ViewLog) {
	h.Helper()
	to := logTest{h.T, other, h.share}
	windows := [][2]report.Day{{firstDay, lastDay}, {day - 9, day + historyDays + 9}}
	for n := report.Day(1); n < historyDays; n += report.Day(19 * h.share) {
		windows = append(windows, [2]report.Day{day + n, day + min(n+1+n%70, historyDays)},
			[2]report.Day{day + n, day + n + 1})
	}
	links := []vitrine.LinkID{1, 2, 3, 4, 5}
	for account := range vitrine.AccountID(3) {
		scopes := []vitrine.Scope{{Account: account}}
		for _, link := range links {
			if account == vitrine.AccountID(1+link%2) {
				scopes = append(scopes, vitrine.Scope{Account: account, Link: link})
			}
		}
		for _, s := range scopes {
			for _, w := range windows {
				a, _ := h.tally(s, w[0], w[1], 0)
				b, _ := to.tally(s, w[0], w[1], 0)
				got, want := strings.Split(reports(s, b, w[0], w[1]), "\n"),
					strings.Split(reports(s, a, w[0], w[1]), "\n")
				for i, line := range want {
					if i >= len(got) || got[i] != line {
						h.Errorf("%s: line %d of the reports of %+v over [%v, %v) = %q, want %q", when, i, s, w[0],
							w[1], got[min(i, len(got)-1)], line)
						break
					}
				}
				vitrinetest.Equal(h, "lines of reports", len(got), len(want))
			}
		}
		of, err := h.log.AccountCounts(ctx, account)
		now, err2 := other.AccountCounts(ctx, account)
		if err != nil || err2 != nil {
			h.Fatal(err, err2)
		}
		vitrinetest.Equal(h, when+", counts", now, of)
		live := slices.Sorted(maps.Keys(of))
		a, err := h.log.DailyViews(ctx, vitrine.TallyQuery{Scope: vitrine.Scope{Account: account}, From: day,
			To: day + historyDays}, live)
		b, err2 := other.DailyViews(ctx, vitrine.TallyQuery{Scope: vitrine.Scope{Account: account}, From: day,
			To: day + historyDays}, live)
		if err != nil || err2 != nil {
			h.Fatal(err, err2)
		}
		vitrinetest.Equal(h, when+", daily views", b, a)
	}
	for _, link := range links {
		vitrinetest.Equal(h, fmt.Sprintf("%s, views of link %d", when, link), to.all(link), h.all(link))
	}
	a, err := h.log.Imported(ctx, [32]byte{5, 255})
	b, err2 := other.Imported(ctx, [32]byte{5, 255})
	if err != nil || err2 != nil {
		h.Fatal(err, err2)
	}
	vitrinetest.Equal(h, when+", lines imported", b, a)
	if h.Failed() {
		h.FailNow()
	}
}
