package web_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/auth"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
)

// readRoutes returns the patterns of all routes that read, as routes.go
// registers them.
func readRoutes(t *testing.T) (patterns []string) {
	t.Helper()
	b, err := os.ReadFile("routes.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`r\.\w+\((?:vitrine\.Scope\w+, )?"(?:GET )?(/[^"]*)"`).FindAllStringSubmatch(string(b), -1) {
		patterns = append(patterns, m[1])
	}
	return patterns
}

// leaver is a client that leaves: at a statement of the database, or at a write
// of the answer.
type leaver struct {
	*httptest.ResponseRecorder
	mu        sync.Mutex
	cancel    context.CancelFunc
	at, steps int
	fails     bool // the client stays, and the database fails instead
}

// step counts a moment. The client leaves at the one with the number at.
func (l *leaver) step() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.steps++; l.steps != l.at {
		return nil
	}
	if l.fails {
		return webtest.ErrDamaged
	}
	l.cancel()
	return nil
}

func (l *leaver) Write(b []byte) (int, error) {
	_ = l.step()
	return l.ResponseRecorder.Write(b)
}

// goroutines returns the number of goroutines that run code of the program.
func goroutines() (n int) {
	b := make([]byte, 1<<24)
	for stack := range strings.SplitSeq(string(b[:runtime.Stack(b, true)]), "\n\n") {
		if strings.Contains(stack, "vitrine/internal/") {
			n++
		}
	}
	return n
}

// TestClientsThatLeave walks all routes that read. At moments of chance the
// client leaves, or the database fails. No handler panics, a failure answers
// 503, and afterwards there are as many goroutines, and about as much memory,
// as before (promises 17 and 18).
func TestClientsThatLeave(t *testing.T) {
	d := webtest.NewDemo(t)
	var log bytes.Buffer
	d.Server.Log = slog.New(slog.NewTextHandler(&log, nil))
	r := rand.New(rand.NewPCG(vitrinetest.Seed(t), 0))
	key, err := d.Server.Keys.CreateFor(t.Context(), d.Pro.Email, auth.KeyRequest{Name: "test", Scope: vitrine.ScopeFull})
	d.Check(err)
	cookies := map[string]string{"/people": d.SignIn(d.Owner), "/moderation": d.SignIn(d.Moderator),
		"": d.SignIn(d.Pro)}
	pdf, archive := d.Links["annual-report.pdf"], d.Links["press-kit.tgz"]
	some, err := d.Server.Analytics.Visits(t.Context(), d.Pro, string(pdf.Slug), analytics.VisitQuery{N: 1})
	d.Check(err)
	values := map[string]string{"{visit}": some.Rows[0].ID, "{page}": "1", "{entry}": "0", "{part}": "thumbs",
		"{language}": "en", "{version}": "1", "{id}": "1", "{path...}": "index.html", "{frame}": "view", "{table}": "1", "{$}": "",
		"{website}": string(d.Website.Slug)}
	tokenOf := func(address string) string { return strings.Split(address, "/c/")[1] }
	address := func(pattern string) string {
		p := pattern
		switch {
		case strings.Contains(p, "/albums/"), strings.HasPrefix(p, "/a/"):
			p = strings.Replace(p, "{slug}", string(d.Album.Slug), 1)
		case strings.Contains(p, "website"), strings.HasPrefix(p, "/s/"):
			p = strings.Replace(p, "{slug}", string(d.Website.Slug), 1)
		case strings.HasPrefix(p, "/r/"):
			p = strings.Replace(p, "/r/{token}", d.Shared(pdf, ""), 1)
		case strings.Contains(p, "/entry/"):
			p = strings.Replace(p, "/c/{token}", "/c/"+strings.TrimSuffix(tokenOf(d.ContentAddress(archive, "")), "/"),
				1)
		case strings.Contains(p, "/rows/"):
			p = strings.Replace(p, "/c/{token}", "/c/"+strings.TrimSuffix(tokenOf(d.ContentAddress(d.Links["visitors.csv"],
				"")), "/"), 1)
		case strings.HasPrefix(p, "/c/"):
			p = strings.Replace(p, "/c/{token}", "/c/"+strings.TrimSuffix(tokenOf(d.ContentAddress(pdf, "")), "/"), 1)
		}
		p = strings.Replace(p, "{slug}", string(pdf.Slug), 1)
		for name, value := range values {
			p = strings.ReplaceAll(p, name, value)
		}
		if strings.Contains(p, "analytics") && !strings.Contains(p, "pages") || strings.HasPrefix(p, "/r/") {
			p += "?range=90d&filter=country:is:DE"
		}
		return p
	}
	ask := func(pattern, address string, at int, fails bool) (l *leaver) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		l = &leaver{ResponseRecorder: httptest.NewRecorder(), cancel: cancel, at: at, fails: fails}
		ctx = sqldb.WithHook(ctx, func(string) error { return l.step() })
		method, body := http.MethodGet, io.Reader(http.NoBody)
		if pattern == "/mcp" {
			method, body = http.MethodPost, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_links","arguments":{}}}`)
		}
		req := httptest.NewRequestWithContext(ctx, method, address, body)
		req.Host = d.Server.PublicURL.Host
		if strings.HasPrefix(pattern, "/c/") || strings.HasPrefix(pattern, "/s/") {
			req.Host = d.Server.ContentURL.Host
		}
		cookie := cookies[""]
		for prefix, of := range cookies {
			if prefix != "" && strings.HasPrefix(pattern, prefix) {
				cookie = of
			}
		}
		req.Header.Set("Cookie", strings.TrimPrefix(cookie, "Cookie: "))
		req.Header.Set("Authorization", "Bearer "+string(key.Text))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream, text/html")
		req.Header.Set("User-Agent", webtest.Desktop)
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler { // which ends an answer that has begun
				t.Errorf("%s, left at step %d: panic: %v", pattern, at, p)
			}
		}()
		d.Handler.ServeHTTP(l, req)
		return l
	}
	patterns := append(readRoutes(t), "/mcp")
	steps, shown := map[string]int{}, map[string]bool{}
	for _, p := range patterns { // fills caches
		if l := ask(p, address(p), 0, false); l != nil {
			steps[p], shown[p] = l.steps, l.Code == http.StatusOK
		}
	}
	for _, p := range []string{"/api/v1/links", "/api/v1/links/{slug}/analytics", "/api/v1/links/{slug}/visits",
		"/api/v1/analytics", "/analytics", "/links/{slug}/analytics", "/websites/{website}/analytics", "/r/{token}",
		"/p/{slug}", "/p/{slug}/download", "/a/{slug}", "/a/{slug}/download", "/account/export", "/c/{token}/file",
		"/mcp"} {
		if !shown[p] {
			t.Errorf("%s is not answered with 200 when nobody leaves", p)
		}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	running := goroutines()
	left := 0
	for _, p := range patterns {
		a := address(p)
		for range min(steps[p], 6) {
			ask(p, a, 1+r.IntN(steps[p]), false)
			if l := ask(p, a, 1+r.IntN(steps[p]), true); l != nil && l.Code == http.StatusInternalServerError {
				t.Errorf("%s: status 500 when the database fails, want 503: %.200s", p, l.Body)
			}
			left += 2
		}
	}
	if found := log.String(); strings.Contains(found, "panic") {
		t.Errorf("panics: %d\n%.2000s", strings.Count(found, "msg=panic"), found[strings.Index(found, "panic"):])
	}
	vitrinetest.WaitFor(t, vitrinetest.SeenWithin, "as many goroutines as before", func() bool {
		return goroutines() <= running
	})
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("%d routes, %d requests cut off, %d goroutines before and %d after, heap %d KiB before and %d after",
		len(patterns), left, running, goroutines(), before.HeapAlloc>>10, after.HeapAlloc>>10)
	if after.HeapAlloc > before.HeapAlloc+32<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before.HeapAlloc, after.HeapAlloc)
	}
}
