package web_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/links"
	"vitrine/internal/test/webtest"
)

// apiBench returns a link in a fixture for benchmarks, and a function that
// sends requests directly to its router.
func apiBench(b *testing.B) (key, slug string, ask func(method, path, body string) int) {
	f := webtest.NewFixture(b)
	key = f.Account(vitrine.PlanPro)
	slug = f.Published(key, webtest.NoteFile, webtest.Note)
	h := f.Server.Handler()
	return key, slug, func(method, path, body string) int {
		r := httptest.NewRequest(method, f.Server.PublicURL.String()+path, bytes.NewReader([]byte(body)))
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
}

// BenchmarkLinkAPI measures reading and changing a link through the router,
// with SQLite on a disk.
func BenchmarkLinkAPI(b *testing.B) {
	_, slug, ask := apiBench(b)
	b.Run("GET", func(b *testing.B) {
		for b.Loop() {
			if status := ask("GET", "/api/v1/links/"+slug, ""); status != http.StatusOK {
				b.Fatal(status)
			}
		}
	})
	b.Run("PATCH", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			if status := ask("PATCH", "/api/v1/links/"+slug,
				fmt.Sprintf(`{"title":"%d"}`, n)); status != http.StatusOK {
				b.Fatal(status)
			}
		}
	})
	b.Run("agent", func(b *testing.B) { // the same GET as the call of a tool
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_link","arguments":{"slug":%q}}}`, slug)
		for b.Loop() {
			if status := ask("POST", "/mcp", call); status != http.StatusOK {
				b.Fatal(status)
			}
		}
	})
}

// BenchmarkPage loads the page of a link repeatedly, without a connection and
// with a log that writes nothing.
func BenchmarkPage(b *testing.B) {
	s := webtest.NewSiteWith(b,
		webtest.SiteOptions{ViewLog: webtest.SilentLog})
	h := s.Server.Handler()
	for _, file := range []string{"notes.txt", "report.pdf"} {
		l := s.Publish(file, webtest.Samples[file])
		for _, coding := range []string{"identity", "gzip, deflate, br, zstd"} {
			b.Run(file+"/"+coding[:4], func(b *testing.B) {
				r := httptest.NewRequest(http.MethodGet, "/p/"+string(l.Slug), nil)
				r.Header.Set("User-Agent", webtest.Desktop)
				r.Header.Set("Referer", "https://news.ycombinator.com/")
				r.Header.Set("Accept-Encoding", coding)
				measure(b, h, r)
			})
		}
	}
}

// measure times the answer of a handler to a request, without a connection.
func measure(b *testing.B, h http.Handler, r *http.Request) {
	b.Helper()
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
}

// BenchmarkSite requests pages of the site, and for comparison the API's answer
// with the same numbers, compressed as browsers accept it and without a
// connection.
func BenchmarkSite(b *testing.B) {
	o := webtest.NewReportSite(b)
	for i := range 200 {
		o.Publish("notes.txt", fmt.Appendf(nil, "note %d", i))
	}
	h := o.Server.Handler()
	slug := string(o.Links["pages"].Slug)
	bearer := "Authorization: Bearer " + o.Key
	for _, c := range []struct{ name, path, header string }{
		{"link report, API", "/api/v1/links/" + slug + "/analytics", bearer},
		{"link report, page", "/links/" + slug + "/analytics", o.Cookie},
		{"link report, pulse", "/links/" + slug + "/analytics/pulse", o.Cookie},
		{"account report, API", "/api/v1/analytics", bearer},
		{"account report, page", "/analytics", o.Cookie},
		{"links, API", "/api/v1/links?limit=50", bearer},
		{"links, page", "/links", o.Cookie},
		{"dashboard", "/dashboard", o.Cookie},
		{"first page", "/", ""},
		{"API reference", "/docs/api/analytics", ""},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := httptest.NewRequest(http.MethodGet, c.path, nil)
			r.Header.Set("Accept-Encoding", "gzip")
			if name, value, ok := strings.Cut(c.header, ": "); ok {
				r.Header.Set(name, value)
			}
			measure(b, h, r)
		})
	}
}

// BenchmarkSignIn measures a sign-in with the right password and, for
// comparison, a request of a signed-in account. The hash should be nearly all
// of the cost.
func BenchmarkSignIn(b *testing.B) {
	d := webtest.NewDesk(b)
	a := d.Join("reader@example.org", vitrine.RoleMember)
	d.Check(d.Server.Accounts.SetPassword(b.Context(), a.Email, "a case of glass and oak"))
	cookie := d.SignIn(a)
	b.Run("password", func(b *testing.B) {
		for b.Loop() {
			_, err := d.Server.Sessions.SignInWithPassword(b.Context(), a.Email, "a case of glass and oak",
				auth.Client{})
			d.Check(err)
		}
	})
	b.Run("session", func(b *testing.B) {
		for b.Loop() {
			_, err := d.Server.Sessions.Authenticate(b.Context(), cookie[strings.Index(cookie, "=")+1:])
			d.Check(err)
		}
	})
}

// BenchmarkWebsitePage serves a 5 KB page of a website to 64 clients at once,
// each load durable before the page ends, and for comparison the same page
// without counting.
func BenchmarkWebsitePage(b *testing.B) {
	h := webtest.NewHosting(b)
	garden := h.NewWebsite("Garden")
	h.Deployed(garden, "index.html="+strings.Repeat("<p>Garden ", 500))
	counted := h.Server.SiteStats
	for _, name := range []string{"counted", "uncounted"} {
		b.Run(name, func(b *testing.B) {
			if h.Server.SiteStats = counted; name == "uncounted" {
				h.Server.SiteStats = nil
			}
			handler := h.Server.Handler()
			b.SetParallelism(32)
			b.RunParallel(func(pb *testing.PB) {
				r := httptest.NewRequest(http.MethodGet, "/", nil)
				r.Host = string(garden.Slug) + "." + strings.TrimPrefix(h.Server.SitesURL.Host, "*.")
				agent, _ := strings.CutPrefix(webtest.ReaderChrome, "User-Agent: ")
				r.Header.Set("User-Agent", agent)
				for pb.Next() {
					w := httptest.NewRecorder()
					if handler.ServeHTTP(w, r); w.Code != http.StatusOK {
						b.Error(w.Code, w.Body)
					}
				}
			})
		})
	}
	h.Server.SiteStats = counted
}

// BenchmarkSwitch measures what readers notice of switching between two
// versions: how long the transaction takes, and how long page loads take during
// it and otherwise. After a switch has returned, no page may show the previous
// version.
func BenchmarkSwitch(b *testing.B) {
	s := webtest.NewSite(b)
	l := s.SendVersion("", 1)
	s.SendVersion(string(l.Slug), 2)
	kept := &links.Versions{Store: s.Server.Links.Store, Plans: s.Server.Uploads.Plans, Now: s.Server.Now,
		PurgeLink: s.Server.Links.PurgeLink}
	address := s.URL + "/p/" + string(l.Slug)
	var switching, stop atomic.Bool
	var mu sync.Mutex
	var during, between []time.Duration
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for !stop.Load() {
				began, meets := time.Now(), switching.Load()
				s.Read(address)
				took := time.Since(began)
				meets = meets || switching.Load()
				mu.Lock()
				if meets {
					during = append(during, took)
				} else {
					between = append(between, took)
				}
				mu.Unlock()
			}
		})
	}
	var took []time.Duration
	stale := 0
	for i := 0; b.Loop(); i++ {
		if i%25 == 24 { // the rate limit of an owner is 30 an hour
			s.Ahead.Add(int64(time.Hour))
		}
		n := 1 + i%2
		began := time.Now()
		switching.Store(true)
		_, err := kept.Restore(b.Context(), s.Account, string(l.Slug), n, nil)
		switching.Store(false)
		took = append(took, time.Since(began))
		if vitrine.CodeOf(err) != "" {
			b.Fatal(err)
		}
		if !strings.Contains(s.Read(address), fmt.Sprintf("edition%dy", n)) {
			stale++
		}
		time.Sleep(2 * time.Millisecond)
	}
	stop.Store(true)
	readers.Wait()
	at := func(list []time.Duration, share float64) float64 {
		if len(list) == 0 {
			return 0
		}
		slices.Sort(list)
		return float64(list[int(share*float64(len(list)-1))].Microseconds())
	}
	b.ReportMetric(at(took, 0.5), "switch-p50-µs")
	b.ReportMetric(at(took, 0.99), "switch-p99-µs")
	b.ReportMetric(at(between, 0.5), "page-p50-µs")
	b.ReportMetric(at(between, 0.99), "page-p99-µs")
	b.ReportMetric(at(during, 0.5), "page-during-p50-µs")
	b.ReportMetric(at(during, 0.99), "page-during-p99-µs")
	b.ReportMetric(float64(len(during)), "pages-during")
	b.ReportMetric(float64(stale), "stale")
}
