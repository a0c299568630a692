package httpx

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// deadlines records the read deadline that a handler sets.
type deadlines struct {
	*httptest.ResponseRecorder
	last time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error {
	d.last = t
	return nil
}

// TestBodyDeadline checks that the read deadline is removed at the end of the
// body, because it would otherwise interrupt the handler. It stays while bytes
// are left, and is short once the server is stopping.
func TestBodyDeadline(t *testing.T) {
	const long = time.Hour
	begin := func(method string) (*Server, *deadlines, *timedBody, func() (int64, error)) {
		s := &Server{BodyTime: long}
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		r := httptest.NewRequest(method, "/", strings.NewReader(strings.Repeat("x", 3*slowBytes)))
		b := s.TimeBody(w, r)
		return s, w, b, func() (int64, error) { return io.Copy(io.Discard, WithoutBodyDeadline(r)) }
	}
	near := func(what string, w *deadlines, d time.Duration) {
		t.Helper()
		if off := time.Until(w.last) - d; w.last.IsZero() || off.Abs() > time.Minute/2 {
			t.Errorf("%s: deadline in %v, want %v", what, time.Until(w.last), d)
		}
	}
	_, w, b, read := begin("PUT")
	near("at the beginning", w, long)
	w.last = time.Time{}
	if n, err := b.Read(make([]byte, 1)); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if !w.last.IsZero() {
		t.Error("a small body got a deadline")
	}
	if _, err := read(); err != nil || !w.last.IsZero() {
		t.Errorf("deadline at the end of the body = %v, %v, want none", w.last, err)
	}
	b.End()
	if !w.last.IsZero() {
		t.Error("a body that was read has a deadline after its request")
	}

	_, w, b, _ = begin("POST")
	b.End()
	near("not read", w, long/30)

	_, w, _, _ = begin("GET")
	near("GET", w, long/30)

	s, w, b, _ := begin("PUT")
	s.EndStalled()
	near("at the end of the server", w, long/6)
	b.End()
	s.bodies.Range(func(any, any) bool {
		t.Error("a body that has ended is still tracked")
		return true
	})
	if b = s.TimeBody(w, httptest.NewRequest("PUT", "/", strings.NewReader("x"))); b == nil {
		t.Fatal("TimeBody = nil")
	}
	near("after the end began", w, long/6)
}
