package web_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
)

// door is a way to the bytes of a link, and whose it is.
type door struct{ who, name string }

// wave returns a WAV file of a second, whose first samples are a text.
func wave(text string) []byte {
	const rate = 8000
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00")
	for _, n := range []uint32{rate, rate, 1 | 8<<16} { // a byte a sample
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	b = binary.LittleEndian.AppendUint32(append(b, "data"...), rate)
	b = append(append(b, text...), make([]byte, rate-len(text))...)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
}

// part stores a part of a link.
func (s *site) part(l *vitrine.Link, p vitrine.Part, content []byte) {
	s.t.Helper()
	s.check(s.server.Blobs.PutPart(s.t.Context(), l.Upload, p, bytes.NewReader(content)))
	s.check(s.server.Links.Store.Update(s.t.Context(), func(tx vitrine.Tx) error {
		now, err := tx.Link(l.ID)
		if err != nil {
			return err
		}
		now.Parts = now.Parts.With(p)
		return tx.PutLink(now)
	}))
}

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
	s.server.SitesURL = &url.URL{Scheme: "http", Host: "*.localhost:" + s.server.PublicURL.Port()}
	for i, c := range []state{
		{"live", func(*vitrine.Link) {}, "reader address key session moderator"},
		{"a rule holds it", review("html_password_form"), "key session moderator"},
		{"readers reported it", review(vitrine.ReasonAbuse), "key session moderator"},
		{"suspicious", review(vitrine.ReasonSuspicious), "moderator"},
		{"malware, held", review(vitrine.ReasonMalware), "moderator"},
		{"known bytes", review(vitrine.ReasonKnownBytes), "moderator"},
		{"malware", disabled(scanner, vitrine.ReasonMalware), "moderator"},
		{"disabled by its owner", disabled(vitrine.Owner(s.member.ID), vitrine.ReasonOwner), "key session moderator"},
		{"expired", disabled(vitrine.Actor{Kind: vitrine.ActorExpiry}, vitrine.ReasonExpired), "key session moderator"},
		{"disabled by a moderator", disabled(vitrine.Operator, vitrine.ReasonModerator), "moderator"},
		{"processing", func(l *vitrine.Link) { s.setState(l, vitrine.StateProcessing) }, "key session moderator"},
		{"protected", func(l *vitrine.Link) {
			if l.Site == 0 { // a website cannot be
				s.account = s.member
				s.protect(l, "a password")
			}
		}, "key session moderator"},
		{"deleted", func(l *vitrine.Link) {
			s.check(s.server.Links.Delete(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Operator}))
		}, ""},
		{"account suspended", func(*vitrine.Link) { s.suspend(s.member, true) }, "moderator"},
		{"moderator suspended", func(*vitrine.Link) { s.suspend(moderator, true) }, "reader address key session"},
		{"key revoked", func(*vitrine.Link) {
			_, err := s.server.Keys.Revoke(t.Context(), s.member.Email, key.ID)
			s.check(err)
		}, "reader session"},
	} {
		marker := "marker-" + strconv.Itoa(i)
		l := s.publish("notes.txt", []byte(marker+"\n"))
		s.part(l, vitrine.PartImage, []byte(marker))
		s.part(l, vitrine.PartThumbs, packed(t, "1.jpg="+marker))
		box := s.publish("notes.zip", packed(t, "notes.txt="+marker))
		s.part(box, vitrine.PartEntries, []byte(fmt.Sprintf(`{"entries":[{"name":"notes.txt","size":%d}],"total":1}`,
			len(marker))))
		song := s.publish("song.wav", wave(marker))
		s.caption(song, "en", "WEBVTT\n\n00:00.000 --> 00:01.000\n"+marker+"\n")
		website := s.newWebsite("Website " + strconv.Itoa(i))
		version := s.deployed(website, "index.html=<p>"+marker)
		album := s.album("Album "+strconv.Itoa(i), l)
		cookie := s.signIn(s.member)
		file := "/api/v1/links/" + string(l.Slug) + "/file"
		minted := s.status(s.get(file, bearer), 302).Header.Get("Location")
		examined := s.server.ContentURL.String() + "/c/" +
			s.server.Signer.ExamineToken(l.ID, moderator.ID, s.server.Now().Add(time.Minute)) + "/"
		doors := map[door]string{
			{"reader", "page"}:           "/p/" + string(l.Slug),
			{"reader", "embed"}:          "/p/" + string(l.Slug) + "/embed",
			{"reader", "download"}:       "/p/" + string(l.Slug) + "/download",
			{"reader", "content"}:        s.contentAddress(l, "file"),
			{"reader", "part"}:           s.contentAddress(l, "part/image"),
			{"reader", "captions"}:       s.contentAddress(song, "captions/en"),
			{"reader", "entry"}:          s.contentAddress(box, "entry/0"),
			{"reader", "entry download"}: s.contentAddress(box, "entry/0/download"),
			{"reader", "album"}:          "/a/" + string(album.Slug) + "/download",
			{"reader", "website"}:        "",
			{"session", "thumb"}:         "/links/" + string(l.Slug) + "/analytics/pages/1",
			{"address", "original"}:      minted,
			{"key", "file"}:              file,
			{"moderator", "copy"}:        examined + "copy",
			{"moderator", "content"}:     examined + "file",
			{"moderator", "in a page"}:   examined + "examine",
		}
		for _, each := range []*vitrine.Link{l, box, song, version} {
			if c.name == "deleted" && each == version {
				s.check(s.server.Sites.Delete(t.Context(), s.member, string(website.Slug)))
				continue
			}
			c.change(each)
		}
		for d, address := range doors {
			var headers []string
			switch d.who {
			case "key":
				headers = append(headers, bearer)
			case "session":
				headers = append(headers, cookie)
			}
			var r reply
			if d.name == "website" {
				r = s.visit(website, "/")
			} else {
				r = s.get(address, headers...)
			}
			if to := r.Header.Get("Location"); r.StatusCode == 302 {
				r = s.get(to)
			}
			open := strings.Contains(" "+c.open+" ", " "+d.who+" ") || c.name == "protected" && d.name == "website"
			if has := strings.Contains(r.body, marker); has != open || open != (r.StatusCode == 200) {
				t.Errorf("%s: the door %v answers %d, with the bytes: %t, want %t", c.name, d, r.StatusCode, has, open)
			}
		}
		if c.name == "account suspended" {
			s.suspend(s.member, false)
		}
	}
}
