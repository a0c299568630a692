package clickhouse

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/vitrinetest"
)

func serverCPU() int64 {
	out, _ := exec.Command("pgrep", "-P", strconv.Itoa(os.Getpid()), "chdbserver").Output()
	b, _ := os.ReadFile("/proc/" + strings.TrimSpace(string(out)) + "/stat")
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	u, _ := strconv.ParseInt(f[11], 10, 64)
	s, _ := strconv.ParseInt(f[12], 10, 64)
	return (u + s) * 10
}

func TestZZ(t *testing.T) {
	l := openTestLog(t, vitrinetest.ClickHouseDatabase(t))
	n, _ := strconv.Atoi(os.Getenv("N"))
	g := newTraffic(100, 365*86_400_000/max(n, 1))
	l.c.http.Transport = timed{l.c.http.Transport}
	c0, t0 := serverCPU(), time.Now()
	for i := 0; i < n; {
		var some []vitrine.NewOpen
		for ; len(some) < 16_384 && i < n; i++ {
			some = append(some, g.imported())
		}
		if err := l.Import(ctx, vitrine.ImportReceipt{File: [32]byte{1}, Lines: int64(i)}, some); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Println("import cpu ms", serverCPU()-c0, time.Since(t0))
}

type timed struct{ rt http.RoundTripper }

func (t timed) RoundTrip(r *http.Request) (*http.Response, error) {
	q := r.URL.Query().Get("query")
	if q == "" {
		b, _ := r.GetBody()
		x := make([]byte, 90)
		n, _ := b.Read(x)
		q = string(x[:n])
	}
	s, c := time.Now(), serverCPU()
	a, err := t.rt.RoundTrip(r)
	fmt.Printf("%8.1f ms cpu %d %d bytes  %.80s\n", float64(time.Since(s).Microseconds())/1000, serverCPU()-c, r.ContentLength, q)
	return a, err
}
