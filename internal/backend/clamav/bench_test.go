package clamav

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/metrics"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// BenchmarkScan measures a scan of random bytes. It compares the time with
// reading the same file, and with ClamAV's own client, clamdscan with --stream
// and --fdpass: "x read", "x stream" and "x fdpass" are the scan's time divided
// by theirs. VITRINE_BENCH_LARGE=1 adds 2 GB.
func BenchmarkScan(b *testing.B) {
	sizes := []int64{64 << 10, 1 << 20, 100 << 20}
	if os.Getenv("VITRINE_BENCH_LARGE") != "" {
		sizes = append(sizes, 1<<31-3) // the largest size that clamd scans
	}
	d := vitrinetest.Clamd(b, "StreamMaxLength 4000M", "MaxFileSize 2000M", "MaxScanSize 4000M", "MaxFileSize 0",
		"MaxScanTime 1000000")
	for _, size := range sizes {
		for _, address := range []string{"unix:" + d.Socket, "tcp:" + d.TCP} {
			b.Run(fmt.Sprintf("%dKiB/%s", size>>10, address[:4]), func(b *testing.B) {
				s := scanner(b, Options{Addresses: []string{address}, Timeout: time.Hour})
				file := filepath.Join(b.TempDir(), "file")
				write(b, file, random(1, size))
				scanned := timeOf(b, 1, func() { benchScan(b, s, file, nil) })
				n := 1 + int(time.Second/scanned)
				read := timeOf(b, n, func() { readFile(b, file) })
				stream := timeOf(b, min(n, 20), func() { clamdscan(b, d, "--stream", file) })
				passed := timeOf(b, min(n, 20), func() { clamdscan(b, d, "--fdpass", file) })
				before, peak := heapInUse(), uint64(0)
				b.SetBytes(size)
				b.ReportAllocs()
				for b.Loop() {
					benchScan(b, s, file, &peak)
				}
				took := b.Elapsed() / time.Duration(b.N)
				b.ReportMetric(float64(took)/float64(read), "x_read")
				b.ReportMetric(float64(took)/float64(stream), "x_stream")
				b.ReportMetric(float64(took)/float64(passed), "x_fdpass")
				b.ReportMetric(float64(max(peak, before)-before)/(1<<20), "MiB-peak")
			})
		}
	}
}

// BenchmarkProbe measures a new connection with the check of the daemon's
// limits.
func BenchmarkProbe(b *testing.B) {
	d := vitrinetest.Clamd(b)
	s := scanner(b, Options{Addresses: []string{d.Socket}})
	for b.Loop() {
		c, err := begin(context.Background(), s.daemons[0].dial, s.daemons[0].address)
		must(b, err)
		c.close()
	}
}

func timeOf(b *testing.B, n int, f func()) time.Duration {
	b.Helper()
	start := time.Now()
	for range n {
		f()
	}
	return max(time.Since(start)/time.Duration(n), 1)
}

func write(b *testing.B, name string, r io.Reader) {
	b.Helper()
	f, err := os.Create(name)
	must(b, err)
	_, err = io.Copy(f, r)
	must(b, err)
	must(b, f.Close())
}

func readFile(b *testing.B, name string) {
	b.Helper()
	f, err := os.Open(name)
	must(b, err)
	defer f.Close()
	buf := make([]byte, chunk)
	_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{f}, buf)
	must(b, err)
}

func benchScan(b *testing.B, s *Scanner, name string, peak *uint64) {
	b.Helper()
	f, err := os.Open(name)
	must(b, err)
	defer f.Close()
	st, err := f.Stat()
	must(b, err)
	var r io.Reader = io.NewSectionReader(f, 0, st.Size())
	if peak != nil {
		r = &midway{r, st.Size() / 2, func() { *peak = max(*peak, heapInUse()) }}
	}
	v, err := s.Scan(context.Background(), r, st.Size())
	if err != nil || v.Result != vitrine.ScanClean {
		b.Fatalf("Scan = %+v, %v, want clean", v, err)
	}
}

// heapInUse returns the size of the heap, with garbage, in bytes.
func heapInUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// clamdscan scans with ClamAV's client, or does nothing if it is not installed.
func clamdscan(b *testing.B, d *vitrinetest.ClamdDaemon, how, file string) {
	b.Helper()
	program, err := exec.LookPath("clamdscan")
	if err != nil {
		return
	}
	conf := filepath.Join(filepath.Dir(d.Socket), "clamd.conf")
	if out, err := exec.Command(program, "--config-file", conf, how, "--no-summary",
		file).CombinedOutput(); err != nil {
		b.Fatalf("clamdscan: %v: %s", err, out)
	}
}
