package httpx

import (
	"testing"

	"vitrine"
)

// TestCursorsOfOtherLists checks that no list takes the cursor of another one,
// and that each takes its own.
func TestCursorsOfOtherLists(t *testing.T) {
	link := vitrine.LinkCursor{CreatedAt: vitrine.ViewIDAt(7, 0).Time(), ID: 7}
	cursors := []string{FormatCursor(link), FormatVisitCursor(7), FormatReaderCursor(7), FormatRecipientCursor(7), FormatExplainCursor(7, 7),
		FormatDeliveryCursor(7), FormatEventCursor(7, 6), FormatTrashCursor(link)}
	parse := []func(string) bool{
		func(c string) bool { _, err := ParseCursor(c); return err == nil },
		func(c string) bool { _, err := ParseVisitCursor(c); return err == nil },
		func(c string) bool { _, err := ParseReaderCursor(c); return err == nil },
		func(c string) bool { _, err := ParseRecipientCursor(c); return err == nil },
		func(c string) bool { _, _, err := ParseExplainCursor(c); return err == nil },
		func(c string) bool { _, err := ParseDeliveryCursor(c); return err == nil },
		func(c string) bool { _, is := ParseEventCursor(c, 7); return is },
		func(c string) bool { _, err := ParseTrashCursor(c); return err == nil },
	}
	for of, c := range cursors {
		for by, takes := range parse {
			if takes(c) != (of == by) {
				t.Errorf("list %d takes a cursor of list %d: %v", by, of, of != by)
			}
		}
	}
}
