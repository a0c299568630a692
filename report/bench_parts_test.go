package report_test

import (
	"strconv"
	"testing"

	"vitrine/report"
	"vitrine/report/part"
)

// BenchmarkParts makes the report of a text from its views, and from their
// tally, with the most sections that a file has, and without.
func BenchmarkParts(b *testing.B) {
	const n = 100_000
	sections := make([]part.Part, part.MaxSections)
	for i := range sections {
		sections[i] = part.Part{Label: "Section " + strconv.Itoa(i+1), Words: 100 + i}
	}
	for _, with := range []bool{false, true} {
		l := report.Link{ID: 1, Content: report.ContentScroll, Created: benchNow.AddDate(-1, 0, 0)}
		if with {
			l.Outline = part.NewOutline(part.Section, sections)
		}
		views := benchViews(n, 1)
		for i := range views {
			s := views[i].Session
			if s == nil {
				continue
			}
			s.Depth, s.Pages = s.EngagedMs%report.Whole, nil
			if s.Outlined = with; with {
				for p := range 1 + i%part.MaxSections {
					s.Pages = append(s.Pages, report.PageTime{Page: p + 1, Ms: 1000})
				}
			}
		}
		w := report.NewWindow(report.RangeAll, benchNow, l.Created)
		name := map[bool]string{false: "none", true: "sections"}[with]
		b.Run("views/"+name, func(b *testing.B) {
			for b.Loop() {
				report.ForLink(l, w, foldOf(views), nil, views[n-100:])
			}
		})
		t := foldOf(views)
		b.Run("tally/"+name, func(b *testing.B) {
			for b.Loop() {
				report.ForLink(l, w, t, nil, views[n-100:])
			}
		})
	}
}
