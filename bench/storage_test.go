package bench

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vitrine/bench/dataset"
	"vitrine/bench/reference"
	"vitrine/bench/table"
)

// BenchmarkMemory requests every kind of report from a server with all views,
// and measures its current and peak memory.
func BenchmarkMemory(b *testing.B) {
	w := accountSetup(b)
	w.stop()
	w.serve(b) // a fresh process
	w.waitIdle(b)
	paths := []string{"/links", "/analytics?range=all&filter=country:is:DE", "/analytics?range=all&filter=country:is_not:DE",
		"/analytics?range=all&timezone=Europe/Berlin"}
	kinds := map[string]string{}
	for _, l := range slices.Backward(w.LinksOf(0)) {
		kinds[l.Kind] = l.Slug // the link of each kind with the most views
	}
	for _, r := range []string{"7d", "14d", "30d", "90d", "all"} {
		paths = append(paths, "/analytics?range="+r)
		for _, slug := range kinds {
			paths = append(paths, "/links/"+slug+"/analytics?range="+r)
		}
	}
	for b.Loop() {
		for _, path := range paths {
			w.call(b, 0, http.MethodGet, path, "", nil)
		}
	}
	memory := func(member string) table.Value { return table.Value{Unit: table.Memory, N: w.memory(b, member)} }
	figure := fmt.Sprintf("memory of the server with %s opens, after every kind of report", million(w.Opens))
	summary.add(table.Row{Figure: figure + ", peak", Vitrine: memory("VmHWM"), Aim: "≤ 150 MB"})
	summary.add(table.Row{Figure: figure + ", then", Vitrine: memory("VmRSS"), Aim: "≤ 150 MB"})
}

// BenchmarkStorage measures the size of a view on disk: in the log, in what is
// computed from it, and as rows of other databases.
func BenchmarkStorage(b *testing.B) {
	w := accountSetup(b)
	w.compare(b)
	for b.Loop() { // sizes do not change between runs
	}
	w.stop() // closes the files
	defer w.serve(b)
	each := func(n int64) table.Value { return table.Value{Unit: table.Bytes, N: float64(n) / float64(w.Opens)} }
	ours := w.stored(b)
	figure := fmt.Sprintf("stored bytes per view, %s opens", million(w.Opens))
	row := table.Row{Figure: figure, Vitrine: each(ours.total).With("log %.1f, index of viewer days %.1f, rollups %.1f",
		each(ours.log).N, each(ours.visits).N, each(ours.tallies).N), Aim: "≤ 60 B, rollups ≤ 16 B"}
	ctx := context.Background()
	for _, e := range w.references {
		if duck, ok := e.(*reference.DuckDB); ok {
			n, err := duck.Size(ctx)
			if err != nil {
				b.Fatal(err)
			}
			row.Reference, row.Than = e.Name()+", after a checkpoint", each(n)
			summary.add(row)
		}
	}
	small := accountParams(max(w.Opens/10, 1000))
	dir, err := dataset.Dir()
	if err != nil {
		b.Fatal(err)
	}
	n, sqlite, err := reference.SQLiteSize(ctx, small, filepath.Join(dir, "rows.db"))
	if err != nil {
		b.Fatal(err)
	}
	summary.engine(sqlite)
	row.Reference, row.Than = fmt.Sprintf("%s, plain rows and one index, of %s opens", sqlite, million(small.Opens)),
		table.Value{Unit: table.Bytes, N: float64(n) / float64(small.Opens)}
	summary.add(row)
}

// storage is a number of bytes. The rest of total is free space and other
// files.
type storage struct{ total, log, visits, tallies int64 }

// tallyTables and visitTables have what is computed from the views. Every other
// table is the log.
var (
	tallyTables = []string{"tallies", "times", "daily_views"}
	visitTables = []string{"viewer_days", "runs"}
)

// stored measures the data directory without the published files and the store
// of accounts and links. The server must not run.
func (w *setup) stored(b *testing.B) (s storage) {
	b.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.data, "views.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil { // writes everything to one file
		b.Fatal(err)
	}
	err = filepath.WalkDir(w.data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(w.data, path)
		if strings.HasPrefix(rel, "vitrine.db") || strings.HasPrefix(rel, "files") || strings.HasSuffix(rel, "-shm") {
			return nil
		}
		info, err := d.Info()
		if err == nil {
			s.total += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	rows, err := db.Query(`SELECT coalesce(s.tbl_name, d.name), sum(d.pgsize) FROM dbstat d LEFT JOIN sqlite_schema s ON s.name = d.name
		WHERE d.aggregate = TRUE GROUP BY 1 ORDER BY 2 DESC`)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var name string
		var n int64
		if err := rows.Scan(&name, &n); err != nil {
			b.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s %.1f", name, float64(n)/float64(w.Opens)))
		switch {
		case slices.Contains(tallyTables, name):
			s.tallies += n
		case slices.Contains(visitTables, name):
			s.visits += n
		default:
			s.log += n
		}
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	b.Logf("bytes for each view by table: %s", cmp.Or(strings.Join(all, ", "), "none"))
	return s
}
