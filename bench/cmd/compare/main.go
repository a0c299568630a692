// Command compare measures what each kind of request costs in this tree and in
// an earlier commit: processor time of the server and bytes that it allocates.
// Both programs run side by side on equal data, and each round asks one after
// the other, so that the ratios hold on a busy machine.
//
//	compare [-rounds N] [-most RATIO] [-only WORD] COMMIT
//
// A kind that one of them does not have, or does otherwise, is named and not
// measured. It exits with 1 if a kind costs more than RATIO times what it did.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"vitrine/bench/dataset"
)

var (
	rounds = flag.Int("rounds", 7, "rounds of each kind")
	most   = flag.Float64("most", 1.10, "the highest ratio of processor time that passes")
	only   = flag.String("only", "", "measure only kinds whose name has this word")
)

func main() {
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: compare [-rounds N] [-most RATIO] [-only WORD] COMMIT")
		os.Exit(2)
	}
	slower, err := run(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
	if len(slower) > 0 {
		fmt.Printf("\nMore than %.2f times the processor time: %s\n", *most, strings.Join(slower, ", "))
		os.Exit(1)
	}
}

// run compares the tree with a commit and returns the kinds that cost too much.
func run(commit string) (slower []string, err error) {
	dir, err := os.MkdirTemp("", "vitrine-compare-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	old, err := buildCommit(commit, dir)
	if err != nil {
		return nil, err
	}
	tree := filepath.Join(dir, "new")
	if err := command("..", "go", "build", "-trimpath", "-o", tree, "./cmd/vitrine"); err != nil {
		return nil, err
	}
	data := dataset.Params{Name: "compare", Accounts: 1, Opens: 200_000, Links: 1000, Days: 120,
		Last: dataset.LastDay(time.Now()), Seed: 1}
	var programs [2]*program
	for i, bin := range []string{old, tree} {
		p := &program{bin: bin, data: filepath.Join(dir, fmt.Sprint("data-", i))}
		programs[i] = p
		if err := p.fill(data); err != nil {
			return nil, fmt.Errorf("%s: %w", []string{commit, "this tree"}[i], err)
		}
		defer p.stop()
	}
	rows := []row{{kind: "import of 200,000 views", cpu: [2]float64{programs[0].imported, programs[1].imported},
		ratio: programs[1].imported / programs[0].imported}}
	for _, setting := range []string{"", "GOGC=off"} { // without collections, memory grows by what is allocated
		for _, p := range programs {
			if err := p.serve(setting); err != nil {
				return nil, err
			}
		}
		if rows, err = measure(programs, rows, setting != ""); err != nil {
			return nil, err
		}
	}
	return report(commit, rows), nil
}

// buildCommit builds the program of a commit, in a copy of its files.
func buildCommit(commit, dir string) (bin string, err error) {
	tree := filepath.Join(dir, "tree")
	bin = filepath.Join(dir, "old")
	if err := os.Mkdir(tree, 0o700); err != nil {
		return "", err
	}
	if err := command("..", "sh", "-c", `git archive "$1" | tar -x -C "$2"`, "sh", commit, tree); err != nil {
		return "", err
	}
	return bin, command(tree, "go", "build", "-trimpath", "-o", bin, "./cmd/vitrine")
}

func command(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

// row is the cost of a kind, of the commit and of the tree.
type row struct {
	kind      string
	cpu       [2]float64 // least milliseconds of processor time for each request
	ratio     float64    // median over the rounds
	allocated [2]float64 // KiB for each request
}

// measure asks each kind of both programs in turn. With allocated, it fills in
// the bytes of the rows.
func measure(programs [2]*program, rows []row, allocated bool) ([]row, error) {
	for _, k := range kinds {
		if !strings.Contains(k.name, *only) {
			continue
		}
		if missing, err := k.missing(programs); err != nil || missing != "" {
			if err != nil {
				return nil, fmt.Errorf("%s: %w", k.name, err)
			}
			if !allocated {
				fmt.Printf("%s: not measured: %s\n", k.name, missing)
			}
			continue
		}
		if allocated {
			i := slices.IndexFunc(rows, func(r row) bool { return r.kind == k.name })
			for j, p := range programs {
				grown, err := p.grows(k)
				if err != nil {
					return nil, err
				}
				rows[i].allocated[j] = grown
			}
			continue
		}
		r := row{kind: k.name}
		var ratios []float64
		times, _ := k.rounds(*rounds)
		for n := range times {
			var spent [2]float64
			for turn := range programs {
				j := (n + turn) % 2
				ms, err := programs[j].spends(k)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", k.name, err)
				}
				spent[j] = ms
				if r.cpu[j] == 0 || ms < r.cpu[j] {
					r.cpu[j] = ms
				}
			}
			ratios = append(ratios, spent[1]/spent[0])
		}
		slices.Sort(ratios)
		r.ratio = ratios[len(ratios)/2]
		rows = append(rows, r)
	}
	return rows, nil
}

// report prints the rows and returns the kinds that cost too much.
func report(commit string, rows []row) (slower []string) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\t%s\tthis tree\tratio\t%s\tthis tree\tratio\t\n", commit, commit)
	fmt.Fprintln(w, "\tCPU ms\tCPU ms\t\tKiB\tKiB\t\t")
	for _, r := range rows {
		allocated := "\t\t\t"
		if r.allocated[0] > 0 {
			allocated = fmt.Sprintf("%.1f\t%.1f\t%.2f\t", r.allocated[0], r.allocated[1], r.allocated[1]/r.allocated[0])
		}
		fmt.Fprintf(w, "%s\t%.3f\t%.3f\t%.2f\t%s\n", r.kind, r.cpu[0], r.cpu[1], r.ratio, allocated)
		if r.ratio > *most {
			slower = append(slower, r.kind)
		}
	}
	w.Flush()
	slices.SortFunc(slower, cmp.Compare[string])
	return slower
}
