package report

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDelta(t *testing.T) {
	for _, c := range []struct {
		now, before int64
		want        string
	}{
		{0, 0, `{"pct":null,"dir":"flat"}`}, {5, 0, `{"pct":null,"dir":"up"}`}, {0, 5, `{"pct":-100,"dir":"down"}`},
		{5, 5, `{"pct":0,"dir":"flat"}`}, {1001, 1000, `{"pct":0,"dir":"up"}`}, {999, 1000, `{"pct":0,"dir":"down"}`},
		{201, 200, `{"pct":1,"dir":"up"}`}, {199, 200, `{"pct":-1,"dir":"down"}`}, {15, 10, `{"pct":50,"dir":"up"}`},
	} {
		got, _ := json.Marshal(delta(integer(c.now), integer(c.before)))
		if string(got) != c.want {
			t.Errorf("delta of %d and %d = %s, want %s", c.now, c.before, got, c.want)
		}
	}
}

func TestTenths(t *testing.T) {
	for n, want := range map[Tenths]string{
		0: "0", 5: "0.5", 10: "1", 333: "33.3", 1000: "100", -5: "-0.5", -375: "-37.5", -10: "-1",
		math.MaxInt64: "922337203685477580.7", math.MinInt64: "-922337203685477580.8",
	} {
		b, err := json.Marshal(n)
		if err != nil || string(b) != want || n.String() != want {
			t.Errorf("%d = %s, %v, want %s", int64(n), b, err, want)
		}
	}
	if f := Tenths(333).Float(); f != 33.3 {
		t.Errorf("Float = %v, want 33.3", f)
	}
}

func FuzzTenths(f *testing.F) {
	for _, s := range []string{"33.3", "-0.5", "100", "1e3", "null", "NaN", "1e300", `"5"`, ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var n, again Tenths
		if n.UnmarshalJSON([]byte(s)) != nil {
			return
		}
		if err := again.UnmarshalJSON([]byte(n.String())); err != nil || again != n {
			t.Errorf("%q = %v, read back %v, %v", s, n, again, err)
		}
	})
}

// TestCompletionIsExact compares the mean over links with many page counts with
// math/big's reduced fractions.
func TestCompletionIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 50 {
		var c completion
		sum, n := new(big.Rat), int64(0)
		for range 1 + r.IntN(60) {
			l := Link{Content: ContentPages, Pages: 1 + r.IntN(90)}
			s := engagement{sessions: 1 + r.Int64N(50)}
			s.pages = r.Int64N(s.sessions*int64(l.Pages) + 1)
			c.add(&l, s)
			sum.Add(sum, big.NewRat(s.pages, int64(l.Pages)))
			n += s.sessions
		}
		sum.Mul(sum, big.NewRat(100, n))
		want, _ := new(big.Rat).SetString(sum.FloatString(1))
		if got := new(big.Rat).SetFrac64(int64(*c.pct()), 10); got.Cmp(want) != 0 {
			t.Fatalf("completion = %v, want %v", got, want)
		}
	}
}

func TestMedian(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 2000 {
		var ts times
		all := make([]uint32, r.IntN(20))
		for i := range all {
			all[i] = r.Uint32() >> r.IntN(32)
			ts.add(all[i])
		}
		for range len(all) / 4 {
			i := r.IntN(len(all))
			ts.remove(all[i])
			all = slices.Delete(all, i, i+1)
		}
		slices.Sort(all)
		var want int64
		if n := len(all); n > 0 {
			want = (int64(all[(n-1)/2]) + int64(all[n/2]) + 1) / 2
		}
		if got := ts.median(); got != want {
			t.Fatalf("median of %v = %d, want %d", all, got, want)
		}
	}
}

// TestBuckets checks that the buckets have no gaps, and contain their values.
func TestBuckets(t *testing.T) {
	last, _ := bucketOf(1<<32 - 1)
	next := uint64(0)
	for b := range last + 1 {
		low, open := b.low()
		if uint64(low) != next {
			t.Fatalf("bucket %d begins at %d, want the end of the previous one, %d", b, low, next)
		}
		next += 1 << open
		for _, v := range []uint32{low, uint32(next - 1)} {
			if got, bits := bucketOf(v); got != b || bits != open {
				t.Fatalf("%d is in bucket %d with %d bits, want %d with %d", v, got, bits, b, open)
			}
		}
	}
	if next != 1<<32 {
		t.Errorf("the buckets end at %d, want 1<<32", next)
	}
}
