package scan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
	"vitrine/report/part"
)

// dictionary numbers labels, with small and large numbers. It is safe for
// several goroutines.
type dictionary struct {
	mu    sync.Mutex
	ids   map[string]segment.WordID
	words map[segment.WordID]*segment.Labels
	fails segment.WordID // Word fails for this ID; 0 for none
}

var errDictionary = errors.New("the dictionary fails")

func (d *dictionary) Word(id segment.WordID) (*segment.Labels, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case id != 0 && id == d.fails:
		return nil, errDictionary
	case id == 0:
		return segment.Unknown, nil
	}
	return d.words[id], nil
}

func (d *dictionary) id(kind byte, labels ...string) segment.WordID {
	if !slices.ContainsFunc(labels, func(l string) bool { return l != "" }) {
		return 0
	}
	b := segment.AppendLabels(nil, kind, labels...)
	id, known := d.ids[string(b)]
	if !known {
		id = segment.WordID(len(d.ids) + 1)
		if id%3 == 0 { // larger than arrays count
			id += fewLabels
		}
		d.ids[string(b)] = id
		d.words[id], _ = segment.ParseLabels(b)
	}
	return id
}

// row returns the record of a view.
func (d *dictionary) row(v *report.View) segment.Row {
	r := segment.Row{ID: vitrine.ViewID(v.ID), View: segment.View{Viewer: v.Viewer, Version: v.Version, Album: v.Album}}
	for _, k := range segment.WordKinds {
		if k.ID != nil {
			*k.ID(&r.View) = d.id(k.Kind, k.Of(v)...)
		}
	}
	for flag, set := range map[uint16]bool{segment.ViewReturning: v.Returning, segment.ViewQR: v.QR,
		segment.ViewOwn: v.Own, segment.ViewBot: v.Bot != ""} {
		if set {
			r.Flags |= flag
		}
	}
	if v.Bot != "" {
		r.Bot = d.id(segment.WordBot, v.Bot, v.Product)
	}
	if r.Engaged = v.Session != nil; r.Engaged {
		r.Session = segment.Session{Session: *v.Session, Screen: d.id(segment.WordScreen, v.Session.Screen)}
	}
	return r
}

const (
	testLinks = 4
	testDays  = 12
)

var firstDay = report.DayOf(vitrinetest.Epoch.UnixMilli())

// history returns random views of some links, in the order of their IDs.
func history(r *rand.Rand, n int) (views []report.View) {
	some := func(words ...string) string { return words[r.IntN(len(words))] }
	ids := map[int64]bool{}
	for range n {
		id := vitrine.ViewIDAt((firstDay+report.Day(r.IntN(testDays))).StartMs()+r.Int64N(86_400_000), r.IntN(4))
		v := report.View{ID: int64(id), At: id.Ms(), Link: 1 + r.Int64N(testLinks), Viewer: r.Uint64N(30),
			QR: r.IntN(5) == 0, Returning: r.IntN(3) == 0, Version: 2 * r.IntN(3), Album: int64(max(0, r.IntN(6)-3))}
		switch r.IntN(8) {
		case 0:
			v.Bot, v.Product = some("crawler", "monitor", report.BotMailNetwork), some("", "GPTBot")
		case 1:
			v.Own, v.Bot = true, some("", report.BotOwn)
		}
		if r.IntN(3) > 0 {
			s := &report.Session{EngagedMs: r.Int64N(20_000), PresentMs: r.Int64N(40_000)}
			switch r.IntN(4) {
			case 0:
				for p := 1; p < 9; p += 1 + r.IntN(4) {
					ms := r.Int64N(5000)
					s.Pages = append(s.Pages, report.PageTime{Page: p, Ms: ms, Bands: part.Bands{0, r.Int64N(1 + ms), ms}.Within(ms)})
				}
			case 1:
				s.Played, s.Reached = r.Int64N(1_000_001), r.Int64N(1_000_001)
				s.Parts.AddRange(r.IntN(report.PartCount), r.IntN(report.PartCount))
			case 2:
				s.Depth = r.Int64N(1_000_001)
			case 3:
				s.Unmeasured = r.IntN(2) == 0
			}
			if r.IntN(4) == 0 {
				s.Clicks = []part.Click{{Part: r.IntN(3), Target: some("mailto", "https://a.example/"), Count: 1 + r.Int64N(3)}}
			}
			v.Session = s
		}
		for _, d := range report.Labels() {
			if field := d.Field(&v); field != nil {
				*field = some(labelsOf(d.Dimension)...)
			}
		}
		if key := v.ID*testLinks + v.Link; !ids[key] {
			ids[key] = true
			views = append(views, v)
		}
	}
	slices.SortFunc(views, func(a, b report.View) int { return int(min(max(a.ID-b.ID, -1), 1)) })
	return views
}

// feed adds the views of each link to a scan, most of them in segments, some as
// rows.
func feed(r *rand.Rand, s *Scan, d *dictionary, views []report.View) error {
	for link := range vitrine.LinkID(testLinks) {
		link++
		var p segment.Encoder
		end := func() error {
			if p.Views == 0 {
				return nil
			}
			first := p.First
			return s.Segment(link, first, p.End(nil))
		}
		for i := range views {
			if vitrine.LinkID(views[i].Link) != link {
				continue
			}
			row := d.row(&views[i])
			if r.IntN(9) == 0 {
				if err := s.Row(link, &row); err != nil {
					return err
				}
				continue
			}
			if p.Add(&row); r.IntN(20) == 0 {
				if err := end(); err != nil {
					return err
				}
			}
		}
		if err := end(); err != nil {
			return err
		}
	}
	return nil
}

func newDictionary() *dictionary {
	return &dictionary{ids: map[string]segment.WordID{}, words: map[segment.WordID]*segment.Labels{}}
}

// window returns a random window of some days, or of the hours of one day, in a
// zone.
func window(t *testing.T, r *rand.Rand) report.Window {
	t.Helper()
	from := firstDay + report.Day(r.IntN(testDays))
	p := report.Period{Dates: &report.Dates{First: from, Last: from + report.Day(r.IntN(testDays))}}
	if r.IntN(2) == 0 {
		p.Zone, _ = time.LoadLocation([]string{"Asia/Kolkata", "Europe/Berlin", "Pacific/Kiritimati"}[r.IntN(3)])
	}
	if r.IntN(4) == 0 {
		p.Hourly, p.Dates.Last = true, from
	}
	w, err := report.WindowOf(p, (from + 99).Time(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// labelsOf returns the labels that views have of a dimension.
func labelsOf(d report.Dimension) []string {
	return []string{"", string(d) + " 1", string(d) + " 2"}
}

// filterOf returns a random filter on a dimension, and sometimes on another.
func filterOf(t *testing.T, r *rand.Rand, d report.DimensionRow, views []report.View) report.Filter {
	t.Helper()
	var texts []string
	for range 1 + r.IntN(2) {
		c := report.Condition{Dimension: d.Dimension, Not: r.IntN(3) == 0,
			Value: d.Key(&views[r.IntN(len(views))])}
		if r.IntN(8) == 0 && d.Field != nil {
			c.Value = "no view has it"
		}
		texts = append(texts, c.String())
		all := report.Dimensions()
		d = all[r.IntN(len(all))]
	}
	f, err := report.ParseFilter(texts)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestScan checks that a scan counts like the engine for a filter on any
// dimension, time zone, links, oldest view, and downloads.
func TestScan(t *testing.T) {
	r := rand.New(rand.NewPCG(vitrinetest.Seed(t), 0))
	all := report.Dimensions()
	for round := range 4 * len(all) {
		views, d, w := history(r, 50+r.IntN(400)), newDictionary(), window(t, r)
		var filter report.Filter
		if r.IntN(8) > 0 {
			filter = filterOf(t, r, all[round%len(all)], views)
		}
		from, to := w.Steps.Bounds(w.From, w.To)
		q := &Query{Lens: report.Lens{Steps: w.Steps, Filter: filter, Single: r.IntN(2) == 0}, From: w.From, To: w.To,
			Oldest: segment.Place{ID: vitrine.ViewIDAt(from, 0)}, End: vitrine.ViewIDAt(to, 0), Account: r.IntN(2) == 0,
			Word: d.Word, Events: map[vitrine.LinkID][]Event{}}
		if r.IntN(2) == 0 {
			q.held = 1 // most is in a file
		}
		if r.IntN(4) == 0 {
			q.Links = []int64{2, 4}
		}
		if r.IntN(4) == 0 {
			q.Versions = map[int64][]int{1: {1}, 2: {4}, 3: {}}
		}
		if r.IntN(4) == 0 && len(views) > 0 { // a cap
			v := views[r.IntN(len(views))]
			if p := (segment.Place{ID: vitrine.ViewID(v.ID), Link: vitrine.LinkID(v.Link)}); q.Oldest.Before(p) {
				q.Oldest = p
			}
		}
		fold := report.Fold{Steps: q.Steps}
		daily := map[string]int64{}
		for _, v := range views {
			place := segment.Place{ID: vitrine.ViewID(v.ID), Link: vitrine.LinkID(v.Link)}
			within := !place.Before(q.Oldest) && place.ID < q.End
			var events []Event
			for range r.IntN(6) / 4 * (1 + r.IntN(2)) {
				if within {
					events = append(events, Event{place.ID, from + r.Int64N(to-from)})
				}
			}
			q.Events[place.Link] = append(q.Events[place.Link], events...)
			if !within || q.Links != nil && !slices.Contains(q.Links, v.Link) || !q.Match(&v) {
				continue
			}
			fold.Add(&v)
			for _, e := range events {
				fold.AddDownload(q.Steps.Of(e.Ms))
			}
			if v.Counted() {
				daily[fmt.Sprint(v.Link, q.Steps.Of(v.At))]++
			}
		}
		s, err := Count(t.Context(), q, func(s *Scan) error { return feed(r, s, d, views) })
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("round %d: %q, %+v", round, filter.Texts(), w)
		vitrinetest.Equal(t, what, rendered(w, q, s.Tally()), rendered(w, q, fold.Tally()))
		vitrinetest.Equal(t, "daily: "+what, dailyOf(t, r, *q, d, views), daily)
		if t.Failed() {
			return
		}
	}
}

// rendered returns the reports over a tally as text.
func rendered(w report.Window, q *Query, tally *report.Tally) string {
	all := []any{tally.Bots(), tally.Products(), tally.Uniques(w.From, w.To)}
	if q.Account {
		var links []report.Link
		for i := range int64(testLinks) {
			links = append(links, report.Link{ID: i + 1, Files: map[int]report.File{
				1: {Kind: "pdf", Content: report.ContentPages, Pages: 9},
				4: {Kind: "audio", Content: report.ContentMedia},
				2: {Kind: "text", Content: report.ContentScroll}}})
		}
		all = append(all, report.ForAccount(links, w, tally, nil, nil, report.AllTime{}), tally.Top(links, 9))
	} else {
		for _, content := range []report.ContentKind{report.ContentPages, report.ContentMedia, report.ContentScroll} {
			l := report.Link{ID: 1, Content: content, Kind: string(content), Pages: 9}
			all = append(all, report.ForLink(l, w, tally, nil, nil))
		}
		sessions, parts := tally.PlayedParts()
		all = append(all, sessions, parts)
	}
	for _, d := range report.Cards() {
		all = append(all, d.Card, tally.Labels(d.Dimension, 100))
	}
	b, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// dailyOf counts the views of links and steps with a separate scan.
func dailyOf(t *testing.T, r *rand.Rand, q Query, d *dictionary, views []report.View) map[string]int64 {
	t.Helper()
	q.Daily, q.Events = true, nil
	s, err := Count(t.Context(), &q, func(s *Scan) error { return feed(r, s, d, views) })
	if err != nil {
		t.Fatal(err)
	}
	daily := map[string]int64{}
	s.EachDaily(func(link vitrine.LinkID, step report.Day, n int64) {
		if n != 0 {
			daily[fmt.Sprint(int64(link), step)] += n
		}
	})
	return daily
}

// TestScanFails checks that a scan returns the first error, however much is
// left.
func TestScanFails(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	views, d := history(r, 3000), newDictionary()
	query := func() *Query {
		return &Query{From: firstDay, To: firstDay + testDays, Word: d.Word,
			End: vitrine.ViewIDAt((firstDay + testDays).StartMs(), 0)}
	}
	scan := func(ctx context.Context, q *Query, f func(*Scan) error) error {
		_, err := Count(ctx, q, f)
		return err
	}
	many := func(s *Scan) error {
		for range 200 {
			if err := feed(r, s, d, views); err != nil {
				return err
			}
		}
		return nil
	}
	damaged := func(s *Scan) error {
		if err := s.Segment(1, 1, make([]byte, batchBytes)); err != nil {
			return err
		}
		return many(s)
	}
	if err := scan(t.Context(), query(), damaged); !errors.Is(err, segment.ErrDamaged) {
		t.Errorf("scan of a damaged segment = %v, want ErrDamaged", err)
	}
	d.fails = d.id(segment.WordPlace, "country 1", "")
	q := query()
	q.Filter, _ = report.ParseFilter([]string{"country:is:country 1"})
	if err := scan(t.Context(), q, many); !errors.Is(err, errDictionary) {
		t.Errorf("scan with a dictionary that fails a filter = %v, want %v", err, errDictionary)
	}
	if err := scan(t.Context(), query(), func(s *Scan) error { return feed(r, s, d, views) }); !errors.Is(err,
		errDictionary) {
		t.Errorf("scan with a dictionary that fails at the end = %v", err)
	}
	d.fails = 0
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := scan(ctx, query(), many); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled scan = %v, want context.Canceled", err)
	}
}

// TestScanNothing checks that a scan of nothing has no views.
func TestScanNothing(t *testing.T) {
	for _, q := range []*Query{{}, {From: firstDay, To: firstDay + 3, Account: true}, {Daily: true}} {
		q.Word = newDictionary().Word
		s, err := Count(t.Context(), q, func(*Scan) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if !q.Daily && s.Tally().Views() != 0 {
			t.Errorf("%d views, want 0", s.Tally().Views())
		}
		s.EachDaily(func(vitrine.LinkID, report.Day, int64) { t.Error("a link has views, want none") })
	}
}
