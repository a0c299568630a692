package bench

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine/bench/table"
)

const gib = 1 << 30

// endless is n bytes that do not compress.
type endless struct {
	block []byte
	left  int64
	at    int
}

func newEndless(n int64) *endless {
	e := &endless{block: make([]byte, 1<<20), left: n}
	r := rand.NewChaCha8([32]byte{})
	_, _ = r.Read(e.block)
	return e
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(int64(len(p)), e.left)], e.block[e.at:])
	e.at = (e.at + n) % len(e.block)
	e.left -= int64(n)
	return n, nil
}

// BenchmarkPut sends 1 GiB over loopback to a signed URL (SHA-256, fsync, exact
// size) and, in turn, to a plain handler (no hash, fsync) and to nginx's WebDAV
// PUT (no hash, no fsync).
func BenchmarkPut(b *testing.B) {
	v := newInstance(b, "owner@example.org")
	v.serve(b)
	defer v.stop()
	n, plain := startNginx(b), plainPut(b)
	var ours, plains, theirs []time.Duration
	once := func() {
		var up struct{ SignedURL string }
		v.call(b, 0, http.MethodPost, "/uploads", fmt.Sprintf(`{"name":"big.zip","type":"application/zip","size":%d}`,
			gib), &up)
		ours = append(ours, put(b, up.SignedURL))
		plains = append(plains, put(b, plain))
		if n != nil {
			theirs = append(theirs, put(b, n.url+"/big.zip"))
		}
		stored, _ := filepath.Glob(filepath.Join(v.data, "files", "blobs", "*", "*"))
		for _, file := range stored {
			_ = os.RemoveAll(file)
		}
	}
	once()
	ours, plains, theirs = nil, nil, nil
	for b.Loop() {
		once()
	}
	speed := func(of []time.Duration) table.Value {
		return table.Value{Unit: table.Speed, N: gib / median(of).Seconds()}
	}
	memory := func(p *process) table.Value { return table.Value{Unit: table.Memory, N: p.memory(b, "VmHWM")} }
	const figure, peak, reference = "PUT of 1 GiB over loopback, SHA-256, fsync, exact size",
		"the same, peak memory of the server", "nginx WebDAV PUT, no hash, no fsync"
	summary.add(table.Row{Figure: figure, Vitrine: speed(ours), Reference: "a plain handler, no hash, fsync",
		Than: speed(plains), Aim: "≥ 0.6"})
	if n == nil {
		summary.add(table.Row{Figure: figure, Vitrine: speed(ours), Reference: "nginx: not installed"})
		summary.add(table.Row{Figure: peak, Vitrine: memory(v.process), Aim: "≤ 12 MiB"})
		return
	}
	defer n.stop()
	summary.add(table.Row{Figure: figure, Vitrine: speed(ours), Reference: reference, Than: speed(theirs),
		Aim: "≥ 0.9"})
	summary.add(table.Row{Figure: peak, Vitrine: memory(v.process), Reference: "nginx", Than: memory(n),
		Aim: "≤ 12 MiB"})
}

// plainPut starts a handler in this process that stores a body and calls fsync.
func plainPut(b *testing.B) (url string) {
	path := filepath.Join(scratch(b), "plain")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, err := os.Create(path)
		if err == nil {
			_, err = io.Copy(f, r.Body)
			err = errors.Join(err, f.Sync(), f.Close(), os.Remove(path))
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	b.Cleanup(s.Close)
	return s.URL
}

func put(b *testing.B, url string) time.Duration {
	b.Helper()
	req, err := http.NewRequest(http.MethodPut, url, newEndless(gib))
	if err != nil {
		b.Fatal(err)
	}
	req.ContentLength = gib
	req.Header.Set("Content-Type", "application/zip")
	from := time.Now()
	if err := do(req, nil); err != nil {
		b.Fatal(err)
	}
	return time.Since(from)
}

// startNginx returns nil if nginx is not installed.
func startNginx(b *testing.B) *process {
	b.Helper()
	bin, err := exec.LookPath("nginx")
	if err != nil {
		if bin, err = exec.LookPath("/usr/sbin/nginx"); err != nil {
			b.Log("skipped: nginx is not installed")
			return nil
		}
	}
	version, _ := exec.Command(bin, "-v").CombinedOutput()
	summary.engine(strings.Replace(strings.TrimSpace(strings.TrimPrefix(string(version), "nginx version:")), "/", " ",
		1))
	dir, addr := scratch(b), freePort(b)
	conf := filepath.Join(dir, "nginx.conf")
	text := fmt.Sprintf(`daemon off; master_process off; user root; pid %[1]s/pid; error_log %[1]s/error.log;
events {}
http {
	access_log off; client_max_body_size 0; client_body_temp_path %[1]s/tmp; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f;
	uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
	server { listen %[2]s; root %[1]s/files; location / { dav_methods PUT; create_full_put_path on; } }
}`, dir, addr)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	return start(b, "http://"+addr, "/", bin, "-p", dir, "-c", conf, "-e", filepath.Join(dir, "error.log"))
}
