package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"vitrine/client"
	"vitrine/internal/base/throttle"
)

// crowded is a server with one link, whose page views the test counts.
type crowded struct {
	*held
	key, slug string
}

func newCrowded(t *testing.T, files int) *crowded {
	t.Helper()
	h := &held{t: t, data: t.TempDir(), files: files}
	out, err := vitrineOn(h.data, "admin", "account", "create", "owner@example.org")
	if err != nil {
		t.Fatal(out)
	}
	words := strings.Fields(out)
	h.serve()
	c := &crowded{held: h, key: words[len(words)-1]}
	c.slug = h.upload(c.key).Slug
	return c
}

func (c *crowded) dial() net.Conn {
	c.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { conn.Close() })
	return conn
}

func (c *crowded) ask(conn net.Conn) {
	fmt.Fprintf(conn, "GET /p/%s HTTP/1.1\r\nHost: localhost\r\nUser-Agent: %s\r\n\r\n", c.slug, person)
}

// page requests the page on a connection and returns the status.
func (c *crowded) page(conn net.Conn) (status int) {
	c.t.Helper()
	c.ask(conn)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		c.t.Fatal(err)
	}
	return res.StatusCode
}

func (c *crowded) views(want int64) {
	c.t.Helper()
	api, err := client.New(c.url, c.key)
	if err != nil {
		c.t.Fatal(err)
	}
	r, err := api.LinkAnalytics(c.t.Context(), c.slug, client.ReportQuery{Range: "7d"})
	if err != nil || r.Totals.Views != want {
		c.t.Errorf("%d views, want %d: %v", r.Totals.Views, want, err)
	}
}

// TestFewDescriptors checks that a server with few file descriptors serves as
// many connections as it can. It closes idle connections to make room for new
// ones, and answers the rest with 503. Only pages that were answered count as
// views.
func TestFewDescriptors(t *testing.T) {
	t.Parallel()
	const files = 96
	c := newCrowded(t, files)
	most := throttle.MaxConnections(files)
	var pages int64
	// served requests a page until one is answered, because connections close
	// shortly after their answers.
	served := func() {
		t.Helper()
		for {
			switch status := c.page(c.dial()); status {
			case http.StatusOK:
				pages++
				return
			case http.StatusServiceUnavailable:
			default:
				t.Fatalf("page: status %d, want 200 or 503", status)
			}
		}
	}
	for range 3 * most { // each connection stays open and idle
		served()
	}
	large := strings.Repeat("words and words\n", 2<<20) // 32 MiB, more than the buffers of a connection hold
	api, err := client.New(c.url, c.key)
	if err != nil {
		t.Fatal(err)
	}
	l, err := api.Upload(t.Context(), client.File{Name: "large.txt", Size: int64(len(large)),
		Content: strings.NewReader(large)}, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var busy []net.Conn
	for len(busy) < most { // each is in the middle of an answer
		conn := c.dial()
		fmt.Fprintf(conn, "GET /p/%s/download HTTP/1.1\r\nHost: localhost\r\n\r\n", l.Slug)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode == http.StatusOK {
			busy = append(busy, conn)
		}
	}
	for range 10 {
		conn := c.dial()
		if status := c.page(conn); status != http.StatusServiceUnavailable {
			t.Errorf("page with all connections in use: status %d, want 503", status)
		}
		conn.Close()
	}
	if text := c.wait(`(too many connections: .*descriptor_limit=` + fmt.Sprint(files) + `)`); strings.Contains(text,
		"127.0.0.1") {
		t.Errorf("the log contains a client's address: %s", text)
	}
	for _, conn := range busy {
		conn.Close()
	}
	served()
	c.views(pages)
	c.stop(os.Interrupt)
	if out, err := vitrineOn(c.data, "admin", "audit", "--deep"); err != nil {
		t.Error(out)
	}
	if n := strings.Count(c.log.drain(), "too many connections"); n != 1 {
		t.Errorf("%d log lines about too many connections, want 1", n)
	}
}

// TestLeftBeforeRead checks that a client which closes its connection before
// its request is read is not counted.
func TestLeftBeforeRead(t *testing.T) {
	t.Parallel()
	c := newCrowded(t, 0)
	signal := func(s syscall.Signal) {
		if err := c.server.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	signal(syscall.SIGSTOP)
	for i := range 40 {
		conn := c.dial()
		c.ask(conn)
		if i%2 == 1 { // a reset instead of a normal close
			_ = conn.(*net.TCPConn).SetLinger(0)
		}
		conn.Close()
	}
	last := c.dial()
	signal(syscall.SIGCONT)
	if status := c.page(last); status != http.StatusOK {
		t.Errorf("a client that waits for its answer: status %d, want 200", status)
	}
	// When the server has stopped, it has read all accepted connections in
	// order.
	c.stop(os.Interrupt)
	c.serve()
	c.views(1)
}
