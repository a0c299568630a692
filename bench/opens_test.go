package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/disk"
	"vitrine/internal/sqldb"
	"vitrine/internal/web"
)

// forgetful is a log that writes nothing: what a page costs without its record.
type forgetful struct{ vitrine.ViewLog }

func (forgetful) Append(_ context.Context, b vitrine.Batch) ([]error, error) { return nil, nil }

// pageServer is a server with one published text file; wrap replaces its log.
func pageServer(b *testing.B, wrap func(vitrine.ViewLog) vitrine.ViewLog) (addr, path string) {
	b.Helper()
	must := func(err error) {
		if err != nil {
			b.Helper()
			b.Fatal(err)
		}
	}
	dir, ctx := b.TempDir(), context.Background()
	store, err := sqldb.OpenStore(filepath.Join(dir, "vitrine.db"))
	must(err)
	log, err := sqldb.OpenViewLog(filepath.Join(dir, "views.db"))
	must(err)
	var h http.Handler
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(w, r) }))
	public, _ := url.Parse(hs.URL)
	signer := vitrine.NewSigner([]byte("bench"))
	blobs, err := disk.New(dir, hs.URL+web.StorageRoot, signer, time.Now)
	must(err)
	views := vitrine.NewViews(wrap(log))
	s := &web.Server{PublicURL: public, ContentURL: public, Version: "bench", Keys: &vitrine.Keys{Store: store, Now: time.Now},
		Uploads: &vitrine.Uploads{Store: store, Blobs: blobs, Scanner: vitrine.NoScanner{}, Plans: vitrine.DefaultPlans(), Now: time.Now},
		Links:   &vitrine.Links{Store: store, Blobs: blobs, Log: log, Now: time.Now}, Views: views, ViewIDs: vitrine.NewViewIDs(), Blobs: blobs,
		Receiver: blobs, Signer: signer, Ready: func(context.Context) error { return nil }, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	h = s.Handler()
	b.Cleanup(func() { hs.Close(); views.Close(); log.Close(); store.Close() })

	a, _, err := (&vitrine.Accounts{Store: store, Now: time.Now}).Create(ctx, "owner@example.org", vitrine.PlanFree)
	must(err)
	const text = "A page to be opened often.\n"
	up, err := s.Uploads.Create(ctx, a, vitrine.UploadRequest{Name: "page.txt", Type: "text/plain", Size: int64(len(text))})
	must(err)
	_, err = blobs.Receive(ctx, vitrine.PutGrant{Key: up.Path, Size: int64(len(text)), Type: "text/plain", Expires: time.Now().Add(time.Minute)}, strings.NewReader(text))
	must(err)
	l, err := s.Uploads.Complete(ctx, a, vitrine.CompleteRequest{Path: string(up.Path), Name: "page.txt", Type: "text/plain"})
	must(err)
	return public.Host, "/p/" + string(l.Slug)
}

// load sends n requests over 64 connections, one after the other on each, and returns how long each took.
func load(b *testing.B, addr, request string, n int) []time.Duration {
	b.Helper()
	const connections = 64
	took := make([][]time.Duration, connections)
	var wg sync.WaitGroup
	for c := range connections {
		wg.Go(func() {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				b.Error(err)
				return
			}
			defer conn.Close()
			r := bufio.NewReaderSize(conn, 64<<10)
			for range n / connections {
				from := time.Now()
				if _, err := io.WriteString(conn, request); err != nil {
					b.Error(err)
					return
				}
				res, err := http.ReadResponse(r, nil)
				if err == nil {
					_, err = io.Copy(io.Discard, res.Body)
				}
				if err != nil || res.StatusCode >= 300 {
					b.Errorf("%v %v", res, err)
					return
				}
				took[c] = append(took[c], time.Since(from))
			}
		})
	}
	wg.Wait()
	all := slices.Concat(took...)
	slices.Sort(all)
	return all
}

// BenchmarkPageOpens opens one page over 64 connections: with every open durable before its page ends, and, in turn, with a log
// that writes nothing. Metrics: pages a second of each, the ratio, and the 99th percentile of the durable one.
func BenchmarkPageOpens(b *testing.B) {
	const n = 64 * 300
	addr, path := pageServer(b, func(l vitrine.ViewLog) vitrine.ViewLog { return l })
	silentAddr, silentPath := pageServer(b, func(l vitrine.ViewLog) vitrine.ViewLog { return forgetful{l} })
	request := func(addr, path string) string {
		return fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36\r\nReferer: https://news.ycombinator.com/\r\n\r\n", path, addr)
	}
	var durable, silent time.Duration
	var p99 time.Duration
	for b.Loop() {
		from := time.Now()
		took := load(b, addr, request(addr, path), n)
		durable += time.Since(from)
		p99 = max(p99, took[len(took)*99/100])
		from = time.Now()
		load(b, silentAddr, request(silentAddr, silentPath), n)
		silent += time.Since(from)
	}
	rate := func(d time.Duration) float64 { return float64(n*b.N) / d.Seconds() }
	b.ReportMetric(rate(durable), "durable/s")
	b.ReportMetric(rate(silent), "silent/s")
	b.ReportMetric(rate(durable)/rate(silent), "ratio")
	b.ReportMetric(float64(p99.Microseconds())/1000, "p99-ms")
}
