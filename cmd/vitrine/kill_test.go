package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/client"
)

// killed is an instance whose server is killed again and again, with what it had acknowledged.
type killed struct {
	t    *testing.T
	data string
	key  string

	settings []string // of the environment of its server

	mu            sync.Mutex
	links         []string // slugs that complete answered
	acknowledged  func()   // called with each
	pages, broken int      // page loads answered with 200, and those whose answer did not come
}

func (k *killed) run(args ...string) string {
	k.t.Helper()
	out, all, err := verb(append(args, "--data", k.data)...)
	if err != nil {
		k.t.Fatalf("vitrine %s: %v: %s", strings.Join(args, " "), err, all)
	}
	return out
}

// serve starts a server and returns its address and what kills it.
func (k *killed) serve() (url string, kill func()) {
	k.t.Helper()
	cmd, log := serveProcess(k.t, append(k.settings, "VITRINE_DATA="+k.data))
	port, ok := log.wait(serving)
	if !ok {
		k.t.Fatal(port)
	}
	return "http://localhost:" + port, func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// upload puts files on display until ctx ends.
func (k *killed) upload(ctx context.Context, url string) {
	c, err := client.New(url, k.key, client.WithAttempts(1))
	if err != nil {
		k.t.Error(err)
		return
	}
	text := bytes.Repeat([]byte("Nothing of this may be lost.\n"), 20_000)
	for ctx.Err() == nil {
		l, err := c.Upload(ctx, client.File{Name: "a.txt", Size: int64(len(text)), Content: bytes.NewReader(text)}, client.Options{})
		if err != nil {
			return
		}
		k.mu.Lock()
		k.links = append(k.links, l.Slug)
		k.acknowledged()
		k.mu.Unlock()
	}
}

// open loads a page until ctx ends, as a person's browser.
func (k *killed) open(ctx context.Context, url string) {
	for ctx.Err() == nil {
		req, err := http.NewRequest(http.MethodGet, url+"/p/"+k.links[0], nil)
		if err != nil {
			k.t.Error(err)
			return
		}
		req.Header.Set("User-Agent", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36")
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			_, err = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
		k.mu.Lock()
		if err != nil {
			k.broken++
		} else if res.StatusCode == http.StatusOK {
			k.pages++
		}
		k.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// TestKill kills the server with SIGKILL at moments of chance under uploads and page loads. What it had acknowledged is there
// afterwards, once, and the audit finds no fault (promises 1, 2, 13).
func TestKill(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	k := &killed{t: t, data: t.TempDir()}
	k.key = strings.TrimSpace(k.run("account", "create", "owner@example.org"))
	url, kill := k.serve()
	first, cancel := context.WithCancel(t.Context())
	k.acknowledged = cancel
	k.upload(first, url)
	kill()
	if len(k.links) == 0 {
		t.Fatal("no link was made")
	}
	for range 6 {
		url, kill := k.serve()
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(100+r.IntN(600))*time.Millisecond)
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { k.upload(context.WithoutCancel(ctx), url) })
			wg.Go(func() { k.open(context.WithoutCancel(ctx), url) })
		}
		<-ctx.Done()
		kill()
		cancel()
		wg.Wait()
		k.run("audit", "--deep")
	}
	url, kill = k.serve()
	defer kill()
	k.check(url, seed)
}

func (k *killed) check(url string, seed uint64) {
	c, err := client.New(url, k.key)
	if err != nil {
		k.t.Fatal(err)
	}
	there := map[string]bool{}
	for l, err := range c.AllLinks(k.t.Context()) {
		if err != nil {
			k.t.Fatal(err)
		}
		if there[l.Slug] {
			k.t.Errorf("seed %d: link %s is there twice", seed, l.Slug)
		}
		there[l.Slug] = true
	}
	for _, slug := range k.links {
		if !there[slug] {
			k.t.Errorf("seed %d: link %s was acknowledged and is lost", seed, slug)
		}
	}
	rep, err := c.LinkAnalytics(k.t.Context(), k.links[0], "7d")
	if err != nil {
		k.t.Fatal(err)
	}
	if v := int(rep.Totals.Views); v < k.pages || v > k.pages+k.broken {
		b, _ := json.Marshal(rep.Totals)
		k.t.Errorf("seed %d: %d pages were answered and %d were not: %s", seed, k.pages, k.broken, b)
	}
	k.t.Logf("%d links, %d pages answered, %d cut off", len(k.links), k.pages, k.broken)
}
