package client

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"
)

// TestVersions checks that versions are listed, restored and deleted, and that
// a retry is sent where it helps.
func TestVersions(t *testing.T) {
	var seen []string
	failures := 1
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, fmt.Sprint(r.Method, " ", r.URL.EscapedPath()))
		switch {
		case failures > 0:
			failures--
			refused(http.StatusServiceUnavailable, nil, `{"error":"Down.","code":"unavailable"}`)(w, nil)
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		case r.Method == http.MethodPost:
			io.WriteString(w, `{"slug":"a","title":"T","url":"https://share.example/p/a","version":1}`)
		default:
			io.WriteString(w, `{"versions":[{"version":2,"current":true,"status":"live","name":"a.pdf","size_bytes":3,"created_at":"2026-05-04T12:00:00.000Z","key":"k"},{"version":1,"status":"review","reason":"x"}]}`)
		}
	}))
	defer hs.Close()
	c, _ := fresh(t, hs.URL)
	list, err := c.Versions(t.Context(), "a/b")
	want := []Version{{Version: 2, Current: true, Status: "live", Name: "a.pdf", SizeBytes: 3,
		CreatedAt: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC), Key: "k"}, {Version: 1, Status: "review", Reason: "x"}}
	if err != nil || !reflect.DeepEqual(list, want) {
		t.Errorf("Versions = %+v, %v, want %+v", list, err, want)
	}
	if l, err := c.RestoreVersion(t.Context(), "a", 1); err != nil || l.Version != 1 {
		t.Errorf("RestoreVersion = %+v, %v", l, err)
	}
	if err := c.DeleteVersion(t.Context(), "a", 1); err != nil {
		t.Errorf("DeleteVersion = %v, want nil", err)
	}
	wantSeen := []string{"GET /api/v1/links/a%2Fb/versions", "GET /api/v1/links/a%2Fb/versions",
		"POST /api/v1/links/a/versions/1/restore", "DELETE /api/v1/links/a/versions/1"}
	if !reflect.DeepEqual(seen, wantSeen) {
		t.Errorf("requests = %q, want %q", seen, wantSeen)
	}
}

// TestUploadReplaces checks that both steps of a replacement say so and leave
// out the fields that a link keeps.
func TestUploadReplaces(t *testing.T) {
	f := newFake(t)
	c, _ := fresh(t, f.URL)
	if _, err := c.Upload(t.Context(), textFile(), Options{Replace: "mine", IfMatch: `"x"`}); err != nil {
		t.Fatal(err)
	}
	b := f.seen[0]
	if _, sent := b["allowDownload"]; sent || b["replace"] != "mine" || f.begun[0]["replace"] != "mine" ||
		b["If-Match"] != `"x"` || f.begun[0]["If-Match"] != `"x"` {
		t.Errorf("step 1 = %v, step 3 = %v", f.begun[0], b)
	}
}
