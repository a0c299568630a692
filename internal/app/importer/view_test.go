package importer

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/report"
)

// linkStore is a store with links and nothing else.
type linkStore map[vitrine.Slug]*vitrine.Link

type linkTx struct {
	vitrine.Tx
	links linkStore
}

func (s linkStore) Read(_ context.Context, f func(vitrine.Tx) error) error {
	return f(linkTx{links: s})
}
func (s linkStore) Update(context.Context, func(vitrine.Tx) error) error {
	return errors.ErrUnsupported
}
func (s linkStore) Version(context.Context) (int64, error) { return 0, errors.ErrUnsupported }

func (t linkTx) LinkBySlug(s vitrine.Slug) (*vitrine.Link, error) {
	if l, ok := t.links[s]; ok {
		return l, nil
	}
	return nil, vitrine.ErrNotFound
}

// importLog records imports like a view log: no views that it already has, and
// all of a batch or nothing.
type importLog struct {
	vitrine.ViewLog
	t      *testing.T
	lines  map[[32]byte]int64
	views  []vitrine.ViewRecord
	sizes  []int // of the batches
	failAt int   // number of the first Import that fails, from 1; 0 for none
}

func newImportLog(t *testing.T) *importLog { return &importLog{t: t, lines: map[[32]byte]int64{}} }

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

var errLog = errors.New("the log is down")

func (l *importLog) RetainedFrom(context.Context, vitrine.AccountID) (report.Day, error) {
	return 0, nil
}

func (l *importLog) Imported(_ context.Context, file [32]byte) (int64, error) {
	return l.lines[file], nil
}

func (l *importLog) Import(_ context.Context, receipt vitrine.ImportReceipt, views []vitrine.ViewRecord) error {
	if l.failAt--; l.failAt == 0 {
		return errLog
	}
	if !receipt.At.Equal(noon) {
		l.t.Errorf("time of the receipt = %s", receipt.At)
	}
	if receipt.Lines <= l.lines[receipt.File] {
		l.t.Errorf("receipt of %d lines after one of %d", receipt.Lines, l.lines[receipt.File])
		return nil
	}
	l.lines[receipt.File] = receipt.Lines
	l.views = append(l.views, views...)
	l.sizes = append(l.sizes, len(views))
	return nil
}

// Views lists the views of a link by time. A later import is in no order.
func (l *importLog) Views(_ context.Context, link vitrine.LinkID, from, to report.Day,
	f func(*report.View) error) error {
	views := slices.Clone(l.views)
	slices.SortStableFunc(views, func(a, b vitrine.ViewRecord) int { return cmp.Compare(a.At, b.At) })
	for i := range views {
		if day := report.DayOf(views[i].At); views[i].Link != int64(link) || day < from || day >= to {
			continue
		}
		if err := f(&views[i].View); err != nil {
			return err
		}
	}
	return nil
}

// importInto returns an import into three links of two accounts. The link with
// the higher ID belongs to the lower account.
func importInto(log *importLog) *Importer {
	pdf := vitrine.File{Kind: "pdf"}
	return &Importer{Store: linkStore{"one": {ID: 7, Account: 2, File: pdf}, "two": {ID: 3, Account: 2, File: pdf},
		"three": {ID: 9, Account: 1, File: pdf}},
		Log: log, Now: func() time.Time { return noon }}
}

// historyLines returns n unsorted views, many with the same link and
// millisecond. The city is the line number of each.
func historyLines(n int) string {
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	for i := range n {
		slug := []string{"one", "two", "three", "ONE"}[r.IntN(4)]
		at := noon.Add(time.Duration(r.IntN(1+n/5)) * time.Millisecond)
		fmt.Fprintf(&b, `{"slug":%q,"at":%q,"viewer":"v%d","city":"%d","session":{"engagedMs":1,"presentMs":2,"pages":[{"page":%d,"ms":1}]}}`+"\n",
			slug, at.Format("2006-01-02T15:04:05.000Z"), i%10, i, i+1)
	}
	return b.String()
}

func TestImportOrder(t *testing.T) {
	const n = 3000
	lines := historyLines(n)
	for _, run := range []int{1, 100, 999, n, 0} {
		log := newImportLog(t)
		in := importInto(log)
		in.runViews, in.batchViews = run, 1000
		res, err := in.Views(t.Context(), strings.NewReader(lines))
		if want := (Result{Lines: n, Added: n}); err != nil || res != want {
			t.Fatalf("runs of %d: %+v, %v", run, res, err)
		}
		if want := []int{1000, 1000, 1000}; !slices.Equal(log.sizes, want) {
			t.Errorf("batches of %v, want %v", log.sizes, want)
		}
		if log.lines[sha256.Sum256([]byte(lines))] != n {
			t.Errorf("receipts = %v", log.lines)
		}
		place := func(v *vitrine.ViewRecord) (i int) { fmt.Sscan(v.City, &i); return i }
		seen := make([]bool, n)
		for i := range log.views {
			v := &log.views[i]
			p := place(v)
			if seen[p] {
				t.Fatalf("view %d of the file occurs twice", p)
			}
			seen[p] = true
			if v.ID != int64(vitrine.ViewIDAt(v.At, 0)) || v.Session == nil || v.Session.Pages[0].Page != p+1 ||
				v.Viewer != importedViewer(v.Account, fmt.Sprint("v", p%10)) {
				t.Fatalf("view %+v differs from line %d", v, p)
			}
			if i == 0 {
				continue
			}
			last := &log.views[i-1]
			if cmp.Or(cmp.Compare(last.Account, v.Account), cmp.Compare(last.Link, v.Link), cmp.Compare(last.At, v.At),
				cmp.Compare(place(last), p)) >= 0 {
				t.Fatalf("runs of %d: %+v precedes %+v", run, last, v)
			}
		}
		if log.views[0].Account != 1 || log.views[n-1].Link != 7 {
			t.Error("some links are missing")
		}
	}
}

func TestImportBatches(t *testing.T) {
	log := newImportLog(t)
	if _, err := importInto(log).Views(t.Context(), strings.NewReader(historyLines(2*importBatch+1))); err != nil {
		t.Fatal(err)
	}
	if want := []int{importBatch, importBatch, 1}; !slices.Equal(log.sizes, want) {
		t.Errorf("batches of %v, want %v", log.sizes, want)
	}
}

// TestImportResume interrupts an import at each batch. It continues there, even
// with another run size.
func TestImportResume(t *testing.T) {
	for name, lines := range map[string]string{
		"batches and more": historyLines(450),
		"batches exactly":  historyLines(400),
		"one batch":        historyLines(100),
		"blank lines":      "\n\n" + historyLines(450) + "\n  \n\n",
		"batches, blank":   historyLines(400) + "\n\n",
	} {
		whole := newImportLog(t)
		in := importInto(whole)
		in.batchViews = 100
		if _, err := in.Views(t.Context(), strings.NewReader(lines)); err != nil {
			t.Fatal(err)
		}
		for k := 1; k <= len(whole.sizes); k++ {
			log := newImportLog(t)
			in.Log, log.failAt, in.runViews = log, k, 120
			res, err := in.Views(t.Context(), strings.NewReader(lines))
			if !errors.Is(err, errLog) || res.Added != int64(len(log.views)) || len(log.sizes) != k-1 {
				t.Fatalf("%s: %d batches, %+v, %v", name, len(log.sizes), res, err)
			}
			in.runViews = 77
			again, err := in.Views(t.Context(), strings.NewReader(lines))
			if err != nil || again.Already || again.Added+res.Added != int64(len(whole.views)) {
				t.Fatalf("%s: second run = %+v, %v", name, again, err)
			}
			if !reflect.DeepEqual(log.views, whole.views) || !reflect.DeepEqual(log.lines, whole.lines) {
				t.Fatalf("%s: interrupted at batch %d, the log has other views", name, k)
			}
			last, err := in.Views(t.Context(), strings.NewReader(lines))
			if want := (Result{Lines: again.Lines, Already: true}); err != nil || last != want {
				t.Fatalf("%s: third run = %+v, %v, want %+v", name, last, err, want)
			}
		}
	}
}

// TestImportOfMore imports files that overlap: each view is stored as often as
// in the file that has it most often.
func TestImportOfMore(t *testing.T) {
	lines := strings.SplitAfter(historyLines(900), "\n")
	for _, batch := range []int{1, 100, 0} {
		log := newImportLog(t)
		in := importInto(log)
		in.batchViews, in.runViews = batch, 70
		for _, c := range []struct {
			from, to     int
			added, known int64
		}{{300, 500, 200, 0}, {200, 600, 200, 200}, {250, 550, 0, 300}, {0, 900, 500, 400}} {
			res, err := in.Views(t.Context(), strings.NewReader(strings.Join(lines[c.from:c.to], "")))
			if want := (Result{Lines: c.added + c.known, Added: c.added, Known: c.known}); err != nil || res != want {
				t.Fatalf("batches of %d, lines %d to %d: %+v, %v, want %+v", batch, c.from, c.to, res, err, want)
			}
		}
		whole := newImportLog(t)
		if _, err := importInto(whole).Views(t.Context(), strings.NewReader(strings.Join(lines, ""))); err != nil {
			t.Fatal(err)
		}
		if got, want := viewKeys(log.views), viewKeys(whole.views); !slices.Equal(got, want) {
			t.Errorf("batches of %d: %d views differ from the %d of the whole file", batch, len(got), len(want))
		}
	}
}

// viewKeys returns what makes two views the same, sorted.
func viewKeys(views []vitrine.ViewRecord) (keys []string) {
	for _, v := range views {
		keys = append(keys, fmt.Sprint(v.Link, v.At, v.Viewer))
	}
	slices.Sort(keys)
	return keys
}

func TestImportRefused(t *testing.T) {
	good := strings.TrimSuffix(historyLines(2000), "\n")
	huge := func(n int) string {
		line := `{"slug":"one","at":"2026-05-04T12:00:00Z","viewer":"`
		return line + strings.Repeat("v", n-len(line)-2) + `"}`
	}
	paged := func(page string) string {
		return `{"slug":"one","at":"2026-05-04T12:00:00Z","viewer":"v","session":{"engagedMs":1,"presentMs":1,"pages":[` + page + `]}}`
	}
	for bad, want := range map[string]string{
		`{`: "not valid JSON", `[]`: "not a JSON object", `{"slug":1}`: `"slug" has a value of the wrong type`, `{"slug":"four","at":"2026-05-04T12:00:00Z","viewer":"v"}`: `no link "four"`,
		`{"slug":"one","viewer":"v"}`: "at: ", `{"slug":"one","at":"2026-05-04T12:00:00Z"}`: "viewer is missing",
		`{"slug":"one","at":"2026-05-04T12:00:00Z","viewer":"v","os":"a\u0000"}`: "control characters",
		`{"slug":"one","at":"2026-05-04T12:00:00Z","viewer":"v","city":"` + strings.Repeat("c", 256) +
			`"}`: "255 bytes",
		`{"slug":"one","at":"2026-05-04T12:00:00Z","viewer":"v","session":{"engagedMs":1}}`:                                                                               "presentMs",
		`{"slug":"one","at":"2026-05-04T12:00:00Z","viewer":"v","session":{"engagedMs":1,"presentMs":-1}}`:                                                                "not negative",
		`{"slug":"one","at":"2026-05-04T12:00:00Z","viewer":"v","session":{"engagedMs":1,"presentMs":1,"screen":"1-2"}}`:                                                  "session.screen",
		`{"slug":"one","at":"2026-05-04T12:00:00Z","viewer":"v","session":{"engagedMs":1,"presentMs":1,"scrollPct":1}}`:                                                   "session.scrollPct",
		`{"slug":"one","at":"2026-05-04T12:00:00Z","viewer":"v","session":{"engagedMs":1,"presentMs":1,"playedPct":1}}`:                                                   "session.playedPct",
		`{"slug":"one","at":"2026-05-04T12:00:00Z","viewer":"v","session":{"engagedMs":1,"presentMs":1,"pages":[{"page":0}]}}`:                                            "page 0",
		`{"slug":"one","at":"2026-05-04T12:00:00Z","viewer":"v","session":{"engagedMs":1,"presentMs":1,"pages":[{"page":2,"ms":1},{"page":1,"ms":1},{"page":2,"ms":1}]}}`: "occurs twice",
		paged(`{"page":1,"ms":-1}`):                                                      "page 1: -1 is not a time",
		paged(`{"page":1,"ms":5,"bands":[1,2,2]}`):                                       "page 1: bands has 3 numbers, and a part has 4 quarters",
		paged(`{"page":2,"ms":0,"bands":[]}`):                                            "page 2: bands has 0 numbers",
		paged(`{"page":1,"ms":5,"bands":[1,1,1,1,1]}`):                                   "page 1: bands has 5 numbers",
		paged(`{"page":1,"ms":5,"bands":[1,1,-1,1]}`):                                    "page 1: -1 in bands is negative",
		paged(`{"page":1,"ms":5,"bands":[1,1,3,1]}`):                                     "page 1: bands has more time than its 5 ms",
		paged(`{"page":1,"ms":5,"bands":[9223372036854775807,9223372036854775807,2,0]}`): "more time than its 5 ms",
		paged(`{"page":1,"ms":5,"bands":[5,4611686018427387904,9223372036854775807,1]}`): "more time than its 5 ms",
		paged(`{"page":1,"ms":5,"bands":[1.5,1,1,1]}`):                                   `"session.pages.0.bands.0" has a value of the wrong type`,
		paged(`{"page":1,"ms":5,"bands":[18446744073709551615,1,1,1]}`):                  `"session.pages.0.bands.0" has a value of the wrong type`,
		paged(`{"page":1,"ms":5,"bands":{"1":5}}`):                                       `"session.pages.0.bands" has a value of the wrong type`,
		huge(importMaxLine): "longer than 1048576 bytes",
	} {
		log := newImportLog(t)
		in := importInto(log)
		in.runViews = 100
		res, err := in.Views(t.Context(), strings.NewReader(good+"\n\n"+bad))
		var e *vitrine.Error
		if !errors.As(err, &e) || e.Code != vitrine.CodeInvalidRequest ||
			!strings.HasPrefix(e.Message, "line 2002: ") || !strings.Contains(e.Message, want) {
			t.Errorf("%.100s: Views = %v", bad, err)
		}
		if len(log.lines) > 0 || res != (Result{}) {
			t.Errorf("%.100s: %+v was stored, want nothing", bad, res)
		}
	}
	log := newImportLog(t)
	if res, err := importInto(log).Views(t.Context(), strings.NewReader(huge(importMaxLine-1)+"\n")); err != nil ||
		res.Added != 1 {
		t.Errorf("line of the largest size: %+v, %v", res, err)
	}
}

func TestImportNothing(t *testing.T) {
	for file, want := range map[string]Result{"": {}, "\n": {Lines: 1}, " \n\t\r\n\n": {Lines: 3}} {
		log := newImportLog(t)
		in := importInto(log)
		if res, err := in.Views(t.Context(), strings.NewReader(file)); err != nil || res != want {
			t.Errorf("Views(%q) = %+v, %v, want %+v", file, res, err, want)
		}
		want.Already = want.Lines > 0
		if res, err := in.Views(t.Context(), strings.NewReader(file)); err != nil || res != want || len(log.views) > 0 {
			t.Errorf("%q again: %+v, %v", file, res, err)
		}
	}
}

// TestImportPipe checks that an import from a pipe has the same result as one
// from a file, and that an import whose input fails stores nothing and leaves
// no temporary file.
func TestImportPipe(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	lines := []byte(historyLines(3000))
	log := newImportLog(t)
	in := importInto(log)
	broken := io.MultiReader(bytes.NewReader(lines[:len(lines)/2]),
		readerFunc(func([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }))
	if _, err := in.Views(t.Context(), broken); err == nil || len(log.lines) > 0 {
		t.Errorf("half a file: %v, want an error, and nothing stored", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopped := io.MultiReader(bytes.NewReader(lines[:len(lines)/2]),
		readerFunc(func([]byte) (int, error) { cancel(); return 0, nil }), bytes.NewReader(lines[len(lines)/2:]))
	if _, err := in.Views(ctx, stopped); !errors.Is(err, context.Canceled) || len(log.lines) > 0 {
		t.Errorf("cancelled: %v, want context.Canceled", err)
	}
	r, w := io.Pipe()
	go func() {
		for rest := lines; len(rest) > 0; {
			n, _ := w.Write(rest[:min(777, len(rest))])
			rest = rest[n:]
		}
		w.Close()
	}()
	if res, err := in.Views(t.Context(), r); err != nil || res.Added != 3000 {
		t.Errorf("pipe: %+v, %v", res, err)
	}
	if res, err := in.Views(t.Context(), bytes.NewReader(lines)); err != nil || !res.Already {
		t.Errorf("the same lines as a file: %+v, %v, want Already", res, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("temporary files left: %v, %v", left, err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

func TestImportNoTemporaryFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/missing")
	log := newImportLog(t)
	_, err := importInto(log).Views(t.Context(), strings.NewReader(historyLines(1)))
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "TMPDIR") ||
		vitrine.CodeOf(err) == vitrine.CodeInvalidRequest {
		t.Errorf("error = %v, want one about TMPDIR", err)
	}
}
