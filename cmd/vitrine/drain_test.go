package main

import (
	"bufio"
	"net"
	"net/http"
	"syscall"
	"testing"
)

// TestDrain drains a server. The server reports at once that it is not ready.
// It continues to answer every client, but closes each connection after one
// answer. A second signal ends it.
func TestDrain(t *testing.T) {
	t.Parallel()
	cmd, log := serveProcess(t, []string{"VITRINE_DATA=" + t.TempDir()}, "--drain", "1h")
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	port, ok := log.wait(serving)
	if !ok {
		t.Fatal(port)
	}
	connect := func() (ask func(path string) *http.Response) {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		answers := bufio.NewReader(conn)
		return func(path string) *http.Response {
			t.Helper()
			req, err := http.NewRequest(http.MethodGet, "http://127.0.0.1:"+port+path, nil)
			if err == nil {
				err = req.Write(conn)
			}
			if err != nil {
				t.Fatal(err)
			}
			res, err := http.ReadResponse(answers, req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			return res
		}
	}
	kept := connect()
	if res := kept("/readyz"); res.StatusCode != http.StatusOK || res.Close {
		t.Errorf("before the signal: %s, closed = %v, want 200 on an open connection", res.Status, res.Close)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if text, ok := log.wait("draining: "); !ok {
		t.Fatal(text)
	}
	if res := kept("/healthz"); res.StatusCode != http.StatusOK || !res.Close {
		t.Errorf("on an older connection: %s, closed = %v, want 200 and closed", res.Status, res.Close)
	}
	if res := connect()("/readyz"); res.StatusCode != http.StatusServiceUnavailable || !res.Close {
		t.Errorf("/readyz: %s, closed = %v, want 503 and closed", res.Status, res.Close)
	}
	if res := connect()("/healthz"); res.StatusCode != http.StatusOK || !res.Close {
		t.Errorf("on a new connection: %s, closed = %v, want 200 and closed", res.Status, res.Close)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if text := log.drain(); cmd.Wait() == nil {
		t.Errorf("the server exits with 0 after a second signal:\n%s", text)
	}
}
