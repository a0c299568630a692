package content_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/webtest"
)

// TestTransferEndsWithTheLink checks that the transfer of a link that is
// disabled ends at once, and that another one arrives completely, however slow
// its reader is.
func TestTransferEndsWithTheLink(t *testing.T) {
	f := webtest.NewFixture(t)
	f.Server.RecheckEvery = 10 * time.Millisecond
	ended := webtest.Endings(f.Site, "/download")
	key := f.Account(vitrine.PlanPro)
	text := strings.Repeat("words and words\n", 4<<20) // 64 MiB, more than the buffers of a connection hold
	file := webtest.NoteFile.With(webtest.Fields{"size": len(text)})
	slug, kept := f.Published(key, file, text), f.Published(f.Account(vitrine.PlanPro), file, text)
	// begin reads the headers, and rest the body.
	begin := func(slug string) (rest func() (int64, error)) {
		t.Helper()
		conn, err := net.Dial("tcp", strings.TrimPrefix(f.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		_, _ = io.WriteString(conn, "GET /p/"+slug+"/download HTTP/1.1\r\nHost: localhost\r\n\r\n")
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || res.StatusCode != 200 || res.ContentLength != int64(len(text)) {
			t.Fatalf("%v, %v, want 200 and the length of the file", res, err)
		}
		return func() (int64, error) {
			_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
			return io.Copy(io.Discard, res.Body)
		}
	}
	cut, whole := begin(slug), begin(kept)
	f.Ban(key)
	ended() // only the server ends one of them, because the readers wait
	if n, err := cut(); n >= int64(len(text)) || !errors.Is(err, io.ErrUnexpectedEOF) &&
		!strings.Contains(webtest.ErrorText(err), "reset") {
		t.Errorf("%d of %d bytes of a disabled link: %v, want fewer", n, len(text), err)
	}
	if n, err := whole(); n != int64(len(text)) || err != nil {
		t.Errorf("%d of %d bytes of another link: %v, want all", n, len(text), err)
	}
}

// TestUntrustedProxyIsToldOf checks that the log reports a proxy that is not
// trusted, once and without an address.
func TestUntrustedProxyIsToldOf(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	var log bytes.Buffer
	s.Server.Log = slog.New(slog.NewTextHandler(&log, nil))
	open := func(headers ...string) { s.Status(s.Get("/p/"+string(l.Slug), headers...), http.StatusOK) }
	s.TrustProxy()
	open("X-Forwarded-For: 192.0.2.9")
	s.Server.TrustedProxies = nil
	open()
	if strings.Contains(log.String(), "--trusted-proxy") {
		t.Errorf("log without an untrusted proxy = %s", &log)
	}
	open("X-Forwarded-For: 192.0.2.9")
	open("X-Forwarded-For: 192.0.2.10")
	if text := log.String(); strings.Count(text, "--trusted-proxy") != 1 || strings.Contains(text, "192.0.2") ||
		strings.Contains(text, "127.0.0.1") {
		t.Errorf("log = %q, want --trusted-proxy once and no address", text)
	}
}

// TestBodyThatNeverComes checks that a missing body does not hold a connection:
// every route answers or closes the connection after a timeout.
func TestBodyThatNeverComes(t *testing.T) {
	f := webtest.NewFixture(t)
	f.Server.BodyTime = 300 * time.Millisecond
	key := f.Account(vitrine.PlanPro)
	head := func(method, path, more string) string {
		return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n", method, path, key, more)
	}
	const form = "Content-Type: application/x-www-form-urlencoded\r\n"
	for name, sent := range map[string]string{
		"not read":          head("GET", "/healthz", "Content-Length: 5\r\n"),
		"not read, chunked": head("GET", "/api/v1/status", "Transfer-Encoding: chunked\r\n"),
		"no route":          head("POST", "/nowhere", "Content-Length: 200000\r\n"),
		"refused":           head("POST", "/api/v1/uploads", "Content-Length: 5\r\n"),
		"JSON": head("POST", "/api/v1/uploads",
			"Content-Type: application/json\r\nContent-Length: 45\r\n") + `{"name":`,
		"form":          head("POST", "/sign-in", form+"Content-Length: 45\r\n") + "email=",
		"form, chunked": head("POST", "/sign-in", form+"Transfer-Encoding: chunked\r\n") + "6\r\nemail=\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := net.Dial("tcp", strings.TrimPrefix(f.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_ = c.SetDeadline(time.Now().Add(time.Minute)) // fails a hanging test
			if _, err := io.WriteString(c, sent); err != nil {
				t.Fatal(err)
			}
			r := bufio.NewReader(c)
			if _, err := http.ReadResponse(r, nil); err != nil {
				t.Fatalf("no answer: %v", err)
			}
			if _, err := io.Copy(io.Discard, r); err != nil {
				t.Errorf("the connection is still open: %v", err)
			}
		})
	}
}

// TestStalledTransferEnds checks that a client that reads nothing cannot hold
// its connection forever.
func TestStalledTransferEnds(t *testing.T) {
	f := webtest.NewFixture(t)
	f.Server.StallTime = 50 * time.Millisecond
	text := strings.Repeat("words and words\n", 4<<20) // 64 MiB, more than the buffers of a connection hold
	slug := f.Published(f.Account(vitrine.PlanPro), webtest.NoteFile.With(webtest.Fields{"size": len(text)}), text)
	l, err := f.Server.Links.BySlug(t.Context(), slug)
	if err != nil {
		t.Fatal(err)
	}
	content := f.Server.ContentURL.Scheme + "://" + f.Server.ContentURL.Host + "/c/" +
		f.Server.Signer.ContentToken(signer.Content{Link: l.ID, Version: 1}, f.Clock.Now().Add(time.Hour)) + "/file"
	for _, path := range []string{"/p/" + slug + "/download", strings.TrimPrefix(content, f.URL)} {
		ended := webtest.Endings(f.Site, path)
		conn, err := net.Dial("tcp", strings.TrimPrefix(f.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || res.StatusCode != 200 || res.ContentLength != int64(len(text)) {
			t.Fatalf("%v, %v, want 200 and the length of the file", res, err)
		}
		ended()
	}
}
