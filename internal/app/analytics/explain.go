package analytics

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"vitrine"
	"vitrine/internal/base/notation"
	"vitrine/report"
	"vitrine/report/explain"
)

// ExplainQuery asks what makes one figure of a report.
type ExplainQuery struct {
	Query
	Figure string        // a JSON pointer into the report
	Cursor ExplainCursor // Next of the page before; zero for the newest visits
	N      int           // visits on a page
}

// ExplainCursor is where a page of visits ends: at the Same-th one with a key,
// which is that of a view or download.
type ExplainCursor struct {
	Key  vitrine.ViewID
	Same int64
}

// Explanation says what makes a figure: its rule and its visits, newest first.
type Explanation struct {
	Figure string       `json:"figure"`
	Value  any          `json:"value"` // as in the report
	Kind   explain.Kind `json:"kind"`
	Rule   string       `json:"rule"`
	Unit   string       `json:"unit,omitempty"`
	From   []string     `json:"from,omitempty"` // the figures from which it follows
	// Count is the number of visits, Sum the sum of their values, and Of of
	// what these are of. They are over all pages; the sums also have what the
	// figure counts without a visit.
	Count  int64            `json:"count"`
	Sum    int64            `json:"sum"`
	Of     int64            `json:"of"`
	Visits []ExplainedVisit `json:"visits"`
	// Excluded counts the views of the same time and filter that are not part
	// of the figure, by reason.
	Excluded map[string]int64 `json:"excluded"`
	Without  int64            `json:"without"` // what the figure counts without a visit
	// KeptFrom is the day from which visits are kept, if the figure covers
	// earlier ones.
	KeptFrom string `json:"keptFrom,omitempty"`

	Next   ExplainCursor `json:"-"` // of the next page; zero if there is none
	Report any           `json:"-"` // the report as decoded JSON
}

// ExplainedVisit is a visit and its part in a figure.
type ExplainedVisit struct {
	ID     string           `json:"id"`
	Link   string           `json:"link,omitempty"` // the slug, in the report of an account; of a website, the path
	At     report.FinalTime `json:"at"`
	Value  int64            `json:"value"`
	Of     int64            `json:"of"`
	Viewer int              `json:"viewer,omitempty"` // an ordinal, the same for a viewer within this answer
	key    vitrine.ViewID   // of the view or the download, for the order

	LinkID vitrine.LinkID `json:"-"`
	view   report.View
}

// Row returns the visit as lists of visits have it, without its viewer and what
// was measured of it.
func (v *ExplainedVisit) Row() report.VisitRow {
	row := report.VisitOf(&report.Link{}, v.ID, "", &v.view)
	row.At = v.At.Time
	return row
}

const paramExplain = "explain"

// ExplainLink explains a figure of the report of a link. Errors are those of
// Link, and CodeInvalidRequest for an unknown figure.
func (s *Service) ExplainLink(ctx context.Context, a *vitrine.Account, slug string, q ExplainQuery) (*Explanation,
	error) {
	m, err := s.makeLink(ctx, a, slug, q.Query)
	if err != nil {
		return nil, err
	}
	return s.explain(ctx, m, m.Link, q)
}

// ExplainAccount explains a figure of the report of an account.
func (s *Service) ExplainAccount(ctx context.Context, a *vitrine.Account, q ExplainQuery) (*Explanation, error) {
	m, err := s.makeAccount(ctx, a, q.Query)
	if err != nil {
		return nil, err
	}
	return s.explain(ctx, m, m.Account, q)
}

func (s *Service) explain(ctx context.Context, m *made, rep any, q ExplainQuery) (*Explanation, error) {
	whole, err := decoded(rep)
	if err != nil {
		return nil, err
	}
	c, err := m.counting(whole, q)
	if err != nil {
		return nil, err
	}
	c.Report = whole
	if err := c.read(ctx, s.Log); err != nil {
		return nil, err
	}
	return c.Explanation, s.finish(ctx, c)
}

// counting returns the explanation of a figure before its views are read.
func (m *made) counting(rep any, q ExplainQuery) (*counting, error) {
	value, single := at(rep, q.Figure)
	f := m.Find(q.Figure)
	if f == nil || !single {
		return nil, wrong(paramExplain,
			"The report has no figure %q. Send a JSON pointer to a number of the report, such as /totals/views.",
			notation.Shorten(q.Figure, maxShown))
	}
	e := &Explanation{Figure: q.Figure, Value: value, Kind: f.Kind, Rule: f.Rule, Unit: f.Unit, From: f.From,
		Without: f.Without, Sum: f.Without, Of: f.WithoutOf, Visits: []ExplainedVisit{}, Excluded: map[string]int64{}}
	w := m.Window
	if f.Previous && w.Compared() {
		w = w.Previous()
	} else if f.Previous {
		f = &explain.Figure{Kind: explain.None} // there is no time before
	}
	from, to := w.Bounds()
	c := &counting{Explanation: e, f: f, scope: m.of.Scope, lens: m.of.Lens, from: vitrine.ViewIDAt(from, 0),
		to: vitrine.ViewIDAt(to, 0), events: map[eventOf][]vitrine.ViewID{}, n: max(q.N, 1), after: 1<<63 - 1}
	if f.Kind == explain.Distinct {
		c.viewers = map[uint64]int{}
	}
	if m.website {
		c.pages = m.Of
	}
	if c.lens.Links != nil {
		c.links = map[int64]bool{}
		for _, id := range c.lens.Links {
			c.links[id] = true
		}
	}
	if q.Cursor.Key != 0 {
		c.after, c.skip = q.Cursor.Key, int(min(max(q.Cursor.Same, 0), maxSame))
	}
	return c, nil
}

// maxSame bounds the visits with one key that a cursor leaves out, which are of
// the same millisecond.
const maxSame = 10_000

// finish completes an explanation with a page of its visits.
func (s *Service) finish(ctx context.Context, c *counting) error {
	e, from := c.Explanation, report.DayOf(c.from.Ms())
	if c.f.Kind == explain.None || c.f.Kind == explain.Derived {
		return nil
	}
	kept, err := s.Log.RetainedFrom(ctx, c.scope.Account)
	if err != nil {
		return err
	}
	if kept > from {
		e.KeptFrom = kept.String()
	}
	rows, next := c.page()
	e.Next = next
	var ids []vitrine.LinkID
	for i := range rows {
		ids = append(ids, rows[i].LinkID)
	}
	if e.Visits = append(e.Visits, rows...); c.scope.Link != 0 || len(ids) == 0 {
		return nil
	}
	if c.pages != nil {
		for i := range e.Visits {
			e.Visits[i].Link = c.pages[int64(e.Visits[i].LinkID)].Slug
		}
		return nil
	}
	slices.Sort(ids)
	links, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Link, error) {
		return tx.LinksByID(slices.Compact(ids))
	})
	for _, l := range links {
		for i := range e.Visits {
			if e.Visits[i].LinkID == l.ID {
				e.Visits[i].Link = string(l.Slug)
			}
		}
	}
	return err
}

// decoded returns a report as its JSON is decoded.
func decoded(rep any) (v any, err error) {
	text, err := json.Marshal(rep)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return v, d.Decode(&v)
}

// at returns the value at a JSON pointer, and whether it is a single one.
func at(v any, pointer string) (_ any, single bool) {
	v, found := explain.At(v, pointer)
	switch of := v.(type) {
	case []any:
		return nil, false
	case map[string]any: // an insight is its sentence
		sentence, is := of["value"].(string)
		return sentence, is
	}
	return v, found
}

// counting adds up the views of a figure.
type counting struct {
	*Explanation
	f        *explain.Figure
	scope    vitrine.Scope
	lens     report.Lens
	links    map[int64]bool        // of the lens; nil means all
	pages    map[int64]report.Link // of a website; nil otherwise
	from, to vitrine.ViewID
	viewers  map[uint64]int
	events   map[eventOf][]vitrine.ViewID // downloads of views that were not read yet

	rows  []ExplainedVisit
	n     int
	after vitrine.ViewID // the key of the last row of the page before
	skip  int            // rows with that key that were on it
}

// eventOf identifies the view of download events.
type eventOf struct {
	link vitrine.LinkID
	view vitrine.ViewID
}

// read reads the views and downloads of the figure.
func (c *counting) read(ctx context.Context, log Log) error {
	if c.f.Kind == explain.None || c.f.Kind == explain.Derived {
		return nil
	}
	err := log.Each(ctx, c.scope, c.from, c.to, c.download, c.view)
	if err != nil || len(c.events) == 0 {
		return err
	}
	// The views of other downloads are from before.
	keys := make([]eventOf, 0, len(c.events))
	for k := range c.events {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b eventOf) int {
		return cmp.Or(cmp.Compare(a.link, b.link), cmp.Compare(a.view, b.view))
	})
	for _, k := range keys {
		found, err := log.Recent(ctx, vitrine.RecentQuery{Scope: vitrine.Scope{Account: c.scope.Account, Link: k.link},
			From: k.view, To: k.view + 1, N: 1})
		switch {
		case err != nil:
			return err
		case len(found) == 0 && !c.lens.Selects(): // the view has expired
			c.without(int64(len(c.events[k])))
		case len(found) > 0 && c.lens.Match(&found[0]):
			c.downloads(&found[0], c.events[k])
		}
	}
	return nil
}

// download counts a download event, or keeps it for its view.
func (c *counting) download(d vitrine.Download) error {
	switch {
	case !c.f.Downloads, c.links != nil && !c.links[int64(d.Link)]:
	case d.View != 0:
		k := eventOf{d.Link, d.View}
		c.events[k] = append(c.events[k], d.ID)
	case !c.lens.Selects(), c.lens.MatchDownload(int64(d.Recipient)):
		c.without(1)
	}
	return nil
}

// without counts what has no visit.
func (c *counting) without(n int64) { c.Without, c.Sum = c.Without+n, c.Sum+n }

// downloads adds the download events of a view.
func (c *counting) downloads(v *report.View, events []vitrine.ViewID) {
	for _, id := range events {
		c.add(v, id, explain.Value{Value: 1, Of: 1})
	}
}

// view adds the part of a view in the figure.
func (c *counting) view(o *report.View) error {
	if c.links != nil && !c.links[o.Link] {
		return nil
	}
	if c.f.Downloads {
		k := eventOf{vitrine.LinkID(o.Link), vitrine.ViewID(o.ID)}
		if events, some := c.events[k]; some {
			delete(c.events, k)
			if c.lens.Match(o) {
				c.downloads(o, events)
			}
		}
		return nil
	}
	if !c.lens.Match(o) {
		return nil
	}
	v, without := c.f.Value(o)
	if without != "" {
		c.Excluded[without]++
		return nil
	}
	c.add(o, vitrine.ViewID(o.ID), v)
	return nil
}

func (c *counting) add(view *report.View, key vitrine.ViewID, v explain.Value) {
	c.Count, c.Sum, c.Of = c.Count+1, c.Sum+v.Value, c.Of+v.Of
	row := ExplainedVisit{ID: strconv.FormatInt(view.ID, 36),
		At:    report.FinalTime{Time: time.UnixMilli(key.Ms()).UTC()},
		Value: v.Value, Of: v.Of, LinkID: vitrine.LinkID(view.Link), key: key, view: *view}
	row.view.Session = nil
	if c.viewers != nil {
		if c.viewers[view.Viewer] == 0 {
			c.viewers[view.Viewer] = len(c.viewers) + 1
		}
		row.Viewer = c.viewers[view.Viewer]
	}
	if key > c.after {
		return
	}
	if c.rows = append(c.rows, row); len(c.rows) >= 2*(c.n+1+c.skip) {
		c.cut()
	}
}

// cut keeps the newest rows.
func (c *counting) cut() {
	slices.SortFunc(c.rows, func(a, b ExplainedVisit) int {
		return cmp.Or(cmp.Compare(b.key, a.key), cmp.Compare(a.LinkID, b.LinkID))
	})
	c.rows = c.rows[:min(len(c.rows), c.n+1+c.skip)]
}

// page returns the rows of the page, and the cursor of the next one.
func (c *counting) page() (rows []ExplainedVisit, next ExplainCursor) {
	c.cut()
	skip := 0
	for skip < min(c.skip, len(c.rows)) && c.rows[skip].key == c.after {
		skip++
	}
	if rows = c.rows[skip:]; len(rows) <= c.n {
		return rows, next
	}
	rows = rows[:c.n]
	next.Key = rows[c.n-1].key
	for i := len(rows) - 1; i >= 0 && rows[i].key == next.Key; i-- {
		next.Same++
	}
	if next.Key == c.after {
		next.Same += int64(skip)
	}
	return rows, next
}
