package web

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
)

// A failure says what happened, what to do, when, and by which number it can be
// found; what it must not say stays inside.
func TestErrorPages(t *testing.T) {
	public, _ := url.Parse("https://example.org")
	s := &uiH{httpxH: &httpxH{PublicURL: public, ContentURL: public, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}}
	for _, c := range []struct {
		err    error
		status int
		again  bool
		retry  string // Retry-After
		says   []string
	}{
		{errNoPage, 404, false, "", []string{"There is nothing here", "typing mistake"}},
		{vitrine.Errorf(vitrine.CodeNotAvailable, "This link is not available yet. Try again later."), 404, true, "", []string{"Not available yet"}},
		{vitrine.Errorf(vitrine.CodeDisabled, "This link has been disabled."), 410, false, "", []string{"No longer available", "new one"}},
		{vitrine.Errorf(vitrine.CodeBanned, "This account is suspended."), 403, false, "", []string{"This is not allowed"}},
		{vitrine.Errorf(vitrine.CodeInvalidSignature, "The signature is wrong."), 403, false, "", []string{"incomplete"}},
		{&vitrine.Error{Code: vitrine.CodeRateLimited, Message: "Too many reports.", RetryAfter: 90*time.Second + 1}, 429, true, "91", []string{"Too many at once", "Try again in 2 minutes."}},
		{&vitrine.Error{Code: vitrine.CodeRateLimited, Message: "Too many reports.", RetryAfter: time.Millisecond}, 429, true, "1", []string{"Try again in 1 second."}},
		{errors.New("the password is hunter2"), 500, true, "", []string{"Something went wrong", "on our side"}},
		{vitrine.Unavailable(errors.New("disk hunter2")), 503, true, "5", []string{"Closed for a moment"}},
	} {
		for _, path := range []string{"/p/somewhere?a=<b>", "/c/token/view?embed"} {
			w := httptest.NewRecorder()
			w.Header().Set("X-Request-Id", "0123456789abcdef")
			s.errorPage(w, httptest.NewRequest(http.MethodGet, path, nil), c.err)
			body := w.Body.String()
			framed := strings.HasPrefix(path, contentRoot)
			if w.Code != c.status || w.Header().Get("Retry-After") != c.retry || strings.Contains(body, "hunter2") || strings.Contains(body, "<b>") ||
				!strings.Contains(body, "0123456789abcdef") || strings.Contains(body, "Try again</a>") != c.again ||
				strings.Contains(body, `target="_blank"`) != framed || strings.Contains(body, "http-equiv") || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%v at %s: %d, %v\n%s", c.err, path, w.Code, w.Header(), body)
			}
			for _, say := range c.says {
				if !strings.Contains(body, say) {
					t.Errorf("%v: no %q in\n%s", c.err, say, body)
				}
			}
		}
	}
}

// Templates are parsed on first use: all of them can be, and no file is left
// over.
func TestTemplates(t *testing.T) {
	used := map[string]bool{}
	for _, parsed := range pageTemplates {
		for _, part := range parsed().Templates() {
			used[part.Name()] = true
		}
	}
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !used[f.Name()] {
			t.Errorf("no page uses %s", f.Name())
		}
	}
}

func TestWait(t *testing.T) {
	for d, want := range map[time.Duration]string{1: "1 second", time.Second: "1 second", 90 * time.Second: "90 seconds", 91 * time.Second: "2 minutes",
		59 * time.Minute: "59 minutes", 91 * time.Minute: "2 hours", 25 * time.Hour: "25 hours"} {
		if got := wait(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// An embed keeps to the space that it is given, and a video to its shape.
func TestWithin(t *testing.T) {
	for _, video := range []bool{false, true} {
		for width := range 800 {
			for _, height := range []int{0, 1, 39, 40, 41, 100, 400, 401, 2000} {
				e := embedding{width: 640, height: 400}.within(width, height, video)
				if e.width < 1 || e.height < 1 || width > 0 && e.width > width || height > 0 && e.height > height || e.width > 640 || e.height > 400 {
					t.Fatalf("%d × %d, video %v: %d × %d", width, height, video, e.width, e.height)
				}
			}
		}
	}
}
