package links_test

import (
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/links"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// marks returns the marks of the link's report of all time.
func (v *versioned) marks() (texts []string) {
	v.T.Helper()
	s := &analytics.Service{Store: v.Store, Log: v.Log, Now: v.Clock.Now, Signer: signer.New([]byte("k")),
		URL: func(s vitrine.Slug) string { return string(s) }}
	r, err := s.Link(v.T.Context(), v.Account, string(v.link.Slug), analytics.In(report.RangeAll))
	v.Must(err)
	for _, m := range r.Marks {
		texts = append(texts, m.Text)
	}
	return texts
}

// TestNotes follows the notes of a link: who may change them, their bounds, and
// that they are in the report, survive the trash, and go with the link.
func TestNotes(t *testing.T) { onEach(t, testNotes) }

func testNotes(t *testing.T, v *versioned) {
	slug, ctx := string(v.link.Slug), t.Context()
	today := report.DayOf(v.Clock.Now().UnixMilli())
	add := func(day report.Day, text string) (int, vitrine.Code) {
		t.Helper()
		n, err := v.Links.AddNote(ctx, v.Account, slug, links.Note{Day: day, Text: text}, nil)
		return n.ID, vitrine.CodeOf(err)
	}
	for _, wrong := range []struct {
		day  report.Day
		text string
	}{{today, ""}, {today, " \u200b "}, {today, strings.Repeat("ä", links.MaxNoteText+1)}, {today - 2, "early"},
		{today + 2, "late"}, {report.NoDay, "none"}} {
		if _, code := add(wrong.day, wrong.text); code != vitrine.CodeInvalidRequest {
			t.Errorf("a note %q on %v: %q", wrong.text, wrong.day, code)
		}
	}
	one, code := add(today, "  Sent\nto the board ")
	vitrinetest.Equal(t, "error", code, "")
	two, _ := add(today, strings.Repeat("ä", links.MaxNoteText))
	v.Must(v.Links.EditNote(ctx, v.Account, slug, links.Note{ID: two, Day: today, Text: "<b>Talk</b>"}))
	other := &vitrine.Account{ID: v.Account.ID + 1}
	for what, err := range map[string]error{
		"of another account":  v.Links.DeleteNote(ctx, other, slug, one),
		"unknown":             v.Links.DeleteNote(ctx, v.Account, slug, 99),
		"unknown, to be read": v.Links.EditNote(ctx, v.Account, slug, links.Note{ID: 99, Day: today, Text: "x"}),
	} {
		vitrinetest.Equal(t, what, vitrine.CodeOf(err), vitrine.CodeNotFound)
	}
	v.Audit()
	v.replace("text 2")
	_, err := v.Versions.Restore(ctx, v.Account, slug, 1, nil)
	v.Must(err)
	want := []string{"Version 2", "Version 1 restored", "Sent to the board", "<b>Talk</b>"}
	vitrinetest.Equal(t, "marks", v.marks(), want)
	v.byOwner()
	_, err = v.Links.Revive(ctx, v.Account, slug, nil)
	v.Must(err)
	vitrinetest.Equal(t, "marks after the trash", v.marks(), want)
	for n := 2; n < links.MaxNotes; n++ {
		if _, code := add(today, "more"); code != "" {
			t.Fatal(n, code)
		}
	}
	if _, code := add(today, "too many"); code != vitrine.CodeInvalidRequest {
		t.Errorf("one more than %d notes: %q", links.MaxNotes, code)
	}
	v.Audit()
	v.byOwner()
	v.Clock.Advance(links.TrashLife + time.Hour)
	v.Must(v.Links.Purge(ctx))
	v.Must(v.Store.Read(ctx, func(tx vitrine.Tx) error {
		l, err := tx.Link(v.link.ID)
		vitrinetest.Equal(t, "notes of a deleted link", l.Notes, "")
		return err
	}))
}
