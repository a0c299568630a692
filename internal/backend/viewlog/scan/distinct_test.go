package scan

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// TestDistinct checks that viewer days are counted with arrays and, for many
// steps, with maps, in small and large chunks.
func TestDistinct(t *testing.T) {
	r := rand.New(rand.NewPCG(vitrinetest.Seed(t), 0))
	for _, steps := range []report.Day{1, 30, maxDense, maxDense + 1} {
		q := &distinctQuery{From: firstDay, To: firstDay + steps, Links: true}
		in := &room{most: 1}
		defer in.close()
		sets, again := []*Set{{}, {in: in}, {in: &room{most: 1 << 20}}}, []*Set{{}, {}, {}}
		first, ofLink := map[uint64]bool{}, map[[2]uint64]int64{}
		var got report.Tally
		var want report.Fold
		for range 30_000 {
			v := report.View{Link: 1 + r.Int64N(5), Viewer: r.Uint64N(40), At: (firstDay +
				report.Day(r.IntN(int(steps)))).StartMs()}
			if r.IntN(3) == 0 {
				v.Viewer = r.Uint64()
			}
			want.Add(&v)
			first[v.Viewer] = true
			ofLink[[2]uint64{uint64(v.Link), v.Viewer}] = 1
			i := r.IntN(len(sets))
			sets[i].Add(v.Viewer, v.Link, report.DayOf(v.At))
			again[i].Add(v.Viewer, v.Link, report.DayOf(v.At))
		}
		if in.end == 0 || sets[2].in.end != 0 {
			t.Errorf("of a room without memory %d bytes are in a file, of one with enough %d", in.end, sets[2].in.end)
		}
		if err := countDistinct(&got, q, sets...); err != nil {
			t.Fatal(err)
		}
		tally := want.Tally()
		vitrinetest.Equal(t, "uniques", got.Uniques(q.From, q.To), int64(len(first)))
		for range 30 {
			a := firstDay + report.Day(r.IntN(int(steps)))
			b := a + 1 + report.Day(r.IntN(int(q.To-a)))
			vitrinetest.Equal(t, fmt.Sprintf("uniques of [%v, %v)", a, b), got.Uniques(a, b), tally.Uniques(a, b))
		}
		viewers := map[int64]int64{}
		for k := range ofLink {
			viewers[int64(k[0])]++
		}
		// Without links it is the same but for the viewers of links.
		var alone report.Tally
		if err := countDistinct(&alone, &distinctQuery{From: q.From, To: q.To}, again...); err != nil {
			t.Fatal(err)
		}
		vitrinetest.Equal(t, "the same without links", alone.Equal(&got), false)
		for link, n := range viewers {
			alone.AddLinkViewers(link, report.NoDay, n)
		}
		vitrinetest.Equal(t, "viewers of links", alone.Equal(&got), true)
	}
}

// TestSetIsSmall checks how much memory the viewer days of a year take, in the
// order in which segments have them.
func TestSetIsSmall(t *testing.T) {
	const links, views, days = 100, 10_000, 365
	r := rand.New(rand.NewPCG(1, 1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var s Set
	for link := range int64(links) {
		for i := range views {
			s.Add(r.Uint64N(1<<48), link, firstDay+report.Day(i*days/views))
		}
	}
	runtime.ReadMemStats(&after)
	if each := float64(after.TotalAlloc-before.TotalAlloc) / (links * views); each > 9.5 {
		t.Errorf("a viewer day takes %.1f bytes, want at most 9.5", each)
	}
}

// TestSetIsBounded checks that a set with more viewer days than its room allows
// takes no more memory than that, and a little for each of its parts.
func TestSetIsBounded(t *testing.T) {
	in := &room{most: 1 << 20}
	defer in.close()
	r := rand.New(rand.NewPCG(1, 1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := Set{in: in}
	for i := range 1_000_000 {
		s.Add(r.Uint64N(1<<48), int64(i/10_000), firstDay+report.Day(i%10_000/30))
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 2<<20 {
		t.Errorf("the set takes %.1f MiB, want at most 2", float64(took)/(1<<20))
	}
}
