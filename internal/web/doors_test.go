package web_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/auth"
)

// door is a way to the bytes of a link, and whose it is.
type door struct{ who, name string }

// TestDoors checks every way to the bytes of a link, through the router, in
// each state of the link, its account, the key and the moderator. An address
// that was made while the link was live is no way around its state.
func TestDoors(t *testing.T) {
	type state struct {
		name   string
		change func(*vitrine.Link)
		open   string // whose doors are open
	}
	s := newDesk(t)
	moderator := s.join("moderator@example.org", vitrine.RoleModerator)
	key, err := s.server.Keys.Create(t.Context(), s.member.Email, auth.KeyRequest{Name: "doors", Scope: vitrine.ScopeFull})
	s.check(err)
	bearer := "Authorization: Bearer " + string(key.Text)
	review := func(reason string) func(*vitrine.Link) {
		return func(l *vitrine.Link) { s.hold(l, reason, "") }
	}
	disabled := func(by vitrine.Actor, reason string) func(*vitrine.Link) {
		return func(l *vitrine.Link) {
			s.move(l, vitrine.Change{By: by, Action: vitrine.ActionDisable, To: vitrine.StateDisabled, Reason: reason})
		}
	}
	scanner := vitrine.Actor{Kind: vitrine.ActorScanner}
	for i, c := range []state{
		{"live", func(*vitrine.Link) {}, "reader address key moderator"},
		{"a rule holds it", review("html_password_form"), "key moderator"},
		{"readers reported it", review(vitrine.ReasonAbuse), "key moderator"},
		{"suspicious", review(vitrine.ReasonSuspicious), "moderator"},
		{"malware, held", review(vitrine.ReasonMalware), "moderator"},
		{"known bytes", review(vitrine.ReasonKnownBytes), "moderator"},
		{"malware", disabled(scanner, vitrine.ReasonMalware), "moderator"},
		{"disabled by its owner", disabled(vitrine.Owner(s.member.ID), vitrine.ReasonOwner), "key moderator"},
		{"expired", disabled(vitrine.Actor{Kind: vitrine.ActorExpiry}, vitrine.ReasonExpired), "key moderator"},
		{"disabled by a moderator", disabled(vitrine.Operator, vitrine.ReasonModerator), "moderator"},
		{"processing", func(l *vitrine.Link) { s.setState(l, vitrine.StateProcessing) }, "key moderator"},
		{"deleted", func(l *vitrine.Link) {
			s.check(s.server.Links.Delete(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Operator}))
		}, ""},
		{"account suspended", func(*vitrine.Link) { s.suspend(s.member, true) }, "moderator"},
		{"moderator suspended", func(*vitrine.Link) { s.suspend(moderator, true) }, "reader address key"},
		{"key revoked", func(*vitrine.Link) {
			_, err := s.server.Keys.Revoke(t.Context(), s.member.Email, key.ID)
			s.check(err)
		}, "reader"},
	} {
		marker := "marker-" + strconv.Itoa(i)
		l := s.publish("notes.txt", []byte(marker+"\n"))
		album := s.album("Album "+strconv.Itoa(i), l)
		file := "/api/v1/links/" + string(l.Slug) + "/file"
		minted := s.status(s.get(file, bearer), 302).Header.Get("Location")
		examined := s.server.ContentURL.String() + "/c/" +
			s.server.Signer.ExamineToken(l.ID, moderator.ID, s.server.Now().Add(time.Minute)) + "/"
		doors := map[door]string{
			{"reader", "page"}:         "/p/" + string(l.Slug),
			{"reader", "embed"}:        "/p/" + string(l.Slug) + "/embed",
			{"reader", "download"}:     "/p/" + string(l.Slug) + "/download",
			{"reader", "content"}:      s.contentAddress(l, "file"),
			{"reader", "album"}:        "/a/" + string(album.Slug) + "/download",
			{"address", "original"}:    minted,
			{"key", "file"}:            file,
			{"moderator", "copy"}:      examined + "copy",
			{"moderator", "content"}:   examined + "file",
			{"moderator", "in a page"}: examined + "examine",
		}
		c.change(l)
		for d, address := range doors {
			var headers []string
			if d.who == "key" {
				headers = append(headers, bearer)
			}
			r := s.get(address, headers...)
			if to := r.Header.Get("Location"); r.StatusCode == 302 {
				r = s.get(to)
			}
			open := strings.Contains(" "+c.open+" ", " "+d.who+" ")
			if has := strings.Contains(r.body, marker); has != open || open != (r.StatusCode == 200) {
				t.Errorf("%s: the door %v answers %d, with the bytes: %t, want %t", c.name, d, r.StatusCode, has, open)
			}
		}
		if c.name == "account suspended" {
			s.suspend(s.member, false)
		}
	}
}
