package public_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/audit"
	"vitrine/internal/app/export"
	"vitrine/internal/test/webtest"
)

// TestEmailGateOfAnAlbum follows a reader through the email gate of an album,
// with the code and with the address in the mail. The pass opens the protected
// files of the album and ends with the lists. Who confirmed an address is on a
// page of the owner, in the export, and gone with the album.
func TestEmailGateOfAnAlbum(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	s.Member = s.Account
	post := s.Gatekeeper()
	locked := s.Publish("Confidential.pdf", webtest.Samples["report.pdf"], webtest.Titled("Confidential"))
	s.Protect(locked, "of the file")
	album := s.Album("Confidential album", locked)
	here, file := "/a/"+string(album.Slug), "/p/"+string(locked.Slug)
	changeAlbum(s, album, access.Change{Email: &access.Email{Allow: []string{"example.com"}, Consent: "I keep it."}})

	for _, path := range []string{here, here + "/download"} {
		gate := s.Status(s.Get(path), 403)
		for _, has := range []string{`type="email"`, "I keep it.", "owner of the album sees"} {
			if !strings.Contains(gate.Text, has) {
				t.Errorf("the gate at %s is without %q\n%s", path, has, gate.Text)
			}
		}
		if leaks(gate) || len(gate.Cookies()) != 0 {
			t.Errorf("the gate at %s shows something of the album, or sets %v", path, gate.Cookies())
		}
	}
	send := func(from string, f url.Values) webtest.Reply { return s.Post(here, f, "X-Forwarded-For: "+from) }
	ask := func(email string) string {
		asked := webtest.AskedIn(s.Status(send("192.0.2.1", url.Values{"email": {email}, "agree": {"yes"}}), 403))
		if asked == "" {
			t.Fatalf("the gate asks %s for no code", email)
		}
		return asked
	}
	s.Status(send("192.0.2.1", url.Values{"email": {"ann@example.com"}}), 403) // does not agree
	ask("eve@example.org")
	asked := ask("ann@example.com")
	mails := post.To("ann@example.com")
	if len(mails) != 1 || len(post.To("eve@example.org")) != 0 || strings.Contains(mails[0].Text, "onfidential") {
		t.Fatalf("mails: %q", mails)
	}
	for i := range 5 {
		s.Status(send("198.51.100.1", url.Values{"asked": {asked}, "code": {fmt.Sprintf("12345%d", i)}}), 403)
	}
	code := url.Values{"asked": {asked}, "code": {mails[0].Code()}}
	if late := s.Status(send("198.51.100.1", code), 429); late.Header.Get("Retry-After") == "" {
		t.Error("after too many wrong codes, no time is given")
	}
	right := s.Status(send("192.0.2.1", code), 303)
	if to := right.Header.Get("Location"); to != here {
		t.Errorf("the code leads to %q", to)
	}
	pass := webtest.PassOf(right)
	for _, path := range []string{here, here + "/download", file, file + "/download"} {
		s.Status(s.Get(path, pass), 200)
		s.Status(s.Get(path), 403)
	}
	content := s.ContentOf(s.Get(file, pass).Text)
	s.Status(s.Get(content, "Sec-Fetch-Dest: iframe"), 200)

	address := mails[0].Address()
	if at, _, _ := strings.Cut(address, "?"); at != here {
		t.Fatalf("the mail has the address %q", address)
	}
	if r := s.Status(s.Get(address), 403); len(r.Cookies()) != 0 || !strings.Contains(r.Text, "ann@example.com") {
		t.Errorf("the address in the mail answers\n%s", r.Text)
	}
	_, mailed, _ := strings.Cut(address, "=")
	other := webtest.PassOf(s.Status(send("203.0.113.9", url.Values{"mailed": {mailed}}), 303))
	s.Status(s.Get(file, other), 200)
	if r := s.Status(s.Get(address, other), 303); r.Header.Get("Location") != here {
		t.Errorf("with a pass, the address in the mail leads to %q", r.Header.Get("Location"))
	}
	counts, err := s.Server.Gates.Counts(t.Context(), album.Door().ID)
	s.Check(err)
	if counts.Passed != 2 || counts.Shown == 0 {
		t.Errorf("the gate counts %+v", counts)
	}

	owner, list := s.SignIn(s.Account), "/albums/"+string(album.Slug)+"/readers"
	if page := s.Status(s.Get(list, owner), 200); strings.Count(page.Text, "<b>ann@example.com</b>") != 1 ||
		!strings.Contains(page.Text, "Agreed to: I keep it.") {
		t.Errorf("who confirmed an address:\n%s", page.Text)
	}
	stranger, _, err := s.Server.Accounts.Create(t.Context(), "bob@example.org", vitrine.PlanPro)
	s.Check(err)
	readers, err := s.Server.Gates.Readers(t.Context(), album.Door(), 0, 1)
	s.Check(err)
	row := url.Values{"reader": {fmt.Sprint(readers[0].ID)}}
	s.Status(s.Get(list, s.SignIn(stranger)), 404)
	s.Status(s.Post(list+"/delete", row, s.SignIn(stranger)), 404)
	if table := exportedReaders(s); !strings.Contains(table, ",ann@example.com,") ||
		!strings.Contains(table, ",I keep it.,"+string(album.Slug)) {
		t.Errorf("readers.csv: %s", table)
	}
	s.Status(s.Post(list+"/delete", row, owner), 303)
	if page := s.Status(s.Get(list, owner), 200); strings.Contains(page.Text, "ann@example.com") {
		t.Error("a deleted reader is listed")
	}
	s.Status(s.Get(file, pass), 200) // the pass stays

	changeAlbum(s, album, access.Change{Email: &access.Email{Deny: []string{"ann@example.com"}}})
	for _, path := range []string{here, here + "/download", file, content} {
		s.Status(s.Get(path, pass, "Sec-Fetch-Dest: iframe"), 403)
	}
	s.Status(send("192.0.2.1", code), 403)
	asked = ask("carl@example.com")
	s.Status(send("192.0.2.1", url.Values{"asked": {asked}, "code": {post.To("carl@example.com")[0].Code()}}), 303)
	s.Check(s.Server.Gates.WriteCounts(t.Context()))
	audited(s)
	s.Check(s.Server.Albums.Delete(t.Context(), s.Account, string(album.Slug)))
	audited(s)
	s.Status(send("192.0.2.1", code), 404)
}

// exportedReaders returns readers.csv of the export of the site's account.
func exportedReaders(s *webtest.Site) string {
	s.T.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	e := export.Exporter{Store: s.Server.Links.Store, Blobs: s.Server.Uploads.Blobs, Analytics: s.Server.Analytics,
		Events: s.Server.Events, Now: s.Server.Now, URL: func(l vitrine.Slug) string { return s.URL + "/p/" + string(l) }}
	s.Check(e.Write(s.T.Context(), s.Account, z))
	s.Check(z.Close())
	read, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	s.Check(err)
	table, err := fs.ReadFile(read, "readers.csv")
	s.Check(err)
	return string(table)
}

// audited checks that the audit of the store finds no fault.
func audited(s *webtest.Site) {
	s.T.Helper()
	a := &audit.Checker{Store: s.Server.Links.Store, Blobs: s.Server.Uploads.Blobs, Log: s.Log, Now: s.Server.Now}
	s.Check(a.Run(s.T.Context(), func(fault string) { s.T.Errorf("audit: %s", fault) }))
}

// TestLimitOfAnAlbum checks that an album with a limit of one is used up by one
// person who reads one of its files, and by no program; that what needs a pass
// of the album needs a place; and that reading without scripts is bounded.
func TestLimitOfAnAlbum(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	s.Member = s.Account
	locked, plain := s.Publish("Confidential.pdf", webtest.Samples["report.pdf"]), s.Publish("notes-plain.txt", []byte("marker"))
	s.Protect(locked, "of the file")
	album := s.Album("Confidential album", locked, plain)
	here, file := "/a/"+string(album.Slug), "/p/"+string(locked.Slug)
	limit := func(n int) { t.Helper(); changeAlbum(s, album, access.Change{Readers: &n}) }
	left := func(what string, want int64) {
		t.Helper()
		if got := s.Left(album.Door()); got != want {
			t.Errorf("%s: %d more may open the album, want %d", what, got, want)
		}
	}
	limit(1)
	shown := 0
	for range 50 {
		if r := s.Status(s.Do(http.MethodHead, here, ""), 200); len(r.Cookies()) != 0 || r.Text != "" {
			t.Fatalf("HEAD gets %v and %q", r.Cookies(), r.Text)
		}
		for _, program := range programs {
			switch r := s.Get(here, program); {
			case r.StatusCode == 200:
				shown++
			case r.StatusCode != 403 || r.Header.Get("Retry-After") == "":
				t.Fatalf("%s gets %d", program, r.StatusCode)
			}
		}
	}
	s.Ahead.Add(int64(2 * time.Hour))
	if left("after programs", 1); shown != 20 {
		t.Errorf("programs see the page %d times, want 20", shown)
	}
	if r := s.Status(s.Get(here+"/download"), 403); !strings.Contains(r.Text, "Open the album first") || leaks(r) {
		t.Errorf("the ZIP without a place\n%s", r.Text)
	}
	page := s.Status(s.Get(here), 200)
	pass := webtest.PassOf(page)
	if !strings.Contains(page.Text, ">Confidential<") || strings.Contains(page.Text, "Protected file") {
		t.Errorf("who gets a place sees\n%s", page.Text)
	}
	s.Status(s.Get(file), 403)
	s.Status(s.Get(here+"/download", pass), 200)
	read := s.Status(s.Get(file, pass), 200)
	s.Ahead.Add(int64(2 * time.Second))
	s.ReadFor(read, 900, pass)
	left("after 900 ms", 1)
	s.ReadFor(read, 1500, pass)
	left("after a person", 0)
	if late := s.Status(s.Get(here), 410); len(late.Cookies()) != 0 || leaks(late) {
		t.Errorf("who is too late gets %v\n%s", late.Cookies(), late.Text)
	}
	for _, path := range []string{here, here + "/download", file, file + "/download"} {
		if r := s.Status(s.Get(path, pass), 200); len(r.Cookies()) != 0 {
			t.Errorf("a reader who comes again to %s gets %v", path, r.Cookies())
		}
	}
	if r := s.Status(s.Get(here, s.SignIn(s.Account)), 200); len(r.Cookies()) != 0 {
		t.Errorf("the owner gets %v", r.Cookies())
	}
	limit(2)
	left("with one more", 1)
	second := s.Status(s.Get(here), 200)
	open := s.Status(s.Get("/p/"+string(plain.Slug), webtest.PassOf(second)), 200)
	s.Ahead.Add(int64(2 * time.Second))
	s.ReadFor(open, 1500, webtest.PassOf(second)) // an open file is one of the album's, too
	left("after two", 0)
	audited(s)

	// What fetches without scripts counts after an hour, as the page does.
	limit(0)
	limit(3)
	left("counted anew", 3)
	s.Status(s.Get(file, pass), 403)
	got := 0
	for range 60 {
		if r := s.Get(here); r.StatusCode == 200 {
			got++
		} else if r.StatusCode != 403 || r.Header.Get("Retry-After") == "" {
			t.Fatalf("the page without a place: %d", r.StatusCode)
		}
	}
	if got != 20 {
		t.Errorf("a loop got the page %d times, want 20", got)
	}
	s.Ahead.Add(int64(time.Hour + time.Second))
	left("after an hour", 0)
	s.Status(s.Get(here), 410)

	// With a password, only who knows it takes a place, and a new one ends it.
	lockAlbum(s, album, "first")
	for range 30 {
		s.Status(s.Get(here), 403)
	}
	entered := webtest.PassOf(s.Status(enterAlbum(s, album, "first", "192.0.2.1"), 303))
	s.Status(s.Get(here+"/download", entered), 403)
	s.Status(s.Get(file, entered), 403)
	placed := webtest.PassOf(s.Status(s.Get(here, entered), 200))
	content := s.ContentOf(s.Status(s.Get(file, placed), 200).Text)
	s.Status(s.Get(content, "Sec-Fetch-Dest: iframe"), 200)
	lockAlbum(s, album, "second")
	s.Status(s.Get(content, "Sec-Fetch-Dest: iframe"), 403)
	s.Check(s.Server.Albums.Delete(t.Context(), s.Account, string(album.Slug)))
	audited(s)
}
