package serve

import (
	"strconv"
	"time"

	"vitrine/internal/web/app/reportpage"
	"vitrine/report"
	"vitrine/report/part"
)

// demoGuide is the sample text. Its sections are those of demoSections.
const demoGuide = `# How to borrow an instrument

Every school in the region can borrow instruments from us for a year. This page says what there is,
what it costs and what we ask of you.

## What we lend

Violins, violas and cellos in four sizes, flutes, clarinets, trumpets and two small harps. Each comes
with a case, and strings or reeds for the first weeks. We repaired all of them ourselves. See the
[list with pictures](https://example.org/instruments) for what is free today.

## What it costs

Schools pay for the repair after the year, and nothing before it. Most pay less than a new set of
strings. Lessons are extra: a teacher of ours costs as much as one of yours. Families who cannot pay
write to us, and the fund pays. The [prices](https://example.org/prices) are the same for all.

## What we ask of you

Keep the instrument in its case and away from the heating. Tune it each week. Do not glue, varnish
or oil anything. Tell us of a crack on the day that you see it, because most cracks are cheap on the
first day and dear in the third week.

## How to order

Send the [form](https://example.org/order) before the end of May. Say how many beginners you expect
and how tall they are. In July we write which instruments you get, and in the first week of September
we bring them.

## Questions

Write to [us](mailto:demo@example.org). We answer within two days, and on the phone each morning.
`

// demoSection is a section of the sample text: where it begins, in percent of
// its height, how long an eager reader stays, and what is linked there.
type demoSection struct {
	from   int64
	stayMs int64
	link   string
}

var demoSections = []demoSection{{0, 9000, ""}, {12, 16_000, "https://example.org/instruments"},
	{34, 21_000, "https://example.org/prices"}, {58, 6000, ""}, {78, 12_000, "https://example.org/order"},
	{93, 4000, "mailto"}}

// demoGuideViews is how often the sample text was viewed.
const demoGuideViews = 200

// guideLines returns the views of the sample text, of the weeks before a time.
func guideLines(now time.Time) (lines []demoLine) {
	for i, v := range reportpage.SampleViews(report.ContentScroll, demoGuideViews, now) {
		line := newDemoLine(demoGuideSlug, &v)
		if line.Session != nil {
			line.Session.readGuide(v.Session, i)
		}
		lines = append(lines, line)
	}
	return lines
}

// readGuide adds which sections the nth reader read, of those that were
// scrolled into view, and what they clicked.
func (in *demoSession) readGuide(s *report.Session, n int) {
	scrolled := s.Depth * 100 / report.Whole
	pct := float64(scrolled)
	in.ScrollPct, in.Parts = &pct, []demoPart{}
	left := s.EngagedMs
	for i, section := range demoSections {
		if scrolled < section.from {
			break
		}
		ms := min(section.stayMs*int64(60+(n*37+i*53)%80)/100, left)
		if ms < 1000 {
			continue // passed
		}
		left -= ms
		in.Parts = append(in.Parts, demoPart{i + 1, ms})
		if section.link != "" && (n+i)%4 == 0 {
			in.Clicks = append(in.Clicks, part.Click{Part: i + 1, Target: section.link, Count: 1})
		}
	}
}

// newDemoLine returns a view, with what sessions of all kinds have.
func newDemoLine(slug string, v *report.View) demoLine {
	line := demoLine{Slug: slug, At: time.UnixMilli(v.At).UTC(), Viewer: strconv.FormatUint(v.Viewer, 10),
		Country: v.Country, Referrer: v.Referrer, Source: v.Source, Device: v.Device, Browser: v.Browser, OS: v.OS,
		Bot: v.Bot != "", QR: v.QR, Back: v.Returning}
	if s := v.Session; s != nil {
		line.Session = &demoSession{EngagedMs: s.EngagedMs, PresentMs: s.PresentMs, Screen: s.Screen,
			Downloaded: s.Downloaded}
	}
	return line
}
