package metrics

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"vitrine"
	"vitrine/internal/app/ingest"
	"vitrine/internal/app/publish"
)

// The results of countable work.
var (
	uploadResults = []string{string(publish.UploadBegun), string(publish.UploadCompleted),
		string(publish.UploadRefused)}
	scanResults = []string{string(vitrine.ScanClean), string(vitrine.ScanSuspicious), string(vitrine.ScanMalware),
		"limit", "failed"}
	previewResults = []string{"made", "failed"}
	webhookResults = []string{"delivered", "failed"}
	mailResults    = []string{"sent", "failed"}
)

// Upload counts a step of an upload.
func (m *Metrics) Upload(step publish.UploadStep) { m.uploads.WithLabelValues(string(step)).Inc() }

// WebhookTry counts a try to deliver a message of a webhook.
func (m *Metrics) WebhookTry(ok bool) { m.webhooks.WithLabelValues(resultOf(ok, webhookResults)).Inc() }

// resultOf returns the first result for what went well, and otherwise the
// second.
func resultOf(ok bool, results []string) string {
	if ok {
		return results[0]
	}
	return results[1]
}

// Transactions returns a function that counts the transactions of a database.
func (m *Metrics) Transactions(database string) func(writes bool, took time.Duration, err error) {
	reads, writes := m.transactions.WithLabelValues(database, "read"), m.transactions.WithLabelValues(database, "write")
	failed := m.failures.WithLabelValues(database)
	return func(is bool, took time.Duration, err error) {
		if is {
			writes.Observe(took.Seconds())
		} else {
			reads.Observe(took.Seconds())
		}
		if err != nil && vitrine.CodeOf(err) == vitrine.CodeUnavailable {
			failed.Inc()
		}
	}
}

// BucketRequest counts a request to a bucket.
func (m *Metrics) BucketRequest(method string, took time.Duration, failed bool) {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPost, http.MethodDelete:
	default:
		method = "other"
	}
	m.bucket.WithLabelValues(method).Observe(took.Seconds())
	if failed {
		m.bucketFailures.Inc()
	}
}

// ViewLog returns a view log whose commits are counted.
func (m *Metrics) ViewLog(log ingest.Log) ingest.Log { return countedLog{log, m} }

type countedLog struct {
	ingest.Log
	m *Metrics
}

func (l countedLog) Append(ctx context.Context, b vitrine.Batch) (vitrine.Outcome, error) {
	began := time.Now()
	o, err := l.Log.Append(ctx, b)
	l.m.commits.Observe(time.Since(began).Seconds())
	l.m.entries.Observe(float64(b.Len()))
	if err != nil {
		l.m.notTaken.Inc()
	}
	return o, err
}

// Scanner returns a scanner whose scans are counted.
func (m *Metrics) Scanner(s vitrine.Scanner) vitrine.Scanner { return countedScanner{s, m} }

type countedScanner struct {
	vitrine.Scanner
	m *Metrics
}

func (s countedScanner) Scan(ctx context.Context, r io.Reader, size int64) (vitrine.Verdict, error) {
	began := time.Now()
	v, err := s.Scanner.Scan(ctx, r, size)
	result := string(v.Result)
	switch {
	case errors.Is(err, vitrine.ErrScanLimit):
		result = "limit"
	case err != nil:
		result = "failed"
	}
	s.m.scans.WithLabelValues(result).Inc()
	s.m.scanned.Observe(time.Since(began).Seconds())
	return v, err
}

// Previewer returns a previewer whose files are counted.
func (m *Metrics) Previewer(p vitrine.Previewer) vitrine.Previewer { return countedPreviewer{p, m} }

type countedPreviewer struct {
	vitrine.Previewer
	m *Metrics
}

func (p countedPreviewer) Preview(ctx context.Context, f vitrine.PreviewFile,
	put func(vitrine.Part, io.Reader) error) error {
	err := p.Previewer.Preview(ctx, f, put)
	p.m.previews.WithLabelValues(resultOf(err == nil, previewResults)).Inc()
	return err
}

// Mailer returns a mailer whose tries are counted.
func (m *Metrics) Mailer(of vitrine.Mailer) vitrine.Mailer { return countedMailer{of, m} }

type countedMailer struct {
	vitrine.Mailer
	m *Metrics
}

func (c countedMailer) Send(ctx context.Context, letter vitrine.Message) error {
	err := c.Mailer.Send(ctx, letter)
	c.m.mails.WithLabelValues(resultOf(err == nil, mailResults)).Inc()
	return err
}
