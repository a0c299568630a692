package report

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestRatio(t *testing.T) {
	for _, c := range []struct{ a, b, scale, want int64 }{
		{1, 2, 1, 1}, {-1, 2, 1, -1}, {1, 3, 1, 0}, {2, 3, 1, 1}, {-3, 2, 1, -2}, {3, 2, 1, 2}, {5, 0, 1, 0},
		{0, 5, 1, 0},
		{1, 3, 1000, 333}, {1, 16, 1000, 63}, {2499, 5000, 1, 0}, {math.MaxInt64, math.MaxInt64, 1000, 1000},
		{math.MaxInt64, 1, 1000, math.MaxInt64}, {math.MinInt64, 1, 1000, -math.MaxInt64},
		{math.MinInt64, 1, 1, -math.MaxInt64},
		{math.MaxInt64, 2, 1, 1 << 62},
	} {
		if got := ratio(c.a, c.b, c.scale); got != c.want {
			t.Errorf("ratio(%d, %d, %d) = %d, want %d", c.a, c.b, c.scale, got, c.want)
		}
	}
}

// TestRatioIsExact compares both roundings with math/big.
func TestRatioIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	number := func() int64 { return r.Int64() >> r.IntN(63) }
	for range 20_000 {
		a, b, scale := number(), 1+number(), []int64{1, 10, 100, 1000}[r.IntN(4)]
		b = max(b, 1)
		if r.IntN(2) == 0 {
			a = -a
		}
		exact := new(big.Rat).Mul(new(big.Rat).SetFrac64(a, b), new(big.Rat).SetInt64(scale))
		want := exact.FloatString(0)
		if want == "-0" {
			want = "0"
		}
		if got := nearest(exact.Num(), exact.Denom()).String(); got != want {
			t.Fatalf("nearest(%v) = %s, want %s", exact, got, want)
		}
		if n, ok := new(big.Int).SetString(want, 10); ok && n.IsInt64() && ratio(a, b, scale) != n.Int64() {
			t.Fatalf("ratio(%d, %d, %d) = %d, want %s", a, b, scale, ratio(a, b, scale), want)
		}
	}
}
