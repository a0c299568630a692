package viewlogtest

import (
	"context"
	"errors"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

func (t logTest) empty() {
	t.append(vitrine.Batch{})
	vitrinetest.Equal(t, "views", t.all(1), nil)
	recent, err := t.log.Recent(ctx, vitrine.RecentQuery{Scope: vitrine.Scope{Link: 1}, From: firstID(firstDay),
		To: firstID(lastDay), N: 25})
	vitrinetest.Equal(t, "recent", len(recent), 0)
	counts, err2 := t.log.Counts(ctx, []vitrine.LinkID{1, 2})
	vitrinetest.Equal(t, "counts", len(counts), 0)
	none, err3 := t.log.Counts(ctx, nil)
	vitrinetest.Equal(t, "counts of no links", len(none), 0)
	lines, err4 := t.log.Imported(ctx, [32]byte{1})
	vitrinetest.Equal(t, "lines imported", lines, 0)
	if err := errors.Join(err, err2, err3, err4, t.log.DeleteLink(ctx, 1)); err != nil {
		t.Error(err)
	}
	for _, s := range []vitrine.Scope{{Account: 1}, {Account: 1, Link: 1}} {
		tally, truncated := t.tally(s, firstDay, lastDay, 1)
		vitrinetest.Equal(t, "views", tally.Views(), 0)
		vitrinetest.Equal(t, "truncated", truncated, false)
	}
}

// fields tests that views are returned as they were stored, with any values.
func (t logTest) fields() {
	var views []vitrine.ViewRecord
	full := view(1, 0, 1<<64-1)
	full.View = report.View{ID: full.ID, At: full.At, Link: 1, Viewer: 1<<64 - 1, Country: "DE", City: "Berlin",
		Referrer: "example.org",
		Source:   "Hacker News", Device: "Desktop", Browser: "Firefox", OS: "Linux", QR: true}
	bare := view(1, time.Minute, 0)
	bare.Country = ""
	odd := view(1, 2*time.Minute, 42)
	odd.City, odd.Referrer, odd.Source, odd.Browser = "São Paulo, \x00\n'\"", "\xff\xfe", string(make([]byte, 1000)),
		"DE"
	crawler := bot(view(1, 3*time.Minute, 1<<63))
	views = append(views, full, bare, odd, crawler)
	t.view(views...)
	var want []report.View
	for _, v := range views {
		want = append(want, v.View)
	}
	vitrinetest.Equal(t, "views", t.all(1), want)
}

func (t logTest) sameView() {
	a, b := view(1, 0, 10), view(1, time.Minute, 20)
	t.view(a)
	t.view(a, b)
	t.view(a, b, a)
	a.Returning = true // the caller's value is ignored
	t.view(a)
	t.counted(1, 2, 0)
	vitrinetest.Equal(t, "returning", t.returns(1), []bool{false, false})
	// The same after a beacon has changed the view.
	read := snapshot(b, time.Minute, report.Session{EngagedMs: 30_000, PresentMs: 40_000})
	t.append(vitrine.Batch{Snapshots: []vitrine.Snapshot{automationSnapshot(a), read}})
	t.view(a, b)
	t.counted(1, 1, 0)
	// Only on its own link.
	other := a
	other.Link = 2
	t.view(other)
	t.counted(2, 1, 0)
}

func (t logTest) otherView() {
	a := view(1, 0, 10)
	t.view(a)
	var batch vitrine.Batch
	for _, change := range []func(*report.View){
		func(v *report.View) { v.Viewer = 11 },
		func(v *report.View) { v.City = "Bonn" },
		func(v *report.View) { v.Referrer = "example.org" },
		func(v *report.View) { v.OS = "Plan 9" },
		func(v *report.View) { v.QR = true },
		func(v *report.View) { v.Bot = "crawler" },
		func(v *report.View) { v.Version = 2 },
		func(v *report.View) { v.Campaign = "spring" },
	} {
		v := a
		change(&v.View)
		batch.Views = append(batch.Views, v)
	}
	fresh := view(1, time.Minute, 10)
	batch.Views = append(batch.Views, fresh, a)
	vitrinetest.Equal(t, "views refused", t.append(batch), []int{0, 1, 2, 3, 4, 5, 6, 7})
	t.counted(1, 2, 0)
	vitrinetest.Equal(t, "returning", t.returns(1), []bool{false, false})
	// Refused views leave no data: their viewer is still new.
	eleven, late := view(1, 40*time.Minute, 11), view(1, 41*time.Minute, 10)
	t.view(eleven, late)
	vitrinetest.Equal(t, "returning", t.returns(1), []bool{false, false, false, true})
}

func (t logTest) returning() {
	first := view(1, time.Hour, 10)
	claims := view(1, 2*time.Hour, 20)
	claims.Returning = true
	t.view(first, claims, view(1, 3*time.Hour, 10))
	// An older view that arrives later is returning, because only stored views
	// count.
	t.view(view(1, 0, 10))
	t.view(view(2, 0, 10))
	vitrinetest.Equal(t, "returning", t.returns(1), []bool{true, false, false, true})
	vitrinetest.Equal(t, "returning on another link", t.returns(2), []bool{false})
}

// reload tests that a view within half an hour of the viewer's last one is no
// return: in one batch and in several, over midnight, when the last one is
// excluded, and after the day was rolled up.
func (t logTest) reload() {
	const half, midnight = 30 * time.Minute, 24 * time.Hour
	t.view(view(1, 0, 10), view(1, half, 10), view(1, 2*half, 10), view(1, 3*half+time.Millisecond, 10))
	t.view(view(1, 3*half+time.Second, 10))
	t.view(view(1, midnight-time.Minute, 10))
	late := view(1, midnight-time.Second, 10)
	t.view(late)
	vitrinetest.Equal(t, "returning", t.returns(1), []bool{false, false, false, true, false, true, false})
	t.append(vitrine.Batch{Snapshots: []vitrine.Snapshot{automationSnapshot(late)}})
	t.view(view(1, midnight+20*time.Minute, 10), view(1, midnight+time.Hour, 10))
	vitrinetest.Equal(t, "returning", t.returns(1)[6:], []bool{false, false, true})
	t.view(view(4, midnight-31*time.Minute, 40), view(4, midnight-10*time.Minute, 41))
	if err := t.log.RollUp(ctx, day+1); err != nil {
		t.Fatal(err)
	}
	t.view(view(4, midnight, 40), view(4, midnight+20*time.Minute, 41))
	vitrinetest.Equal(t, "returning", t.returns(4), []bool{false, false, true, false})
	// The last view that counts decides, and not an excluded one after it.
	first, last := view(2, 0, 20), view(2, 20*time.Minute, 20)
	t.view(first, last)
	t.append(vitrine.Batch{Snapshots: []vitrine.Snapshot{automationSnapshot(last)}})
	t.view(view(2, 31*time.Minute, 20))
	vitrinetest.Equal(t, "returning", t.returns(2), []bool{false, false, true})
	// A view that counts once it is read.
	slow := view(3, 10*time.Minute, 30)
	slow.Bot, slow.Product = report.BotMailNetwork, "Net"
	t.view(view(3, 0, 30), slow, view(3, time.Hour, 30))
	t.append(vitrine.Batch{Snapshots: []vitrine.Snapshot{snapshot(slow, time.Minute, report.Session{EngagedMs: 5000,
		PresentMs: 6000})}})
	vitrinetest.Equal(t, "returning", t.returns(3), []bool{false, false, true})
}

func (t logTest) bots() {
	t.view(bot(view(1, 0, 10)), bot(view(1, time.Minute, 10)), view(1, 2*time.Minute, 10),
		bot(view(1, 3*time.Minute, 10)))
	vitrinetest.Equal(t, "returning", t.returns(1), []bool{false, false, false, false})
	t.counted(1, 1, 0)
	tally, _ := t.tally(vitrine.Scope{Account: 1}, day, day+1, 0)
	vitrinetest.Equal(t, "views", tally.Views(), 1)
	vitrinetest.Equal(t, "bots", tally.Bots()[0].Count, 3)
}

func (t logTest) snapshots() {
	v, untouched := view(1, 0, 10), view(1, time.Hour, 10)
	t.view(v, untouched)
	var want vitrine.Engagement
	apply := func(list ...vitrine.Snapshot) {
		t.Helper()
		for _, s := range list {
			want.Apply(s)
		}
		unknown := snapshot(view(1, 5*time.Hour, 1), 0, report.Session{EngagedMs: 1})
		elsewhere := snapshot(v, 0, report.Session{EngagedMs: 99})
		elsewhere.Link = 2
		t.append(vitrine.Batch{Snapshots: append(list, unknown, elsewhere)})
		views := t.all(1)
		if len(views) != 2 || views[1].Session != nil {
			t.Fatalf("views after snapshots = %+v", views)
		}
		vitrinetest.Equal(t, "session", views[0].Session, own(report.View{Session: &want.Session}).Session)
	}
	first := snapshot(v, 5*time.Second, report.Session{EngagedMs: 3000, PresentMs: 5000, Screen: "1200-1439",
		Pages: []report.PageTime{{Page: 1, Ms: 2000}}})
	second := snapshot(v, 20*time.Second, report.Session{EngagedMs: 15_000, PresentMs: 20_000, Screen: "0-575",
		Downloaded: true,
		Pages:      []report.PageTime{{Page: 1, Ms: 1500}, {Page: 7, Ms: 4000}, {Page: 100_000, Ms: 1000}}})
	greedy := snapshot(v, 21*time.Second, report.Session{EngagedMs: 3_600_000, PresentMs: 3_600_000, Played: 1_000_000,
		Reached: 999_999, Depth: 20_000})
	apply(first)
	apply(first)
	apply(second, first)
	apply(second, greedy, first)
	apply(greedy)
	apply(snapshot(v, time.Minute, report.Session{Depth: 1_000_000}),
		snapshot(v, 2*time.Minute, report.Session{EngagedMs: 90_000, PresentMs: 120_000}))
	t.counted(1, 2, 0)
	vitrinetest.Equal(t, "returning", t.returns(1), []bool{false, true})
}

func (t logTest) snapshotOfBot() {
	v := bot(view(1, 0, 10))
	later := snapshot(v, 2*time.Second, report.Session{EngagedMs: 600, PresentMs: 2000})
	t.append(vitrine.Batch{Views: []vitrine.ViewRecord{v}, Snapshots: []vitrine.Snapshot{automationSnapshot(v), later}})
	t.counted(1, 0, 0)
	got := t.all(1)[0]
	vitrinetest.Equal(t, "reason", got.Bot, "crawler")
	vitrinetest.Equal(t, "engaged", got.Session.EngagedMs, 600)
}

func (t logTest) botSnapshot() {
	a, b := view(1, 0, 10), view(1, time.Minute, 20)
	t.view(a, b)
	t.append(vitrine.Batch{Downloads: []vitrine.Download{download(a, time.Second), download(a, time.Hour),
		download(b, time.Minute)}})
	t.counted(1, 2, 3)
	t.append(vitrine.Batch{Snapshots: []vitrine.Snapshot{automationSnapshot(a)}})
	t.counted(1, 1, 1)
	tally, _ := t.tally(vitrine.Scope{Account: 1, Link: 1}, day, day+1, 0)
	vitrinetest.Equal(t, "views", tally.Views(), 1)
	vitrinetest.Equal(t, "download events", events(tally, day, day+1), 1)
	vitrinetest.Equal(t, "bots", tally.Bots(), []report.Bucket{{Key: report.BotAutomation, Count: 1, Pct: 1000}})
	got := t.all(1)[0]
	vitrinetest.Equal(t, "reason", got.Bot, report.BotAutomation)
	if got.Session == nil {
		t.Error("the snapshot's session is missing")
	}
	// Its downloads no longer count as events, not even earlier ones.
	t.append(vitrine.Batch{Downloads: []vitrine.Download{download(a, time.Second), download(a, 2*time.Hour)}})
	t.counted(1, 1, 1)
}

func (t logTest) botSnapshotAgain() {
	a := view(1, 0, 10)
	t.append(vitrine.Batch{Views: []vitrine.ViewRecord{a},
		Snapshots: []vitrine.Snapshot{automationSnapshot(a), automationSnapshot(a)},
		Downloads: []vitrine.Download{download(a, 0)}})
	t.append(vitrine.Batch{Snapshots: []vitrine.Snapshot{automationSnapshot(a),
		snapshot(a, time.Minute, report.Session{EngagedMs: 2000, PresentMs: 3000})}})
	t.counted(1, 0, 0)
	vitrinetest.Equal(t, "reason", t.all(1)[0].Bot, report.BotAutomation)
}

// botSnapshotReturning tests which viewers are returning after a view is
// reclassified as a bot's.
func (t logTest) botSnapshotReturning() {
	only := view(1, 0, 10)
	t.view(only)
	t.append(vitrine.Batch{Snapshots: []vitrine.Snapshot{automationSnapshot(only)}})
	t.view(view(1, time.Minute, 10)) // no other view counts: new
	first, second := view(2, 0, 20), view(2, time.Minute, 20)
	t.view(first, second)
	t.append(vitrine.Batch{Snapshots: []vitrine.Snapshot{automationSnapshot(first)}})
	t.view(view(2, time.Hour, 20)) // the second view counts: returning
	third, fourth := view(3, 0, 30), view(3, time.Minute, 30)
	t.view(third, fourth)
	t.append(vitrine.Batch{Snapshots: []vitrine.Snapshot{automationSnapshot(fourth), automationSnapshot(third)}})
	t.view(view(3, time.Hour, 30)) // both views are a bot's: new
	last := func(link vitrine.LinkID) bool { r := t.returns(link); return r[len(r)-1] }
	vitrinetest.Equal(t, "returning", []bool{last(1), last(2), last(3)}, []bool{false, true, false})
}

func (t logTest) downloads() {
	a, b := view(1, 0, 10), bot(view(1, time.Minute, 20))
	t.view(a, b)
	once := download(a, time.Second)
	unknown := download(view(1, time.Hour, 1), 0)
	elsewhere := once
	elsewhere.Link = 2
	t.append(vitrine.Batch{Downloads: []vitrine.Download{once, once, download(a, time.Minute), download(b, time.Minute),
		unknown, elsewhere}})
	t.append(vitrine.Batch{Downloads: []vitrine.Download{once}})
	t.counted(1, 1, 2)
	t.counted(2, 0, 0)
	vitrinetest.Equal(t, "views of a link with a stray download", t.all(2), nil)
}

// order tests that within a batch views are applied first, then snapshots, then
// downloads.
func (t logTest) order() {
	a, b := view(1, 0, 10), view(1, time.Minute, 20)
	t.append(vitrine.Batch{
		Downloads: []vitrine.Download{download(a, 0), download(b, 0)},
		Snapshots: []vitrine.Snapshot{snapshot(a, time.Minute, report.Session{EngagedMs: 4000, PresentMs: 5000}),
			automationSnapshot(b)},
		Views: []vitrine.ViewRecord{a, b},
	})
	t.counted(1, 1, 1)
	vitrinetest.Equal(t, "engaged", t.all(1)[0].Session.EngagedMs, 4000)
}

// early tests that exactly the events whose view is missing are returned, and
// that sending them again later gives the same result.
func (t logTest) early() {
	there, crawler, missing, stranger := view(1, 0, 10), bot(view(1, time.Minute, 20)), view(1, time.Hour, 30),
		view(7, time.Hour, 40)
	elsewhere := there
	elsewhere.Link = 7
	read := func(v vitrine.ViewRecord, engaged int64) vitrine.Snapshot {
		return snapshot(v, time.Minute, report.Session{EngagedMs: engaged, PresentMs: 50_000,
			Pages: []report.PageTime{{Page: 2, Ms: 1500}}})
	}
	for _, known := range []bool{false, true} { // whether the log knows the link
		if known {
			t.view(there, crawler)
		}
		stored := vitrine.Batch{
			Snapshots: []vitrine.Snapshot{read(missing, 5000), read(elsewhere, 6000), automationSnapshot(stranger),
				read(missing, 9000), read(missing, 5000)},
			Downloads: []vitrine.Download{download(stranger, 0), download(missing, 0), download(missing, time.Minute),
				download(missing, 0)},
		}
		b := stored
		if known {
			b.Views = []vitrine.ViewRecord{view(1, 2*time.Minute, 10)}
			b.Snapshots = slices.Concat([]vitrine.Snapshot{read(there, 1000)}, stored.Snapshots,
				[]vitrine.Snapshot{read(crawler, 2000)})
			b.Downloads = slices.Concat([]vitrine.Download{download(crawler, 0)}, stored.Downloads,
				[]vitrine.Download{download(there, 0), download(there, 0)})
		}
		refused, early := t.outcome(b)
		vitrinetest.Equal(t, "views refused", refused, nil)
		vitrinetest.Equal(t, "what is early", early, stored)
		_, early = t.outcome(early)
		vitrinetest.Equal(t, "what is still early", early, stored)
	}
	t.counted(1, 2, 1)
	t.counted(7, 0, 0)
	vitrinetest.Equal(t, "views of a link that only strays were of", t.all(7), nil)
	// The views arrive: one before the events, one with them.
	t.view(missing)
	_, early := t.outcome(vitrine.Batch{Views: []vitrine.ViewRecord{stranger},
		Snapshots: []vitrine.Snapshot{read(missing, 9000), automationSnapshot(stranger), read(elsewhere, 6000),
			read(missing, 5000)},
		Downloads: []vitrine.Download{download(stranger, 0), download(missing, time.Minute), download(missing, 0),
			download(missing, 0)}})
	vitrinetest.Equal(t, "what is early of those that came", early,
		vitrine.Batch{Snapshots: []vitrine.Snapshot{read(elsewhere, 6000)}})
	t.counted(1, 3, 3)
	t.counted(7, 0, 0)
	views := t.all(1)
	if last := views[len(views)-1].Session; last == nil || last.EngagedMs != 9000 || len(last.Pages) != 1 {
		t.Errorf("session of the late view = %+v", last)
	}
	// The same on rolled-up days.
	if err := t.log.RollUp(ctx, day+3); err != nil {
		t.Fatal(err)
	}
	refused, early := t.outcome(vitrine.Batch{Views: []vitrine.ViewRecord{missing},
		Snapshots: []vitrine.Snapshot{read(elsewhere, 6000), read(there, 3000), read(missing, 10_000)},
		Downloads: []vitrine.Download{download(elsewhere, 0), download(there, time.Minute), download(crawler, 0)}})
	vitrinetest.Equal(t, "views refused of a rolled-up day", refused, nil)
	vitrinetest.Equal(t, "what is early of a rolled-up day", early,
		vitrine.Batch{Snapshots: []vitrine.Snapshot{read(elsewhere, 6000)},
			Downloads: []vitrine.Download{download(elsewhere, 0)}})
	t.counted(1, 3, 4)
}

// earlyDeleted tests that a log has no record of a deleted link.
func (t logTest) earlyDeleted() {
	v, kept := view(1, 0, 10), view(2, 0, 10)
	t.view(v, kept)
	if err := t.log.DeleteLink(ctx, 1); err != nil {
		t.Fatal(err)
	}
	late := vitrine.Batch{Snapshots: []vitrine.Snapshot{automationSnapshot(v)},
		Downloads: []vitrine.Download{download(v, 0)}}
	_, early := t.outcome(vitrine.Batch{Snapshots: append(late.Snapshots, automationSnapshot(kept)),
		Downloads: late.Downloads})
	vitrinetest.Equal(t, "what is early", early, late)
	t.counted(1, 0, 0)
	t.counted(2, 0, 0)
}

func (t logTest) counts() {
	const links = 1000
	var ids []vitrine.LinkID
	var views []vitrine.ViewRecord
	want := map[vitrine.LinkID]vitrine.LinkCounts{}
	for i := range vitrine.LinkID(links) {
		link := i + 1
		ids = append(ids, link, link+links) // every second link has no views
		for n := range i%3 + 1 {
			views = append(views, view(link, time.Duration(n)*time.Minute, uint64(n)))
		}
		want[link] = vitrine.LinkCounts{Views: int64(i%3 + 1)}
	}
	t.view(views...)
	got, err := t.log.Counts(ctx, append(ids, ids...))
	if err != nil {
		t.Fatal(err)
	}
	vitrinetest.Equal(t, "counts", got, want)
	if got, err = t.log.AccountCounts(ctx, 1); err != nil {
		t.Fatal(err)
	}
	vitrinetest.Equal(t, "counts of the account", got, want)
}

func (t logTest) cancelled() {
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err := t.log.Append(gone, vitrine.Batch{Views: []vitrine.ViewRecord{view(1, 0, 1)}})
	_, _, err2 := t.log.Tally(gone, vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, From: firstDay, To: lastDay})
	if !errors.Is(err, context.Canceled) || !errors.Is(err2, context.Canceled) {
		t.Errorf("after the end of the context Append = %v, Tally = %v, want context.Canceled", err, err2)
	}
	vitrinetest.Equal(t, "views", t.all(1), nil)
}
