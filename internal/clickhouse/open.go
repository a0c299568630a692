package clickhouse

import (
	"fmt"

	"vitrine"
	"vitrine/report"
)

// viewRow is a row of the table opens.
type viewRow struct {
	report.View  // Session is not shared with other rows
	account      vitrine.AccountID
	startMs      int64 // vitrine.Engagement.StartMs
	selfReported bool  // by its own beacon, not by its request
	decided      bool  // decided after the view was stored
	waits        bool  // has a download that counts if the view is included
	imported     bool
	version      uint64
	changed      bool            // differs from the stored row
	spare        *report.Session // memory for the next session
}

// viewColumns lists the columns of the table opens in the order of viewRow.read
// and append.
const viewColumns = "account, link, id, viewer, country, city, referrer, source, device, browser, os, bot, qr, returning, told, imported, " +
	"session, engaged, present, start, screen, downloaded, pages, page_ms, played, reached, depth, " +
	"file, campaign, medium, content, term, product, own, decided, waits, parts_low, parts_high, was_bot, was_product"

// insertViews is the table and columns for the rows that append writes.
const insertViews = "opens (" + viewColumns + ", version)"

// same reports whether o describes the view n. It ignores what the log itself
// decides.
func (o *viewRow) same(n *report.View) bool {
	a, b := o.View, *n
	if o.selfReported {
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
	for _, flag := range []bool{o.QR, o.Returning, o.selfReported, o.imported, o.Session != nil} {
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

// read reads a row. It reuses the memory of the previous one.
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
	for _, flag := range []*bool{&o.QR, &o.Returning, &o.selfReported, &o.imported, &engaged} {
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

// key identifies a view or download of a link.
type key struct {
	link vitrine.LinkID
	id   vitrine.ViewID
}

// ids is the range of IDs [from, to).
type ids struct{ from, to vitrine.ViewID }

// lastDay is the last day that an ID can have.
const lastDay = report.Day(1<<63>>21/86_400_000 - 1)

// idsOf returns the IDs of the days [from, to).
func idsOf(from, to report.Day) ids {
	from, to = min(max(from, 0), lastDay+1), min(max(to, 0), lastDay+1)
	return ids{vitrine.ViewIDAt(from.StartMs(), 0), vitrine.ViewIDAt(to.StartMs(), 0)}
}

// where returns the condition that an ID is in the range.
func (r ids) where() string { return fmt.Sprintf("id >= %d AND id < %d", r.from, r.to) }

// within returns the condition that a row belongs to a scope.
func within(s vitrine.Scope) string {
	if s.Link != 0 {
		return fmt.Sprintf("account = %d AND link = %d", s.Account, s.Link)
	}
	return fmt.Sprintf("account = %d", s.Account)
}
