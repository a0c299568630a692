package report_test

import (
	"encoding/json"
	"slices"
	"time"

	"vitrine/report"
)

// scenario has the facts from which reports are made.
type scenario struct {
	links     []report.Link
	views     []report.View
	downloads []download

	zone    *time.Location // of reports; nil means UTC
	compare report.Compare
}

// download is a download event of a person.
type download struct {
	link int64
	at   int64
}

// scope returns the part of the scenario that belongs to a link, or all of it
// for 0.
func (w *scenario) scope(link int64) *scenario {
	if link == 0 {
		return w
	}
	s := &scenario{zone: w.zone, compare: w.compare}
	for _, v := range w.views {
		if v.Link == link {
			s.views = append(s.views, v)
		}
	}
	for _, d := range w.downloads {
		if d.link == link {
			s.downloads = append(s.downloads, d)
		}
	}
	return s
}

// fold returns the tally of the scenario within a window.
func (w *scenario) fold(win report.Window) *report.Tally {
	f := report.Fold{Steps: win.Steps}
	for i := range w.views {
		if win.Contains(w.views[i].At) {
			f.Add(&w.views[i])
		}
	}
	for _, d := range w.downloads {
		if win.Contains(d.at) {
			f.AddDownload(win.Steps.Of(d.at))
		}
	}
	return f.Tally()
}

func (w *scenario) linkReport(l report.Link, win report.Window) *report.LinkReport {
	s := w.scope(l.ID)
	rep := report.ForLink(l, win, s.fold(win), s.fold(win.Previous()), s.views)
	if l.Files != nil { // the card shows the current version, the last one
		now := &scenario{}
		for _, v := range s.views {
			if v.Version == len(l.Files) {
				now.views = append(now.views, v)
			}
		}
		rep.SetContent(report.ContentOfTally(&l, now.fold(win)))
	}
	return rep
}

func (w *scenario) accountReport(win report.Window) *report.AccountReport {
	cur := w.fold(win)
	return report.ForAccount(w.links, win, cur, w.fold(win.Previous()), w.top(cur, win), w.allTime())
}

// top returns the links with the most views in an account's tally, with their
// daily views.
func (w *scenario) top(cur *report.Tally, win report.Window) (top []report.TopLink) {
	days := win.Spark()
	for _, l := range cur.Top(w.links, 25) {
		top = append(top, report.TopLink{Link: l, Spark: w.scope(l.ID).fold(days).DailyViews(days.From, days.To)})
	}
	return top
}

func (w *scenario) allTime() report.AllTime {
	all := report.AllTime{Links: int64(len(w.links))}
	for _, l := range w.links {
		all.Views += l.Views
		all.Downloads += l.Downloads
	}
	return all
}

// oldest returns the creation time of the oldest link, or zero without links.
func (w *scenario) oldest() time.Time {
	if len(w.links) == 0 {
		return time.Time{}
	}
	return slices.MinFunc(w.links, func(a, b report.Link) int { return a.Created.Compare(b.Created) }).Created
}

// tree returns v decoded from its JSON, with numbers as text.
func tree(v any) map[string]any {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return parse(b)
}

func parse(b []byte) map[string]any {
	var m map[string]any
	if err := decode(b, &m); err != nil {
		panic(err)
	}
	return m
}

// text returns v as indented JSON.
func text(v any) string {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(b)
}
