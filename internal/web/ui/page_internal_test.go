package ui

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/web/httpx"
)

// TestPagesReuseMemory checks that a page is sent as its template makes it,
// plain and compressed, and that it has the memory of the page before.
func TestPagesReuseMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would give the memory back
	data := errorPage{Page: Page{Title: strings.Repeat("A long title. ", 40_000)}}
	page := Template("error.html")
	var want bytes.Buffer
	if err := page.Execute(&want, data); err != nil {
		t.Fatal(err)
	}
	for _, accept := range []string{"", "gzip"} {
		ask := func(w http.ResponseWriter) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header.Set("Accept-Encoding", accept)
			if err := Render(w, r, http.StatusOK, "error.html", data); err != nil {
				t.Fatal(err)
			}
		}
		w := httptest.NewRecorder()
		ask(w)
		if n := w.Header().Get("Content-Length"); n != strconv.Itoa(w.Body.Len()) {
			t.Errorf("Accept-Encoding %q: Content-Length %s for %d bytes", accept, n, w.Body.Len())
		}
		var body io.Reader = w.Body
		if accept != "" {
			z, err := gzip.NewReader(body)
			if err != nil {
				t.Fatal(err)
			}
			body = z
		}
		if got, err := io.ReadAll(body); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("Accept-Encoding %q: %d bytes, %v, want the %d of the template", accept, len(got), err, want.Len())
		}
		alone := allocated(func() { _ = page.Execute(io.Discard, data) })
		whole := allocated(func() { ask(&unread{http.Header{}}) })
		for range 20 { // memory is kept for each processor, and another may have it
			whole = min(whole, allocated(func() { ask(&unread{http.Header{}}) }))
		}
		if whole > alone+uint64(want.Len()/2) {
			t.Errorf("Accept-Encoding %q: %d bytes of memory for a page of %d, without %d of its template", accept,
				whole-alone, want.Len(), alone)
		}
	}
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var from, to runtime.MemStats
	runtime.ReadMemStats(&from)
	f()
	runtime.ReadMemStats(&to)
	return to.TotalAlloc - from.TotalAlloc
}

// unread is an answer that nobody reads.
type unread struct{ header http.Header }

func (u *unread) Header() http.Header         { return u.header }
func (u *unread) Write(b []byte) (int, error) { return len(b), nil }
func (u *unread) WriteHeader(int)             {}

// TestErrorPages checks that an error page says what happened, what to do, when
// to try again and the request's ID, and shows no internal details.
func TestErrorPages(t *testing.T) {
	public, _ := url.Parse("https://example.org")
	s := &Pages{Server: &httpx.Server{PublicURL: public, ContentURL: public,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil))}}
	for _, c := range []struct {
		err    error
		status int
		again  bool
		retry  string // the Retry-After header
		says   []string
	}{
		{httpx.ErrNoPage, 404, false, "", []string{"Page not found", "for mistakes"}},
		{vitrine.Errorf(vitrine.CodeNotAvailable, "This link is not available yet. Try again later."), 404, true, "",
			[]string{"Not available yet"}},
		{vitrine.Errorf(vitrine.CodeDisabled, "This link has been disabled."), 410, false, "",
			[]string{"No longer available", "new link"}},
		{vitrine.Errorf(vitrine.CodeBanned, "This account is suspended."), 403, false, "",
			[]string{"This is not allowed"}},
		{vitrine.Errorf(vitrine.CodeInvalidSignature, "The signature is wrong."), 403, false, "",
			[]string{"not valid"}},
		{&vitrine.Error{Code: vitrine.CodeRateLimited, Message: "Too many reports.", RetryAfter: 90*time.Second + 1},
			429, true, "91", []string{"Too many requests", "Try again in 2 minutes."}},
		{&vitrine.Error{Code: vitrine.CodeRateLimited, Message: "Too many reports.", RetryAfter: time.Millisecond}, 429,
			true, "1", []string{"Try again in 1 second."}},
		{errors.New("the password is hunter2"), 500, true, "", []string{"Something went wrong", "on our side"}},
		{vitrine.Unavailable(errors.New("disk hunter2")), 503, true, "5", []string{"Temporarily unavailable"}},
	} {
		for _, path := range []string{"/p/somewhere?a=<b>", "/c/token/view?embed"} {
			w := httptest.NewRecorder()
			w.Header().Set("X-Request-Id", "0123456789abcdef")
			s.errorPage(w, httptest.NewRequest(http.MethodGet, path, nil), c.err)
			body := w.Body.String()
			links := 0 // a reader can only try again
			if c.again {
				links = 1
			}
			if w.Code != c.status || w.Header().Get("Retry-After") != c.retry || strings.Contains(body, "hunter2") ||
				strings.Contains(body, "<b>") ||
				!strings.Contains(body, "0123456789abcdef") || strings.Contains(body, "Try again</a>") != c.again ||
				strings.Count(body, "<a ") != links || strings.Contains(body, "http-equiv") ||
				w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%v at %s: status %d, %v\n%s", c.err, path, w.Code, w.Header(), body)
			}
			for _, say := range c.says {
				if !strings.Contains(body, say) {
					t.Errorf("%v: the page lacks %q:\n%s", c.err, say, body)
				}
			}
		}
	}
}
