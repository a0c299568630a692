// Package metrics counts what a server does, for Prometheus.
//
// The number of series depends on the routes, the kinds of work and the
// settings, and never on links, accounts or addresses. Numbers of a process are
// counted where they happen; those of the databases are read at most once in
// ReadEvery ([State]).
package metrics

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	// scrapeTime is how long an answer may take.
	scrapeTime = 5 * time.Second
	// atOnce is how many answers are made at once.
	atOnce = 4
)

// Path is where the metrics are.
const Path = "/metrics"

// Metrics are the metrics of a server.
type Metrics struct {
	registry *prometheus.Registry
	all      []prometheus.Collector

	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec

	commits, entries prometheus.Histogram
	notTaken         prometheus.Counter
	transactions     *prometheus.HistogramVec
	failures         *prometheus.CounterVec
	bucket           *prometheus.HistogramVec
	bucketFailures   prometheus.Counter

	uploads, scans, previews, webhooks, mails *prometheus.CounterVec
	scanned                                   prometheus.Histogram
}

// quick are the buckets of what takes milliseconds; long, of what may take
// minutes.
var (
	quick = []float64{.001, .005, .025, .1, .5, 2.5, 10}
	long  = []float64{.1, .5, 2.5, 10, 60, 300}
)

// New returns the metrics of a version of the program.
func New(version string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.requests = m.counters("http_requests_total", "Answered requests, by route, method (read or write) and status; status none: cut off.", "route", "method", "status")
	m.took = m.histograms("http_request_duration_seconds", "Time of requests until their last byte.", quick, "route", "method")
	m.commits = m.histogram("view_log_commit_duration_seconds", "Time of a commit of the view log, which stores many views at once.", quick)
	m.entries = m.histogram("view_log_commit_entries", "Views, snapshots and downloads in a commit of the view log.", prometheus.ExponentialBuckets(1, 4, 7))
	m.notTaken = m.counter("view_log_commit_failures_total", "Commits that the view log did not take.")
	m.transactions = m.histograms("database_transaction_duration_seconds", "Time of transactions, with the wait for a connection.", quick, "database", "access")
	m.failures = m.counters("database_failures_total", "Transactions that failed because the database did.", "database")
	m.bucket = m.histograms("bucket_request_duration_seconds", "Time until the bucket answered a request.", quick, "method")
	m.bucketFailures = m.counter("bucket_failures_total", "Requests that the bucket did not answer, or answered with 5xx.")
	m.uploads = m.counters("uploads_total", "Uploads that were begun, completed or refused.", "result")
	m.scans = m.counters("scans_total", "Scans of files for malware.", "result")
	m.scanned = m.histogram("scan_duration_seconds", "Time of a scan.", long)
	m.previews = m.counters("previews_total", "Files whose previews were made, or could not be made this time.", "result")
	m.webhooks = m.counters("webhook_tries_total", "Tries to deliver a message of a webhook.", "result")
	m.mails = m.counters("mails_total", "Tries to send a mail.", "result")
	info := prometheus.NewGauge(prometheus.GaugeOpts{Name: "vitrine_build_info", Help: "The version; always 1.",
		ConstLabels: prometheus.Labels{"version": version}})
	info.Set(1)
	for _, c := range []prometheus.Collector{info, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})} {
		m.Add(c)
	}
	for v, results := range map[*prometheus.CounterVec][]string{m.uploads: uploadResults, m.scans: scanResults,
		m.previews: previewResults, m.webhooks: webhookResults, m.mails: mailResults} {
		for _, r := range results { // at 0 from the start, so that the first one is an increase
			v.WithLabelValues(r)
		}
	}
	return m
}

func (m *Metrics) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: "vitrine_" + name, Help: help})
	m.Add(c)
	return c
}

func (m *Metrics) counters(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "vitrine_" + name, Help: help}, labels)
	m.Add(c)
	return c
}

func (m *Metrics) histogram(name, help string, buckets []float64) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "vitrine_" + name, Help: help, Buckets: buckets})
	m.Add(h)
	return h
}

func (m *Metrics) histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "vitrine_" + name, Help: help, Buckets: buckets},
		labels)
	m.Add(h)
	return h
}

// Add adds a collector, such as a [State].
func (m *Metrics) Add(c prometheus.Collector) {
	m.registry.MustRegister(c)
	m.all = append(m.all, c)
}

// Gather returns the present metrics.
func (m *Metrics) Gather() prometheus.Gatherer { return m.registry }

// Handler answers GET /metrics.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+Path, promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Timeout: scrapeTime,
		MaxRequestsInFlight: atOnce, Registry: m.registry}))
	return mux
}

// Server returns the server of the metrics. Its limits are those of a handful
// of clients.
func (m *Metrics) Server() *http.Server {
	return &http.Server{Handler: m.Handler(), ReadTimeout: scrapeTime, WriteTimeout: 3 * scrapeTime,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10}
}

// Shut ends a server of metrics.
func Shut(s *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.Shutdown(ctx) != nil {
		_ = s.Close()
	}
}

// Describe implements the method of [prometheus.Collector], for all metrics.
func (m *Metrics) Describe(c chan<- *prometheus.Desc) {
	for _, each := range m.all {
		each.Describe(c)
	}
}
