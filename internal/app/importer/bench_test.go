package importer

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/report"
)

const benchLine = `{"slug":"bench-12","at":"2026-05-04T12:00:00.123Z","viewer":"v123456","country":"DE","city":"City 12, DE","referrer":"linkedin.com",` +
	`"source":"LinkedIn","device":"Desktop","browser":"Chrome","os":"Windows","returning":true,"session":{"engagedMs":61000,"presentMs":70000,` +
	`"screen":"1440-1919","pages":[{"page":1,"ms":20000},{"page":2,"ms":41000},{"page":3,"ms":6000}]}}`

// BenchmarkImportParse parses and checks one line.
func BenchmarkImportParse(b *testing.B) {
	in := importing{Importer: &Importer{Now: time.Now}, links: map[string]*importTarget{"bench-12": {account: 1, link: 2,
		files: map[int]importedFile{1: {report.ContentOf("pdf"), 12}}}}}
	line := []byte(benchLine)
	var v vitrine.ViewRecord
	for b.Loop() {
		if _, err := in.view(b.Context(), line, &v); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N), "ns/open")
}

// benchHistory writes n views as lines like benchLine, in the order of time.
func benchHistory(b *testing.B, n int) (path string) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "views.ndjson")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	r := rand.New(rand.NewPCG(1, 2))
	from := time.Date(2025, 5, 4, 0, 0, 0, 0, time.UTC)
	for i := range n {
		at := from.Add(time.Duration(i) * (365 * 24 * time.Hour / time.Duration(n)))
		fmt.Fprintf(w, `{"slug":"bench-%d","at":%q,"viewer":"v%d","country":"DE","city":"City %d, DE"%s`+"\n",
			r.IntN(benchLinks), at.Format("2006-01-02T15:04:05.000Z"),
			r.IntN(n), r.IntN(40), benchLine[strings.Index(benchLine, `,"referrer"`):])
	}
	if err := cmp.Or(w.Flush(), f.Close()); err != nil {
		b.Fatal(err)
	}
	return path
}

// silentLog discards imports. most is the largest heap that it has measured.
type silentLog struct {
	vitrine.ViewLog
	most uint64
}

func (l *silentLog) RetainedFrom(context.Context, vitrine.AccountID) (report.Day, error) {
	return 0, nil
}

func (l *silentLog) Imported(context.Context, [32]byte) (int64, error) { return 0, nil }

func (l *silentLog) Views(context.Context, vitrine.LinkID, report.Day, report.Day, func(*report.View) error) error {
	return nil
}

func (l *silentLog) Import(context.Context, vitrine.ImportReceipt, []vitrine.ViewRecord) error {
	l.measure()
	return nil
}

func (l *silentLog) measure() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	l.most = max(l.most, heap[0].Value.Uint64())
}

// watched measures the heap while it is read.
type watched struct {
	io.Reader
	log   *silentLog
	reads int
}

func (w *watched) Read(b []byte) (int, error) {
	if w.reads++; w.reads%50 == 0 {
		w.log.measure()
	}
	return w.Reader.Read(b)
}

const benchLinks = 100

// BenchmarkImportSort imports views into a log that discards them: they are
// read, checked, staged, sorted and merged. It reports the time for a view and
// the largest heap.
func BenchmarkImportSort(b *testing.B) {
	links := linkStore{}
	for i := range benchLinks {
		links[vitrine.Slug(fmt.Sprintf("bench-%d", i))] = &vitrine.Link{ID: vitrine.LinkID(i + 1), Account: 1,
			File: vitrine.File{Kind: "pdf", Pages: 12}}
	}
	for _, n := range []int{200_000, 2_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			path := benchHistory(b, n)
			log := &silentLog{}
			in := Importer{Store: links, Log: log, Now: time.Now}
			for b.Loop() {
				f, err := os.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				res, err := in.Views(b.Context(), &watched{Reader: f, log: log})
				f.Close()
				if err != nil || res.Added != int64(n) {
					b.Fatal(res, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N*n), "ns/open")
			b.ReportMetric(float64(log.most)/(1<<20), "heap-MiB")
		})
	}
}
