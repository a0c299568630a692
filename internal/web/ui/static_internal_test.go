package ui

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vitrine/internal/web/httpx"
)

// TestPackedFiles checks that a file that the program has compressed has one
// content for all browsers.
func TestPackedFiles(t *testing.T) {
	for name, begins := range map[string]string{"pdfjs/pdf.min.mjs": "/**", "docx/jszip.min.js": "/*!",
		"pdfjs/wasm/jbig2.wasm": "\x00asm", "pdfjs/fonts/LiberationSans-Bold.ttf": "\x00\x01\x00\x00"} {
		get := func(accept string) *http.Response {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header.Set("Accept-Encoding", accept)
			r.SetPathValue("path", strings.TrimPrefix(AssetPath(name), httpx.AssetRoot))
			w := httptest.NewRecorder()
			if err := ServeAsset(w, r); err != nil {
				t.Fatal(err)
			}
			return w.Result()
		}
		packed, plain := get("gzip"), get("identity")
		if packed.Header.Get("Content-Encoding") != "gzip" || plain.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: encodings %q and %q", name, packed.Header, plain.Header)
		}
		z, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := io.ReadAll(z)
		body, err2 := io.ReadAll(plain.Body)
		if err != nil || err2 != nil || !bytes.Equal(unpacked, body) || !strings.HasPrefix(string(body), begins) {
			t.Errorf("%s: %v, %v; %d and %d bytes, beginning with %.4q", name, err, err2, len(unpacked), len(body), body)
		}
	}
}
