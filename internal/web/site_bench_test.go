package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/auth"
)

// BenchmarkSite requests pages of the site, and for comparison the API's answer
// with the same numbers, compressed as browsers accept it and without a
// connection.
func BenchmarkSite(b *testing.B) {
	o := newReportSite(b)
	for i := range 200 {
		o.publish("notes.txt", fmt.Appendf(nil, "note %d", i))
	}
	h := o.server.Handler()
	slug := string(o.links["pages"].Slug)
	bearer := "Authorization: Bearer " + o.key
	for _, c := range []struct{ name, path, header string }{
		{"link report, API", "/api/v1/links/" + slug + "/analytics", bearer},
		{"link report, page", "/links/" + slug + "/analytics", o.cookie},
		{"link report, pulse", "/links/" + slug + "/analytics/pulse", o.cookie},
		{"account report, API", "/api/v1/analytics", bearer},
		{"account report, page", "/analytics", o.cookie},
		{"links, API", "/api/v1/links?limit=50", bearer},
		{"links, page", "/links", o.cookie},
		{"dashboard", "/dashboard", o.cookie},
		{"first page", "/", ""},
		{"API reference", "/docs/api", ""},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := httptest.NewRequest(http.MethodGet, c.path, nil)
			r.Header.Set("Accept-Encoding", "gzip")
			if name, value, ok := strings.Cut(c.header, ": "); ok {
				r.Header.Set(name, value)
			}
			b.ReportAllocs()
			var length int
			for b.Loop() {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if length = w.Body.Len(); w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
			b.ReportMetric(float64(length), "bytes")
		})
	}
}

// BenchmarkSignIn measures a sign-in with the right password and, for
// comparison, a request of a signed-in account. The hash should be nearly all
// of the cost.
func BenchmarkSignIn(b *testing.B) {
	d := newDesk(b)
	a := d.join("reader@example.org", vitrine.RoleMember)
	d.check(d.server.Accounts.SetPassword(b.Context(), a.Email, "a case of glass and oak"))
	cookie := d.signIn(a)
	b.Run("password", func(b *testing.B) {
		for b.Loop() {
			_, err := d.server.Sessions.SignInWithPassword(b.Context(), a.Email, "a case of glass and oak",
				auth.Client{})
			d.check(err)
		}
	})
	b.Run("session", func(b *testing.B) {
		for b.Loop() {
			_, err := d.server.Sessions.Authenticate(b.Context(), cookie[strings.Index(cookie, "=")+1:])
			d.check(err)
		}
	})
}
