package main

import (
	"bytes"
	"crypto/rand"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/collections"
	"vitrine/internal/cli/instance"
)

// middle is a proxy that stops in the chunk that passes the middle of a file,
// until the test goes on.
type middle struct {
	http.Handler
	at, passed     atomic.Int64
	reached, ended chan struct{}
}

func (m *middle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPatch {
		r.Body = &passing{r.Body, m}
	}
	m.Handler.ServeHTTP(w, r)
}

type passing struct {
	io.ReadCloser
	m *middle
}

func (p *passing) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	now := p.m.passed.Add(int64(n))
	if at := p.m.at.Load(); at > 0 && now >= at && p.m.at.CompareAndSwap(at, 0) {
		p.m.reached <- struct{}{}
		<-p.m.ended
	}
	return n, err
}

// TestKillClient kills "vitrine put" and "vitrine deploy" in the middle of a
// large file. The same command goes on where it was.
func TestKillClient(t *testing.T) {
	t.Parallel()
	k := &killed{t: t, data: t.TempDir()}
	k.key = strings.TrimSpace(k.run("admin", "account", "create", "owner@example.org"))
	k.run("admin", "account", "plan", "owner@example.org", "lifetime")
	createWebsite(t, k.data, "owner@example.org", "handbook")
	m := &middle{reached: make(chan struct{}), ended: make(chan struct{})}
	proxy := httptest.NewServer(m)
	defer proxy.Close()
	k.settings = []string{"VITRINE_PUBLIC_URL=" + proxy.URL}
	server, kill := k.serve()
	defer kill()
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(to)
	pass.ErrorLog = log.New(io.Discard, "", 0)
	m.Handler = pass

	const size = 20 << 20
	text := filepath.Join(t.TempDir(), "long.txt")
	folder := t.TempDir()
	film := make([]byte, size)
	_, _ = rand.Read(film)
	for path, content := range map[string][]byte{text: bytes.Repeat([]byte("a long line of text\n"), size/20),
		filepath.Join(folder, "film.mp4"):   film,
		filepath.Join(folder, "index.html"): []byte("<!doctype html><title>Handbook</title><p>Hello")} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	home := t.TempDir()
	for _, args := range [][]string{{"put", text}, {"deploy", folder, "--to", "handbook"}} {
		program := func() *exec.Cmd {
			cmd := exec.Command("vitrine", args...)
			cmd.Env = append(os.Environ(), "VITRINE_SERVER="+proxy.URL, "VITRINE_API_KEY="+k.key, "HOME="+home,
				"XDG_CACHE_HOME="+home)
			return cmd
		}
		m.passed.Store(0)
		m.at.Store(size / 2)
		first := program()
		if err := first.Start(); err != nil {
			t.Fatal(err)
		}
		<-m.reached
		_ = first.Process.Kill()
		_ = first.Wait()
		m.ended <- struct{}{}
		out, err := program().CombinedOutput()
		if err != nil {
			t.Fatalf("vitrine %s does not go on: %v: %s", args, err, out)
		}
		// What the proxy held when it was left may be lost.
		if again := m.passed.Load() - size; again > 1<<20 {
			t.Errorf("vitrine %s: of %d bytes, %d were sent again", args, size, again)
		}
	}
	if _, out, err := k.verb("admin", "audit", "--deep"); err != nil {
		t.Errorf("audit: %v: %s", err, out)
	}
}

// createWebsite creates a website of an account, as the app does.
func createWebsite(t *testing.T, data, email, slug string) {
	t.Helper()
	store, err := instance.Places{Data: data}.OpenStore()
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	a, err := vitrine.Read(t.Context(), store, func(tx vitrine.Tx) (*vitrine.Account, error) {
		return vitrine.AccountByEmail(tx, email)
	})
	if err == nil {
		sites := collections.Sites{Store: store, Now: time.Now}
		_, err = sites.Create(t.Context(), a, "Handbook", slug)
	}
	if err != nil {
		t.Fatal(err)
	}
}
