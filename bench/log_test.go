package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/bench/table"
	"vitrine/internal/app/ingest"
	"vitrine/internal/app/publish"
	"vitrine/internal/app/services"
	"vitrine/internal/backend/disk"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/base/signer"
	"vitrine/internal/web"
	"vitrine/internal/web/api"
)

const browser = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"

// noSpool is a spool that stores nothing.
type noSpool struct{}

func (noSpool) Append(vitrine.Batch) error { return errors.New("there is no spool") }

func (noSpool) Replay(context.Context, func(vitrine.Batch) (vitrine.Batch, error)) error { return nil }

func (noSpool) Empty() bool { return true }

func (noSpool) CheckSpace() error { return errors.New("there is no spool") }

// forgetful is a log that writes nothing, to measure a page or a beacon without
// its record.
type forgetful struct{ vitrine.ViewLog }

func (forgetful) Append(context.Context, vitrine.Batch) (vitrine.Outcome, error) {
	return vitrine.Outcome{}, nil
}

// pageServer is a server in this process with one published text file.
type pageServer struct{ addr, path string }

// newPageServer starts a server. wrap replaces its log.
func newPageServer(b *testing.B, wrap func(vitrine.ViewLog) vitrine.ViewLog) pageServer {
	b.Helper()
	must := func(err error) {
		if err != nil {
			b.Helper()
			b.Fatal(err)
		}
	}
	dir, ctx := b.TempDir(), context.Background()
	store, err := sqlstore.Open(filepath.Join(dir, "vitrine.db"))
	must(err)
	log, err := viewlog.Open(filepath.Join(dir, "views.db"))
	must(err)
	var h http.Handler
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(w, r) }))
	public, _ := url.Parse(hs.URL)
	signer := signer.New([]byte("bench"))
	blobs, err := disk.New(dir, hs.URL+api.StorageRoot, signer, time.Now)
	must(err)
	views := &ingest.Views{Log: wrap(log), Spool: noSpool{}, Patience: math.MaxInt64}
	views.Start()
	all := services.New(services.Ports{Store: store, ViewLog: log, Blobs: blobs, Signer: signer, Now: time.Now,
		Views: views, ViewIDs: vitrine.NewViewIDs(), Plans: vitrine.DefaultPlans()})
	s := &web.Server{Services: all, PublicURL: public, ContentURL: public, Version: "bench", Receiver: blobs,
		Ready: func(context.Context) error { return nil }, Log: slog.New(slog.DiscardHandler)}
	h = s.Handler()
	b.Cleanup(func() { hs.Close(); views.Close(); log.Close(); store.Close() })

	a, _, err := s.Accounts.Create(ctx, "owner@example.org", vitrine.PlanFree)
	must(err)
	const text = "A page to be opened often.\n"
	up, err := s.Uploads.Create(ctx, a, publish.UploadRequest{Name: "page.txt", Type: "text/plain",
		Size: int64(len(text))})
	must(err)
	_, err = blobs.Receive(ctx, vitrine.PutGrant{Key: up.Path, Size: int64(len(text)), Type: "text/plain",
		Expires: time.Now().Add(time.Minute)}, strings.NewReader(text))
	must(err)
	l, err := s.Uploads.Complete(ctx, a, publish.CompleteRequest{Path: string(up.Path), Name: "page.txt",
		Type: "text/plain"})
	must(err)
	return pageServer{public.Host, "/p/" + string(l.Slug)}
}

// bothLogs returns a server that makes every record durable before it answers,
// and one that records nothing.
func bothLogs(b *testing.B) (durable, silent pageServer) {
	b.Helper()
	return newPageServer(b, func(l vitrine.ViewLog) vitrine.ViewLog { return l }),
		newPageServer(b, func(l vitrine.ViewLog) vitrine.ViewLog { return forgetful{l} })
}

func pageRequest(addr, path string) string {
	return fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\nReferer: https://news.ycombinator.com/\r\n\r\n", path, addr, browser)
}

const connections = 64

// load sends n requests over all connections, one after the other on each, and
// returns their durations in ascending order.
func load(b *testing.B, addr string, n int, request func(connection, i int) string) []time.Duration {
	b.Helper()
	took := make([][]time.Duration, connections)
	var wg sync.WaitGroup
	for c := range connections {
		wg.Go(func() {
			conn, err := dial(addr)
			if err != nil {
				b.Error(err)
				return
			}
			defer conn.Close()
			for i := range n / connections {
				from := time.Now()
				if _, err := conn.ask(request(c, i), false); err != nil {
					b.Error(err)
					return
				}
				took[c] = append(took[c], time.Since(from))
			}
		})
	}
	wg.Wait()
	if b.Failed() {
		b.FailNow()
	}
	all := slices.Concat(took...)
	slices.Sort(all)
	return all
}

// connection is a kept connection with as little overhead as possible.
type connection struct {
	net.Conn
	r *bufio.Reader
}

func dial(addr string) (*connection, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &connection{c, bufio.NewReaderSize(c, 64<<10)}, nil
}

func (c *connection) ask(request string, body bool) (string, error) {
	if _, err := io.WriteString(c, request); err != nil {
		return "", err
	}
	res, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	to := io.Discard
	if body {
		to = &text
	}
	if _, err = io.Copy(to, res.Body); err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("status %s, want below 300", res.Status)
	}
	return text.String(), err
}

// rates runs the same load on both servers in turn, and adds the row.
func rates(b *testing.B, figure, reference, aim string, n int, durable, silent pageServer,
	request func(pageServer) func(connection, i int) string) {
	b.Helper()
	var p99 []time.Duration
	onDurable, onSilent := request(durable), request(silent)
	took := medians(b,
		func() {
			each := load(b, durable.addr, n, onDurable)
			p99 = append(p99, each[len(each)*99/100])
		},
		func() { load(b, silent.addr, n, onSilent) })
	rate := func(d time.Duration) table.Value { return table.Value{Unit: table.Rate, N: float64(n) / d.Seconds()} }
	summary.add(table.Row{Figure: figure, Vitrine: rate(took[0]).With("p99 %.1f ms", median(p99[1:]).Seconds()*1000),
		Reference: reference, Than: rate(took[1]), Aim: aim})
	b.ReportMetric(rate(took[0]).N, "durable/s")
	b.ReportMetric(rate(took[1]).N, "silent/s")
}

// BenchmarkPageOpens loads one page over 64 connections, with every view
// durable before its page ends, and in turn with a log that writes nothing.
func BenchmarkPageOpens(b *testing.B) {
	durable, silent := bothLogs(b)
	rates(b, "page opens, 64 connections, each durable before its page ends",
		"the same page with a log that writes nothing", "≥ 0.5, p99 ≤ 25 ms",
		connections*300, durable, silent, func(s pageServer) func(int, int) string {
			request := pageRequest(s.addr, s.path)
			return func(int, int) string { return request }
		})
}

// beaconsOfOpen is the number of beacons for each view: those of a quarter of
// an hour.
const beaconsOfOpen = 30

var beaconAddress = regexp.MustCompile(`data-beacon="([^"]+)"`)

// BenchmarkBeacons sends the beacons of many views over 64 connections. Each
// beacon contains more than the last one, as real ones do, and is durable
// before it is answered. In turn it runs the same with a log that writes
// nothing.
func BenchmarkBeacons(b *testing.B) {
	const n = connections * 300
	durable, silent := bothLogs(b)
	rates(b, "beacons, 64 connections, each durable before its answer",
		"the same beacons with a log that writes nothing", "≥ 0.5",
		n, durable, silent, func(s pageServer) func(int, int) string { return s.beacons(b, n) })
}

// beacons opens as many views as n beacons need, and returns the requests with
// their beacons, of a connection one after the other.
func (s pageServer) beacons(b *testing.B, n int) func(connection, i int) string {
	b.Helper()
	pages := make([][]string, connections) // the beacon addresses of each connection's pages
	for c := range pages {
		conn, err := dial(s.addr)
		if err != nil {
			b.Fatal(err)
		}
		for range n / connections / beaconsOfOpen {
			page, err := conn.ask(pageRequest(s.addr, s.path), true)
			if err != nil {
				b.Fatal(err)
			}
			m := beaconAddress.FindStringSubmatch(page)
			if m == nil {
				b.Fatal("the page has no beacon address")
			}
			pages[c] = append(pages[c], html.UnescapeString(m[1]))
		}
		conn.Close()
	}
	opened := time.Now()
	return func(c, i int) string {
		ms := time.Since(opened).Milliseconds()
		body := fmt.Sprintf(`{"engaged":%d,"present":%d,"width":1280,"depth":%d}`, ms, ms+500,
			min(100, 1+i/len(pages[c])*3))
		return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\nContent-Type: text/plain;charset=UTF-8\r\nContent-Length: %d\r\n\r\n%s",
			pages[c][i%len(pages[c])], s.addr, browser, len(body), body)
	}
}
