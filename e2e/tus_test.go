package e2e

import (
	"bytes"
	"encoding/json"
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
	limit, cutAfter int64
	chunks, passed  atomic.Int64
}

func (p *poorProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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

// TestTusClient uploads a file with the tus client of another project, through
// a proxy that refuses large bodies and cuts connections. What has arrived is
// not sent again.
func TestTusClient(t *testing.T) {
	tier.Need(t, tier.All, "the tus client for Node.js")
	vitrinetest.Program(t, "node")
	if _, err := os.Stat(apiTools + "/node_modules/tus-js-client"); err != nil {
		vitrinetest.Missing(t, "tools/api/node_modules")
	}
	in := start(t)
	var made struct{ APIKey string }
	if err := json.Unmarshal([]byte(in.vitrine("admin", "account", "create", "ann@example.org", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(in.url)
	if err != nil {
		t.Fatal(err)
	}
	const chunk = 1 << 20
	pass := httputil.NewSingleHostReverseProxy(to)
	pass.ErrorLog = log.New(io.Discard, "", 0)
	p := &poorProxy{Handler: pass, limit: chunk, cutAfter: chunk / 2}
	proxy := httptest.NewServer(p)
	defer proxy.Close()
	var text []byte
	for i := range 300_000 {
		text = append(text, "Line "+strconv.Itoa(i)+" of a long file.\n"...)
	}
	path := filepath.Join(t.TempDir(), "long.txt")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("node", apiTools+"/tus.mjs", in.url+"/api/v1", made.APIKey, proxy.URL, path,
		strconv.Itoa(chunk)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c, err := client.New(in.url, made.APIKey)
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.OpenLinkFile(t.Context(), filepath.Base(strings.TrimSpace(string(out))))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got, err := io.ReadAll(res.Body); err != nil || !bytes.Equal(got, text) {
		t.Errorf("the link has %d bytes, %v, want the %d of the file", len(got), err, len(text))
	}
	if p.chunks.Load() < 9 {
		t.Errorf("%d chunks, want some that are cut", p.chunks.Load())
	}
	// A cut may lose what the proxy has read and not yet passed on.
	if lost := p.passed.Load() - int64(len(text)); lost > p.chunks.Load()*chunk/16 {
		t.Errorf("%d bytes were sent again, in %d chunks", lost, p.chunks.Load())
	}
	t.Logf("%d bytes in %d chunks, %d sent again", len(text), p.chunks.Load(), p.passed.Load()-int64(len(text)))
}
