package links_test

import (
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/links"
	"vitrine/internal/test/fixture"
)

// TestRefusedBytesStayHidden checks every way in which bytes become public
// without an upload, after a moderator took the same bytes down on another
// link: none of them shows the bytes.
func TestRefusedBytesStayHidden(t *testing.T) {
	v := newVersioned(t)
	takeDown := func(content string) {
		t.Helper()
		_, err := v.Links.Disable(t.Context(), string(v.Note(content).Slug), fixture.Administrator(""))
		v.Must(err)
	}
	edit := func(l *vitrine.Link, e links.Edit) error {
		_, err := v.Links.Edit(t.Context(), v.Account, string(l.Slug), e)
		return err
	}
	yes, no := true, false
	for way, try := range map[string]func() (*vitrine.Link, error){
		"restoring a version": func() (*vitrine.Link, error) {
			v.replace("text 2")
			takeDown("text 1")
			_, err := v.Versions.Restore(t.Context(), v.Account, string(v.link.Slug), 1, nil)
			if got := v.text(0); got != "text 2" {
				t.Errorf("readers see %q", got)
			}
			return nil, err
		},
		"enabling": func() (*vitrine.Link, error) {
			l := v.Note("enabled")
			v.Must(edit(l, links.Edit{Disabled: &yes}))
			takeDown("enabled")
			return l, edit(l, links.Edit{Disabled: &no})
		},
		"undoing": func() (*vitrine.Link, error) {
			l := v.Note("undone")
			v.Must(edit(l, links.Edit{Disabled: &yes}))
			takeDown("undone")
			_, err := v.Links.Undo(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Owner(v.Account.ID)})
			return l, err
		},
		"a later expiry": func() (*vitrine.Link, error) {
			l := v.Note("expired")
			soon, later := v.Clock.Now().Add(time.Minute), v.Clock.Now().Add(24*time.Hour)
			v.Must(edit(l, links.Edit{ExpiresAt: &soon}))
			v.Clock.Advance(time.Minute)
			takeDown("expired")
			return l, edit(l, links.Edit{ExpiresAt: &later})
		},
	} {
		l, err := try()
		if vitrine.CodeOf(err) != vitrine.CodeForbidden || !strings.Contains(err.Error(), "taken down") {
			t.Errorf("%s: %v, want forbidden", way, err)
		}
		if l != nil {
			if _, err := v.Links.PublicByID(t.Context(), l.ID, access.Asker{}); vitrine.CodeOf(err) != vitrine.CodeDisabled {
				t.Errorf("%s: readers get %v, want disabled", way, err)
			}
		}
	}
	// A video waits for its scan while the same bytes are taken down.
	waiting, other := v.Clip(), v.Clip()
	v.Must(v.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		l, err := tx.Link(other.ID)
		if err != nil {
			return err
		}
		return l.Transition(tx, v.Clock.Now(), vitrine.Change{By: vitrine.Administrator, Action: vitrine.ActionReject,
			To: vitrine.StateDisabled, Reason: vitrine.ReasonModerator})
	}))
	v.Pending()
	v.WantState(waiting, vitrine.StateReview, vitrine.ReasonKnownBytes, "")
	// A moderator may show them all the same.
	_, err := v.Links.Clear(t.Context(), string(waiting.Slug), fixture.Administrator(""))
	v.Must(err)
}
