package sqldb

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// TestLines checks that only silence of the server closes connections, that it
// closes all of them, and that an answer ends it.
func TestLines(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and sends nothing
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	l := newLines(&net.Dialer{}, UsualWaits().Silence)
	dial := func() net.Conn {
		t.Helper()
		c, err := l.dial(t.Context(), "tcp", server.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	// tried simulates a failed check by the listener after a minute of silence.
	tried := func(err error) {
		l.began = time.Now().Add(-time.Minute)
		l.heard.Store(0)
		l.recordConnect(err)
	}
	place := url.URL{Scheme: "postgres", User: url.User("ann"), Host: server.Addr().String(), Path: "/none",
		RawQuery: "sslmode=disable"}
	config, err := pgx.ParseConfig(place.String())
	if err != nil {
		t.Fatal(err)
	}
	config.ConnectTimeout = 10 * time.Millisecond
	_, silent := pgx.ConnectConfig(t.Context(), config)
	if silent == nil {
		t.Fatal("connecting to a silent server succeeds, want an error")
	}

	kept := dial()
	for name, err := range map[string]error{
		"an answer":            nil,
		"refused":              &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED},
		"reset":                &net.OpError{Op: "read", Err: syscall.ECONNRESET},
		"hung up":              io.ErrUnexpectedEOF,
		"too many connections": &pgconn.PgError{Code: "53300", SeverityUnlocalized: "FATAL"},
		"starting":             &pgconn.PgError{Code: "57P03", SeverityUnlocalized: "FATAL"},
		"no name":              &net.DNSError{Err: "timeout", IsTimeout: true},
	} {
		if tried(err); l.Frozen() {
			t.Fatalf("%s counts as silence", name)
		}
	}
	l.answered()
	if l.recordConnect(silent); l.Frozen() {
		t.Fatal("a server that has just answered counts as frozen")
	}
	_ = kept.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	if _, err := kept.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("connection that must be kept: %v", err)
	}
	_ = kept.Close()

	for name, err := range map[string]error{"no answer": silent,
		"no way": &net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}} {
		c := dial()
		tried(err)
		if !l.Frozen() {
			t.Fatalf("%s does not count as silence", name)
		}
		_ = c.SetReadDeadline(time.Now().Add(2 * time.Minute))
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: connection that must be closed: %v", name, err)
		}
		if _, err := l.dial(context.Background(), "tcp", server.Addr().String()); !errors.Is(err, ErrFrozen) {
			t.Errorf("%s: dial to a frozen server = %v, want ErrFrozen", name, err)
		}
		l.recordConnect(nil)
		_ = dial().Close()
	}
}
