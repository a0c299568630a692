package web_test

import (
	"encoding/binary"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
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

// TestDoors checks every way to the bytes of a link, through the router, in
// each state of the link, its account, the key and the moderator. An address
// that was made while the link was live is no way around its state.
func TestDoors(t *testing.T) {
	type state struct {
		name   string
		change func(*vitrine.Link)
		open   string // whose doors are open
	}
	s := webtest.NewDesk(t)
	moderator := s.Join("moderator@example.org", vitrine.RoleModerator)
	key, err := s.Server.Keys.CreateFor(t.Context(), s.Member.Email, auth.KeyRequest{Name: "doors",
		Scope: vitrine.ScopeFull})
	s.Check(err)
	bearer := "Authorization: Bearer " + string(key.Text)
	review := func(reason string) func(*vitrine.Link) {
		return func(l *vitrine.Link) { s.Hold(l, reason, "") }
	}
	disabled := func(by vitrine.Actor, reason string) func(*vitrine.Link) {
		return func(l *vitrine.Link) {
			s.Move(l, vitrine.Change{By: by, Action: vitrine.ActionDisable, To: vitrine.StateDisabled, Reason: reason})
		}
	}
	scanner := vitrine.Actor{Kind: vitrine.ActorScanner}
	s.Server.SitesURL = &url.URL{Scheme: "http", Host: "*.localhost:" + s.Server.PublicURL.Port()}
	for i, c := range []state{
		{"live", func(*vitrine.Link) {}, "reader address key session moderator"},
		{"a rule holds it", review("html_password_form"), "key session moderator"},
		{"readers reported it", review(vitrine.ReasonAbuse), "key session moderator"},
		{"suspicious", review(vitrine.ReasonSuspicious), "moderator"},
		{"malware, held", review(vitrine.ReasonMalware), "moderator"},
		{"known bytes", review(vitrine.ReasonKnownBytes), "moderator"},
		{"malware", disabled(scanner, vitrine.ReasonMalware), "moderator"},
		{"disabled by its owner", disabled(vitrine.Owner(s.Member.ID), vitrine.ReasonOwner), "key session moderator"},
		{"expired", disabled(vitrine.Actor{Kind: vitrine.ActorExpiry}, vitrine.ReasonExpired), "key session moderator"},
		{"disabled by a moderator", disabled(vitrine.Administrator, vitrine.ReasonModerator), "moderator"},
		{"processing", func(l *vitrine.Link) { s.SetState(l, vitrine.StateProcessing) }, "key session moderator"},
		{"protected", func(l *vitrine.Link) {
			if l.Site == 0 { // a website cannot be
				s.Account = s.Member
				s.Protect(l, "a password")
			}
		}, "key session moderator"},
		{"deleted", func(l *vitrine.Link) {
			s.Check(s.Server.Links.Delete(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Administrator}))
		}, ""},
		{"account suspended", func(*vitrine.Link) { s.Suspend(s.Member, true) }, "moderator"},
		{"moderator suspended", func(*vitrine.Link) { s.Suspend(moderator, true) }, "reader address key session"},
		{"key revoked", func(*vitrine.Link) {
			_, err := s.Server.Keys.Revoke(t.Context(), s.Member.Email, key.ID)
			s.Check(err)
		}, "reader session"},
	} {
		marker := "marker-" + strconv.Itoa(i)
		l := s.Publish("notes.txt", []byte(marker+"\n"))
		s.Part(l, vitrine.PartImage, []byte(marker))
		s.Part(l, vitrine.PartThumbs, webtest.Packed(t, "1.jpg="+marker))
		box := s.Publish("notes.zip", webtest.Packed(t, "notes.txt="+marker))
		s.Part(box, vitrine.PartEntries, []byte(fmt.Sprintf(`{"entries":[{"name":"notes.txt","size":%d}],"total":1}`,
			len(marker))))
		table := s.Publish("table.csv", []byte("a,b\n1,"+marker+"\n"))
		song := s.Publish("song.wav", wave(marker))
		s.Caption(song, "en", "WEBVTT\n\n00:00.000 --> 00:01.000\n"+marker+"\n")
		website := s.NewWebsite("Website " + strconv.Itoa(i))
		version := s.Deployed(website, "index.html=<p>"+marker)
		album := s.Album("Album "+strconv.Itoa(i), l)
		cookie := s.SignIn(s.Member)
		file := "/api/v1/links/" + string(l.Slug) + "/file"
		minted := s.Status(s.Get(file, bearer), 302).Header.Get("Location")
		examined := s.Server.ContentURL.String() + "/c/" +
			s.Server.Signer.ExamineToken(l.ID, moderator.ID, s.Server.Now().Add(time.Minute)) + "/"
		doors := map[door]string{
			{"reader", "page"}:           "/p/" + string(l.Slug),
			{"reader", "text"}:           "/p/" + string(l.Slug) + ".md",
			{"reader", "embed"}:          "/p/" + string(l.Slug) + "/embed",
			{"reader", "download"}:       "/p/" + string(l.Slug) + "/download",
			{"reader", "content"}:        s.ContentAddress(l, "file"),
			{"reader", "part"}:           s.ContentAddress(l, "part/image"),
			{"reader", "rows"}:           s.ContentAddress(table, "rows/1"),
			{"reader", "captions"}:       s.ContentAddress(song, "captions/en"),
			{"reader", "entry"}:          s.ContentAddress(box, "entry/0"),
			{"reader", "entry download"}: s.ContentAddress(box, "entry/0/download"),
			{"reader", "album"}:          "/a/" + string(album.Slug) + "/download",
			{"reader", "website"}:        "",
			{"session", "thumb"}:         "/links/" + string(l.Slug) + "/analytics/pages/1",
			{"address", "original"}:      minted,
			{"key", "file"}:              file,
			{"moderator", "copy"}:        examined + "copy",
			{"moderator", "content"}:     examined + "file",
			{"moderator", "in a page"}:   examined + "examine",
		}
		for _, each := range []*vitrine.Link{l, box, song, table, version} {
			if c.name == "deleted" && each == version {
				s.Check(s.Server.Sites.Delete(t.Context(), s.Member, string(website.Slug)))
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
			var r webtest.Reply
			if d.name == "website" {
				r = s.Visit(website, "/")
			} else {
				r = s.Get(address, headers...)
			}
			if to := r.Header.Get("Location"); r.StatusCode == 302 {
				r = s.Get(to)
			}
			open := strings.Contains(" "+c.open+" ", " "+d.who+" ") || c.name == "protected" && d.name == "website"
			if has := strings.Contains(r.Text, marker); has != open || open != (r.StatusCode == 200) {
				t.Errorf("%s: the door %v answers %d, with the bytes: %t, want %t", c.name, d, r.StatusCode, has, open)
			}
		}
		if c.name == "account suspended" {
			s.Suspend(s.Member, false)
		}
	}
}
