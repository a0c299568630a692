package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"vitrine/client"
	"vitrine/internal/cli/instance"
	"vitrine/internal/test/tier"
)

// killed is an instance whose server is killed repeatedly, and what it has
// acknowledged.
type killed struct {
	t    *testing.T
	data string
	key  string

	database, files string   // their addresses; "" for the data directory
	settings        []string // additional environment of its server

	mu            sync.Mutex
	links         []string // slugs of completed uploads
	pages, broken int      // page loads of the first link that were answered with 200, and those without an answer
}

// run runs a command on the instance and returns its standard output.
func (k *killed) run(args ...string) string {
	k.t.Helper()
	out, all, err := k.verb(args...)
	if err != nil {
		k.t.Fatalf("vitrine %s: %v: %s", strings.Join(args, " "), err, all)
	}
	return out
}

// verb runs a command that may fail. all includes standard error.
func (k *killed) verb(args ...string) (out, all string, err error) {
	return verb(placed(args, instance.Places{Data: k.data, Database: k.database, Files: k.files})...)
}

// serve starts a server and returns its address and a function that kills it.
func (k *killed) serve() (url string, kill func()) {
	k.t.Helper()
	cmd, url, log := k.start()
	if url == "" {
		k.t.Fatal(log.drain())
	}
	return url, func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// start starts a server and waits until it serves. url is "" if it ended
// before.
func (k *killed) start(settings ...string) (cmd *exec.Cmd, url string, log *lines) {
	k.t.Helper()
	cmd, log = serveProcess(k.t, append(append(settings, k.settings...), "VITRINE_DATA="+k.data,
		"VITRINE_DATABASE="+k.database, "VITRINE_FILES="+k.files))
	if port, ok := log.wait(serving); ok {
		url = "http://localhost:" + port
	}
	return cmd, url, log
}

// upload creates links until one fails.
func (k *killed) upload(url string, n int) error {
	c, err := client.New(url, k.key, client.WithAttempts(1))
	if err != nil {
		return err
	}
	text := bytes.Repeat([]byte("Nothing of this may be lost.\n"), 20_000)
	for range n {
		l, err := c.Upload(k.t.Context(), client.File{Name: "a.txt", Size: int64(len(text)),
			Content: bytes.NewReader(text)}, client.Options{})
		if err != nil {
			return err
		}
		k.mu.Lock()
		k.links = append(k.links, l.Slug)
		k.mu.Unlock()
	}
	return nil
}

// open loads the page of the first link like a person's browser.
func (k *killed) open(url string) error {
	k.mu.Lock()
	first := k.links[0]
	k.mu.Unlock()
	req, err := http.NewRequest(http.MethodGet, url+"/p/"+first, nil)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", person)
	res, err := http.DefaultClient.Do(req)
	if err == nil {
		_, err = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil {
		k.broken++
	} else if res.StatusCode == http.StatusOK {
		k.pages++
	}
	return err
}

// load creates links and loads pages until the server is gone.
func (k *killed) load(url string) {
	for k.upload(url, 1) == nil && k.open(url) == nil && k.open(url) == nil {
	}
}

// TestKill kills the server with SIGKILL at random steps under uploads and page
// loads, first one at a time, then several at once. The same seed chooses the
// same steps, but the server may have done other work by then. Everything
// acknowledged must be there once, and the audit must find no fault (promises
// 1, 2, 13).
func TestKill(t *testing.T) {
	t.Parallel()
	const start, uploads = 26, 100 // steps of a start, and of some uploads after it
	r := seeded(t)
	k := &killed{t: t, data: t.TempDir()}
	k.key = strings.TrimSpace(k.run("admin", "account", "create", "owner@example.org"))
	for i := range tier.Pick(4, 40) {
		step := start + r.IntN(uploads)
		if i%4 == 0 {
			step = 1 + r.IntN(start)
		}
		cmd, url, log := k.start(killSetting(step))
		var all sync.WaitGroup
		for range 1 + i%2*3 {
			if url != "" {
				all.Go(func() { k.load(url) })
			}
		}
		all.Wait()
		text := log.drain()
		_ = cmd.Wait()
		if _, out, err := k.verb("admin", "audit", "--deep"); err != nil {
			t.Fatalf("audit: %v: %s\nafter %s", err, out, text)
		}
	}
	url, kill := k.serve()
	defer kill()
	if err := k.upload(url, 1); err != nil {
		t.Fatal(err)
	}
	if err := k.open(url); err != nil {
		t.Fatal(err)
	}
	k.check(url)
}

func (k *killed) check(url string) {
	c, err := client.New(url, k.key)
	if err != nil {
		k.t.Fatal(err)
	}
	there := map[string]bool{}
	for l, err := range c.AllLinks(k.t.Context(), client.Query{}) {
		if err != nil {
			k.t.Fatal(err)
		}
		if there[l.Slug] {
			k.t.Errorf("link %s is listed twice", l.Slug)
		}
		there[l.Slug] = true
	}
	for _, slug := range k.links {
		if !there[slug] {
			k.t.Errorf("acknowledged link %s is lost", slug)
		}
	}
	rep, err := c.LinkAnalytics(k.t.Context(), k.links[0], client.ReportQuery{Range: "7d"})
	if err != nil {
		k.t.Fatal(err)
	}
	if v := int(rep.Totals.Views); v < k.pages || v > k.pages+k.broken {
		b, _ := json.Marshal(rep.Totals)
		k.t.Errorf("%d pages were answered and %d were not: report %s", k.pages, k.broken, b)
	}
	k.t.Logf("%d links, %d pages answered, %d cut off", len(k.links), k.pages, k.broken)
}
