package viewlogtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// expire tests that reports of a day stay available after its views are
// deleted.
func (t logTest) expire() {
	const days = 230
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	c, m := random{rand.New(rand.NewPCG(seed, 0))}, newMemory()
	var b vitrine.Batch
	for i := range 900 {
		v := c.view()
		v.ID = int64(vitrine.ViewIDAt((day+report.Day(c.IntN(days))).StartMs()+c.Int64N(86_400_000), i))
		v.At = vitrine.ViewID(v.ID).Ms()
		b.Views = append(b.Views, v)
		if c.IntN(2) == 0 {
			b.Snapshots = append(b.Snapshots, vitrine.Snapshot{Link: vitrine.LinkID(v.Link), View: id(v),
				At: v.At + 3_600_000, Session: c.session()})
		}
		if c.IntN(3) == 0 {
			b.Downloads = append(b.Downloads, vitrine.Download{ID: id(v), Link: vitrine.LinkID(v.Link), View: id(v)})
		}
	}
	m.append(b)
	t.append(b)
	step := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	kept := func() report.Day {
		t.Helper()
		from, err := t.log.RetainedFrom(ctx, 1)
		step("RetainedFrom", err)
		return from
	}
	vitrinetest.Equal(t, "kept from", kept(), 0)
	step("Expire before anything is rolled up", t.log.Expire(ctx, day+days))
	vitrinetest.Equal(t, "kept from", kept(), 0)
	step("RollUp", t.log.RollUp(ctx, day+210))
	for _, before := range []report.Day{day + 5, day + 70, day + 130, day + 130, day + 1000} {
		step("Expire", t.log.Expire(ctx, before))
		from := kept()
		if from > before || from > day+210 {
			t.Fatalf("Expire before %v: views are kept from %v on", before, from)
		}
		for link := range vitrine.LinkID(modelLinks) {
			link++
			vitrinetest.Equal(t, "views that are kept", t.all(link), m.list(link, from, lastDay))
			counts := m.counts(link)
			t.counted(link, counts.Views, counts.Downloads)
			for range t.times(10) {
				of := vitrine.Scope{Account: vitrine.AccountID(1 + link%2), Link: link}
				t.compareTallies(c, m, of, days)
				t.compareExpired(c, m, of, days, from)
			}
		}
		for range t.times(20) {
			of := vitrine.Scope{Account: vitrine.AccountID(1 + c.IntN(2))}
			t.compareTallies(c, m, of, days)
			t.compareExpired(c, m, of, days, from)
		}
		t.audit()
	}
	if kept() < day+100 {
		t.Fatalf("after all Expires views are kept from %v on", kept())
	}
	// Days with deleted views are closed. Other days are not.
	late, soon := view(1, 0, 5), view(1, 200*24*time.Hour, 5)
	late.Account, soon.Account = 2, 2
	of := vitrine.Batch{Snapshots: []vitrine.Snapshot{snapshot(late, time.Second, report.Session{EngagedMs: 1000})},
		Downloads: []vitrine.Download{download(late, 0)}}
	o, err := t.log.Append(ctx, vitrine.Batch{Views: []vitrine.ViewRecord{late, soon}, Snapshots: of.Snapshots,
		Downloads: of.Downloads})
	step("Append", err)
	if len(o.Refused) != 2 || !errors.Is(o.Refused[0], vitrine.ErrDayExpired) || o.Refused[1] != nil {
		t.Errorf("Append on an expired day and on another: %v, want ErrDayExpired and nil", o.Refused)
	}
	vitrinetest.Equal(t, "what is early along with a view of an expired day", o.Early, vitrine.Batch{})
	_, early := t.outcome(of)
	vitrinetest.Equal(t, "what is early of an expired day", early, vitrine.Batch{})
	fresh, unknown := late, late // as the first views of links
	fresh.Link, unknown.Link = 101, 101
	unknown.ID = int64(vitrine.ViewIDAt(vitrine.ViewID(soon.ID).Ms(), 99))
	o, err = t.log.Append(ctx, vitrine.Batch{Views: []vitrine.ViewRecord{fresh},
		Downloads: []vitrine.Download{download(fresh, 0), download(unknown, 0)}})
	step("Append", err)
	vitrinetest.Equal(t, "what is early of a link without views", o.Early,
		vitrine.Batch{Downloads: []vitrine.Download{download(unknown, 0)}})
	m.append(vitrine.Batch{Views: []vitrine.ViewRecord{soon}})
	receipt := vitrine.ImportReceipt{File: [32]byte{77}, Lines: 1, At: vitrinetest.Epoch.AddDate(1, 0, 0)}
	if err := t.log.Import(ctx, receipt, []vitrine.ViewRecord{late}); !errors.Is(err, vitrine.ErrDayExpired) {
		t.Errorf("Import on an expired day = %v, want ErrDayExpired", err)
	}
	step("RollUp", t.log.RollUp(ctx, day+220))
	for range t.times(20) {
		t.compareTallies(c, m, vitrine.Scope{Account: 2}, days)
		t.compareTallies(c, m, vitrine.Scope{Account: 2, Link: 1}, days)
	}
	// A deleted link leaves no data of its own. Its account's days stay
	// readable.
	step("DeleteLink", t.log.DeleteLink(ctx, 1))
	vitrinetest.Equal(t, "stored views of a deleted link", t.all(1), nil)
	tally, _ := t.tally(vitrine.Scope{Account: 2, Link: 1}, day, day+days, 0)
	vitrinetest.Equal(t, "counted views of a deleted link", tally.Views(), 0)
	m.deleteLink(1)
	for range t.times(20) {
		t.compareTallies(c, m, vitrine.Scope{Account: 2, Link: 3}, days)
	}
}

// compareTallies compares tallies of random days.
func (t logTest) compareTallies(c random, m *memory, s vitrine.Scope, days int) {
	t.Helper()
	from := day + report.Day(c.IntN(days))
	to := from + 1 + report.Day(c.IntN(days))
	got, _ := t.tally(s, from, to, 0)
	want := m.tally(s, from, to)
	vitrinetest.Equal(t, fmt.Sprintf("reports of %+v over [%v, %v)", s, from, to), reports(s, got, from, to),
		reports(s, want, from, to))
}
