// Package bench measures the program from outside, each figure with a reference
// in the same run (bench/README.md).
package bench

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/bench/dataset"
	"vitrine/bench/table"
)

// Unless -benchtime says otherwise, each figure is the median of this number of
// runs, after one for warming up.
const runs = "9x"

func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.benchtime"); f.Value.String() == f.DefValue {
		_ = flag.Set("test.benchtime", runs)
	}
	code := m.Run()
	if err := summary.write(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	for _, end := range slices.Backward(ends) {
		end()
	}
	os.Exit(code)
}

// ends are called after all benchmarks, because what they share outlives each
// of them.
var ends []func()

func atEnd(f func()) { ends = append(ends, f) }

// opensAsked returns the number of views of the large datasets:
// VITRINE_BENCH_OPENS, or 10 million.
func opensAsked(b *testing.B) int {
	b.Helper()
	n, err := strconv.ParseInt(cmp.Or(os.Getenv("VITRINE_BENCH_OPENS"), "10_000_000"), 0,
		0) // base 0 accepts underscores
	if err != nil || n < 1000 {
		b.Fatalf("VITRINE_BENCH_OPENS=%s must be a number of at least 1000", os.Getenv("VITRINE_BENCH_OPENS"))
	}
	return int(n)
}

// params returns the parameters of a dataset that ends three days ago or, with
// VITRINE_BENCH_RUNNING=1, at the current full hour.
func params(name string, accounts, opens, links, days int) dataset.Params {
	now := time.Now().UTC()
	p := dataset.Params{Name: fmt.Sprint(name, accounts*opens), Accounts: accounts, Opens: opens, Links: links,
		Days: days, Last: dataset.LastDay(now), Seed: 1}
	if hour := now.Truncate(time.Hour); os.Getenv("VITRINE_BENCH_RUNNING") == "1" && hour.Hour() > 0 {
		p.Until = hour
	}
	return p
}

// million formats a number of views for people, such as "10 million".
func million(n int) string {
	switch {
	case n >= 1_000_000:
		return strconv.FormatFloat(float64(n)/1e6, 'g', 3, 64) + " M"
	case n >= 1000:
		return strconv.FormatFloat(float64(n)/1e3, 'g', 3, 64) + " k"
	}
	return strconv.Itoa(n)
}

// medians runs all of fs in turn, once to warm up and then b.N times, and
// returns the median time of each.
func medians(b *testing.B, fs ...func()) []time.Duration {
	b.Helper()
	took := samples(b, fs...)
	middle := make([]time.Duration, len(fs))
	for i := range fs {
		middle[i] = median(took[i])
	}
	return middle
}

func samples(b *testing.B, fs ...func()) [][]time.Duration {
	b.Helper()
	for _, f := range fs {
		f()
	}
	took := make([][]time.Duration, len(fs))
	for b.Loop() {
		for i, f := range fs {
			from := time.Now()
			f()
			took[i] = append(took[i], time.Since(from))
		}
	}
	return took
}

func median[T cmp.Ordered](of []T) T {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}

// summary collects the rows of a run.
var summary rows

type rows struct {
	all     []table.Row
	engines []string
}

// add prints a row and adds it to the table.
func (r *rows) add(row table.Row) {
	r.all = append(r.all, row)
	fmt.Println("\n" + row.String())
}

// engine records the name and version of a reference.
func (r *rows) engine(name string) {
	if !slices.Contains(r.engines, name) {
		r.engines = append(r.engines, name)
	}
}

// write prints the table, and writes it to the file that VITRINE_BENCH_TABLE
// names.
func (r *rows) write() error {
	if len(r.all) == 0 {
		return nil
	}
	machine := []string{fmt.Sprintf("%d cores of %s, %s/%s, %s", runtime.NumCPU(), processor(), runtime.GOOS,
		runtime.GOARCH, runtime.Version()),
		"Vitrine " + cmp.Or(version(), "of an unknown version") + ", " + time.Now().UTC().Format(time.DateOnly)}
	if len(r.engines) > 0 {
		machine = append(machine, "references: "+strings.Join(r.engines, ", "))
	}
	fmt.Println()
	if err := table.Write(os.Stdout, machine, r.all); err != nil {
		return err
	}
	path := os.Getenv("VITRINE_BENCH_TABLE")
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return table.Write(f, machine, r.all)
}

func processor() string {
	b, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "an unknown kind"
}

func version() string {
	bin, err := program()
	if err != nil {
		return ""
	}
	out, err := exec.CommandContext(context.Background(), bin, "--version").Output()
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return strings.TrimPrefix(first, "vitrine ")
}
