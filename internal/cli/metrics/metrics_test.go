package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/fleet"
	"vitrine/internal/app/publish"
	"vitrine/internal/backend/spool"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/base/throttle"
	"vitrine/internal/cli/metrics"
	"vitrine/internal/test/webtest"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
)

// watched is a site whose requests and state are counted.
type watched struct {
	*webtest.Site
	metrics *metrics.Metrics
	store   *sqlstore.Store
}

func newWatched(t testing.TB) *watched {
	s := webtest.NewSite(t)
	store, err := sqlstore.Open(filepath.Join(s.Dir, "vitrine.db"))
	s.Check(err)
	t.Cleanup(func() { store.Close() })
	w := &watched{Site: s, metrics: metrics.New("v1"), store: store}
	s.Server.Meter = w.metrics.Route
	w.metrics.Add(&metrics.State{Store: w.store, ViewLog: s.Log, RollUpBefore: s.Server.Analytics.RollUpBefore, Sink: true,
		Spools: map[string]func() spool.Stats{"views": func() spool.Stats { return spool.Stats{MaxBytes: 1} }},
		Room:   func() (int64, error) { return 1, nil },
		Loops:  []*fleet.Loop{fleet.NewLoop("purge", time.Hour, s.Server.Log, nil)},
		Open:   func() throttle.Stats { return throttle.Stats{Open: 1} }, Now: s.Server.Now})
	return w
}

func gather(t testing.TB, g prometheus.Gatherer) []*dto.MetricFamily {
	t.Helper()
	all, err := g.Gather()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// fill stores accounts, each with a key's worth of links.
func (w *watched) fill(accounts, links int) (slugs []string) {
	w.T.Helper()
	now := w.Server.Now()
	w.Check(w.store.Update(w.T.Context(), func(tx vitrine.Tx) error {
		slugs = nil
		var ids []vitrine.AccountID
		for n := range accounts {
			a := &vitrine.Account{Email: fmt.Sprintf("reader-%d@example.org", n), ViewerKey: make([]byte, 32), CreatedAt: now}
			if err := tx.AddAccount(a); err != nil {
				return err
			}
			ids = append(ids, a.ID)
		}
		for n := range links {
			l := &vitrine.Link{Account: ids[n%accounts], Slug: vitrine.Slug(fmt.Sprintf("link-number-%d", n)), State: vitrine.StateLive,
				File:  vitrine.File{Upload: vitrine.NewUploadID(), Name: "a.txt", Type: "text/plain", Kind: "text", Size: 1, Pages: 1, HasBytes: true},
				Title: "a", CreatedAt: now, StateAt: now}
			if err := tx.AddLink(l); err != nil {
				return err
			}
			slugs = append(slugs, string(l.Slug))
		}
		return nil
	}))
	return slugs
}

// TestSeries checks that the number of series is the same with 10,000 links and
// 500 accounts as with ten, and that no label names one of them.
func TestSeries(t *testing.T) {
	count := func(accounts, links int) (names []string) {
		w := newWatched(t)
		slugs := w.fill(accounts, links)
		w.Server.Log = slog.New(slog.DiscardHandler) // the files are missing
		h := w.Server.Handler()
		ask := func(method, path string) {
			r := httptest.NewRequest(method, path, nil)
			r.Header.Set("User-Agent", webtest.Desktop)
			r.RemoteAddr = "198.51.100.7:1234"
			h.ServeHTTP(httptest.NewRecorder(), r)
		}
		for n, slug := range slugs {
			switch {
			case n < 10 || n%3 == 0:
				ask("GET", "/p/"+slug+"/")
				fallthrough
			case n%3 == 1:
				ask("GET", "/links/"+slug)
				fallthrough
			default:
				ask("GET", "/api/v1/links/"+slug)
			}
		}
		for n := range min(links, 50) { // pages store views
			ask("GET", "/p/"+slugs[n*len(slugs)/min(links, 50)])
		}
		ask("GET", "/nowhere")
		ask("BREW", "/p/"+slugs[0])
		for _, f := range gather(t, w.metrics.Gather()) {
			for _, m := range f.Metric {
				labels := ""
				for _, l := range m.Label {
					labels += l.GetName() + "=" + l.GetValue() + " "
				}
				if strings.Contains(labels, "link-number") || strings.Contains(labels, "@") || strings.Contains(labels, "198.51") {
					t.Errorf("%s has the labels %s", f.GetName(), labels)
				}
				for range 1 + len(m.GetHistogram().GetBucket()) + len(m.GetSummary().GetQuantile()) {
					names = append(names, f.GetName()+" "+labels)
				}
			}
		}
		return names
	}
	few, many := count(10, 10), count(500, 10_000)
	if len(few) < 150 || len(few) != len(many) {
		t.Errorf("%d series with 10 links, %d with 10,000", len(few), len(many))
		for _, name := range many {
			if !slices.Contains(few, name) {
				t.Errorf("new: %s", name)
			}
		}
	}
	t.Logf("%d series", len(few))
}

// uses uses everything that is counted, so that each metric has a series.
func (w *watched) uses() {
	m := w.metrics
	for _, step := range []publish.UploadStep{publish.UploadBegun, publish.UploadCompleted, publish.UploadRefused} {
		m.Upload(step)
	}
	m.WebhookTry(true)
	m.BucketRequest("GET", time.Second, true)
	m.Transactions("store")(true, time.Second, vitrine.Unavailable(errors.New("gone")))
	_, _ = m.ViewLog(w.Log).Append(w.T.Context(), vitrine.Batch{})
	_, _ = m.Scanner(publish.NoScanner{}).Scan(w.T.Context(), nil, 0)
	_ = m.Previewer(vitrine.NoPreviewer{}).Preview(w.T.Context(), vitrine.PreviewFile{}, nil)
	_ = m.Mailer(noMailer{}).Send(w.T.Context(), vitrine.Message{})
	w.Status(w.Get("/healthz"), http.StatusOK)
}

type noMailer struct{}

func (noMailer) Send(context.Context, vitrine.Message) error { return io.EOF }

// TestLint checks the metrics by Prometheus' own rules.
func TestLint(t *testing.T) {
	w := newWatched(t)
	w.uses()
	found := gather(t, w.metrics.Gather())
	problems, err := promlint.NewWithMetricFamilies(found).Lint()
	if err != nil || len(found) < 40 {
		t.Fatalf("%d metrics, %v", len(found), err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// value returns the sum of a metric over the series with a label.
func value(t testing.TB, g prometheus.Gatherer, name, label string) (sum float64, found bool) {
	t.Helper()
	for _, f := range gather(t, g) {
		for _, m := range f.Metric {
			if f.GetName() != name || label != "" && !slices.ContainsFunc(m.Label, func(l *dto.LabelPair) bool { return l.GetValue() == label }) {
				continue
			}
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			found = true
		}
	}
	return sum, found
}

// TestRequests checks what is counted of requests: their route, whether they
// read, and their status, also that of what has no route and of a panic.
func TestRequests(t *testing.T) {
	w := newWatched(t)
	l := w.Publish("notes.txt", []byte("a note\n"))
	page := "/p/" + string(l.Slug)
	for range 3 {
		w.Get(page)
	}
	w.Get("/p/nothing-here")
	w.Do("HEAD", w.URL+page, "")
	w.Do("DELETE", w.URL+page, "")
	w.Get("/docs//api")
	got := map[string]float64{}
	for _, f := range gather(t, w.metrics.Gather()) {
		if f.GetName() != "vitrine_http_requests_total" {
			continue
		}
		for _, m := range f.Metric {
			got[m.Label[1].GetValue()+" "+m.Label[0].GetValue()+" "+m.Label[2].GetValue()] = m.GetCounter().GetValue()
		}
	}
	for series, want := range map[string]float64{"/p/{slug} read 200": 4, "/p/{slug} read 404": 1,
		"/ write 404": 1, "other read 307": 1} {
		if got[series] != want {
			t.Errorf("%s: %v, want %v; all: %v", series, got[series], want, got)
		}
	}
	if n, _ := value(t, w.metrics.Gather(), "vitrine_http_request_duration_seconds", "/p/{slug}"); n != 5 {
		t.Errorf("%v durations, want 5", n)
	}
}

// TestDatabaseGone checks that the metrics are served while a database is
// closed, and say so.
func TestDatabaseGone(t *testing.T) {
	w := newWatched(t)
	w.Check(w.store.Close())
	r := httptest.NewRecorder()
	w.metrics.Handler().ServeHTTP(r, httptest.NewRequest("GET", metrics.Path, nil))
	for _, line := range []string{`vitrine_database_up{database="store"} 0`, `vitrine_database_up{database="views"} 1`,
		"vitrine_spool_bytes", "go_goroutines", `vitrine_build_info{version="v1"} 1`} {
		if !strings.Contains(r.Body.String(), line) {
			t.Errorf("the answer (%d) lacks %s", r.Code, line)
		}
	}
	if strings.Contains(r.Body.String(), "vitrine_queue_length") {
		t.Error("a database that is down has numbers")
	}
}
