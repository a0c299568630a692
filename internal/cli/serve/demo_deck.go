package serve

import (
	"bytes"
	"fmt"
	"strings"

	"vitrine"
	"vitrine/internal/web/app/reportpage"
	"vitrine/report"
	"vitrine/report/part"
)

// demoSlides are the slides of the sample deck: a heading and lines. There are
// as many as the made-up views have pages.
var demoSlides = [reportpage.SamplePages][]string{
	{"Where we are going", "The plan for next year", "A sample deck"},
	{"What we do", "We restore old instruments", "and lend them to schools."},
	{"The year in numbers", "214 instruments lent", "310 lessons", "41 schools"},
	{"Who plays them", "One in three is a beginner.", "Half of them come back."},
	{"What it costs", "Repairs: 48 %", "Lessons: 37 %", "Rooms: 15 %"},
	{"What we learned", "Small groups stay longer.", "Evenings are full first."},
	{"Next year", "Two new workshops", "A library of scores", "Concerts in the garden"},
	{"The timetable", "Spring: the workshop opens", "Summer: the first concert", "Autumn: the library"},
	{"What we need", "Rooms for 20 people", "Four more teachers"},
	{"What you get", "Seats at every concert", "A report each quarter"},
	{"Questions", "What would you change?", "Who else should we ask?"},
	{"Thank you", "demo@example.org", "example.org/support"},
}

// demoLink is a link on a slide of the sample deck, over one of its lines.
type demoLink struct {
	slide, line int // from 1
	href        string
}

var demoLinks = []demoLink{{8, 2, "https://example.org/concerts"}, {10, 2, "https://example.org/reports"},
	{12, 1, "mailto:demo@example.org"}, {12, 2, "https://example.org/support"}}

// linksOn returns the links on a slide by their lines.
func linksOn(slide int) map[int]string {
	on := map[int]string{}
	for _, l := range demoLinks {
		if l.slide == slide {
			on[l.line] = l.href
		}
	}
	return on
}

// demoDeck returns the slides as a PDF.
func demoDeck() []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(format string, values ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n", len(offsets))
		fmt.Fprintf(&b, format, values...)
		b.WriteString("\nendobj\n")
	}
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	var kids strings.Builder
	for i := range demoSlides {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Count %d /Kids [%s] >>", len(demoSlides), kids.String())
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	for i, lines := range demoSlides {
		var s, links strings.Builder
		// Paper, a band that grows with the slides, the heading and the lines.
		fmt.Fprintf(&s, "0.98 0.97 0.94 rg 0 0 960 540 re f 0.69 0.49 0.13 rg 0 0 %d 12 re f ",
			960*(i+1)/len(demoSlides))
		fmt.Fprintf(&s, "0.13 0.12 0.1 rg BT /F 54 Tf 80 370 Td (%s) Tj /F 28 Tf 44 TL 0 -90 Td ", lines[0])
		on := linksOn(i + 1)
		for n, line := range lines[1:] {
			ink, at := "0.13 0.12 0.1", 280-44*n
			if href := on[n+1]; href != "" {
				ink = "0.1 0.33 0.6"
				fmt.Fprintf(&links, "<< /Type /Annot /Subtype /Link /Rect [76 %d %d %d] /Border [0 0 0] /A << /S /URI /URI (%s) >> >> ",
					at-9, 84+14*len(line), at+27, href)
			}
			fmt.Fprintf(&s, "%s rg (%s) Tj T* ", ink, line)
		}
		s.WriteString("ET")
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 960 540] /Contents %d 0 R /Resources << /Font << /F 3 0 R >> >> /Annots [%s] >>",
			5+2*i, links.String())
		object("<< /Length %d >>\nstream\n%s\nendstream", s.Len(), s.String())
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, table)
	return b.Bytes()
}

// readDeck adds how long the nth reader looked at each slide and its quarters,
// and which links the reader followed.
func (in *demoSession) readDeck(s *report.Session, n int) {
	for _, p := range s.Pages {
		in.Pages = append(in.Pages, demoPage{p.Page, p.Ms, demoQuarters(p, n).List()})
		for i, l := range demoLinks {
			if l.slide == p.Page && (n+i)%4 == 0 {
				target, _ := part.ClickTarget(l.href)
				in.Clicks = append(in.Clicks, part.Click{Part: p.Page, Target: target, Count: 1})
			}
		}
	}
}

// demoQuarters divides the time on a slide between its quarters. Every third
// reader sees the whole slide at once. The others stay where its text is, in
// the middle, and scroll on.
func demoQuarters(p report.PageTime, n int) (b part.Bands) {
	weights := part.Bands{3, 3, 3, 3}
	if n%3 > 0 {
		lines := int64(len(demoSlides[p.Page-1]))
		weights = part.Bands{1 + int64(n*7+p.Page)%3, 4, 2 * lines, int64(n*5+p.Page*3) % 3}
	}
	for i, weight := range weights {
		b[i] = p.Ms * weight / weights.Sum()
	}
	return b
}

// demoRecipients are those to whom the sample deck was sent. The last two have
// not opened it.
var demoRecipients = []string{"Harbour Fund", "City Council", "Ines Okafor", "Northgate Bank", "Old Mill Trust",
	"Kite Foundation", "Lantern Club"}

// demoThrough returns the viewers of the deck who came through the address of a
// recipient: those of some of the newest measured views from mails or nowhere,
// one for each recipient that has opened it.
func demoThrough(views []report.View, sent []*vitrine.Recipient) map[uint64]*vitrine.Recipient {
	through := map[uint64]*vitrine.Recipient{}
	suited := 0
	for i := range views {
		v := &views[len(views)-1-i]
		if len(through) == len(sent)-2 {
			break
		}
		if !v.Counted() || v.Session == nil || v.Referrer != "" || v.QR || through[v.Viewer] != nil {
			continue
		}
		if suited++; suited%4 == 2 {
			through[v.Viewer] = sent[len(through)]
		}
	}
	return through
}
