package bench

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/bench/table"
)

// cpu returns the processor time of the process.
func (p *process) cpu(b *testing.B) (sum time.Duration) {
	b.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid))
	if err != nil || len(tasks) == 0 {
		b.Fatal("the processor time of a process cannot be read")
	}
	for _, path := range tasks {
		s, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended
		}
		first, _, _ := strings.Cut(string(s), " ")
		ns, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(ns)
	}
	return sum
}

// costs returns a function that does what f does, and one that returns the
// median processor time of its runs but for the first.
func (p *process) costs(b *testing.B, f func()) (run func(), middle func() time.Duration) {
	var took []time.Duration
	return func() {
			before := p.cpu(b)
			f()
			took = append(took, p.cpu(b)-before)
		}, func() time.Duration {
			return median(took[1:])
		}
}

// linksSetup returns a setup of one account with a tenth of the views, and 100
// times the usual links.
func linksSetup(b *testing.B, links int) *setup {
	return setupFor(b, params(fmt.Sprint("links", links), 1, opensAsked(b)/10, links, 365))
}

// BenchmarkManyLinks requests the report of an account with 100,000 links and,
// in turn, of one with 100 links and as many views.
func BenchmarkManyLinks(b *testing.B) {
	many, few := linksSetup(b, 100_000), linksSetup(b, 100)
	ask := func(w *setup) (func(), func() time.Duration) {
		return w.costs(b, func() { w.call(b, 0, http.MethodGet, "/analytics?range=30d", "", nil) })
	}
	ofMany, costOfMany := ask(many)
	ofFew, costOfFew := ask(few)
	medians(b, ofMany, ofFew)
	summary.add(table.Row{Figure: fmt.Sprintf("account report, `30d`, %s opens, 100,000 links, processor time",
		million(many.Opens)), Vitrine: table.Of(costOfMany()), Reference: "of 100 links", Than: table.Of(costOfFew()),
		Aim: "≥ 0.33"})
}

// BenchmarkIdle measures what a server with 100,000 links does when nobody asks
// for anything.
func BenchmarkIdle(b *testing.B) {
	w := linksSetup(b, 100_000)
	w.waitIdle(b)
	var took []time.Duration
	for b.Loop() {
		before := w.cpu(b)
		time.Sleep(10 * time.Second)
		took = append(took, (w.cpu(b)-before)/10)
	}
	summary.add(table.Row{Figure: "idle server with 100,000 links, processor time each second",
		Vitrine: table.Of(median(took)), Aim: "≤ 1 ms"})
}

// BenchmarkFirstReport starts a server with all views, and requests the first
// report.
func BenchmarkFirstReport(b *testing.B) {
	w := accountSetup(b)
	for _, key := range []string{"30d", "all"} {
		b.Run(key, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				w.stop()
				w.serve(b)
				w.waitIdle(b)
				before := w.cpu(b)
				w.call(b, 0, http.MethodGet, "/analytics?range="+key, "", nil)
				took = append(took, w.cpu(b)-before)
			}
			summary.add(table.Row{Figure: fmt.Sprintf("first account report after a start, `%s`, %s opens, processor time",
				key, million(w.Opens)), Vitrine: table.Of(median(took)), Aim: "≤ 15 ms"})
		})
	}
}

// BenchmarkReportZone measures account reports of all days of a time zone,
// which no stored tally answers.
func BenchmarkReportZone(b *testing.B) {
	w := accountSetup(b)
	ask, cost := w.costs(b, func() {
		w.call(b, 0, http.MethodGet, "/analytics?range=all&timezone=Europe/Berlin", "", nil)
	})
	took := medians(b, ask)
	summary.add(table.Row{Figure: fmt.Sprintf("account report, `all`, a time zone, %s opens, %d links, %d days",
		million(w.Opens), w.Links, w.Days), Vitrine: table.Of(took[0]).With("processor %.0f ms", cost().Seconds()*1000),
		Aim: "≤ 600 ms"})
}

// BenchmarkPageCost measures the processor time of the server for a page and
// for a beacon, over 64 connections.
func BenchmarkPageCost(b *testing.B) {
	const n = connections * 5 * beaconsOfOpen
	v := newInstance(b, "owner@example.org")
	v.serve(b)
	defer v.stop()
	const text = "A page to be opened often.\n"
	var up, l struct{ SignedURL, Path, URL string }
	v.call(b, 0, http.MethodPost, "/uploads", fmt.Sprintf(`{"name":"page.txt","type":"text/plain","size":%d}`, len(text)),
		&up)
	req, err := http.NewRequest(http.MethodPut, up.SignedURL, strings.NewReader(text))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "text/plain")
	if err := do(req, nil); err != nil {
		b.Fatal(err)
	}
	v.call(b, 0, http.MethodPost, "/uploads/complete", fmt.Sprintf(`{"path":%q,"name":"page.txt","type":"text/plain"}`, up.Path), &l)
	addr := strings.TrimPrefix(v.url, "http://")
	server := pageServer{addr, strings.TrimPrefix(l.URL, v.url)}
	page := pageRequest(addr, server.path)
	for _, r := range []struct {
		figure, aim string
		request     func(connection, i int) string
	}{
		{"page", "≤ 0.09 ms", func(int, int) string { return page }},
		{"beacon", "≤ 0.06 ms", server.beacons(b, n)},
	} {
		b.Run(r.figure, func(b *testing.B) {
			run, cost := v.costs(b, func() { load(b, addr, n, r.request) })
			medians(b, run)
			summary.add(table.Row{Figure: r.figure + ", 64 connections, processor time of the server",
				Vitrine: table.Of(cost() / n), Aim: r.aim})
		})
	}
}
