package user

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"vitrine/client"
)

// TestUnreachable checks that put stops if the server cannot be reached, and
// continues after an error answer.
func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := "http://" + l.Addr().String()
	l.Close()
	answers := httptest.NewServer(http.NotFoundHandler())
	defer answers.Close()
	for address, want := range map[string]bool{gone: true, answers.URL: false} {
		api, err := client.New(address, "vtr_0000000000000000000000000000000000000000", client.WithAttempts(1))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = api.Link(t.Context(), "abc"); err == nil || client.Unreachable(err) != want {
			t.Errorf("%s: %v, Unreachable = %v", address, err, !want)
		}
	}
}
