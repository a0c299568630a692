package links

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/report"
)

// Note is what an owner noted about a day of a link.
type Note struct {
	ID   int        `json:"id"`
	Day  report.Day `json:"day"`
	Text string     `json:"text"`
}

// Notes of a link are a text: the number that was last given to one, and for
// each note a line with its number, its day and its text.
//
//	7
//	3 2026-11-03 Sent to the board
//	7 2026-11-12 Talk in Oslo
func readNotes(l *vitrine.Link) (last int, list []Note) {
	head, lines, _ := strings.Cut(l.Notes, "\n")
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

func writeNotes(l *vitrine.Link, last int, list []Note) {
	var b strings.Builder
	b.WriteString(strconv.Itoa(last))
	for _, n := range list {
		fmt.Fprintf(&b, "\n%d %v %s", n.ID, n.Day, n.Text)
	}
	l.Notes = b.String()
}

// NotesOf lists the notes of a link by day.
func NotesOf(l *vitrine.Link) []Note {
	_, list := readNotes(l)
	slices.SortFunc(list, func(a, b Note) int { return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.ID, b.ID)) })
	return list
}

// addNote adds a note to a link and returns its number, which no note of the
// link had before.
func addNote(l *vitrine.Link, n Note) int {
	last, list := readNotes(l)
	n.ID = last + 1
	writeNotes(l, n.ID, append(list, n))
	return n.ID
}

// putNote replaces the note with the same number, or deletes it if the text is
// "". Error: ErrNoNote.
func putNote(l *vitrine.Link, n Note) error {
	last, list := readNotes(l)
	i := slices.IndexFunc(list, func(one Note) bool { return one.ID == n.ID })
	switch {
	case i < 0:
		return ErrNoNote
	case n.Text == "":
		list = slices.Delete(list, i, i+1)
	default:
		list[i] = n
	}
	writeNotes(l, last, list)
	return nil
}
