package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"
)

const text = "the bytes of the file"

func textFile() File {
	return File{Name: "a.txt", Size: int64(len(text)), Content: strings.NewReader(text)}
}

// fresh returns a client that records its pauses instead of waiting.
func fresh(t *testing.T, url string, opts ...Option) (*Client, *[]time.Duration) {
	t.Helper()
	c, err := New(url, "vtr_key", opts...)
	if err != nil {
		t.Fatal(err)
	}
	var pauses []time.Duration
	c.sleep = func(ctx context.Context, d time.Duration) error {
		pauses = append(pauses, d)
		return ctx.Err()
	}
	return c, &pauses
}

// TestUploadSurvives uploads a file through every temporary failure of every
// step. The result must be one link with the file's bytes.
func TestUploadSurvives(t *testing.T) {
	answers := map[string]fault{
		"cut":  cut,
		"lost": lost,
		"429": refused(http.StatusTooManyRequests, map[string]string{"Retry-After": "3"},
			`{"error":"Slow.","code":"rate_limited"}`),
		"502": refused(http.StatusBadGateway, nil, "<html>bad gateway</html>"),
		"503": refused(http.StatusServiceUnavailable, map[string]string{"Retry-After": "5"},
			`{"error":"Down.","code":"unavailable"}`),
		"504": refused(http.StatusGatewayTimeout, nil, ""),
	}
	for name, a := range answers {
		for _, step := range []string{stepBegin, stepPut, stepComplete} {
			for _, times := range []int{1, 3} {
				t.Run(fmt.Sprintf("%s/%s/%d", step, name, times), func(t *testing.T) {
					f := newFake(t)
					for range times {
						f.fail(step, a)
					}
					c, pauses := fresh(t, f.URL)
					l, err := c.Upload(t.Context(), textFile(), Options{})
					if err != nil {
						t.Fatal(err)
					}
					if l.URL != f.URL+"/p/abc" {
						t.Errorf("link = %+v", l)
					}
					if len(f.keys) != 1 || len(f.links) != 1 {
						t.Errorf("%d idempotency keys and %d links, want one of each", len(f.keys), len(f.links))
					}
					for _, b := range f.stored {
						if b != text {
							t.Errorf("stored %q", b)
						}
					}
					if len(*pauses) == 0 {
						t.Error("retries without a pause")
					}
				})
			}
		}
	}
}

func TestUploadDoesNotBeginAgainForEver(t *testing.T) {
	f := newFake(t)
	for range 50 {
		f.fail(stepPut, refused(http.StatusForbidden, nil, `{"error":"Late.","code":"url_expired"}`))
	}
	c, _ := fresh(t, f.URL)
	if _, err := c.Upload(t.Context(), textFile(), Options{}); codeOf(err) != "url_expired" {
		t.Errorf("error %v, want url_expired", err)
	}
	if f.count(stepBegin) != 1+maxRestarts {
		t.Errorf("step 1 was sent %d times", f.count(stepBegin))
	}
}

func TestUploadWaitsForTheTransferThatIsUnderWay(t *testing.T) {
	f := newFake(t)
	busy := refused(http.StatusConflict, nil, `{"error":"Busy.","code":"upload_in_progress"}`)
	f.fail(stepPut, busy, busy, busy)
	c, pauses := fresh(t, f.URL)
	if _, err := c.Upload(t.Context(), textFile(), Options{}); err != nil {
		t.Fatal(err)
	}
	if len(*pauses) != 3 {
		t.Errorf("pauses %v, want 3", *pauses)
	}
}

func TestUploadThatExistsIsNotSentAgain(t *testing.T) {
	f := newFake(t)
	c, _ := fresh(t, f.URL)
	o := Options{IdempotencyKey: "6b1e3c1e-0b51-4a6e-9a43-7c3a7f4c2f11"}
	first, err := c.Upload(t.Context(), textFile(), o)
	if err != nil {
		t.Fatal(err)
	}
	second, err := c.Upload(t.Context(), textFile(), o)
	if err != nil || !reflect.DeepEqual(second, first) || f.count(stepPut) != 1 {
		t.Errorf("second upload = %+v, %v after %v, want the first link and one PUT", second, err, f.requests)
	}
}

func TestUploadSendsTheOptions(t *testing.T) {
	f := newFake(t)
	c, _ := fresh(t, f.URL)
	if _, err := c.Upload(t.Context(), textFile(),
		Options{Type: "text/x", Slug: "mine", LinkName: "Title", ViewOnly: true}); err != nil {
		t.Fatal(err)
	}
	b := f.seen[0]
	if b["type"] != "text/x" || b["slug"] != "mine" || b["linkName"] != "Title" || b["allowDownload"] != false ||
		b["idempotencyKey"] == "" {
		t.Errorf("body of step 3 = %v", b)
	}
}

func TestRefusalsAreFinal(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 500} {
		for _, step := range []string{stepBegin, stepPut, stepComplete} {
			t.Run(fmt.Sprintf("%s/%d", step, status), func(t *testing.T) {
				f := newFake(t)
				f.fail(step, refused(status, nil, `{"error":"No.","code":"no"}`))
				c, pauses := fresh(t, f.URL)
				_, err := c.Upload(t.Context(), textFile(), Options{})
				var e *Error
				if !errors.As(err, &e) || e.Status != status || e.Code != "no" || e.Message != "No." {
					t.Errorf("error = %#v", err)
				}
				if f.count(step) != 1 || len(*pauses) != 0 {
					t.Errorf("%d requests and pauses %v, want one and none", f.count(step), *pauses)
				}
			})
		}
	}
}

func TestErrorCarriesWhatTheAnswerSays(t *testing.T) {
	f := newFake(t)
	f.fail(stepBegin, refused(429, map[string]string{"Retry-After": "3000", "X-Request-Id": "r1"},
		`{"error":"Too many.","code":"rate_limited","field":"f","limit":20,"used":21,"held":3,"heldUntil":"2026-05-04T12:15:00.000Z","upgradeUrl":"https://x/#plans"}`))
	c, pauses := fresh(t, f.URL)
	_, err := c.Upload(t.Context(), textFile(), Options{})
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error = %v, want an *Error", err)
	}
	want := Error{Status: 429, Code: "rate_limited", Message: "Too many.", Field: "f", Limit: 20, Used: 21, Held: 3,
		HeldUntil:  time.Date(2026, 5, 4, 12, 15, 0, 0, time.UTC),
		UpgradeURL: "https://x/#plans", RequestID: "r1", RetryAfter: 3000 * time.Second}
	if *e != want {
		t.Errorf("error\n%+v, want\n%+v", *e, want)
	}
	if len(*pauses) != 0 {
		t.Errorf("waited %v for a limit that ends in 50 minutes, want no wait", *pauses)
	}
}

func TestRetryAfterIsWaitedFor(t *testing.T) {
	f := newFake(t)
	f.fail(stepBegin, refused(503, map[string]string{"Retry-After": "40"}, ""))
	c, pauses := fresh(t, f.URL)
	if _, err := c.Upload(t.Context(), textFile(), Options{}); err != nil {
		t.Fatal(err)
	}
	if (*pauses)[0] < 40*time.Second {
		t.Errorf("waited %v, want 40 s", *pauses)
	}
}

func TestPausesGrowToABound(t *testing.T) {
	f := newFake(t)
	for range 100 {
		f.fail(stepBegin, cut)
	}
	var notices []Retry
	c, pauses := fresh(t, f.URL, WithAttempts(12), WithRetryNotice(func(r Retry) { notices = append(notices, r) }))
	if _, err := c.Upload(t.Context(), textFile(), Options{}); err == nil {
		t.Fatal("no error")
	}
	if f.count(stepBegin) != 12 || len(*pauses) != 11 || len(notices) != 11 {
		t.Fatalf("%d requests, %d pauses, %d notices", f.count(stepBegin), len(*pauses), len(notices))
	}
	base := firstPause
	for i, p := range *pauses {
		if p < base*3/4 || p > base*5/4 {
			t.Errorf("pause %d = %v, want %v within a quarter", i, p, base)
		}
		if notices[i].Wait != p || notices[i].Attempt != i+1 || notices[i].Err == nil {
			t.Errorf("notice %+v for the pause %v", notices[i], p)
		}
		base = min(2*base, maxPause)
	}
}

// TestAServerThatWasNeverReachedIsGivenUpSoon checks that the client soon gives
// up a server that it never reached, because the address is probably wrong. A
// server that has answered before may be restarting.
func TestAServerThatWasNeverReachedIsGivenUpSoon(t *testing.T) {
	f := newFake(t)
	c, pauses := fresh(t, f.URL)
	if _, err := c.Upload(t.Context(), textFile(), Options{}); err != nil {
		t.Fatal(err)
	}
	*pauses = nil
	f.Close()
	if _, err := c.Status(t.Context()); !Unreachable(err) || len(*pauses) != 7 {
		t.Errorf("after an answer: %v, %d pauses, want 7", err, len(*pauses))
	}
	c, pauses = fresh(t, f.URL)
	if _, err := c.Status(t.Context()); !Unreachable(err) || len(*pauses) != 3 {
		t.Errorf("never reached: %v, %d pauses, want 3", err, len(*pauses))
	}
}

func TestContextEndsAPauseAtOnce(t *testing.T) {
	f := newFake(t)
	f.fail(stepBegin, cut)
	ctx, cancel := context.WithCancel(t.Context())
	c, err := New(f.URL, "vtr_key", WithRetryNotice(func(Retry) { cancel() }))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Upload(ctx, textFile(), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context canceled", err)
	}
}

// endless is a file whose reader never ends.
type endless struct{ read func() }

func (e endless) ReadAt(p []byte, _ int64) (int, error) { e.read(); return len(p), nil }

func TestContextEndsATransferAtOnce(t *testing.T) {
	f := newFake(t)
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	file := File{Name: "a.mp4", Size: 1 << 40, Content: endless{func() {
		if n++; n == 10 {
			cancel()
		}
	}}}
	c, _ := fresh(t, f.URL, WithRetryNotice(func(r Retry) { t.Errorf("the client wants to retry after %v", r.Err) }))
	if _, err := c.Upload(ctx, file, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context canceled", err)
	}
	if f.count(stepPut) != 1 {
		t.Errorf("%d PUTs, want 1", f.count(stepPut))
	}
}

func TestFileThatShrinksIsNotTriedAgain(t *testing.T) {
	f := newFake(t)
	c, pauses := fresh(t, f.URL)
	file := textFile()
	file.Size += 10
	_, err := c.Upload(t.Context(), file, Options{})
	if err == nil || !strings.Contains(err.Error(), "shorter") || len(*pauses) != 0 {
		t.Errorf("error = %v after pauses %v, want one about a shorter file", err, *pauses)
	}
}

func TestFileThatCannotBeReadIsNotTriedAgain(t *testing.T) {
	f := newFake(t)
	c, pauses := fresh(t, f.URL)
	broken := errors.New("disk on fire")
	_, err := c.Upload(t.Context(), File{Name: "a.txt", Size: 10,
		Content: readerAt(func([]byte, int64) (int, error) { return 0, broken })}, Options{})
	if !errors.Is(err, broken) || len(*pauses) != 0 {
		t.Errorf("error = %v after pauses %v, want the read error", err, *pauses)
	}
}

type readerAt func([]byte, int64) (int, error)

func (f readerAt) ReadAt(p []byte, off int64) (int, error) { return f(p, off) }

func TestProgressEndsWithTheWholeFileAndBeginsAgain(t *testing.T) {
	f := newFake(t)
	f.fail(stepPut, refused(503, nil, ""))
	var sent []int64
	c, _ := fresh(t, f.URL)
	_, err := c.Upload(t.Context(), textFile(), Options{Progress: func(n, total int64) {
		if total != int64(len(text)) {
			t.Errorf("total = %d", total)
		}
		sent = append(sent, n)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if sent[len(sent)-1] != int64(len(text)) {
		t.Errorf("progress %v does not end with %d", sent, len(text))
	}
}

// TestTransferThatIsOverReadsAndTellsNothing checks that the body of a finished
// attempt reads nothing and reports no progress, because the transport may
// still read it from another goroutine.
func TestTransferThatIsOverReadsAndTellsNothing(t *testing.T) {
	b := &transfer{content: strings.NewReader(text), total: int64(len(text)), moved: func() {},
		progress: func(int64, int64) { t.Error("progress was reported") }}
	b.Close()
	if n, err := b.Read(make([]byte, 10)); n != 0 || err == nil {
		t.Errorf("read %d bytes, %v, want none and an error", n, err)
	}
}

func TestSignedURLStandsInNoError(t *testing.T) {
	f := newFake(t)
	for range 100 {
		f.fail(stepPut, cut)
	}
	c, _ := fresh(t, f.URL)
	_, err := c.Upload(t.Context(), textFile(), Options{})
	if err == nil || strings.Contains(err.Error(), "signature") {
		t.Errorf("error = %v, want one without the signed URL", err)
	}
}

func TestAnswerThatIsNotTheAPI(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"page": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere/", http.StatusMovedPermanently)
		},
		"proxy": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", http.StatusForbidden) },
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(h)
			defer s.Close()
			c, pauses := fresh(t, s.URL)
			if _, err := c.Status(t.Context()); err == nil || len(*pauses) != 0 {
				t.Errorf("error = %v after pauses %v, want an error without a pause", err, *pauses)
			}
		})
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestFailuresThatStayAreFinal(t *testing.T) {
	for name, failure := range map[string]error{
		"host":        &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}},
		"certificate": &tls.CertificateVerificationError{Err: errors.New("unknown authority")},
		"scheme":      http.ErrSchemeMismatch,
		"plain HTTP":  tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			c, _ := fresh(t, "https://x.example", WithHTTPClient(&http.Client{Transport: roundTripper(
				func(*http.Request) (*http.Response, error) { n++; return nil, failure })}))
			if _, err := c.Status(t.Context()); err == nil || n != 1 {
				t.Errorf("error = %v after %d requests, want one request", err, n)
			}
		})
	}
}

func TestNew(t *testing.T) {
	for in, want := range map[string]string{
		"http://localhost:8080":            "http://localhost:8080/api/v1",
		"http://localhost:8080/":           "http://localhost:8080/api/v1",
		"https://x.example/api/v1":         "https://x.example/api/v1",
		" https://x.example/api/v1/ ":      "https://x.example/api/v1",
		"https://x.example/under":          "https://x.example/under/api/v1",
		"localhost:8080":                   "",
		"":                                 "",
		"ftp://x":                          "",
		"https://":                         "",
		"https://user:secret@x.example":    "",
		"https://x.example/?q=1":           "",
		"http://x.example\x1b[31m/":        "",
		"https://x.example/api/v1#section": "",
	} {
		c, err := New(in, "")
		if want == "" {
			if err == nil {
				t.Errorf("New(%q) = nil, want an error", in)
			} else if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error of New(%q) contains the password: %v", in, err)
			}
			continue
		}
		if err != nil || c.base.String() != want {
			t.Errorf("New(%q) = %v, %v, want %s", in, c.base, err, want)
		}
	}
}

func TestAllLinksGoesThroughThePages(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch q := r.URL.Query(); q.Get("cursor") {
		case "":
			io.WriteString(w, `{"links":[{"slug":"a","size_bytes":3,"created_at":"2026-05-04T12:00:00.000Z","status":"live"},{"slug":"b"}],"nextCursor":"x y"}`)
		case "x y":
			io.WriteString(w, `{"links":[{"slug":"c"}],"nextCursor":null}`)
		default:
			w.WriteHeader(400)
		}
	}))
	defer s.Close()
	c, _ := fresh(t, s.URL)
	var slugs []string
	for l, err := range c.AllLinks(t.Context(), Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		slugs = append(slugs, l.Slug)
	}
	if want := []string{"a", "b", "c"}; !reflect.DeepEqual(slugs, want) {
		t.Errorf("slugs = %v, want %v", slugs, want)
	}
	for range c.AllLinks(t.Context(), Query{}) {
		break // the caller may stop early
	}
}

func TestAllLinksEndsWithTheFirstError(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	c, _ := fresh(t, s.URL)
	n := 0
	for _, err := range c.AllLinks(t.Context(), Query{}) {
		if n++; err == nil {
			t.Error("no error")
		}
	}
	if n != 1 {
		t.Errorf("%d steps, want one", n)
	}
}

func TestSlugStaysOneSegment(t *testing.T) {
	var path, query string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, query = r.URL.EscapedPath(), r.URL.RawQuery
		io.WriteString(w, "{}")
	}))
	defer s.Close()
	c, _ := fresh(t, s.URL)
	if _, err := c.LinkAnalytics(t.Context(), "../x?y", ReportQuery{Range: "7d"}); err != nil {
		t.Fatal(err)
	}
	if path != "/api/v1/links/..%2Fx%3Fy/analytics" || query != "range=7d" {
		t.Errorf("requested %s ? %s", path, query)
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"", "0", "120", "-5", "99999999999999999999", "Fri, 31 Dec 2100 23:59:59 GMT", "1.5",
		"x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d := retryAfter(s); d < 0 {
			t.Errorf("retryAfter(%q) = %v, want at least 0", s, d)
		}
	})
}

func FuzzRefusal(f *testing.F) {
	f.Add(400, []byte(`{"error":"No.","code":"no","limit":1}`))
	f.Add(502, []byte(`<html>`))
	f.Add(403, []byte(`{"error":1}`))
	f.Add(301, []byte(nil))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if e := refusal(&http.Response{StatusCode: status, Header: http.Header{}}, body); e.Message == "" ||
			e.Error() == "" {
			t.Errorf("no message for %d %q", status, body)
		}
	})
}
