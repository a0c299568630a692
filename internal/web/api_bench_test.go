package web_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"vitrine"
)

// apiBench returns a link in a fixture for benchmarks, and a function that
// sends requests directly to its router.
func apiBench(b *testing.B) (key, slug string, ask func(method, path, body string) int) {
	f := newFixture(b)
	key = f.account(vitrine.PlanPro)
	slug = f.published(key, noteFile, note)
	h := f.server.Handler()
	return key, slug, func(method, path, body string) int {
		r := httptest.NewRequest(method, f.server.PublicURL.String()+path, bytes.NewReader([]byte(body)))
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
}

// BenchmarkLinkAPI measures reading and changing a link through the router,
// with SQLite on a disk.
func BenchmarkLinkAPI(b *testing.B) {
	_, slug, ask := apiBench(b)
	b.Run("GET", func(b *testing.B) {
		for b.Loop() {
			if status := ask("GET", "/api/v1/links/"+slug, ""); status != http.StatusOK {
				b.Fatal(status)
			}
		}
	})
	b.Run("PATCH", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			if status := ask("PATCH", "/api/v1/links/"+slug,
				fmt.Sprintf(`{"title":"%d"}`, n)); status != http.StatusOK {
				b.Fatal(status)
			}
		}
	})
	b.Run("agent", func(b *testing.B) { // the same GET as the call of a tool
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_link","arguments":{"slug":%q}}}`, slug)
		for b.Loop() {
			if status := ask("POST", "/mcp", call); status != http.StatusOK {
				b.Fatal(status)
			}
		}
	})
}
