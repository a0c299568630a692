package clickhouse

import (
	"fmt"

	"vitrine"
	"vitrine/report"
)

// viewRow is a row of the table views.
type viewRow struct {
	report.View // Session is of this row alone
	account     vitrine.AccountID
	startMs     int64 // vitrine.Engagement.StartMs
	told        bool  // a bot by its own beacon's word, not by the request's
	decided     bool  // what it is was decided after it was stored
	waits       bool  // a download waits until it is a person's
	imported    bool
	version     uint64
	changed     bool            // not as it is stored
	spare       *report.Session // memory for the next row that is read
}

// viewColumns are the columns of the table opens, in the order in which viewRow
// reads and writes them.
const viewColumns = "account, link, id, viewer, country, city, referrer, source, device, browser, os, bot, qr, returning, told, imported, " +
	"session, engaged, present, start, screen, downloaded, pages, page_ms, played, reached, depth, " +
	"file, campaign, medium, content, term, product, own, decided, waits, parts_low, parts_high, was_bot, was_product"

// insertViews names the table and columns into which append writes rows.
const insertViews = "opens (" + viewColumns + ", version)"

// same says that o is stored as n is to be: equal but for what the log itself
// decides.
func (o *viewRow) same(n *report.View) bool {
	a, b := o.View, *n
	if o.told {
		a.Bot = ""
	}
	for _, x := range []*report.View{&a, &b} {
		x.Returning, x.Session, x.At = false, nil, 0
		if x.Own || o.decided {
			x.Bot, x.Product = "", ""
		}
		x.WasBot, x.WasProduct = "", ""
		if x.Version == 1 {
			x.Version = 0
		}
	}
	return a == b && !o.imported
}

func (o *viewRow) append(w *rows, version uint64) {
	w.int64(int64(o.account))
	w.int64(o.Link)
	w.int64(o.ID)
	w.uint64(o.Viewer)
	for _, label := range []string{o.Country, o.City, o.Referrer, o.Source, o.Device, o.Browser, o.OS, o.Bot} {
		w.string(label)
	}
	for _, flag := range []bool{o.QR, o.Returning, o.told, o.imported, o.Session != nil} {
		w.bool(flag)
	}
	var s report.Session
	if o.Session != nil {
		s = *o.Session
	}
	w.int64(s.EngagedMs)
	w.int64(s.PresentMs)
	w.int64(o.startMs)
	w.string(s.Screen)
	w.bool(s.Downloaded)
	w.length(len(s.Pages))
	for _, p := range s.Pages {
		w.int64(int64(p.Page))
	}
	w.length(len(s.Pages))
	for _, p := range s.Pages {
		w.int64(p.Ms)
	}
	w.int64(s.Played)
	w.int64(s.Reached)
	w.int64(s.Depth)
	w.uint32(uint32(max(o.Version, 0)))
	for _, label := range []string{o.Campaign, o.Medium, o.Content, o.Term, o.Product} {
		w.string(label)
	}
	w.bool(o.Own)
	w.bool(o.decided)
	w.bool(o.waits)
	w.uint64(s.Parts[0])
	w.uint64(s.Parts[1])
	w.string(o.WasBot)
	w.string(o.WasProduct)
	w.uint64(version)
}

// read reads a row, into the memory of the one before.
func (o *viewRow) read(r *reader) {
	s := o.Session
	if s == nil {
		s = o.spare
	}
	*o = viewRow{account: vitrine.AccountID(r.int64())}
	o.Link, o.ID, o.Viewer = r.int64(), r.int64(), r.uint64()
	o.At = vitrine.ViewID(o.ID).Ms()
	for _, label := range []*string{&o.Country, &o.City, &o.Referrer, &o.Source, &o.Device, &o.Browser, &o.OS, &o.Bot} {
		*label = r.word()
	}
	engaged := false
	for _, flag := range []*bool{&o.QR, &o.Returning, &o.told, &o.imported, &engaged} {
		*flag = r.bool()
	}
	if s == nil {
		s = new(report.Session)
	}
	s.EngagedMs, s.PresentMs = r.int64(), r.int64()
	o.startMs = r.int64()
	s.Screen, s.Downloaded = r.word(), r.bool()
	n := r.length()
	s.Pages = s.Pages[:0]
	for i := 0; i < n && r.err == nil; i++ {
		s.Pages = append(s.Pages, report.PageTime{Page: int(r.int64())})
	}
	if r.length() != n {
		r.fail(errAnswer)
	}
	for i := range s.Pages {
		s.Pages[i].Ms = r.int64()
	}
	s.Played, s.Reached, s.Depth = r.int64(), r.int64(), r.int64()
	o.Version = int(r.int32())
	for _, label := range []*string{&o.Campaign, &o.Medium, &o.Content, &o.Term, &o.Product} {
		*label = r.word()
	}
	o.Own, o.decided, o.waits = r.bool(), r.bool(), r.bool()
	s.Parts = report.Parts{r.uint64(), r.uint64()}
	o.WasBot, o.WasProduct = r.word(), r.word()
	if engaged {
		o.Session = s
	} else {
		o.spare = s
	}
}

// key names a view, or a download, of a link.
type key struct {
	link vitrine.LinkID
	id   vitrine.ViewID
}

// ids is a range of IDs: [from, to).
type ids struct{ from, to vitrine.ViewID }

// lastDay is the last one that an ID can be of.
const lastDay = report.Day(1<<63>>21/86_400_000 - 1)

// idsOf is the IDs of the days [from, to).
func idsOf(from, to report.Day) ids {
	from, to = min(max(from, 0), lastDay+1), min(max(to, 0), lastDay+1)
	return ids{vitrine.ViewIDAt(from.StartMs(), 0), vitrine.ViewIDAt(to.StartMs(), 0)}
}

// where is the condition of a range.
func (r ids) where() string { return fmt.Sprintf("id >= %d AND id < %d", r.from, r.to) }

// within is the condition of a scope.
func within(s vitrine.Scope) string {
	if s.Link != 0 {
		return fmt.Sprintf("account = %d AND link = %d", s.Account, s.Link)
	}
	return fmt.Sprintf("account = %d", s.Account)
}
