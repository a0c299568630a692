package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/bench/reference"
	"vitrine/bench/table"
)

// BenchmarkAccounts requests the reports of a hundred accounts over 32
// connections and, in turn, the same ones from PostgreSQL over as many, after
// checking that all agree.
func BenchmarkAccounts(b *testing.B) {
	const accounts, asking, reports = 100, 32, 200
	w := setupFor(b, params("accounts", accounts, max(opensAsked(b)/accounts, 100), 20, 365))
	ctx, path := context.Background(), "/analytics?range=30d"
	row := table.Row{Figure: fmt.Sprintf("account reports, `30d`, %d accounts of %s opens, %d connections", accounts,
		million(w.Opens), asking)}
	fs := []func(){func() {
		atOnce(b, asking, reports, func(i int) error { return w.try(i%accounts, http.MethodGet, path, "", nil) })
	}}
	dsn, stop, err := startPostgres(b)
	switch {
	case errors.Is(err, errNoPostgres):
		b.Log("skipped: PostgreSQL is not installed")
		row.Reference = "PostgreSQL: not installed"
	case err != nil:
		b.Fatal(err)
	default:
		defer stop()
		pg, err := reference.LoadPostgres(ctx, dsn, w.Params, asking)
		if err != nil {
			b.Fatal(err)
		}
		defer pg.Close()
		summary.engine(pg.Name())
		row.Reference = pg.Name()
		scopes := make([]reference.Scope, accounts)
		for i := range scopes {
			answer := w.figures(b, i, path)
			scopes[i] = reference.Scope{Account: i, From: answer.Range.From, To: answer.Range.To}
			agree(b, pg, scopes[i], answer)
		}
		fs = append(fs, func() {
			atOnce(b, asking, reports, func(i int) error {
				_, err := pg.Report(ctx, scopes[i%accounts])
				return err
			})
		})
	}
	took := medians(b, fs...)
	rate := func(d time.Duration) table.Value { return table.Value{Unit: table.Rate, N: reports / d.Seconds()} }
	row.Vitrine = rate(took[0])
	if len(took) > 1 {
		row.Than = rate(took[1])
	}
	summary.add(row)
	b.ReportMetric(row.Vitrine.N, "reports/s")
}

// atOnce calls f(0) to f(n-1), so many at once.
func atOnce(b *testing.B, so, n int, f func(i int) error) {
	b.Helper()
	var next atomic.Int64
	var all sync.WaitGroup
	for range so {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := f(i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if b.Failed() {
		b.FailNow()
	}
}
