package e2e

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"vitrine/client"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
)

// poorProxy is a proxy that refuses large bodies, and cuts every third chunk.
type poorProxy struct {
	http.Handler
	limit, cutAfter          int64
	chunks, requests, passed atomic.Int64
}

func (p *poorProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.requests.Add(1)
	if r.ContentLength > p.limit {
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		return
	}
	if r.Method == http.MethodPatch {
		var body io.Reader = r.Body
		if p.chunks.Add(1)%3 == 0 {
			body = io.MultiReader(io.LimitReader(body, p.cutAfter), cutReader{})
		}
		r.Body = io.NopCloser(&countedReader{body, &p.passed})
	}
	p.Handler.ServeHTTP(w, r)
}

// cutReader ends a connection in the middle of a body.
type cutReader struct{}

func (cutReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

type countedReader struct {
	io.Reader
	n *atomic.Int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// writeLines writes a text of at least a size, and returns its SHA-256.
func writeLines(t *testing.T, path string, least int64) (size int64, sum []byte) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	hash := sha256.New()
	w := bufio.NewWriter(io.MultiWriter(f, hash))
	for i := 0; size < least && err == nil; i++ {
		var n int
		n, err = fmt.Fprintf(w, "Line %d of a file that is long enough to be cut often.\n", i)
		size += int64(n)
	}
	if err = errors.Join(err, w.Flush()); err != nil {
		t.Fatal(err)
	}
	return size, hash.Sum(nil)
}

// TestTusClient uploads a file with tus clients of other projects, in
// JavaScript and in Python, and with ours, through a proxy that refuses large
// bodies and cuts connections.
// Each makes one link, and what has arrived is not sent again.
func TestTusClient(t *testing.T) {
	vitrinetest.Program(t, "node")
	if _, err := os.Stat(apiTools + "/node_modules/tus-js-client"); err != nil {
		vitrinetest.Missing(t, "tools/api/node_modules")
	}
	if _, err := os.Stat("/usr/lib/python3/dist-packages/tusclient"); err != nil {
		vitrinetest.Missing(t, "python3-tuspy")
	}
	in := start(t)
	var made struct{ APIKey string }
	if err := json.Unmarshal([]byte(in.vitrine("admin", "account", "create", "ann@example.org", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	in.vitrine("admin", "account", "plan", "ann@example.org", "lifetime")
	to, err := url.Parse(in.url)
	if err != nil {
		t.Fatal(err)
	}
	chunk := tier.Pick[int64](1<<20, 16<<20)
	path := filepath.Join(vitrinetest.DiskDir(t), "long.txt")
	size, sum := writeLines(t, path, tier.Pick[int64](11<<20, 1<<30))
	pass := httputil.NewSingleHostReverseProxy(to)
	pass.ErrorLog = log.New(io.Discard, "", 0)
	script := func(program, name string) func(proxy string) string {
		return func(proxy string) string {
			out, err := exec.Command(program, name, in.url+"/api/v1", made.APIKey, proxy, path,
				strconv.FormatInt(chunk, 10)).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			return filepath.Base(strings.TrimSpace(string(out)))
		}
	}
	for name, send := range map[string]func(proxy string) (slug string){
		"tus-js-client": script("node", apiTools+"/tus.mjs"),
		"tuspy":         script("/usr/bin/python3", apiTools+"/tus.py"),
		"the client for Go": func(proxy string) string {
			c, err := client.New(in.url, made.APIKey, client.WithHTTPClient(&http.Client{Transport: through(proxy)}))
			if err != nil {
				t.Fatal(err)
			}
			f, err := client.OpenFile(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			l, err := c.Upload(t.Context(), f, client.Options{Type: "text/plain"})
			if err != nil {
				t.Fatal(err)
			}
			return l.Slug
		},
	} {
		p := &poorProxy{Handler: pass, limit: chunk, cutAfter: chunk / 2}
		proxy := httptest.NewServer(p)
		slug := send(proxy.URL)
		proxy.Close()
		c, err := client.New(in.url, made.APIKey)
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.OpenLinkFile(t.Context(), slug)
		if err != nil {
			t.Fatal(err)
		}
		got := sha256.New()
		if n, err := io.Copy(got, res.Body); err != nil || n != size || !bytes.Equal(got.Sum(nil), sum) {
			t.Errorf("%s: the link has %d bytes, SHA-256 %x, %v, want %d, %x", name, n, got.Sum(nil), err, size, sum)
		}
		res.Body.Close()
		if _, err := c.DeleteLink(t.Context(), slug, client.Deletion{Permanent: true}); err != nil { // for room
			t.Error(err)
		}
		// A cut may lose what the proxy has read and not yet passed on, and a
		// chunk with a checksum counts whole or not at all.
		again, most := p.passed.Load()-size, p.chunks.Load()*64<<10
		if name == "tuspy" {
			most += p.chunks.Load() / 3 * p.cutAfter
		}
		if p.chunks.Load() < 4 || again > most {
			t.Errorf("%s: %d bytes were sent again in %d chunks, want some that are cut, and at most %d bytes", name, again,
				p.chunks.Load(), most)
		}
		t.Logf("%s: %d bytes in %d requests, %d of them chunks, %d bytes sent again", name, size, p.requests.Load(),
			p.chunks.Load(), again)
	}
}

// through returns a transport that sends requests to storage to a proxy.
func through(proxy string) http.RoundTripper {
	to, err := url.Parse(proxy)
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(r.URL.Path, "/storage/") {
			r = r.Clone(r.Context())
			r.URL.Host = to.Host
		}
		return http.DefaultTransport.RoundTrip(r)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
