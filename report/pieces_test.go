package report_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"vitrine/report"
)

// dictionary numbers labels.
type dictionary struct {
	ids    map[string]uint64
	labels []string
}

func (d *dictionary) id(label string) (uint64, error) {
	if id, ok := d.ids[label]; ok {
		return id, nil
	}
	if d.ids == nil {
		d.ids = map[string]uint64{}
	}
	id := uint64(len(d.labels)) * 7 // with gaps
	d.labels = append(d.labels, label)
	d.ids[label] = id
	return id, nil
}

func (d *dictionary) label(id uint64) (string, error) {
	if id%7 != 0 || id/7 >= uint64(len(d.labels)) {
		return "", fmt.Errorf("no label %d", id)
	}
	return d.labels[id/7], nil
}

// stored is a tally in its stored pieces.
type stored struct {
	head, body []byte
	times      map[report.TimesGroup][]byte
}

func (d *dictionary) store(t testing.TB, tally *report.Tally, inGroups bool) stored {
	body, err := tally.AppendBody(nil, d.id)
	if err != nil {
		t.Fatal(err)
	}
	s := stored{tally.AppendHead(nil), body, map[report.TimesGroup][]byte{}}
	groups := []report.TimesGroup{report.AllTimes}
	if inGroups {
		groups = tally.TimesGroups()
	}
	for _, g := range groups {
		s.times[g] = tally.AppendTimes(nil, g)
	}
	return s
}

func (d *dictionary) add(t testing.TB, tally *report.Tally, s stored, since report.Day) {
	for _, err := range []error{tally.AddHead(s.head, since), tally.AddBody(s.body, since, d.label)} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func addTimes(t testing.TB, tally *report.Tally, s stored, of *report.MedianTimes) {
	for g, piece := range s.times {
		if of == nil || g == report.AllTimes || slices.Contains(of.Groups(), g) {
			if err := tally.AddTimes(piece, of); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestPieces checks that a stored tally equals the original, and that stored
// parts merge like the parts.
func TestPieces(t *testing.T) {
	eachScenario(t, 60, func(t *testing.T, r *rand.Rand, w *scenario) {
		var d dictionary
		var whole report.Tally
		win := report.NewWindow(report.RangeAll, today, today.AddDate(-2, 0, 0))
		var parts []stored
		for _, tally := range dayTallies(w) {
			s := d.store(t, tally, r.IntN(2) == 0)
			parts = append(parts, s)
			var back report.Tally
			d.add(t, &back, s, report.NoDay)
			addTimes(t, &back, s, nil)
			if !back.Equal(tally) {
				t.Fatal("the stored tally differs from the original")
			}
			d.add(t, &whole, s, win.From)
		}
		of := whole.MedianTimes()
		for _, s := range parts {
			addTimes(t, &whole, s, &of)
		}
		if left := whole.MedianTimes().Groups(); left != nil {
			t.Fatalf("the median still lacks %v", left)
		}
		got := tree(report.ForAccount(w.links, win, &whole, nil, w.top(&whole, win), w.allTime()))
		want := w.fold(win)
		sameReport(t, "from pieces", got, tree(report.ForAccount(w.links, win, want, nil, w.top(want, win),
			w.allTime())))
	})
}

// TestRemove checks that adding and removing a tally leaves nothing.
func TestRemove(t *testing.T) {
	eachScenario(t, 60, func(t *testing.T, r *rand.Rand, w *scenario) {
		var all, some report.Tally
		for i := range w.views {
			all.Add(&w.views[i])
		}
		visits := w.visits()
		for _, v := range visits {
			all.AddViewerDays(v, 1)
			all.AddLinkViewers(7, v.Prev, 1)
		}
		for _, v := range visits {
			all.AddViewerDays(v, -1)
			all.AddLinkViewers(7, v.Prev, -1)
		}
		for i := range w.views {
			if r.IntN(2) == 0 {
				all.Remove(&w.views[i])
			} else {
				some.Add(&w.views[i])
			}
		}
		if !all.Equal(&some) {
			t.Error("removing a tally left something")
		}
	})
}

// TestDamagedPieces checks that a piece with a changed bit, a truncated one and
// an empty one are refused.
func TestDamagedPieces(t *testing.T) {
	eachScenario(t, 5, func(t *testing.T, r *rand.Rand, w *scenario) {
		var d dictionary
		s := d.store(t, w.fold(report.NewWindow(report.RangeAll, today, today.AddDate(-2, 0, 0))), false)
		for _, piece := range [][]byte{s.head, s.body, s.times[report.AllTimes]} {
			if report.CheckPiece(piece) != nil {
				t.Fatal("CheckPiece refuses a good piece")
			}
			for range 200 {
				bad := slices.Clone(piece)
				bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
				if report.CheckPiece(bad) == nil || report.CheckPiece(piece[:r.IntN(len(piece))]) == nil {
					t.Fatal("CheckPiece accepts a damaged piece")
				}
			}
		}
	})
}

// FuzzPieces checks that garbage with a right checksum is an error or a tally,
// and never causes a panic.
func FuzzPieces(f *testing.F) {
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, payload []byte) {
		piece := report.SealPiece(payload)
		var tally report.Tally
		label := func(id uint64) (string, error) { return fmt.Sprint(id), nil }
		_ = tally.AddHead(piece, report.NoDay)
		_ = tally.AddBody(piece, 20_000, label)
		_ = tally.AddTimes(piece, nil)
		_ = report.EachLinkViews(piece, func(int64, int64) {})
	})
}

// TestTopLabels checks that the first labels are those of the whole list.
func TestTopLabels(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var fold report.Fold
		for i := range 1 + random.IntN(60) {
			label := fmt.Sprint(random.IntN(1 + random.IntN(40)))
			fold.Add(&report.View{ID: int64(i), At: 1, Viewer: 1, Referrer: label, Source: label})
		}
		tally := fold.Tally()
		all := tally.Labels(report.OnReferrer, 1<<30)
		if !slices.IsSortedFunc(all, func(a, b report.Bucket) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Key, b.Key))
		}) {
			t.Fatalf("not sorted: %v", all)
		}
		for n := range len(all) + 2 {
			if got := tally.Labels(report.OnReferrer, n); !slices.Equal(got, all[:min(n, len(all))]) {
				t.Fatalf("the first %d of %v are %v", n, all, got)
			}
		}
	}
}
