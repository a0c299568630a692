package web_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
)

// TestBodyThatNeverComes checks that a missing body does not hold a connection:
// every route answers or closes the connection after a timeout.
func TestBodyThatNeverComes(t *testing.T) {
	f := newFixture(t)
	f.server.BodyTime = 300 * time.Millisecond
	key := f.account(vitrine.PlanPro)
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
			c, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
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
