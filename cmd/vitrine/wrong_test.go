package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vitrine/client"
	"vitrine/internal/app/auth"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/cli/user"
)

// TestWrongServer checks the errors for an unreachable server, which name the
// server and what to check, and for an invalid key, which name its server. No
// error contains the whole key.
func TestWrongServer(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintln(w, `{"error":"The API key is unknown.","code":"unauthorized"}`)
	}))
	defer refusing.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + l.Addr().String()
	l.Close()
	key := string(auth.NewKeyText())
	for server, want := range map[string][]string{
		refusing.URL: {"--api-key (vtr_…" + key[len(key)-4:] + ") is not a valid key at " +
			strings.TrimPrefix(refusing.URL, "http://")},
		closed:                      {"cannot reach " + closed, "nothing listens there", "VITRINE_SERVER"},
		"http://no.such.invalid":    {"cannot reach http://no.such.invalid", "no.such.invalid", "VITRINE_SERVER"},
		secure.URL:                  {"cannot reach " + secure.URL, "certificate is not valid"},
		"https" + refusing.URL[4:]:  {"does not speak TLS"},
		refusing.URL + "/api/v1?x=": {"address of an instance"},
	} {
		term := &terminal.Terminal{Out: new(strings.Builder), Err: new(strings.Builder)}
		api, err := user.Connection{Server: server, APIKey: key}.Client(term, client.WithAttempts(1))
		if err == nil {
			err = func() error { _, err := api.Links(t.Context(), "", client.Query{Limit: 1}); return err }()
		}
		if err == nil {
			t.Errorf("%s: no error", server)
			continue
		}
		got := term.Sentence(err)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: error %q lacks %q", server, got, w)
			}
		}
		if strings.Contains(got, key) || strings.Contains(got, "dial tcp") {
			t.Errorf("%s: error %q contains the key or internal details", server, got)
		}
	}
}
