package events_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/events"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// world is an instance whose events are made.
type world struct {
	*fixture.Instance
	*events.Service
	reports *analytics.Service
	ids     *vitrine.ViewIDs
	list    []events.Item // all events so far
}

func newWorld(s *fixture.Instance) *world {
	w := &world{Instance: s, ids: vitrine.NewViewIDs()}
	w.reports = &analytics.Service{Store: s.Store, Log: s.Log, Signer: signer.New([]byte("k")), Now: s.Clock.Now,
		URL: func(slug vitrine.Slug) string { return string(slug) }}
	w.Service = &events.Service{Store: s.Store, Log: s.Log, Visits: w.reports.VisitsAs, Report: w.reports.AccountDates,
		Now: s.Clock.Now}
	return w
}

func (w *world) append(b vitrine.Batch) {
	w.T.Helper()
	_, err := w.Instance.Log.Append(w.T.Context(), b)
	w.Must(err)
}

// view adds a view now, and returns its ID.
func (w *world) view(l *vitrine.Link, v report.View) vitrine.ViewID {
	w.T.Helper()
	id := w.ids.Next(w.Clock.Now())
	v.ID, v.At, v.Link = int64(id), id.Ms(), int64(l.ID)
	w.append(vitrine.Batch{Views: []vitrine.ViewRecord{{Account: l.Account, View: v}}})
	return id
}

// beacon adds a snapshot of a view that was engaged all the time.
func (w *world) beacon(l *vitrine.Link, id vitrine.ViewID) {
	w.T.Helper()
	now := min(w.Clock.Now().UnixMilli(), id.Ms()+4*time.Hour.Milliseconds()) // the longest time that counts
	w.append(vitrine.Batch{Snapshots: []vitrine.Snapshot{{Link: l.ID, View: id, At: now,
		Session: report.Session{PresentMs: now - id.Ms(), EngagedMs: now - id.Ms()}}}})
}

func (w *world) download(l *vitrine.Link, id vitrine.ViewID) {
	w.T.Helper()
	w.append(vitrine.Batch{Downloads: []vitrine.Download{{ID: w.ids.Next(w.Clock.Now()), Link: l.ID, View: id,
		Account: l.Account}}})
}

// fresh tells what happened and returns the new events.
func (w *world) fresh() (list []events.Item) {
	w.T.Helper()
	w.Must(w.Tell(w.T.Context()))
	return w.added()
}

// added lists the events since the last call.
func (w *world) added() (list []events.Item) {
	w.T.Helper()
	var all []events.Item
	w.Must(w.Each(w.T.Context(), w.Account, func(e events.Item) error {
		all = append(all, e)
		return nil
	}))
	for i, e := range all {
		if e.ID != int64(i+1) {
			w.T.Fatalf("event %d has the ID %d", i+1, e.ID)
		}
	}
	list, w.list = all[len(w.list):], all
	return list
}

// wants checks the kinds of the new events.
func (w *world) wants(kinds ...vitrine.EventKind) []events.Item {
	w.T.Helper()
	list := w.fresh()
	var got []vitrine.EventKind
	for _, e := range list {
		got = append(got, e.Kind)
	}
	if !slices.Equal(got, kinds) {
		w.T.Fatalf("new events: %v, want %v", got, kinds)
	}
	return list
}

// TestTell follows the views of a link, one rule after the other.
func TestTell(t *testing.T) {
	w := newWorld(fixture.New(t))
	l := w.Note("a note")
	w.wants("link.live")
	// Programs and the owner are not told, and neither is a view that may still
	// turn out to be a program's.
	for _, bot := range []string{"crawler", report.BotOwn, report.BotMailNetwork} {
		for range 500 / 3 {
			w.view(l, report.View{Bot: bot, Own: bot == report.BotOwn})
		}
	}
	own := w.view(l, report.View{Own: true}) // the owner counts them
	w.Clock.Advance(2 * time.Second)
	w.beacon(l, own)
	short := w.view(l, report.View{Viewer: 1})
	w.wants()
	w.beacon(l, short)
	w.wants()
	// A second of reading is a person's.
	read := w.view(l, report.View{Viewer: 2})
	w.Clock.Advance(1500 * time.Millisecond)
	w.beacon(l, read)
	w.wants("view.first")
	w.download(l, read)
	w.download(l, 0)
	w.wants("download", "download")
	w.Clock.Advance(25 * time.Minute)
	w.beacon(l, read)
	w.Clock.Advance(25 * time.Minute)
	w.wants("view") // of the short one
	w.Clock.Advance(15 * time.Minute)
	w.wants("view")
	w.beacon(l, read)
	w.Clock.Advance(2 * time.Hour)
	w.wants()
	// A browser without scripts is believed after an hour.
	w.view(l, report.View{Viewer: 3})
	w.Clock.Advance(59 * time.Minute)
	w.wants()
	w.Clock.Advance(7 * time.Minute)
	w.wants("view")
	// A late decision makes events, late and once. Another rule makes none.
	late := w.view(l, report.View{Viewer: 4, Bot: report.BotMailNetwork})
	w.download(l, late)
	w.Clock.Advance(time.Minute)
	w.wants()
	w.beacon(l, late)
	w.wants("download")
	w.Clock.Advance(time.Hour)
	w.wants("view")
	other := w.view(l, report.View{Viewer: 5, Bot: "crawler"})
	w.append(vitrine.Batch{Reclasses: []vitrine.Reclass{{Link: l.ID, View: other, Reclass: report.Reclass{Count: true}}}})
	for range 4 {
		w.view(l, report.View{Viewer: 6})
	}
	w.Clock.Advance(66 * time.Minute)
	list := w.wants("milestone", "view", "view", "view", "view")
	var n events.Numbers
	w.Must(json.Unmarshal(list[0].Data, &n))
	if n.Milestone != 10 || n.Views != 10 {
		t.Errorf("a milestone: %+v, want 10 of 10", n)
	}
	// The same link is told nothing twice when its events are gone.
	w.Clock.Advance(31 * 24 * time.Hour)
	w.Must(w.Expire(t.Context()))
	if p, err := w.List(t.Context(), w.Account, events.Query{Limit: 100}); err != nil || len(p.Events) > 0 || p.More {
		t.Errorf("events after a month: %v, %v", p, err)
	}
	again := w.view(l, report.View{Viewer: 7})
	w.Clock.Advance(2 * time.Second)
	w.beacon(l, again)
	w.Must(w.Tell(t.Context()))
	if p, err := w.List(t.Context(), w.Account, events.Query{Limit: 100}); err != nil || len(p.Events) > 0 {
		t.Errorf("events of another view: %v, %v", p.Events, err)
	}
}

// wanted and put are what the reader of news brings.
type (
	wanted = func(context.Context, []vitrine.LinkID) (func(vitrine.LinkID) bool, error)
	put    = func([]vitrine.ViewRecord, []vitrine.Download, map[vitrine.LinkID][]vitrine.ViewID,
		map[vitrine.LinkID]vitrine.LinkCounts) error
)

// TestTellImported imports views: they are no events, and the next view is not
// the first.
func TestTellImported(t *testing.T) {
	w := newWorld(fixture.New(t))
	l := w.Note("a note")
	var views []vitrine.ViewRecord
	for i := range 12 {
		id := vitrine.ViewIDAt(w.Clock.Now().UnixMilli(), i)
		views = append(views, vitrine.ViewRecord{Account: l.Account, View: report.View{ID: int64(id), At: id.Ms(),
			Link: int64(l.ID), Viewer: uint64(i), Session: &report.Session{PresentMs: 9000, EngagedMs: 9000}}})
	}
	w.Must(w.Instance.Log.Import(t.Context(), vitrine.ImportReceipt{Lines: 12, At: w.Clock.Now()}, views))
	w.Clock.Advance(2 * time.Hour)
	w.wants("link.live")
	id := w.view(l, report.View{Viewer: 100})
	w.Clock.Advance(2 * time.Second)
	w.beacon(l, id)
	w.wants()
	w.Clock.Advance(time.Hour)
	w.wants("view")
}

// TestEventsOfChanges checks the events of links and of an account.
func TestEventsOfChanges(t *testing.T) {
	w := newWorld(fixture.New(t))
	l := w.Note("a note")
	w.wants("link.live")
	_, err := w.Replace(l, "note.txt", "another note")
	w.Must(err)
	w.wants("version.live")
	clip := w.Clip()
	w.wants()
	w.Pending()
	if e := w.wants("link.live")[0]; e.Of.ID != clip.ID {
		t.Errorf("the event is about link %d, want %d", e.Of.ID, clip.ID)
	}
	w.Scanner.Verdict = fixture.Malware
	if _, err := w.Complete("bad.txt", "bad"); vitrine.CodeOf(err) != vitrine.CodeMalware {
		t.Fatal(err)
	}
	if e := w.wants("upload.failed")[0]; string(e.Data) != `{"by":"scanner","detail":"bad.txt","reason":"malware"}` {
		t.Errorf("data of a refused file: %s", e.Data)
	}
}

// crashing is a log whose reader crashes now and then, after it has stored what
// it made of the news or before.
type crashing struct {
	events.Log
	random *rand.Rand
}

var errCrash = errors.New("the process was killed")

func (l crashing) News(ctx context.Context, now time.Time, silent, unread time.Duration, _ int, wanted wanted,
	put put) (bool, error) {
	most := 1 + l.random.IntN(5)
	return l.Log.News(ctx, now, silent, unread, most, wanted, func(v []vitrine.ViewRecord, d []vitrine.Download,
		e map[vitrine.LinkID][]vitrine.ViewID, c map[vitrine.LinkID]vitrine.LinkCounts) error {
		if l.random.IntN(4) == 0 {
			return errCrash
		}
		if err := put(v, d, e, c); err != nil {
			return err
		}
		if l.random.IntN(4) == 0 {
			return errCrash
		}
		return nil
	})
}

// TestTellEqualsReport makes random histories and kills the process that tells
// about them. It checks that each event comes once, and that its numbers equal
// the report at that moment.
func TestTellEqualsReport(t *testing.T) {
	for seed := range uint64(tier.Pick(2, 100)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { history(t, fixture.New(t), seed, 80) })
	}
	t.Run("PostgreSQL", func(t *testing.T) {
		tier.Need(t, tier.Test, "needs PostgreSQL")
		history(t, fixture.NewRemote(t), 100, 60)
	})
}

func history(t *testing.T, s *fixture.Instance, seed uint64, steps int) {
	random := rand.New(rand.NewPCG(seed, 1))
	w := newWorld(s)
	w.Service.Log = crashing{s.Log, random}
	links := []*vitrine.Link{w.Note("one"), w.Note("two")}
	type made struct {
		link    *vitrine.Link
		id      vitrine.ViewID
		person  bool // from the beginning
		changed bool // by another rule
	}
	var views []*made
	for range steps {
		l := links[random.IntN(2)]
		switch n := random.IntN(10); {
		case n < 3 || len(views) == 0:
			bot := []string{"", "", "", "crawler", report.BotOwn, report.BotMailNetwork}[random.IntN(6)]
			id := w.view(l, report.View{Bot: bot, Own: bot == report.BotOwn, Viewer: random.Uint64N(9),
				Country: "DE"})
			views = append(views, &made{link: l, id: id, person: bot == ""})
		case n < 6:
			v := views[max(0, len(views)-1-random.IntN(8))]
			w.beacon(v.link, v.id)
		case n < 7:
			v := views[max(0, len(views)-1-random.IntN(8))]
			w.download(v.link, v.id)
		case n < 8 && random.IntN(4) == 0:
			v := views[random.IntN(len(views))]
			v.changed = true
			reason := []string{"", "other"}[random.IntN(2)]
			w.append(vitrine.Batch{Reclasses: []vitrine.Reclass{{Link: v.link.ID, View: v.id,
				Reclass: report.Reclass{Reason: reason, Count: reason == ""}}}})
		case n < 9:
			w.Clock.Advance(time.Duration(random.IntN(20)) * 100 * time.Second)
		case random.IntN(3) == 0:
			w.Clock.Advance(time.Duration(1+random.IntN(72)) * time.Hour)
			if random.IntN(3) > 0 {
				break
			}
			for range 20 + random.IntN(10) {
				id := w.view(l, report.View{Viewer: random.Uint64N(99)})
				views = append(views, &made{link: l, id: id, person: true})
			}
		}
		w.Clock.Advance(time.Duration(random.IntN(3000)) * time.Millisecond)
		w.told(random)
	}
	w.Clock.Advance(8 * 24 * time.Hour)
	w.told(random)
	ended, firsts := map[int64]int{}, map[vitrine.LinkID]int{}
	for _, e := range w.list {
		switch e.Kind {
		case "view":
			ended[e.Ref]++
		case "view.first":
			firsts[e.Link]++
		}
	}
	for _, v := range views {
		n := ended[int64(v.id)]
		if n > 1 || v.person && !v.changed && n != 1 {
			t.Errorf("seed %d: view %d (%+v) has %d events", seed, v.id, v, n)
		}
	}
	for link, n := range firsts {
		if n != 1 {
			t.Errorf("seed %d: link %d has %d first views", seed, link, n)
		}
	}
}

// told tells until it succeeds, and compares the new events with the report.
func (w *world) told(random *rand.Rand) {
	w.T.Helper()
	for err := errCrash; errors.Is(err, errCrash); {
		if err = w.Tell(w.T.Context()); err != nil && !errors.Is(err, errCrash) {
			w.T.Fatal(err)
		}
		if random.IntN(8) == 0 { // another process goes on
			w.Service.Log = crashing{w.OpenLog(), random}
		}
	}
	w.Must(w.Weekly(w.T.Context()))
	for _, e := range w.added() {
		if e.Kind == "report.weekly" {
			w.weekEquals(e)
		}
		if e.Of == nil || events.KindOf(e.Kind) == nil || !events.KindOf(e.Kind).Numbers {
			continue
		}
		var n events.Numbers
		w.Must(json.Unmarshal(e.Data, &n))
		if n.Spike != nil {
			r, err := w.reports.Link(w.T.Context(), w.Account, string(e.Of.Slug), analytics.In(report.Range14d))
			w.Must(err)
			if today := r.Series[len(r.Series)-1].Views; today != n.Today || n.Today < 20 {
				w.T.Fatalf("a spike of %d views, the report has %d", n.Today, today)
			}
		}
		r, err := w.reports.Link(w.T.Context(), w.Account, string(e.Of.Slug), analytics.In(report.RangeAll))
		w.Must(err)
		if n.Views != r.Totals.Views || n.Downloads != r.Totals.Downloads {
			w.T.Fatalf("%s: %d views and %d downloads, the report has %d and %d", e.Kind, n.Views, n.Downloads,
				r.Totals.Views, r.Totals.Downloads)
		}
		if n.Visit == nil {
			continue
		}
		row, err := w.reports.Visit(w.T.Context(), w.Account, string(e.Of.Slug), n.Visit.ID)
		w.Must(err)
		text, err := json.Marshal(row)
		w.Must(err)
		var same *events.Visit
		w.Must(json.Unmarshal(text, &same))
		vitrinetest.Equal(w.T, "visit of an event", n.Visit, same)
		if row.Excluded != "" {
			w.T.Fatalf("%s is about an excluded view: %s", e.Kind, row.Excluded)
		}
	}
}

// weekEquals compares the numbers of a week with the report of its days.
func (w *world) weekEquals(e events.Item) {
	w.T.Helper()
	var n events.Week
	w.Must(json.Unmarshal(e.Data, &n))
	days := report.Dates{}
	for text, day := range map[string]*report.Day{n.From: &days.First, n.To: &days.Last} {
		at, err := time.Parse(time.DateOnly, text)
		w.Must(err)
		*day = report.DayOf(at.UnixMilli())
	}
	r, err := w.reports.AccountDates(w.T.Context(), w.Account, days)
	w.Must(err)
	t := r.Totals
	vitrinetest.Equal(w.T, "numbers of a week",
		[]int64{n.Views, n.Uniques, n.Sessions, n.AvgEngagedMs, n.Downloads, n.Excluded},
		[]int64{t.Views, t.Uniques, t.Sessions, t.AvgEngagedMs, t.RangeDownloads, t.BotsExcluded})
	for i, l := range n.Links {
		vitrinetest.Equal(w.T, "link of a week", l, events.WeekLink{Slug: r.TopLinks[i].Slug, Title: r.TopLinks[i].Title,
			Views: r.TopLinks[i].Views})
	}
}

// TestListCursor checks the pages of a list, and cursors that were never given.
func TestListCursor(t *testing.T) {
	w := newWorld(fixture.New(t))
	a, b := w.Note("one"), w.Note("two")
	w.Note("three")
	var all []int64
	q := events.Query{Limit: 1}
	for more := true; more; {
		p, err := w.List(t.Context(), w.Account, q)
		w.Must(err)
		for _, e := range p.Events {
			all = append(all, e.ID)
		}
		q.After, more = p.Next, p.More
	}
	if !slices.Equal(all, []int64{1, 2, 3}) {
		t.Errorf("events of the pages: %v", all)
	}
	for _, c := range []struct {
		q    events.Query
		want vitrine.Code
		n    int
	}{{events.Query{After: 3}, "", 0}, {events.Query{After: 4}, vitrine.CodeBadCursor, 0},
		{events.Query{Link: "nothing"}, vitrine.CodeNotFound, 0}, {events.Query{Link: string(b.Slug)}, "", 1},
		{events.Query{Kinds: []vitrine.EventKind{"x"}}, vitrine.CodeInvalidRequest, 0},
		{events.Query{Kinds: []vitrine.EventKind{"view", "link.live"}}, "", 3},
		{events.Query{Kinds: []vitrine.EventKind{"view"}, Link: string(a.Slug)}, "", 0}} {
		c.q.Limit = 10
		p, err := w.List(t.Context(), w.Account, c.q)
		if vitrine.CodeOf(err) != c.want || len(p.Events) != c.n {
			t.Errorf("%+v: %d events, %v, want %d and %q", c.q, len(p.Events), err, c.n, c.want)
		}
	}
}
