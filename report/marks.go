package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MarkKind says what a mark is about.
type MarkKind string

// The kinds of marks.
const (
	MarkVersion MarkKind = "version" // readers began to see another version of the file
	MarkNote    MarkKind = "note"    // a note of the owner
)

// DayMark explains a day of a link's series.
type DayMark struct {
	Day  Day      `json:"day"` // on the clocks of the report
	Kind MarkKind `json:"kind"`
	Text string   `json:"text"`
	Note int      `json:"note,omitempty"` // the number of a note
	At   string   `json:"at,omitempty"`   // when the version was shown
}

// MaxVersionMarks is how many marks of versions a report has: the newest.
const MaxVersionMarks = 100

// ShownVersion is a version of the file at the time when readers began to see
// it.
type ShownVersion struct {
	At       time.Time
	Version  int
	Restored bool // it was shown before
}

// Marks lists what explains the days of a window, by day, versions first.
func Marks(w Window, notes Notes, shown []ShownVersion) []DayMark {
	var marks []DayMark
	first, last := w.dates()
	for _, n := range notes.All() {
		if first <= n.Day && n.Day <= last {
			marks = append(marks, DayMark{Day: n.Day, Kind: MarkNote, Text: n.Text, Note: n.ID})
		}
	}
	var versions []DayMark
	for _, v := range shown {
		ms := v.At.UnixMilli()
		if !w.Contains(ms) {
			continue
		}
		m := DayMark{Day: DayOf(w.Steps.local(ms)), Kind: MarkVersion, Text: fmt.Sprintf("Version %d", v.Version),
			At: dateTime(v.At)}
		if v.Restored {
			m.Text += " restored"
		}
		versions = append(versions, m)
	}
	slices.SortStableFunc(versions, func(a, b DayMark) int { return strings.Compare(a.At, b.At) })
	versions = versions[max(len(versions)-MaxVersionMarks, 0):]
	marks = append(versions, marks...)
	slices.SortStableFunc(marks, func(a, b DayMark) int { return cmp.Compare(a.Day, b.Day) })
	return marks
}

// MarkedPoint returns the point of a series that a mark is at, or -1 if it is
// before the first.
func MarkedPoint(series []Point, m DayMark) int {
	at := -1
	for i, p := range series {
		switch {
		case p.At == "" && p.Date <= m.Day, p.At != "" && m.At != "" && p.At <= m.At:
			at = i
		case p.At != "" && m.At == "" && p.Date == m.Day && at < 0:
			at = i // the first hour of the day
		}
	}
	return at
}

// Note is what an owner noted about a day.
type Note struct {
	ID   int    `json:"id"`
	Day  Day    `json:"day"`
	Text string `json:"text"`
}

// Notes are the notes of a link: the number that was last given to one, and for
// each note a line with its number, its day and its text.
//
//	7
//	3 2026-11-03 Sent to the board
//	7 2026-11-12 Talk in Oslo
type Notes string

func (n Notes) read() (last int, list []Note) {
	head, lines, _ := strings.Cut(string(n), "\n")
	last, _ = strconv.Atoi(head)
	for lines != "" {
		var line string
		line, lines, _ = strings.Cut(lines, "\n")
		id, rest, _ := strings.Cut(line, " ")
		day, text, _ := strings.Cut(rest, " ")
		note := Note{Text: text}
		note.ID, _ = strconv.Atoi(id)
		if note.Day.UnmarshalText([]byte(day)) == nil {
			list = append(list, note)
		}
	}
	return last, list
}

func written(last int, list []Note) Notes {
	var b strings.Builder
	b.WriteString(strconv.Itoa(last))
	for _, n := range list {
		fmt.Fprintf(&b, "\n%d %v %s", n.ID, n.Day, n.Text)
	}
	return Notes(b.String())
}

// All lists the notes by day.
func (n Notes) All() []Note {
	_, list := n.read()
	slices.SortFunc(list, func(a, b Note) int { return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.ID, b.ID)) })
	return list
}

// Add returns the notes with another one, and its number, which no note of the
// link had before. The text must be one line.
func (n Notes) Add(day Day, text string) (Notes, int) {
	last, list := n.read()
	last++
	return written(last, append(list, Note{last, day, text})), last
}

// Put replaces the note with the same number, or deletes it if the text is "".
// It reports whether there is one.
func (n Notes) Put(note Note) (Notes, bool) {
	last, list := n.read()
	i := slices.IndexFunc(list, func(one Note) bool { return one.ID == note.ID })
	switch {
	case i < 0:
		return n, false
	case note.Text == "":
		list = slices.Delete(list, i, i+1)
	default:
		list[i] = note
	}
	return written(last, list), true
}
