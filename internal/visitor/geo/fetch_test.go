package geo_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/visitor/geo"
)

var today = time.Date(2026, 3, 31, 23, 0, 0, 0, time.UTC)

func packed(t testing.TB, b []byte) []byte {
	t.Helper()
	var to bytes.Buffer
	w, err := gzip.NewWriterLevel(&to, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return to.Bytes()
}

// mirror serves files by name and records the requests.
func mirror(t *testing.T, answer func(w http.ResponseWriter, name string)) (root string, asked *[]string) {
	asked = new([]string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/free/")
		*asked = append(*asked, name)
		answer(w, name)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/free/", asked
}

// TestFetch checks that this month's file is downloaded, and in the first days
// of a month the previous one.
func TestFetch(t *testing.T) {
	for _, have := range []string{"2026-03", "2026-02"} {
		root, asked := mirror(t, func(w http.ResponseWriter, name string) {
			if name != "dbip-city-lite-"+have+".mmdb.gz" {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			_, _ = w.Write(packed(t, cities))
		})
		path := filepath.Join(t.TempDir(), geo.DefaultName)
		killed := filepath.Join(filepath.Dir(path), "."+geo.DefaultName+"-123")
		write(t, killed, cities)
		got, err := geo.Fetch(t.Context(), root, path, today)
		if err != nil {
			t.Fatal(err)
		}
		if got.Kind != "DBIP-City-Lite" || got.Size != int64(len(cities)) || !strings.Contains(got.From, have) {
			t.Errorf("Fetch = %+v", got)
		}
		want := []string{"dbip-city-lite-2026-03.mmdb.gz", "dbip-city-lite-2026-02.mmdb.gz"}
		if have == "2026-03" {
			want = want[:1]
		}
		if fmt.Sprint(*asked) != fmt.Sprint(want) {
			t.Errorf("requests = %v, want %v", *asked, want)
		}
		if got := placeOf(opened(t, path), "81.2.69.142"); got != "GB London" {
			t.Errorf("place = %q, want GB London", got)
		}
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o644 {
			t.Errorf("mode = %v, %v, want 0644", st.Mode(), err)
		}
		checkNoFilesLeft(t, path)
	}
}

// checkNoFilesLeft checks that a download has left nothing beside the file.
func checkNoFilesLeft(t *testing.T, path string) {
	t.Helper()
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("files left: %v, %v", left, err)
	}
}

// TestFetchFails checks that the old file is kept whatever fails.
func TestFetchFails(t *testing.T) {
	whole := packed(t, cities)
	answers := map[string]func(w http.ResponseWriter){
		"there is no city file at":  func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) },
		"500 Internal Server Error": func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) },
		"403 Forbidden":             func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) },
		"is not a gzip file (gzip":  func(w http.ResponseWriter) { fmt.Fprint(w, "<!DOCTYPE html>Please wait") },
		"is not a gzip file (EOF)":  func(http.ResponseWriter) {},
		"cut off":                   func(w http.ResponseWriter) { _, _ = w.Write(whole[:len(whole)/2]) },
		"the download was cut off":  func(w http.ResponseWriter) { _, _ = w.Write(whole[:len(whole)-1]) },
		"checksum":                  func(w http.ResponseWriter) { _, _ = w.Write(damaged(whole)) },
		"cut off or damaged, or":    func(w http.ResponseWriter) { _, _ = w.Write(packed(t, cities[:len(cities)/2])) },
		"not an .mmdb file":         func(w http.ResponseWriter) { _, _ = w.Write(packed(t, []byte("garbage"))) },
		`its type is "Country"`: func(w http.ResponseWriter) {
			_,
				_ = w.Write(packed(t, vitrinetest.MMDB("Country", nil)))
		},
		"download was cut": cutConnection(whole),
		"stopped after 10 redirects": func(w http.ResponseWriter) {
			w.Header().Set("Location",
				"/")
			w.WriteHeader(http.StatusFound)
		},
	}
	path := filepath.Join(t.TempDir(), geo.DefaultName)
	write(t, path, []byte("the file before"))
	if _, err := geo.Fetch(t.Context(), "http://localhost:1", path, today); err == nil ||
		!strings.HasSuffix(err.Error(), ": nothing listens at localhost:1") {
		t.Errorf("Fetch from nowhere = %v, want that nothing listens", err)
	}
	for want, answer := range answers {
		root, _ := mirror(t, func(w http.ResponseWriter, _ string) { answer(w) })
		if _, err := geo.Fetch(t.Context(), root, path, today); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Fetch = %[2]v, want an error with %[1]q", want, err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != "the file before" {
			t.Errorf("%q: the old file = %q, %v", want, b, err)
		}
		checkNoFilesLeft(t, path)
	}
	ctx, stop := context.WithCancel(t.Context())
	root, _ := mirror(t, func(w http.ResponseWriter, _ string) { stop() })
	for _, root := range []string{root, "ftp://download.example", "", "http://127.0.0.1:1"} {
		if _, err := geo.Fetch(ctx, root, path, today); err == nil {
			t.Errorf("Fetch from %q = nil, want an error", root)
		}
	}
	checkNoFilesLeft(t, path)
	if _, err := geo.Fetch(t.Context(), root, filepath.Join(t.TempDir(), "no", "file"), today); err == nil {
		t.Error("Fetch into a missing directory = nil, want an error")
	}
}

// damaged returns a gzip file with one wrong byte.
func damaged(b []byte) []byte {
	b = bytes.Clone(b)
	b[len(b)-8] ^= 1 // in the checksum
	return b
}

// cutConnection sends half of the announced bytes.
func cutConnection(whole []byte) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", fmt.Sprint(len(whole)))
		_, _ = w.Write(whole[:len(whole)/2])
	}
}

// TestFetchDBIP downloads the real file from a server and looks up addresses in
// it.
func TestFetchDBIP(t *testing.T) {
	b, err := os.ReadFile(vitrinetest.CityFile(t))
	if err != nil {
		t.Fatal(err)
	}
	whole := packed(t, b)
	root, _ := mirror(t, func(w http.ResponseWriter, _ string) { _, _ = w.Write(whole) })
	path := filepath.Join(t.TempDir(), "dbip.mmdb")
	if _, err := geo.Fetch(t.Context(), root, path, today); err != nil {
		t.Fatal(err)
	}
	f := opened(t, path)
	for addr, want := range map[string]string{"81.2.69.142": "GB London", "85.214.132.117": "DE Berlin",
		"192.168.0.1": "", "2001:4860:4860::8888": ""} {
		if got := placeOf(f, addr); got != want {
			t.Errorf("%s = %q, want %q", addr, got, want)
		}
	}
	for _, n := range []int{len(whole) / 3, len(whole) - 100} {
		root, _ := mirror(t, func(w http.ResponseWriter, _ string) { _, _ = w.Write(whole[:n]) })
		if _, err := geo.Fetch(t.Context(), root, path, today); err == nil ||
			!strings.Contains(err.Error(), "cut off") {
			t.Errorf("Fetch of the first %d bytes = %v", n, err)
		}
	}
	if got := placeOf(opened(t, path), "81.2.69.142"); got != "GB London" {
		t.Errorf("place = %q, want GB London", got)
	}
}

// TestFetchOnlyOverTLS checks that no file is taken, or followed to, from
// another machine without TLS: anybody on the way could send another one.
func TestFetchOnlyOverTLS(t *testing.T) {
	path := filepath.Join(t.TempDir(), geo.DefaultName)
	for _, root := range []string{"http://download.example/free", "http://192.0.2.1", "http://localhost.example",
		"http://127.0.0.1.example", "https:", "//localhost"} {
		if _, err := geo.Fetch(t.Context(), root, path, today); err == nil || !strings.Contains(err.Error(), "begins with https://") {
			t.Errorf("Fetch from %s = %v, want an error about https", root, err)
		}
	}
	root, _ := mirror(t, func(w http.ResponseWriter, _ string) {
		w.Header().Set("Location", "http://192.0.2.1/x")
		w.WriteHeader(http.StatusFound)
	})
	if _, err := geo.Fetch(t.Context(), root, path, today); err == nil || !strings.Contains(err.Error(), "is not https") {
		t.Errorf("Fetch that is redirected to http = %v, want an error", err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
		t.Errorf("files left: %v, %v", left, err)
	}
}
