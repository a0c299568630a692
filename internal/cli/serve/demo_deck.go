package serve

import (
	"bytes"
	"fmt"
	"strings"

	"vitrine/internal/web/app/reportpage"
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
	{"Thank you", "demo@example.org"},
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
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 960 540] /Contents %d 0 R /Resources << /Font << /F 3 0 R >> >> >>",
			5+2*i)
		var s strings.Builder
		// Paper, a band that grows with the slides, the heading and the lines.
		fmt.Fprintf(&s, "0.98 0.97 0.94 rg 0 0 960 540 re f 0.69 0.49 0.13 rg 0 0 %d 12 re f ",
			960*(i+1)/len(demoSlides))
		fmt.Fprintf(&s, "0.13 0.12 0.1 rg BT /F 54 Tf 80 370 Td (%s) Tj /F 28 Tf 44 TL 0 -90 Td ", lines[0])
		for _, line := range lines[1:] {
			fmt.Fprintf(&s, "(%s) Tj T* ", line)
		}
		s.WriteString("ET")
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
