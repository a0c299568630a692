package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestLinkOperations checks that requests about one link carry their parameters
// and return its ETag, and that the key is not sent to the URL of a file.
func TestLinkOperations(t *testing.T) {
	var asked []string
	var mu sync.Mutex // a retry may come before the handler of the lost answer has ended
	var h http.HandlerFunc = func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, fmt.Sprint(r.Method, " ", r.URL.EscapedPath(), " ", r.Header.Get("If-Match"), " ",
			string(body), " ", r.Header.Get("Authorization") != ""))
		w.Header().Set("ETag", `"2"`)
		switch {
		case strings.HasSuffix(r.URL.Path, "/file"):
			http.Redirect(w, r, "/bytes", http.StatusFound)
		case r.URL.Path == "/bytes":
			_, _ = io.WriteString(w, "the file")
		case r.Header.Get("If-Match") == `"1"`:
			w.WriteHeader(http.StatusPreconditionFailed)
			_, _ = io.WriteString(w, `{"error":"changed","code":"precondition_failed","current":{"slug":"x","title":"theirs"}}`)
		case r.Method == http.MethodDelete && len(asked)%2 == 1:
			panic(http.ErrAbortHandler) // the answer is lost
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"error":"no such link","code":"not_found"}`)
		default:
			_, _ = io.WriteString(w, `{"slug":"x","title":"t","expiresAt":"2027-01-31T09:00:00.000Z"}`)
		}
	}
	s := httptest.NewServer(h)
	defer s.Close()
	c, err := New(s.URL, "key")
	if err != nil {
		t.Fatal(err)
	}
	c.sleep = func(context.Context, time.Duration) error { return nil }
	l, err := c.Link(t.Context(), "a/b")
	if err != nil || l.ETag != `"2"` || l.ExpiresAt.IsZero() {
		t.Errorf("link = %+v, %v", l, err)
	}
	title, never := "t", time.Time{}
	if _, err = c.UpdateLink(t.Context(), "x", Change{Title: &title, ExpiresAt: &never, IfMatch: `"2"`}); err != nil {
		t.Error(err)
	}
	_, err = c.UpdateLink(t.Context(), "x", Change{IfMatch: `"1"`})
	var e *Error
	if !errors.As(err, &e) || e.Current == nil || e.Current.Title != "theirs" || e.Current.ETag != `"2"` {
		t.Errorf("error = %+v, want the current link", err)
	}
	res, err := c.OpenLinkFile(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if string(b) != "the file" {
		t.Errorf("file = %q", b)
	}
	want := []string{"GET /api/v1/links/a%2Fb   true",
		`PATCH /api/v1/links/x "2" {"title":"t","expiresAt":"never"} true`, `PATCH /api/v1/links/x "1" {} true`,
		"GET /api/v1/links/x/file   true", "GET /bytes   false"}
	if !slices.Equal(asked, want) {
		t.Errorf("requests\n%s", strings.Join(asked, "\n"))
	}
	asked = nil
	if _, err := c.DeleteLink(t.Context(), "x", Deletion{}); err != nil || len(asked) != 2 {
		t.Errorf("DeleteLink whose answer is lost = %v, %d requests, want 2", err, len(asked))
	}
	asked = []string{""}
	if _, err := c.DeleteLink(t.Context(), "x", Deletion{}); codeOf(err) != "not_found" {
		t.Errorf("DeleteLink of a missing link = %v, want not_found", err)
	}
}
