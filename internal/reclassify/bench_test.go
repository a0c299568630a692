package reclassify_test

import (
	"path/filepath"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/reclassify"
	"vitrine/internal/viewdb"
	"vitrine/internal/vitrinetest"
	"vitrine/report"
)

// BenchmarkReclassify reads 100,000 stored views of 20 links in a year, a tenth
// of them by programs, and changes half of these: to another reason, to a
// person's, and back.
func BenchmarkReclassify(b *testing.B) {
	const views, links, days = 100_000, 20, 365
	log, err := viewdb.Open(filepath.Join(b.TempDir(), "views.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	list := make([]vitrine.ViewRecord, 0, views)
	for link := range int64(links) {
		for i := range int64(views / links) {
			id := vitrine.ViewIDAt((day+report.Day(i*days/(views/links))).StartMs()+i*7, int(i%8))
			o := report.View{ID: int64(id), At: id.Ms(), Link: 1 + link, Viewer: uint64(i*i) % 3001, Country: "DE"}
			if i%10 == 0 {
				o.Bot, o.Product = "crawler", []string{"A", "B"}[i/10%2]
			}
			list = append(list, vitrine.ViewRecord{Account: 1, View: o})
		}
	}
	if err := log.Import(b.Context(), vitrine.ImportReceipt{Lines: views, At: vitrinetest.Epoch}, list); err != nil {
		b.Fatal(err)
	}
	settle := func() {
		if err := log.RollUp(b.Context(), day+days); err != nil {
			b.Fatal(err)
		}
	}
	settle()
	run := func(name string, classOf map[string]string, apply bool) {
		s := &reclassify.Service{Log: log, Rule: rules(classOf)}
		from := time.Now()
		r, err := s.Run(b.Context(), apply)
		if err != nil {
			b.Fatal(err)
		}
		took := time.Since(from)
		b.ReportMetric(float64(r.Views)/took.Seconds(), name+"_views/s")
		if apply {
			b.ReportMetric(float64(r.Applied)/took.Seconds(), name+"_changes/s")
			from = time.Now()
			settle()
			b.ReportMetric(time.Since(from).Seconds(), name+"_rollup_s")
		}
	}
	for b.Loop() {
		run("dry", map[string]string{"A": "ai_training"}, false)
		run("reason", map[string]string{"A": "ai_training"}, true)
		run("person", map[string]string{"A": ""}, true)
		run("back", nil, true)
	}
}
