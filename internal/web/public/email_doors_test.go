package public_test

import (
	"net/http"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/test/webtest"
)

// TestDoorsOfAnEmailGate checks every address of a link with an email gate,
// before and after its list changes: for nobody, with a pass of each time, and
// for the owner. An answer without a pass reveals nothing of the file.
func TestDoorsOfAnEmailGate(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	post := s.Gatekeeper()
	l := s.Publish("Confidential.zip", webtest.Packed(t, "notes.txt=marker"), webtest.Titled("Confidential"))
	s.Part(l, vitrine.PartEntries, []byte(`{"entries":[{"name":"notes.txt","size":6}],"total":1}`))
	s.Part(l, vitrine.PartPicture, []byte("marker"))
	here := "/p/" + string(l.Slug)
	enter := func(email string) string {
		asked := s.AskCode(l, email, "192.0.2.1")
		return webtest.PassOf(s.Status(s.SendCode(l, asked, post.To(email)[0].Code(), "192.0.2.1"), 303))
	}
	owner, passes, tokens := s.SignIn(s.Account), map[string]string{}, map[string]string{"open": s.ContentAddress(l, "")}
	check := func(now string) {
		t.Helper()
		passes[now], tokens[now] = enter(now+"@example.com"), s.ContentAddress(l, "")
		for _, path := range []string{"", "/embed", "/picture", "/download", "/qr.svg", "/qr.png"} {
			for who, header := range map[string]string{"nobody": "X-Nothing: 1", "first": passes["first"],
				"second": passes["second"], "owner": owner} {
				if header == "" {
					continue // it does not exist yet
				}
				want := 403
				if who == now || who == "owner" {
					want = 200
				}
				for _, method := range []string{http.MethodGet, http.MethodHead} {
					if r := s.Status(s.Do(method, here+path, "", header), want); want == 403 && leaks(r) {
						t.Errorf("%s sees something of the file by %s %q: %v\n%.500s", who, method, path, r.Header, r.Text)
					}
				}
			}
		}
		for _, path := range []string{"file", "part/picture", "entry/0", "entry/0/bytes", "entry/0/download"} {
			for of, token := range tokens {
				if r := s.Get(token + path); (r.StatusCode == 403) == (of == now) || of != now && leaks(r) {
					t.Errorf("with the list %s, an address of %s%s answers %d\n%.300s", now, of, path, r.StatusCode, r.Text)
				}
			}
		}
	}
	s.AskEmail(l, access.Email{Allow: []string{"first@example.com"}})
	check("first")
	s.AskEmail(l, access.Email{Allow: []string{"second@example.com"}})
	check("second")

	other := s.Publish("other.txt", []byte("another"))
	s.AskEmail(other, access.Email{})
	asked := s.AskCode(l, "second@example.com", "192.0.2.1")
	if r := s.SendCode(other, asked, post.To("second@example.com")[1].Code(), "192.0.2.1"); r.StatusCode != 403 {
		t.Errorf("a code of another link: %d", r.StatusCode)
	}
	s.Status(s.Get("/p/"+string(other.Slug), strings.ReplaceAll(passes["second"], "vitrine-pass-", "vitrine-pass-x")), 403)
	if page := s.Status(s.Get("/p/"+string(other.Slug), passes["second"]), 403); strings.Contains(page.Text, "another") {
		t.Error("a pass of another link opens it")
	}
}
