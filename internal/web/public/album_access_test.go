package public_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/test/webtest"
)

// lockAlbum sets the password of an album.
func lockAlbum(s *webtest.Site, album *vitrine.Album, password string) {
	s.T.Helper()
	changeAlbum(s, album, access.Change{Password: &password})
}

// changeAlbum changes what readers of an album need.
func changeAlbum(s *webtest.Site, album *vitrine.Album, c access.Change) {
	s.T.Helper()
	s.Check(s.Server.Albums.SetAccess(s.T.Context(), s.Account, string(album.Slug), &c))
	f, err := s.Server.Albums.BySlug(s.T.Context(), s.Account, string(album.Slug))
	s.Check(err)
	*album = *f.Album
}

// enterAlbum sends a password to the gate of an album.
func enterAlbum(s *webtest.Site, album *vitrine.Album, password, from string) webtest.Reply {
	s.T.Helper()
	return s.Post("/a/"+string(album.Slug), url.Values{"password": {password}}, "X-Forwarded-For: "+from)
}

// TestPasswordOfAnAlbum follows readers to a protected album: each path to its
// files needs its pass, which opens the protected ones, also by their content
// addresses, and ends with the password.
func TestPasswordOfAnAlbum(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	s.Member = s.Account
	locked := s.Publish("Confidential.pdf", webtest.Samples["report.pdf"], webtest.Titled("Confidential"))
	s.Part(locked, vitrine.PartPicture, []byte("marker"))
	plain, limited := s.Publish("notes-plain.txt", []byte("marker")), s.Publish("notes-limited.txt", []byte("marker"))
	s.Protect(locked, "of the file")
	s.Limit(limited, 1)
	album, open := s.Album("Confidential album", locked, plain, limited), s.Album("Open", locked)
	here, file := "/a/"+string(album.Slug), "/p/"+string(locked.Slug)
	lockAlbum(s, album, "first")

	for _, path := range []string{here, here + "?sort=name", here + "/download"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			if gate := s.Status(s.Do(method, path, ""), 403); leaks(gate) || len(gate.Cookies()) != 0 {
				t.Errorf("%s %s shows something of the album: %v\n%.500s", method, path, gate.Header, gate.Text)
			}
		}
	}
	s.Status(enterAlbum(s, album, "wrong", "192.0.2.1"), 403)
	s.Status(s.Do("POST", here, "password=first", webtest.Form, "Sec-Fetch-Site: cross-site"), 403)
	right := s.Status(enterAlbum(s, album, "first", "192.0.2.1"), 303)
	if to := right.Header.Get("Location"); to != here {
		t.Errorf("the right password leads to %q", to)
	}
	pass := webtest.PassOf(right)
	if page := s.Status(s.Get(here, pass), 200); strings.Count(page.Text, ">Protected file<") != 1 || // the limited one
		!strings.Contains(page.Text, ">Confidential<") || !strings.Contains(page.Text, file+"/picture") {
		t.Errorf("with a pass, the album shows\n%s", page.Text)
	}
	if _, files := s.Unzipped(s.Status(s.Get(here+"/download", pass), 200).Text); files["Confidential.pdf"] == "" ||
		files["notes-plain.txt"] == "" || files["notes-limited.txt"] != "" {
		t.Errorf("with a pass, the ZIP has %v", files)
	}
	for _, path := range []string{"", "/download", "/picture", "/embed", "/qr.svg"} {
		s.Status(s.Get(file+path, pass), 200)
		s.Status(s.Get(file+path), 403)
	}
	content := s.ContentOf(s.Get(file, pass).Text)
	s.Status(s.Get(content, "Sec-Fetch-Dest: iframe"), 200)

	// Nothing else opens: another album, another link, and no limit of readers
	// is passed without a place.
	if page := s.Status(s.Get("/a/"+string(open.Slug)), 200); !strings.Contains(page.Text, "Protected file") {
		t.Error("an open album shows a protected file")
	}
	s.Status(s.Get("/p/"+string(limited.Slug)+"/download", pass), 403)
	foreign := s.Publish("foreign.txt", []byte("marker"))
	s.Protect(foreign, "foreign")
	s.Status(s.Get("/p/"+string(foreign.Slug), pass), 403)
	other := webtest.PassOf(s.Status(s.Enter(foreign, "foreign", "192.0.2.1"), 303))
	name, value := pass[:strings.IndexByte(pass, '=')], other[strings.IndexByte(other, '='):]
	s.Status(s.Get(here, name+value), 403)
	s.Status(s.Get(here, other), 403)
	s.Status(s.Get("/p/"+string(plain.Slug)), 200) // it is open at its own address

	lockAlbum(s, album, "second")
	for _, address := range []string{here, here + "/download", file, file + "/download", content} {
		s.Status(s.Get(address, pass, "Sec-Fetch-Dest: iframe"), 403)
	}
	pass = webtest.PassOf(s.Status(enterAlbum(s, album, "second", "192.0.2.1"), 303))
	s.Status(s.Get(file, pass), 200)
	s.Check(s.Server.Albums.Remove(t.Context(), s.Account, string(album.Slug), string(locked.Slug)))
	s.Status(s.Get(file, pass), 403)
	s.Status(s.Get(here, s.SignIn(s.Account)), 200)
	lockAlbum(s, album, "")
	if r := s.Status(s.Get(here), 200); len(r.Cookies()) != 0 {
		t.Errorf("an open album sets %v", r.Cookies())
	}
	s.Status(enterAlbum(s, album, "any", "192.0.2.1"), 303)
	s.Status(s.Post("/a/nowhere", url.Values{}), 404)
}

// TestAlbumPasswordTries checks that wrong passwords of an album are limited by
// network, and that the right one gets in from another network.
func TestAlbumPasswordTries(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	s.Member = s.Account
	album := s.Album("Album", s.Publish("notes.txt", []byte("the text")))
	lockAlbum(s, album, "right")
	for range 5 {
		s.Status(enterAlbum(s, album, "wrong", "192.0.2.7"), 403)
	}
	if late := s.Status(enterAlbum(s, album, "right", "192.0.2.8"), 429); late.Header.Get("Retry-After") == "" {
		t.Error("after too many tries, no time is given")
	}
	s.Status(enterAlbum(s, album, "right", "198.51.100.7"), 303)
}

// TestAlbumTransferEndsWithThePassword checks that a running ZIP of an album
// ends when its password changes.
func TestAlbumTransferEndsWithThePassword(t *testing.T) {
	s := webtest.NewSite(t)
	s.Server.RecheckEvery = 10 * time.Millisecond
	s.Member = s.Account
	ended := webtest.Endings(s, "/download")
	album := s.Album("Album", s.Publish("notes.txt", bytes.Repeat([]byte("words and words\n"), 4<<20)))
	lockAlbum(s, album, "first")
	pass := webtest.PassOf(s.Status(enterAlbum(s, album, "first", "192.0.2.1"), 303))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/a/"+string(album.Slug)+"/download", nil)
	s.Check(err)
	req.Header.Set("Cookie", strings.TrimPrefix(pass, "Cookie: "))
	res, err := http.DefaultClient.Do(req)
	s.Check(err)
	defer res.Body.Close()
	if _, err := io.ReadFull(res.Body, make([]byte, 1000)); err != nil || res.StatusCode != 200 {
		t.Fatal(res.Status, err)
	}
	lockAlbum(s, album, "second")
	ended() // only the server ends it, because the reader waits
	if n, err := io.Copy(io.Discard, res.Body); err == nil {
		t.Errorf("the transfer went on for %d bytes, to its end", n)
	}
}
