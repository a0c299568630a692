package web_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"vitrine"
)

func TestSignedPutErrors(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanPro)
	first, url := f.begun(key, noteFile)
	chunked := func(s string) io.Reader { return io.MultiReader(strings.NewReader(s)) } // a client that does not know the length
	goOn := func(a answer) {
		t.Helper()
		if !strings.Contains(a.text("error"), "Continue with step 3") {
			t.Errorf("the message does not say how to continue: %s", a.Body)
		}
	}

	f.put(strings.Replace(url, "size=", "size=1", 1), "text/plain", strings.NewReader(note)).want(403,
		"invalid_signature")
	f.put(strings.Split(url, "?")[0], "text/plain", strings.NewReader(note)).want(403, "invalid_signature")
	f.put(url, "text/html", strings.NewReader(note)).want(400, "type_mismatch")
	f.put(url, "text/plain", strings.NewReader(note+"x")).want(400, "size_mismatch")
	f.put(url, "text/plain", strings.NewReader(note[1:])).want(400, "size_mismatch")
	f.put(url, "text/plain", chunked(note+"x")).want(400, "size_mismatch")
	f.put(url, "text/plain", chunked(note[1:])).want(400, "size_mismatch")
	stored := f.put(url, "Text/Plain; charset=utf-8", chunked(note)).want(200, "")

	// The answer was lost: the same bytes are accepted again, others are not.
	other := strings.ToUpper(note)
	for range 2 {
		again := f.put(url, "text/plain", strings.NewReader(note)).want(200, "")
		if got, want := again.Header.Get("ETag"), stored.Header.Get("ETag"); got != want || got == "" {
			t.Errorf("ETag of the same bytes = %q, want %q", got, want)
		}
		goOn(f.put(url, "text/plain", strings.NewReader(other)).want(409, "url_used"))
	}
	f.call(key, "POST", "/uploads/complete", noteFile.with(fields{"path": first})).want(200, "")
	for _, text := range []string{note, other} {
		goOn(f.put(url, "text/plain", strings.NewReader(text)).want(409, "url_used"))
	}

	path, late := f.begun(key, noteFile)
	f.clock.Advance(vitrine.URLLife)
	f.put(late, "text/plain", strings.NewReader(note)).want(403, "url_expired")
	f.call(key, "POST", "/uploads/complete", noteFile.with(fields{"path": path})).want(400, "upload_incomplete")

	req, _ := http.NewRequest("GET", url, nil)
	f.do(req).want(405, "method_not_allowed")
	req, _ = http.NewRequest("OPTIONS", url, nil)
	a := f.do(req)
	if a.Status != 204 || a.Header.Get("Access-Control-Allow-Methods") != "PUT" ||
		a.Header.Get("Access-Control-Allow-Headers") != "Content-Type, Accept, X-Requested-With" {
		t.Errorf("preflight: status %d, headers %v", a.Status, a.Header)
	}
	f.audit()
}

// TestSignedPutTwiceAtOnce checks that a transfer in progress blocks a second
// one to the same URL, and that an interrupted transfer can be repeated.
func TestSignedPutTwiceAtOnce(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanPro)
	path, url := f.begun(key, noteFile)
	r, w := io.Pipe()
	first := make(chan error, 1)
	go func() {
		req, _ := http.NewRequest(http.MethodPut, url, r)
		req.Header.Set("Content-Type", "text/plain")
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			res.Body.Close()
		}
		first <- err
	}()
	fmt.Fprint(w, note[:5]) // returns once the server reads the body
	if second := f.put(url, "text/plain", strings.NewReader(note)); second.Status == 409 {
		second.want(409, "upload_in_progress")
		w.CloseWithError(io.ErrUnexpectedEOF)
		<-first
		for f.put(url, "text/plain", strings.NewReader(note)).Status == 409 {
			// The server may not have noticed yet that the first connection is
			// broken.
		}
	} else {
		// The second request reached the server first, so it must win and the
		// first must fail.
		second.want(200, "")
		w.Close()
		<-first
	}
	f.call(key, "POST", "/uploads/complete", noteFile.with(fields{"path": path})).want(200, "")
	f.audit()
}
