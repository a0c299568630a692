package analytics

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/report"
)

// maxChanges bounds the changes of a link that are read for the marks of a
// report, and maxMarks the marks of versions in it: the newest.
const maxChanges, maxMarks = 1000, 100

// The kinds of marks: readers began to see another version of the file, and a
// note of the owner.
const MarkVersion, MarkNote = "version", "note"

// shownVersion is a version of the file at the time when readers began to see
// it.
type shownVersion struct {
	at       time.Time
	version  int
	restored bool // it was shown before
}

// marks returns what explains the days of a link's report.
func (s *Service) marks(ctx context.Context, l *vitrine.Link, w report.Window) ([]report.DayMark, error) {
	var shown []shownVersion
	if l.Versions > 1 {
		changes, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Change, error) {
			return tx.Changes(vitrine.ChangeQuery{Link: l.ID, Limit: maxChanges})
		})
		if err != nil {
			return nil, err
		}
		for _, c := range slices.Backward(changes) { // the oldest first
			n, err := strconv.Atoi(strings.TrimPrefix(c.Detail, "version "))
			if err != nil || c.Action != vitrine.ActionReplace && c.Action != vitrine.ActionRestore {
				continue
			}
			shown = append(shown, shownVersion{c.At, n, c.Action == vitrine.ActionRestore})
		}
	}
	return marksIn(w, links.NotesOf(l), shown), nil
}

// marksIn lists what explains the days of a window, by day, versions first.
func marksIn(w report.Window, notes []links.Note, shown []shownVersion) (marks []report.DayMark) {
	from, to := w.Bounds()
	day := func(at time.Time) report.Day {
		_, offset := at.In(w.Zone()).Zone()
		return report.DayOf(at.UnixMilli() + 1000*int64(offset))
	}
	for _, v := range shown {
		if !w.Contains(v.at.UnixMilli()) {
			continue
		}
		m := report.DayMark{Day: day(v.at), Kind: MarkVersion, Text: "Version " + strconv.Itoa(v.version),
			At: v.at.UTC().Format("2006-01-02T15:04:05.000Z")}
		if v.restored {
			m.Text += " restored"
		}
		marks = append(marks, m)
	}
	marks = slices.Clip(marks[max(len(marks)-maxMarks, 0):])
	first, last := day(time.UnixMilli(from)), day(time.UnixMilli(to-1))
	for _, n := range notes {
		if first <= n.Day && n.Day <= last {
			marks = append(marks, report.DayMark{Day: n.Day, Kind: MarkNote, Text: n.Text, Note: n.ID})
		}
	}
	slices.SortStableFunc(marks, func(a, b report.DayMark) int { return cmp.Compare(a.Day, b.Day) })
	return marks
}
