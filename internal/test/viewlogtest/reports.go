package viewlogtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// SameReports tests the reports of a vitrine.ViewLog with random histories:
// bots, snapshots, downloads, imports, late views, roll-ups, and deleted days
// and links. open returns an empty log and closes it with the test. After each
// part of a history the reports must equal those of a simple model byte for
// byte, and so those of every other backend. Without seeds there are two
// histories. share is as in [Run].
func SameReports(t *testing.T, share int, open func(t *testing.T) vitrine.ViewLog, seeds ...uint64) {
	if seeds == nil {
		seeds = []uint64{0, 1}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint("history ", seed), func(t *testing.T) {
			h := history{logTest{t, open(t), share}, random{rand.New(rand.NewPCG(seed, 99))}, newMemory(), 0, 0}
			h.live()
			h.audit()
		})
	}
}

// historyDays is the number of days in a history. The views of some of them are
// deleted.
const historyDays = 150

// history is a log with its model.
type history struct {
	logTest
	random random
	memory *memory
	n      int        // number of views, for unique IDs
	kept   report.Day // first day with stored views, including all with downloads
}

func (h *history) live() {
	step := func(what string, err error) {
		h.Helper()
		if err != nil {
			h.Fatalf("%s: %v", what, err)
		}
	}
	h.appendRandom()
	h.same("as views came")
	h.importRandom(60)
	h.same("with imports")
	step("RollUp", h.log.RollUp(ctx, day+historyDays-20))
	h.same("rolled up")
	h.appendRandom() // mostly on rolled-up days
	h.importRandom(20)
	h.same("with late views")
	step("DeleteLink", h.log.DeleteLink(ctx, 2))
	h.memory.deleteLink(2)
	h.same("with a link deleted")
	step("RollUp", h.log.RollUp(ctx, day+historyDays-10))
	h.same("rolled up again")
	step("Expire", h.log.Expire(ctx, day+historyDays-30))
	step("Kept", h.keep())
	h.same("with days expired")
}

// keep sets kept once days have expired.
func (h *history) keep() error {
	of1, err1 := h.log.RetainedFrom(ctx, 1)
	of2, err2 := h.log.RetainedFrom(ctx, 2)
	if of1 <= day {
		h.Errorf("views are kept from %v on, want some days expired", of1)
	}
	h.kept = max(of1, of2) + 2
	return errors.Join(err1, err2)
}

// view returns a view on a random day.
func (h *history) view() vitrine.ViewRecord {
	h.n++
	v := h.random.view()
	v.At = (day + report.Day(h.random.IntN(historyDays))).StartMs() + h.random.Int64N(86_400_000)
	v.ID = int64(vitrine.ViewIDAt(v.At, h.n))
	return v
}

// appendRandom appends some random batches.
func (h *history) appendRandom() {
	h.Helper()
	for range 12 {
		b := h.random.batch(h.memory)
		for i := range b.Views {
			b.Views[i] = h.view()
		}
		for range 12 {
			b.Views = append(b.Views, h.view())
		}
		if again := b.Views[0]; h.random.IntN(2) == 0 { // a repeated ID, with another viewer
			other := again
			other.Viewer++
			b.Views = append(b.Views, again, other)
		}
		h.appendBoth(h.memory, b)
	}
}

// importRandom imports views with new viewers.
func (h *history) importRandom(n int) {
	h.Helper()
	var views []vitrine.ViewRecord
	for range n {
		v := h.view()
		v.Viewer += 1000
		if h.random.IntN(2) == 0 {
			s := h.random.session()
			v.Session = &s
		}
		views = append(views, v)
		h.memory.add(v, true)
		if v.Session != nil && v.Session.Downloaded && v.Counted() {
			h.memory.downloads[vitrine.LinkID(v.Link)][id(v)] = id(v)
		}
	}
	h.importAt((day + historyDays).Time(), 5, int64(h.n), views...)
}

// same compares reports over windows of any length.
func (h *history) same(when string) {
	h.Helper()
	var scopes []vitrine.Scope
	for link := range vitrine.LinkID(modelLinks) {
		link++
		counts := h.memory.counts(link)
		h.counted(link, counts.Views, counts.Downloads)
		if h.share > 1 && h.random.IntN(modelLinks) > 0 {
			continue // on average, test one of the links
		}
		scopes = append(scopes, vitrine.Scope{Account: vitrine.AccountID(1 + link%2), Link: link})
	}
	for _, s := range append(scopes, vitrine.Scope{Account: 1}, vitrine.Scope{Account: 2}) {
		windows := [][2]report.Day{{day, day + historyDays}, {day - 9, day + historyDays + 9}}
		for range h.times(4) {
			from := day + report.Day(h.random.IntN(historyDays))
			windows = append(windows, [2]report.Day{from,
				from + 1 + report.Day(h.random.IntN([]int{1, 7, 70, historyDays}[h.random.IntN(4)]))})
		}
		for _, w := range windows {
			got, _ := h.tally(s, w[0], w[1], 0)
			want := h.memory.tally(s, w[0], w[1])
			if from := max(w[0], h.kept); w[1] > from {
				h.compareNarrow(h.random, h.memory, s, from, w[1])
				h.sameReasons(s, from, w[1])
			}
			vitrinetest.Equal(h, fmt.Sprintf("%s, reports of %+v over [%v, %v)", when, s, w[0], w[1]),
				reports(s, got, w[0], w[1]), reports(s, want, w[0], w[1]))
		}
	}
	if h.Failed() {
		h.FailNow()
	}
}

// sameReasons checks that the excluded visits of a link match the reasons in
// its report.
func (h *history) sameReasons(s vitrine.Scope, from, to report.Day) {
	h.Helper()
	if s.Link == 0 {
		return
	}
	got := map[string]int64{}
	err := h.log.Views(ctx, s.Link, from, to, func(v *report.View) error {
		if row := report.VisitOf(&report.Link{}, "", "", v); row.Excluded != "" {
			got[row.Excluded]++
		}
		return nil
	})
	if err != nil {
		h.Fatal(err)
	}
	tally, _ := h.tally(s, from, to, 0)
	want := map[string]int64{}
	for _, b := range tally.Bots() {
		want[b.Key] = b.Count
	}
	vitrinetest.Equal(h, fmt.Sprintf("excluded visits of %+v over [%v, %v)", s, from, to), got, want)
}
