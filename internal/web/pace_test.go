package web_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
)

// TestStalledTransferEnds checks that a client that reads nothing cannot hold
// its connection forever.
func TestStalledTransferEnds(t *testing.T) {
	f := newFixture(t)
	f.server.StallTime = 50 * time.Millisecond
	text := strings.Repeat("words and words\n", 4<<20) // 64 MiB, more than the buffers of a connection hold
	slug := f.published(f.account(vitrine.PlanPro), noteFile.with(fields{"size": len(text)}), text)
	l, err := f.server.Links.BySlug(t.Context(), slug)
	if err != nil {
		t.Fatal(err)
	}
	content := f.server.ContentURL.Scheme + "://" + f.server.ContentURL.Host + "/c/" +
		f.server.Signer.ContentToken(l.ID, 1, f.clock.Now().Add(time.Hour)) + "/file"
	for _, path := range []string{"/p/" + slug + "/download", strings.TrimPrefix(content, f.url)} {
		ended := endings(f.site, path)
		conn, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
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
