package public_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/test/webtest"
)

// TestPasswordOfALink follows a reader to a protected link and past its gate.
func TestPasswordOfALink(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	l := s.Publish("quarterly-secret.txt", []byte("the text"), webtest.Titled("Quarterly secret"))
	other := s.Publish("other.txt", []byte("another"))
	here := "/p/" + string(l.Slug)
	if r := s.Status(s.Get(here), 200); len(r.Cookies()) != 0 {
		t.Errorf("an open link sets %v", r.Cookies())
	}
	s.Protect(l, "open sesame")
	s.Protect(other, "other")
	before := len(s.Views(l))

	gate := s.Status(s.Get(here+"?utm_source=LinkedIn"), 403)
	for _, leak := range []string{"uarterly", "secret.txt", "og:", "oembed", "TXT", "bytes"} {
		if strings.Contains(gate.Text, leak) {
			t.Errorf("the gate has %q", leak)
		}
	}
	for _, name := range []string{"ETag", "Last-Modified", "Content-Disposition", "Accept-Ranges"} {
		if v := gate.Header.Get(name); v != "" {
			t.Errorf("the gate has %s: %s", name, v)
		}
	}
	for _, has := range []string{"Report abuse", here + "/report", here + "?utm_source=LinkedIn"} {
		if !strings.Contains(gate.Text, has) {
			t.Errorf("the gate has no %q", has)
		}
	}
	if c := gate.Cookies(); len(c) != 0 {
		t.Errorf("the gate sets %v", c)
	}

	s.Status(s.Enter(l, "wrong", "192.0.2.1"), 403)
	right := s.Status(s.Enter(l, "open sesame", "192.0.2.1"), 303)
	if to := right.Header.Get("Location"); to != here {
		t.Errorf("a right password leads to %q", to)
	}
	c := right.Cookies()[0]
	if len(right.Cookies()) != 1 || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" {
		t.Errorf("the pass is %v", right.Cookies())
	}
	pass := webtest.PassOf(right)
	page := s.Status(s.Get(here, pass), 200)
	if !strings.Contains(page.Text, "Quarterly secret") {
		t.Error("the page has no title")
	}
	s.Status(s.Get("/p/"+string(other.Slug), pass), 403) // of another link
	s.Status(s.Get(here, "Cookie: "+c.Name+"=1.2.3"), 403)
	foreign := s.Enter(other, "other", "192.0.2.1").Cookies()[0]
	s.Status(s.Get(here, "Cookie: "+c.Name+"="+foreign.Value), 403)
	if n := len(s.Views(l)); n != before+1 {
		t.Errorf("the log has %d views, want %d: a gate is none", n, before+1)
	}

	s.Protect(l, "open sesame") // the same one, set again
	s.Status(s.Get(here, pass), 403)
	s.Status(s.Get(here, webtest.PassOf(s.Enter(l, "open sesame", "192.0.2.9"))), 200)
	s.Protect(l, "")
	if r := s.Status(s.Get(here), 200); len(r.Cookies()) != 0 {
		t.Errorf("an open link sets %v", r.Cookies())
	}
	if own := s.Status(s.Get(here, s.SignIn(s.Account)), 200); !strings.Contains(own.Text, "Quarterly") {
		t.Error("the owner does not see the page")
	}
}

// TestDoorsOfAProtectedLink checks every address of a protected link: without a
// pass, with one, with one of before the password changed, and for its owner.
// An answer without a pass reveals nothing of the file.
func TestDoorsOfAProtectedLink(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	l := s.Publish("Confidential.zip", webtest.Packed(t, "notes.txt=marker"), webtest.Titled("Confidential"))
	s.Part(l, vitrine.PartEntries, []byte(`{"entries":[{"name":"notes.txt","size":6}],"total":1}`))
	s.Part(l, vitrine.PartPicture, []byte("marker"))
	s.Part(l, vitrine.PartThumbs, webtest.Packed(t, "1.jpg=marker"))
	address := "/p/" + string(l.Slug)
	open := s.ContentAddress(l, "")
	s.Protect(l, "first")
	old := webtest.PassOf(s.Enter(l, "first", "192.0.2.1"))
	first := s.ContentAddress(l, "")
	s.Protect(l, "second")
	pass := webtest.PassOf(s.Enter(l, "second", "192.0.2.1"))
	owner := s.SignIn(s.Account)
	secret, err := (&analytics.Sharing{Store: s.Server.Links.Store, Signer: s.Server.Signer, Now: s.Server.Now}).
		Create(t.Context(), s.Account, l, analytics.SharedOptions{Label: "all"})
	s.Check(err)

	for _, path := range []string{"", "/embed", "/picture", "/download", "/qr.svg", "/qr.png"} {
		for _, c := range []struct {
			who    string
			header string
			want   int
		}{{"nobody", "X-Nothing: 1", 403}, {"an earlier pass", old, 403}, {"a pass", pass, 200},
			{"the owner", owner, 200}} {
			r := s.Status(s.Get(address+path, c.header), c.want)
			head := s.Status(s.Do(http.MethodHead, address+path, "", c.header), c.want)
			if c.want == 403 && (leaks(r) || leaks(head)) {
				t.Errorf("%s sees something of the file at %q: %v\n%.500s", c.who, path, r.Header, r.Text)
			}
		}
	}
	second := s.ContentAddress(l, "")
	for _, path := range []string{"file", "part/picture", "entry/0", "entry/0/bytes", "entry/0/download", "preview"} {
		for address, opens := range map[string]bool{open: false, first: false, second: true} {
			if r := s.Get(address + path); (r.StatusCode == 403) == opens || !opens && leaks(r) {
				t.Errorf("%s%s answers %d, opens: %t\n%.300s", address, path, r.StatusCode, opens, r.Text)
			}
		}
	}
	s.Status(s.Get("/oembed?url="+url.QueryEscape(s.URL+address), pass), 404)
	report := s.Status(s.Get(address+"/report"), 200)
	if leaks(report) {
		t.Error("the form that reports a link shows something of the file")
	}
	s.Status(s.Post(address+"/report", url.Values{"reason": {string(vitrine.AbuseMalware)}}), 200)
	thumb := "/r/" + secret + "/pages/1"
	s.Status(s.Get(thumb), 403)
	s.Status(s.Get(thumb, pass), 200)
	s.Status(s.Get("/r/"+secret), 200)
}

// leaks reports whether an answer reveals something of the file of
// TestDoorsOfAProtectedLink.
func leaks(r webtest.Reply) bool {
	for _, name := range []string{"ETag", "Content-Disposition", "Accept-Ranges", "Location"} {
		if r.Header.Get(name) != "" {
			return true
		}
	}
	for _, text := range []string{"onfidential", "marker", "ZIP", "zip", "notes"} {
		if strings.Contains(r.Text, text) {
			return true
		}
	}
	return false
}

// TestWrongPasswords checks that wrong passwords are limited by network and
// link, that right ones are not counted, and that a reader from another network
// gets in.
func TestWrongPasswords(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	l := s.Publish("notes.txt", []byte("the text"))
	other := s.Publish("other.txt", []byte("another"))
	s.Protect(l, "right")
	s.Protect(other, "right")
	for range 12 {
		s.Status(s.Enter(l, "right", "192.0.2.7"), 303)
	}
	for i := range 5 {
		s.Status(s.Enter(l, fmt.Sprint("wrong", i), "192.0.2.7"), 403)
	}
	late := s.Status(s.Enter(l, "right", "192.0.2.8"), 429) // of the same network
	if wait := late.Header.Get("Retry-After"); wait == "" || !strings.Contains(late.Text, "Try again in") {
		t.Errorf("Retry-After is %q, in a page\n%.800s", wait, late.Text)
	}
	s.Status(s.Enter(l, "right", "198.51.100.7"), 303)
	s.Status(s.Enter(other, "right", "192.0.2.7"), 303)
	s.Ahead.Add(int64(16 * time.Minute))
	s.Status(s.Enter(l, "right", "192.0.2.7"), 303)
}

// TestTransferEndsWithThePassword checks that a running transfer ends when the
// password changes, from the page and from the content origin.
func TestTransferEndsWithThePassword(t *testing.T) {
	s := webtest.NewSite(t)
	s.Server.RecheckEvery = 10 * time.Millisecond
	downloaded, sent := webtest.Endings(s, "/download"), webtest.Endings(s, "/file")
	l := s.Publish("notes.txt", bytes.Repeat([]byte("words and words\n"), 4<<20)) // more than buffers hold
	s.Protect(l, "first")
	pass := webtest.PassOf(s.Enter(l, "first", "192.0.2.1"))
	var bodies []io.ReadCloser
	for _, address := range []string{s.URL + "/p/" + string(l.Slug) + "/download", s.ContentAddress(l, "file")} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		s.Check(err)
		req.Header.Set("Cookie", strings.TrimPrefix(pass, "Cookie: "))
		res, err := http.DefaultClient.Do(req)
		s.Check(err)
		defer res.Body.Close()
		if _, err := io.ReadFull(res.Body, make([]byte, 1000)); err != nil || res.StatusCode != 200 {
			t.Fatal(res.Status, err)
		}
		bodies = append(bodies, res.Body)
	}
	s.Protect(l, "second")
	downloaded() // only the server ends them, because the readers wait
	sent()
	for _, body := range bodies {
		if n, err := io.Copy(io.Discard, body); err == nil {
			t.Errorf("the transfer went on for %d bytes, to its end", n)
		}
	}
}

// TestPassesOfABrowser checks that a browser keeps a bounded number of passes,
// because it sends all of them with each request.
func TestPassesOfABrowser(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", []byte("the text"))
	s.Protect(l, "right")
	var cookies []string
	for i := range 25 {
		cookies = append(cookies, fmt.Sprintf("vitrine-pass-%016d=%s.x", i, "rzzzz"+string(rune('a'+i))))
	}
	r := s.Status(s.Enter(l, "right", "192.0.2.1", "Cookie: "+strings.Join(cookies, "; ")), 303)
	var removed []string
	for _, c := range r.Cookies() {
		if c.MaxAge < 0 {
			removed = append(removed, c.Name)
		}
	}
	if len(removed) != 6 || removed[0] != "vitrine-pass-0000000000000000" ||
		removed[5] != "vitrine-pass-0000000000000005" {
		t.Errorf("of 25 passes and a new one, the oldest are removed: %v", removed)
	}
}

// TestPassOverTLS checks the cookie of an instance with TLS.
func TestPassOverTLS(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", []byte("the text"))
	s.Protect(l, "right")
	s.Server.PublicURL = &url.URL{Scheme: "https", Host: s.Server.PublicURL.Host}
	c := s.Enter(l, "right", "192.0.2.1").Cookies()[0]
	if !strings.HasPrefix(c.Name, "__Host-vitrine-pass-") || !c.Secure || c.Path != "/" || c.Domain != "" ||
		!c.HttpOnly {
		t.Errorf("the pass is %v", c)
	}
}

// TestProtectedInAlbum checks that an open album shows a lock for a protected
// link, and that its ZIP says what it is without.
func TestProtectedInAlbum(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("Confidential.zip", webtest.Packed(t, "notes.txt=marker"), webtest.Titled("Confidential"))
	plain := s.Publish("plain.txt", []byte("a plain text"))
	s.Protect(l, "right")
	s.Member = s.Account
	album := s.Album("Album", l, plain)
	here := "/a/" + string(album.Slug)
	page := s.Status(s.Get(here), 200)
	if strings.Contains(page.Text, "onfidential") || !strings.Contains(page.Text, "Protected file") {
		t.Errorf("the album shows\n%s", page.Text)
	}
	_, files := s.Unzipped(s.Status(s.Get(here+"/download"), 200).Text)
	if _, has := files["Confidential.zip"]; has || len(files) != 2 ||
		!strings.Contains(files["Protected files.txt"], ": 1.") {
		t.Errorf("the ZIP has %v", files)
	}
	pass := webtest.PassOf(s.Enter(l, "right", "192.0.2.1"))
	if page := s.Status(s.Get(here, pass), 200); !strings.Contains(page.Text, "Confidential") {
		t.Error("with a pass, the album does not show the file")
	}
	if _, files := s.Unzipped(s.Status(s.Get(here+"/download", pass),
		200).Text); len(files) != 2 || files["Confidential.zip"] == "" {
		t.Errorf("with a pass, the ZIP has %d files", len(files))
	}
}

// TestAccessAPI sets, reads and removes the password of a link by the API, and
// checks bad input.
func TestAccessAPI(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.Fields{"name": "notes.txt", "type": "text/plain", "size": 5}, "hello")
	path := "/links/" + slug
	if a := f.Call(key, "GET", path, nil).Want(200, ""); a.JSON()["access"] != nil {
		t.Errorf("an open link has access %v", a.JSON()["access"])
	}
	tag := f.Call(key, "GET", path, nil).Header.Get("ETag")
	password := func(v any) map[string]any { return map[string]any{"access": map[string]any{"password": v}} }
	for _, good := range []string{"a", strings.Repeat("x", 1024), "Zoë ☂ pass phrase"} {
		a := f.Call(key, "PATCH", path, password(good)).Want(200, "")
		if got := fmt.Sprint(a.JSON()["access"]); got != "map[gate:map[passed:0 shown:0] password:true]" ||
			strings.Contains(string(a.Body), good) && good != "a" {
			t.Errorf("after a password, the link is %s", a.Body)
		}
	}
	if now := f.Call(key, "GET", path, nil).Header.Get("ETag"); now == tag {
		t.Error("a new password does not change the ETag")
	}
	for _, bad := range []struct {
		body  any
		field string
	}{
		{password(""), "access.password"},
		{password(strings.Repeat("x", 1025)), "access.password"},
		{password("a\x00b"), "access.password"},
		{password("a\nb"), "access.password"},
		{password(true), "access.password"},
		{password(5), "access.password"},
		{map[string]any{"access": true}, "access"},
		{map[string]any{"access": map[string]any{"pasword": "x"}}, "access.pasword"},
	} {
		if a := f.Call(key, "PATCH", path, bad.body).Want(400, "invalid_request"); a.Text("field") != bad.field {
			t.Errorf("%v: field %q, want %q", bad.body, a.Text("field"), bad.field)
		}
	}
	if a := f.Call(key, "PATCH", path, password(nil)).Want(200, ""); a.JSON()["access"] == nil {
		t.Error("null removed the password")
	}
	f.Call(key, "PATCH", path, password("x")).Want(200, "")
	if r := f.Get("/p/" + slug); r.StatusCode != 403 {
		t.Errorf("a protected link answers %d", r.StatusCode)
	}
	file := f.Call(key, "GET", path+"/file", nil) // the owner gets it with the key, and no address of it
	if file.Status != 200 || file.Header.Get("Location") != "" {
		t.Errorf("the file of a protected link: %d, at %q", file.Status, file.Header.Get("Location"))
	}
	if a := f.Call(key, "PATCH", path, password(false)).Want(200, ""); a.JSON()["access"] != nil {
		t.Errorf("after false, the link has access %v", a.JSON()["access"])
	}
	f.Status(f.Get("/p/"+slug), 200)
}
