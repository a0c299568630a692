package api_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
)

func TestSignedPutErrors(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	first, url := f.Begun(key, webtest.NoteFile)
	chunked := func(s string) io.Reader { return io.MultiReader(strings.NewReader(s)) } // a client that does not know the length
	goOn := func(a webtest.Answer) {
		t.Helper()
		if !strings.Contains(a.Text("error"), "Continue with step 3") {
			t.Errorf("the message does not say how to continue: %s", a.Body)
		}
	}

	f.Put(strings.Replace(url, "size=", "size=1", 1), "text/plain", strings.NewReader(webtest.Note)).Want(403,
		"invalid_signature")
	f.Put(strings.Split(url, "?")[0], "text/plain", strings.NewReader(webtest.Note)).Want(403, "invalid_signature")
	f.Put(url, "text/html", strings.NewReader(webtest.Note)).Want(400, "type_mismatch")
	f.Put(url, "text/plain", strings.NewReader(webtest.Note+"x")).Want(400, "size_mismatch")
	f.Put(url, "text/plain", strings.NewReader(webtest.Note[1:])).Want(400, "size_mismatch")
	f.Put(url, "text/plain", chunked(webtest.Note+"x")).Want(400, "size_mismatch")
	f.Put(url, "text/plain", chunked(webtest.Note[1:])).Want(400, "size_mismatch")
	stored := f.Put(url, "Text/Plain; charset=utf-8", chunked(webtest.Note)).Want(200, "")

	// The answer was lost: the same bytes are accepted again, others are not.
	other := strings.ToUpper(webtest.Note)
	for range 2 {
		again := f.Put(url, "text/plain", strings.NewReader(webtest.Note)).Want(200, "")
		if got, want := again.Header.Get("ETag"), stored.Header.Get("ETag"); got != want || got == "" {
			t.Errorf("ETag of the same bytes = %q, want %q", got, want)
		}
		goOn(f.Put(url, "text/plain", strings.NewReader(other)).Want(409, "url_used"))
	}
	f.Call(key, "POST", "/uploads/complete", webtest.NoteFile.With(webtest.Fields{"path": first})).Want(200, "")
	for _, text := range []string{webtest.Note, other} {
		goOn(f.Put(url, "text/plain", strings.NewReader(text)).Want(409, "url_used"))
	}

	path, late := f.Begun(key, webtest.NoteFile)
	f.Clock.Advance(vitrine.URLLife)
	f.Put(late, "text/plain", strings.NewReader(webtest.Note)).Want(403, "url_expired")
	f.Call(key, "POST", "/uploads/complete", webtest.NoteFile.With(webtest.Fields{"path": path})).Want(400,
		"upload_incomplete")

	req, _ := http.NewRequest("GET", url, nil)
	f.Do(req).Want(405, "method_not_allowed")
	req, _ = http.NewRequest("OPTIONS", url, nil)
	a := f.Do(req)
	if a.Status != 204 || a.Header.Get("Access-Control-Allow-Methods") != "PUT, HEAD, PATCH, DELETE, POST" ||
		!strings.HasPrefix(a.Header.Get("Access-Control-Allow-Headers"), "Content-Type, Accept, X-Requested-With") {
		t.Errorf("preflight: status %d, headers %v", a.Status, a.Header)
	}
	f.Audit()
}

// TestSignedPutTwiceAtOnce checks that a transfer in progress blocks a second
// one to the same URL, and that an interrupted transfer can be repeated.
func TestSignedPutTwiceAtOnce(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	path, url := f.Begun(key, webtest.NoteFile)
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
	fmt.Fprint(w, webtest.Note[:5]) // returns once the server reads the body
	if second := f.Put(url, "text/plain", strings.NewReader(webtest.Note)); second.Status == 409 {
		second.Want(409, "upload_in_progress")
		w.CloseWithError(io.ErrUnexpectedEOF)
		<-first
		for f.Put(url, "text/plain", strings.NewReader(webtest.Note)).Status == 409 {
			// The server may not have noticed yet that the first connection is
			// broken.
		}
	} else {
		// The second request reached the server first, so it must win and the
		// first must fail.
		second.Want(200, "")
		w.Close()
		<-first
	}
	f.Call(key, "POST", "/uploads/complete", webtest.NoteFile.With(webtest.Fields{"path": path})).Want(200, "")
	f.Audit()
}

// TestHoldsExpire checks that an unfinished upload releases its space.
func TestHoldsExpire(t *testing.T) {
	f := webtest.NewFixture(t)
	f.Limits(vitrine.Limits{Links: 1, HourlyUploads: 1000})
	key := f.Account(vitrine.PlanFree)
	path := f.Stored(key, webtest.NoteFile, webtest.Note)
	f.Call(key, "POST", "/uploads", webtest.NoteFile).Want(403, "link_limit")
	f.Clock.Advance(vitrine.UploadHold)
	second, url := f.Begun(key, webtest.NoteFile)
	// The first upload completes too late: it holds no space any more.
	a := f.Call(key, "POST", "/uploads/complete", webtest.NoteFile.With(webtest.Fields{"path": path})).Want(403,
		"link_limit")
	if a.JSON()["limit"] != 1.0 || a.JSON()["used"] != 1.0 {
		t.Errorf("limit and used = %s, want 1 and 1", a.Body)
	}
	f.Put(url, "text/plain", strings.NewReader(webtest.Note)).Want(200, "")
	slug := f.Call(key, "POST", "/uploads/complete", webtest.NoteFile.With(webtest.Fields{"path": second})).Want(200,
		"").Text("slug")
	f.Call(key, "POST", "/uploads", webtest.NoteFile).Want(403, "link_limit")
	f.Delete(slug)
	f.Call(key, "POST", "/uploads", webtest.NoteFile).Want(200, "")
	f.Audit()
}
