package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/vitrinetest"
	"vitrine/internal/vitrinetest/tier"
	"vitrine/report"
)

var ctx = context.Background()

// view returns a person's view of a link of account 1.
func view(link int64, at time.Time, n int, viewer uint64) vitrine.ViewRecord {
	return vitrine.ViewRecord{Account: 1, View: report.View{ID: int64(vitrine.ViewIDAt(at.UnixMilli(), n)),
		At: at.UnixMilli(), Link: link, Viewer: viewer, Country: "DE"}}
}

var errDied = errors.New("the process has died")

// dying is the transport of a process that crashes after n requests and their
// answers. (A request that was sent before a crash may still take effect: that
// is the case of a process that crashes one request later.)
type dying struct {
	http.RoundTripper
	mu   sync.Mutex
	n    int
	dead bool
}

func (d *dying) RoundTrip(r *http.Request) (*http.Response, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead {
		return nil, errDied
	}
	d.n--
	if d.dead = d.n < 0; d.dead {
		return nil, errDied
	}
	return d.RoundTripper.RoundTrip(r)
}

// TestCrash crashes a process at each request of each kind of batch. Another
// process continues.
func TestCrash(t *testing.T) {
	start := vitrinetest.Epoch
	first := vitrine.Batch{Views: []vitrine.ViewRecord{view(1, start, 0, 10), view(2, start, 0, 10)},
		Downloads: []vitrine.Download{{ID: vitrine.ViewIDAt(start.UnixMilli(), 0), Link: 1,
			View: vitrine.ViewIDAt(start.UnixMilli(), 0)}}}
	second := vitrine.Batch{
		Views: []vitrine.ViewRecord{view(1, start.Add(time.Hour), 0, 10), view(1, start.Add(40*24*time.Hour), 0, 20),
			view(3, start, 0, 10)},
		Snapshots: []vitrine.Snapshot{
			{Link: 1, View: vitrine.ViewIDAt(start.UnixMilli(), 0), At: start.UnixMilli() + 9000,
				Session: report.Session{EngagedMs: 5000, PresentMs: 9000}, Bot: vitrine.BotAutomation},
			{Link: 2, View: vitrine.ViewIDAt(start.UnixMilli(), 0), At: start.UnixMilli() + 9000,
				Session: report.Session{EngagedMs: 5000, PresentMs: 9000}},
		},
		Downloads: []vitrine.Download{{ID: vitrine.ViewIDAt(start.UnixMilli(), 5), Link: 2,
			View: vitrine.ViewIDAt(start.UnixMilli(), 0)}},
	}
	receipt := vitrine.ImportReceipt{File: [32]byte{1}, Lines: 2, At: start}
	imported := []vitrine.ViewRecord{view(1, start, 0, 10), view(2, start.Add(40*24*time.Hour), 0, 30)}
	for _, c := range []struct {
		name   string
		run    func(l *ViewLog) error
		before counts
		after  counts
	}{
		{"Append", func(l *ViewLog) error {
			o, err := l.Append(ctx, second)
			if err == nil && (o.Early.Len() > 0 ||
				slices.ContainsFunc(o.Refused, func(err error) bool { return err != nil })) {
				t.Errorf("Append = %+v, want everything stored", o)
			}
			return err
		}, counts{1: {Views: 1, Downloads: 1}, 2: {Views: 1}},
			counts{1: {Views: 2}, 2: {Views: 1, Downloads: 1}, 3: {Views: 1}}},
		{"Import", func(l *ViewLog) error { return l.Import(ctx, receipt, imported) },
			counts{1: {Views: 1, Downloads: 1}, 2: {Views: 1}}, counts{1: {Views: 2, Downloads: 1}, 2: {Views: 2}}},
		{"Erase", func(l *ViewLog) error { return l.DeleteLink(ctx, 1) },
			counts{1: {Views: 1, Downloads: 1}, 2: {Views: 1}}, counts{2: {Views: 1}}},
		{"Forget", func(l *ViewLog) error {
			day := report.DayOf(start.UnixMilli())
			return errors.Join(l.RollUp(ctx, day+100), l.Expire(ctx, day+100))
		}, counts{1: {Views: 1, Downloads: 1}, 2: {Views: 1}}, counts{1: {Views: 1, Downloads: 1}, 2: {Views: 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			step, from := 1, 0
			if c.name == "Forget" {
				step = 5 // of many similar requests
			}
			if tier.Current() < tier.All {
				step *= 5
				from = int(vitrinetest.Seed(t) % uint64(step))
			}
			for n := from; ; n += step {
				if survived := crash(t, n, first, c.run, c.before, c.after); survived && n < 6 {
					t.Fatalf("the batch needs more than %d requests", n)
				} else if survived {
					return
				}
			}
		})
	}
}

type counts = map[vitrine.LinkID]vitrine.LinkCounts

// crash crashes a process at its n-th request of a batch, and reports whether
// the batch needed fewer. The links must have the counts of before or after,
// and no others.
func crash(t *testing.T, n int, first vitrine.Batch, run func(*ViewLog) error, before, after counts) (survived bool) {
	t.Helper()
	what := fmt.Sprint("dead after request ", n)
	address := vitrinetest.ClickHouseDatabase(t)
	l := openTestLog(t, address)
	if _, err := l.Append(ctx, first); err != nil {
		t.Fatal(err)
	}
	d := &dying{RoundTripper: l.c.http.Transport, n: n}
	l.c.http.Transport = d
	err := run(l)
	if survived = !d.dead; survived && err != nil || err != nil && vitrine.CodeOf(err) != vitrine.CodeUnavailable {
		t.Fatalf("%s: %v", what, err)
	}
	// Another process continues, first with another batch, which must find
	// either the whole crashed batch, or nothing of it if it was not
	// acknowledged.
	other := openTestLog(t, address)
	if _, err := other.Append(ctx, vitrine.Batch{Views: []vitrine.ViewRecord{view(9,
		vitrinetest.Epoch.AddDate(0, 0, 100), 0, 10)}}); err != nil {
		t.Fatal(err)
	}
	got, err2 := other.Counts(ctx, []vitrine.LinkID{1, 2, 3})
	if err2 != nil || !maps.Equal(got, after) && (err == nil || !maps.Equal(got, before)) {
		t.Fatalf("%s, %v: counts = %v, %v", what, err, got, err2)
	}
	audit(t, other, what)
	// Then with the same batch. The result must be the same as without the
	// crash.
	if err := run(other); err != nil {
		t.Fatalf("%s: second run = %v, want nil", what, err)
	}
	if got, err2 = other.Counts(ctx, []vitrine.LinkID{1, 2, 3}); err2 != nil || !maps.Equal(got, after) {
		t.Fatalf("%s: counts after the second run = %v, %v", what, got, err2)
	}
	tally, _, err := other.Tally(ctx, vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, From: 0, To: 40_000})
	if err != nil {
		t.Fatal(err)
	}
	if want := after[1].Views + after[2].Views + after[3].Views + 1; tally.Views() != want {
		t.Fatalf("%s: %d views, want %d", what, tally.Views(), want)
	}
	audit(t, other, what)
	return survived
}

func audit(t *testing.T, l *ViewLog, what string) {
	t.Helper()
	if err := l.Audit(ctx, true, func(fault string, _ bool) { t.Errorf("%s: audit: %s", what, fault) }); err != nil {
		t.Fatalf("%s: Audit: %v", what, err)
	}
}

// TestAway makes the server unavailable for a time.
func TestAway(t *testing.T) {
	s := vitrinetest.ClickHouse(t)
	l := openTestLog(t, s.Database(t))
	at := vitrinetest.Epoch
	write := func(n int) error {
		_, err := l.Append(ctx, vitrine.Batch{Views: []vitrine.ViewRecord{view(1, at, n, 10)}})
		return err
	}
	if err := write(0); err != nil {
		t.Fatal(err)
	}
	s.Stop()
	if err := write(1); vitrine.CodeOf(err) != vitrine.CodeUnavailable {
		t.Errorf("Append without a server = %v, want unavailable", err)
	}
	if _, _, err := l.Tally(ctx, vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1},
		To: 40_000}); vitrine.CodeOf(err) != vitrine.CodeUnavailable {
		t.Errorf("Tally without a server = %v, want unavailable", err)
	}
	if err := l.Check(ctx); err == nil || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("Check without a server = %v", err)
	}
	s.Start(t)
	for n := 1; n < 3; n++ {
		if err := write(n); err != nil {
			t.Fatal(err)
		}
	}
	if counts, err := l.Counts(ctx, []vitrine.LinkID{1}); err != nil || counts[1].Views != 3 {
		t.Errorf("counts = %v, %v, want 3 views", counts, err)
	}
	if err := l.Check(ctx); err != nil {
		t.Error(err)
	}
	audit(t, l, "back again")
	// The server stops while many writers write: everything acknowledged is
	// stored.
	var mu sync.Mutex
	acknowledged := 0
	var writers sync.WaitGroup
	halfway := make(chan struct{})
	for w := range 4 {
		writers.Go(func() {
			for i := range 20 {
				if write(1000+100*w+i) == nil {
					mu.Lock()
					if acknowledged++; acknowledged == 20 {
						close(halfway)
					}
					mu.Unlock()
				}
			}
		})
	}
	<-halfway
	s.Stop()
	writers.Wait()
	s.Start(t)
	audit(t, l, "in the midst")
	if counts, err := l.Counts(ctx, []vitrine.LinkID{1}); err != nil || counts[1].Views < int64(3+acknowledged) {
		t.Errorf("%d views were acknowledged; counts = %v, %v", 3+acknowledged, counts, err)
	}
}

// TestWriters writes to one database from two processes, with a lock and
// without one.
func TestWriters(t *testing.T) {
	for _, locked := range []bool{true, false} {
		t.Run(fmt.Sprintf("Lock=%v", locked), func(t *testing.T) {
			var o Options
			if locked {
				turn := make(chan struct{}, 1)
				o.Lock = func(ctx context.Context) (func(), error) {
					select {
					case turn <- struct{}{}:
						return func() { <-turn }, nil
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				}
			}
			address := vitrinetest.ClickHouseDatabase(t)
			const writers = 3
			batches := tier.Pick(3, 8)
			var logs []*ViewLog
			for range writers {
				l, err := Open(ctx, address, o)
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close()
				logs = append(logs, l)
			}
			var wait sync.WaitGroup
			for w, l := range logs {
				wait.Go(func() {
					for i := range batches {
						at := vitrinetest.Epoch.Add(time.Duration(i) * time.Minute)
						// All write one view in common and one each, all of the
						// same viewer.
						b := vitrine.Batch{Views: []vitrine.ViewRecord{view(1, at, 0, 10), view(1, at, 1+w, 10)}}
						b.Downloads = []vitrine.Download{{ID: vitrine.ViewID(b.Views[0].ID), Link: 1,
							View: vitrine.ViewID(b.Views[0].ID)}}
						if o, err := l.Append(ctx, b); err != nil || o.Refused != nil || o.Early.Len() > 0 {
							t.Errorf("Append = %+v, %v", o, err)
						}
					}
				})
			}
			wait.Wait()
			counts, err := logs[0].Counts(ctx, []vitrine.LinkID{1})
			if want := (vitrine.LinkCounts{Views: int64(batches * (writers + 1)),
				Downloads: int64(batches)}); err != nil || counts[1] != want {
				t.Errorf("counts = %v, %v, want %v", counts[1], err, want)
			}
			fresh := 0
			err = logs[1].Views(ctx, 1, 0, 40_000, func(o *report.View) error {
				if !o.Returning {
					fresh++
				}
				return nil
			})
			if err != nil || fresh != 1 {
				t.Errorf("%d views of one viewer are not returning, %v, want 1", fresh, err)
			}
			audit(t, logs[2], "after the race")
		})
	}
}

// TestCut cuts the connection during answers. That must be an error, never a
// truncated answer.
func TestCut(t *testing.T) {
	l := openTestLog(t, vitrinetest.ClickHouseDatabase(t))
	var b vitrine.Batch
	for i := range 50 {
		b.Views = append(b.Views, view(int64(1+i%5), vitrinetest.Epoch, i, uint64(i)))
	}
	if _, err := l.Append(ctx, b); err != nil {
		t.Fatal(err)
	}
	left := 0
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: l.c.host}) },
		ModifyResponse: func(r *http.Response) error {
			r.Body = struct {
				io.Reader
				io.Closer
			}{io.MultiReader(io.LimitReader(r.Body, int64(left)), broken{}), r.Body}
			return nil
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {},
		ErrorLog:     log.New(io.Discard, "", 0),
	})
	defer proxy.Close()
	a := l.c.address
	a.host = strings.TrimPrefix(proxy.URL, "http://")
	c := newClient(a)
	sql := "SELECT link, id FROM opens ORDER BY id"
	for left = 0; left < 50*16; left += tier.Pick(7, 1) { // steps of 7 reach each byte of a row
		n := 0
		err := c.query(ctx, sql, func(r *reader) error {
			r.int64()
			r.int64()
			n++
			return nil
		})
		if vitrine.CodeOf(err) != vitrine.CodeUnavailable {
			t.Fatalf("answer cut off after %d bytes: %d rows and %v, want unavailable", left, n, err)
		}
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errDied }
