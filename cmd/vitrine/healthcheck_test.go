package main

import (
	"os"
	"testing"
)

// TestHealthcheck checks that the health check of a container reports whether
// its server answers.
func TestHealthcheck(t *testing.T) {
	t.Parallel()
	h := &held{t: t, data: t.TempDir()}
	h.serve()
	listen := ":" + h.url[len("http://localhost:"):]
	for _, at := range []string{listen, "127.0.0.1" + listen} {
		if _, out, err := verb("healthcheck", "--listen", at); err != nil {
			t.Errorf("healthcheck --listen %s: %v: %s", at, err, out)
		}
	}
	h.stop(os.Interrupt)
	if _, out, err := verb("healthcheck", "--listen", "127.0.0.1"+listen); err == nil {
		t.Errorf("healthcheck succeeds after the server has ended: %s", out)
	}
}
