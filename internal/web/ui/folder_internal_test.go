package ui

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine/internal/web/httpx"
)

// TestReadFrom checks that in development the next request gets a changed file,
// at another URL.
func TestReadFrom(t *testing.T) {
	dir := t.TempDir()
	if err := ReadFrom(dir); err == nil || !strings.Contains(err.Error(), "is not the directory internal/web") {
		t.Fatalf("ReadFrom of an empty directory = %v", err)
	}
	if err := os.CopyFS(filepath.Join(dir, "ui"), fs.FS(files)); err != nil {
		t.Fatal(err)
	}
	if err := ReadFrom(dir); err != nil {
		t.Fatal(err)
	}
	defer func() { sources = "" }()
	get := func(address string) *httptest.ResponseRecorder {
		r, w := httptest.NewRequest(http.MethodGet, address, nil), httptest.NewRecorder()
		r.SetPathValue("path", strings.TrimPrefix(address, httpx.AssetRoot))
		if err := ServeAsset(w, r); err != nil {
			t.Fatal(err)
		}
		return w
	}
	before := AssetPath("ui/core.css")
	get(before)
	style := filepath.Join(dir, "ui", "styles", "tokens.css")
	if err := os.WriteFile(style, []byte("body { color: red }"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(style, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	after := AssetPath("ui/core.css")
	if got := get(after).Body.String(); after == before || !strings.Contains(got, "{body{color: red}}") {
		t.Errorf("changed style: %s, then %s with %q", before, after, got)
	}
	for _, text := range []string{"one", "two"} {
		if err := os.WriteFile(filepath.Join(dir, "ui", "layout.html"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := Template("error.html").Execute(&b, nil); err != nil || b.String() != text {
			t.Errorf("changed template = %q, %v", b.String(), err)
		}
	}
}
