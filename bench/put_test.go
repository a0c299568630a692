package bench

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
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

// BenchmarkPut sends 1 GiB over loopback to a signed URL (SHA-256, fsync, exact size) and, in turn, to nginx's WebDAV PUT
// (no hash, no fsync). Metrics: MB/s of each, the ratio, and the peak memory of each server.
func BenchmarkPut(b *testing.B) {
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		if nginx = "/usr/sbin/nginx"; !exists(nginx) {
			b.Skip("nginx is not installed: nothing to compare with")
		}
	}
	v := newInstance(b)
	n := startNginx(b, nginx)
	put := func(url string) time.Duration {
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
	var ours, theirs time.Duration
	for b.Loop() {
		var up struct{ SignedURL string }
		v.call(http.MethodPost, "/uploads", fmt.Sprintf(`{"name":"big.zip","type":"application/zip","size":%d}`, gib), &up)
		ours += put(up.SignedURL)
		theirs += put(n.url + "/big.zip")
		stored, _ := filepath.Glob(filepath.Join(v.data, "files", "blobs", "*"))
		for _, dir := range stored {
			_ = os.RemoveAll(dir)
		}
	}
	rate := func(d time.Duration) float64 { return float64(gib) * float64(b.N) / 1e6 / d.Seconds() }
	b.ReportMetric(rate(ours), "vitrine-MB/s")
	b.ReportMetric(rate(theirs), "nginx-MB/s")
	b.ReportMetric(rate(ours)/rate(theirs), "ratio")
	b.ReportMetric(v.memory(b, "VmHWM"), "vitrine-peak-MiB")
	b.ReportMetric(n.memory(b, "VmHWM"), "nginx-peak-MiB")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func startNginx(b *testing.B, bin string) *process {
	b.Helper()
	dir, addr := b.TempDir(), freePort(b)
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
