package bench

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"vitrine/bench/table"
)

// startTusd starts the reference server of the protocol tus (tools/tusdserver).
func startTusd(b *testing.B, dir string) *process {
	b.Helper()
	bin, err := build("../tools/tusdserver", ".", "CGO_ENABLED=0")
	if err != nil {
		b.Fatal(err)
	}
	addr := freePort(b)
	return start(b, "http://"+addr, "/files/", bin, addr, dir)
}

// clockTicks is how many of process.busy are a second.
const clockTicks = 100

// BenchmarkChunks sends 1 GiB in chunks of 8 MiB to Vitrine (SHA-256, fsync for
// each chunk) and, in turn, in one PUT, and to tusd (no hash, no fsync).
func BenchmarkChunks(b *testing.B) {
	v := newInstance(b, "owner@example.org")
	v.serve(b)
	defer v.stop()
	dir := filepath.Join(scratch(b), "tusd")
	t := startTusd(b, dir)
	defer t.stop()
	begin := func() (up struct{ SignedURL, ResumableURL string }) {
		v.call(b, 0, http.MethodPost, "/uploads", fmt.Sprintf(`{"name":"big.zip","type":"application/zip","size":%d}`,
			gib), &up)
		return up
	}
	type way struct {
		name    string
		process *process
		send    func()
		took    []time.Duration
		cpu     []time.Duration
		peak    float64
	}
	ways := []*way{
		{name: "chunks", process: v.process, send: func() { sendChunks(b, begin().ResumableURL) }},
		{name: "PUT", process: v.process, send: func() { put(b, begin().SignedURL) }},
		{name: "tusd", process: t, send: func() {
			req, err := http.NewRequest(http.MethodPost, t.url+"/files/", nil)
			if err != nil {
				b.Fatal(err)
			}
			req.Header = http.Header{"Tus-Resumable": {"1.0.0"}, "Upload-Length": {strconv.Itoa(gib)}}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				b.Fatal(err)
			}
			res.Body.Close()
			sendChunks(b, res.Header.Get("Location"))
		}},
	}
	once := func() {
		for _, w := range ways {
			w.process.resetPeak(b)
			before, from := w.process.busy(b), time.Now()
			w.send()
			w.took = append(w.took, time.Since(from))
			w.cpu = append(w.cpu, time.Duration(w.process.busy(b)-before)*time.Second/clockTicks)
			w.peak = max(w.peak, w.process.memory(b, "VmHWM"))
			for _, pattern := range []string{filepath.Join(v.data, "files", "*", "*"), filepath.Join(dir, "*")} {
				stored, _ := filepath.Glob(pattern)
				for _, path := range stored {
					_ = os.RemoveAll(path)
				}
			}
		}
	}
	for b.Loop() {
		once()
	}
	for _, w := range ways {
		b.Logf("%-6s %.0f MB/s, %.2f s of processor time, at most %.1f MiB", w.name, gib/median(w.took).Seconds()/1e6,
			median(w.cpu).Seconds(), w.peak/(1<<20))
	}
	speed := func(w *way) table.Value { return table.Value{Unit: table.Speed, N: gib / median(w.took).Seconds()} }
	memory := func(w *way) table.Value { return table.Value{Unit: table.Memory, N: w.peak} }
	const figure = "1 GiB in 128 chunks over loopback, SHA-256, fsync"
	for _, other := range ways[1:] {
		name := map[string]string{"PUT": "the PUT", "tusd": "tusd, no hash, no fsync"}[other.name]
		summary.add(table.Row{Figure: figure, Vitrine: speed(ways[0]), Reference: name, Than: speed(other)})
		summary.add(table.Row{Figure: "the same, processor time of the server", Vitrine: table.Of(median(ways[0].cpu)),
			Reference: name, Than: table.Of(median(other.cpu))})
		summary.add(table.Row{Figure: "the same, peak memory of the server", Vitrine: memory(ways[0]), Reference: name,
			Than: memory(other)})
	}
}

// sendChunks sends 1 GiB to the address of an upload.
func sendChunks(b *testing.B, address string) {
	b.Helper()
	const chunk = 8 << 20
	content := newEndless(gib)
	for at := 0; at < gib; at += chunk {
		req, err := http.NewRequest(http.MethodPatch, address, io.LimitReader(content, chunk))
		if err != nil {
			b.Fatal(err)
		}
		req.ContentLength = chunk
		req.Header = http.Header{"Tus-Resumable": {"1.0.0"}, "Upload-Offset": {strconv.Itoa(at)},
			"Content-Type": {"application/offset+octet-stream"}}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if res.StatusCode != http.StatusNoContent {
			b.Fatalf("chunk at %d: %s", at, res.Status)
		}
	}
}

// resetPeak lets the peak memory of a server begin again.
func (p *process) resetPeak(b *testing.B) {
	b.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.cmd.Process.Pid), []byte("5"), 0o600); err != nil {
		b.Log(err)
	}
}
