package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"vitrine/client"
	"vitrine/internal/cli/instance"

	_ "modernc.org/sqlite"
)

// held is an instance whose view log another process can lock.
type held struct {
	t    *testing.T
	data string
	url  string
	log  *lines

	settings []string // additional environment of its server
	files    int      // file descriptors of its server; 0 for this process's limit

	server *os.Process
	stop   func(os.Signal)
}

func (h *held) serve() {
	h.t.Helper()
	settings := append(h.settings, "VITRINE_DATA="+h.data)
	cmd, log := (*exec.Cmd)(nil), (*lines)(nil)
	if h.files == 0 {
		cmd, log = serveProcess(h.t, settings)
	} else {
		limited := fmt.Sprintf("ulimit -n %d; exec vitrine serve --listen 127.0.0.1:0", h.files)
		cmd, log = startServer(h.t, settings, exec.Command("sh", "-c", limited))
	}
	h.log, h.server = log, cmd.Process
	var once sync.Once
	h.stop = func(s os.Signal) {
		once.Do(func() {
			_ = cmd.Process.Signal(s)
			h.log.drain()
			if err := cmd.Wait(); err != nil && s != os.Kill {
				h.t.Errorf("the server ended with %v", err)
			}
		})
	}
	h.t.Cleanup(func() { h.stop(os.Kill) })
	h.url = "http://localhost:" + h.wait(serving)
}

// wait waits for a log line and returns the group of its pattern.
func (h *held) wait(pattern string) string {
	h.t.Helper()
	text, ok := h.log.wait(pattern)
	if !ok {
		h.t.Fatalf("the server ended before it logged the line:\n%s", text)
	}
	return text
}

// hold takes the lock that a process needs to write the view log.
func (h *held) hold() (release func()) {
	h.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(h.data, instance.ViewsFile)+"?_pragma=busy_timeout(10000)")
	if err != nil {
		h.t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // a transaction needs one connection
	h.t.Cleanup(func() { db.Close() })
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		h.t.Fatal(err)
	}
	return func() {
		if _, err := db.Exec("ROLLBACK"); err != nil {
			h.t.Error(err)
		}
	}
}

// get loads a page like a person's browser and expects status 200.
func (h *held) get(path string) string {
	req, err := http.NewRequest(http.MethodGet, h.url+path, nil)
	if err != nil {
		h.t.Error(err)
		return ""
	}
	req.Header.Set("User-Agent", person)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Error(err)
		return ""
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		h.t.Errorf("GET %s: %s, %v, want 200", path, res.Status, err)
	}
	return string(b)
}

var downloadAddress = regexp.MustCompile(`/p/[^/"]+/download\?v=[^"&]+`)

// open loads a link's page n times at once and downloads the file from one of
// the pages.
func (h *held) open(slug string, n int) {
	var all sync.WaitGroup
	for range n - 1 {
		all.Go(func() { h.get("/p/" + slug) })
	}
	h.get(downloadAddress.FindString(h.get("/p/" + slug)))
	all.Wait()
}

// TestLogHeld locks the view log for longer than a reader waits. Pages and
// downloads are answered nevertheless, also by a server that is killed during
// that time. When the log is available again, each of them is in it once.
func TestLogHeld(t *testing.T) {
	t.Parallel()
	h := &held{t: t, data: t.TempDir()}
	run := func(args ...string) string {
		t.Helper()
		out, err := vitrineOn(h.data, args...)
		if err != nil {
			t.Fatalf("vitrine %s: %v: %s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	key := strings.Fields(run("admin", "account", "create", "owner@example.org"))
	h.serve()
	c, err := client.New(h.url, key[len(key)-1])
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("Nothing of this may be lost.\n")
	l, err := c.Upload(t.Context(), client.File{Name: "a.txt", Size: int64(len(text)), Content: bytes.NewReader(text)},
		client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var views, downloads int64
	open := func(n int) {
		h.open(l.Slug, n)
		views, downloads = views+int64(n), downloads+1
	}
	check := func() {
		t.Helper()
		c, err := client.New(h.url, key[len(key)-1])
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.LinkAnalytics(t.Context(), l.Slug, client.ReportQuery{Range: "7d"})
		if err != nil {
			t.Fatal(err)
		}
		if r.Totals.Views != views || r.Totals.Downloads != downloads {
			t.Errorf("%d views, %d downloads, want %d, %d", r.Totals.Views, r.Totals.Downloads, views, downloads)
		}
		run("admin", "audit", "--deep")
	}
	const kept, drained = "spooling to disk", "spool drained"

	open(5)
	release := h.hold()
	open(40)
	h.wait(kept)
	open(40)
	release()
	h.wait(drained)
	open(5)
	check()

	release = h.hold()
	open(40)
	h.wait(kept + `[\s\S]*` + drained + `[\s\S]*` + kept)
	h.stop(os.Kill)
	release()
	h.serve()
	open(5)
	h.wait(drained)
	check()

	h.stop(os.Interrupt)
	if left, err := os.ReadDir(filepath.Join(h.data, instance.SpoolDir)); err != nil || len(left) > 0 {
		t.Errorf("the spool has %v, %v, want no files", left, err)
	}
}
