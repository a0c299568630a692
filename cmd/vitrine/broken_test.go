package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"vitrine/client"
	"vitrine/internal/app/auth"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/cli/user"
)

// internals are words of Go and of systems that say nothing to most people.
var internals = regexp.MustCompile(`tcp|EOF|closed network|broken pipe|reset by peer|->|readfrom|unexpected`)

// TestBrokenConnections breaks off connections in each way and checks that the
// error says so in plain words.
func TestBrokenConnections(t *testing.T) {
	hijack := func(w http.ResponseWriter) *net.TCPConn {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return nil
		}
		return c.(*net.TCPConn)
	}
	for name, h := range map[string]http.HandlerFunc{
		"closed": func(w http.ResponseWriter, _ *http.Request) { _ = hijack(w).Close() },
		"reset":  func(w http.ResponseWriter, _ *http.Request) { c := hijack(w); _ = c.SetLinger(0); _ = c.Close() },
		"half a head": func(w http.ResponseWriter, _ *http.Request) {
			c := hijack(w)
			_, _ = io.WriteString(c, "HTTP/1.1 20")
			_ = c.Close()
		},
		"half a body": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"links":[`)
		},
		"half a body, reset": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"links":[`)
			_ = http.NewResponseController(w).Flush()
			c := hijack(w)
			_ = c.SetLinger(0)
			_ = c.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(h)
			defer s.Close()
			term := &terminal.Terminal{Out: new(strings.Builder), Err: new(strings.Builder)}
			api, err := user.Connection{Server: s.URL, APIKey: string(auth.NewKeyText())}.Client(term,
				client.WithAttempts(1))
			if err != nil {
				t.Fatal(err)
			}
			big := io.NewSectionReader(zeros{}, 0, 8<<20)
			for what, ask := range map[string]func() error{
				"list": func() error { _, err := api.Links(t.Context(), "", client.Query{Limit: 1}); return err },
				"upload": func() error {
					_, err := api.Upload(t.Context(), client.File{Name: "a.txt", Size: big.Size(), Content: big},
						client.Options{})
					return err
				},
			} {
				err := ask()
				if err == nil {
					t.Errorf("%s: no error", what)
					continue
				}
				got := term.Sentence(err)
				if found := internals.FindString(got); found != "" || !strings.Contains(got, s.URL) {
					t.Errorf("%s: error %q contains %q, or not the address", what, got, found)
				}
			}
		})
	}
}

// zeros is an endless file.
type zeros struct{}

func (zeros) ReadAt(p []byte, _ int64) (int, error) { clear(p); return len(p), nil }
