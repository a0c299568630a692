package bench

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"vitrine/bench/dataset"
	"vitrine/bench/reference"
)

// setup is a dataset with a server and the references that have it.
type setup struct {
	dataset.Params
	*instance
	rate       float64 // of its import on one core, in views a second
	tallyRate  float64 // of making the tallies after that, likewise
	references []reference.Engine
	missing    []string // references that are not available, and why
}

var setups = map[string]*setup{}

// setupFor imports a dataset, once in a run, and serves it.
func setupFor(b *testing.B, p dataset.Params) *setup {
	b.Helper()
	if w := setups[p.Key()]; w != nil {
		return w
	}
	links, opens, err := p.Files()
	if err != nil {
		b.Fatal(err)
	}
	var emails []string
	for account := range p.Accounts {
		emails = append(emails, p.Account(account))
	}
	w := &setup{Params: p, instance: newInstance(b, emails...)}
	w.run(b, nil, "admin", "import", "links", links)
	var took struct {
		Seconds       float64 `json:"seconds"`
		FinishSeconds float64 `json:"finishSeconds"`
	}
	if err := json.Unmarshal(w.run(b, []string{"GOMAXPROCS=1"}, "admin", "import", "views", opens, "--json"),
		&took); err != nil {
		b.Fatal(err)
	}
	w.rate, w.tallyRate = float64(p.Total())/took.Seconds, float64(p.Total())/took.FinishSeconds
	w.serve(b)
	w.waitIdle(b)
	setups[p.Key()] = w
	return w
}

// compare loads the engines that read the whole dataset quickly. One that is
// not installed is listed as missing.
func (w *setup) compare(b *testing.B) {
	b.Helper()
	if w.references != nil || w.missing != nil {
		return
	}
	ctx := context.Background()
	dir, err := dataset.Dir()
	if err != nil {
		b.Fatal(err)
	}
	duck, err := reference.OpenDuckDB(ctx, w.Params, dir)
	if err != nil {
		b.Fatal(err)
	}
	w.have(duck)
	lib, err := chdb()
	if err != nil {
		w.missing = append(w.missing, "ClickHouse: "+err.Error())
		b.Logf("skipped: ClickHouse: %v", err)
		return
	}
	bin, err := runner()
	if err != nil {
		b.Fatal(err)
	}
	ch, err := reference.OpenClickHouse(ctx, bin, lib, w.Params, dir)
	if err != nil {
		b.Fatal(err)
	}
	w.have(ch)
}

func (w *setup) have(e reference.Engine) {
	summary.engine(e.Name())
	w.references = append(w.references, e)
	atEnd(func() { _ = e.Close() })
}

// chdb returns the path of ClickHouse's library: VITRINE_BENCH_CHDB, or where
// setup.sh puts it.
func chdb() (string, error) {
	lib := os.Getenv("VITRINE_BENCH_CHDB")
	if lib == "" {
		dir, err := dataset.Dir()
		if err != nil {
			return "", err
		}
		arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
		lib = filepath.Join(dir, "npm", "node_modules", "@chdb", "lib-linux-"+arch+"-gnu", "libchdb.so")
	}
	if _, err := os.Stat(lib); err != nil {
		return "", errors.New("not installed")
	}
	return lib, nil
}
