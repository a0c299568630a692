package report

import (
	"math"
	"math/big"
	"math/bits"
)

// mean returns sum ÷ n to the nearest integer, or 0 if n is 0.
func mean(sum, n int64) int64 { return ratio(sum, n, 1) }

// ratio returns a·scale ÷ b to the nearest integer, halves away from zero, or 0
// if b is 0. The product has 128 bits; b and scale are not negative. A result
// out of range becomes the nearest int64.
func ratio(a, b, scale int64) int64 {
	if b == 0 {
		return 0
	}
	u := uint64(a)
	if a < 0 {
		u = -u
	}
	hi, lo := bits.Mul64(u, uint64(scale))
	// Adding ⌊b/2⌋ and cutting rounds halves up for every b: an odd b has no
	// halves.
	lo, carry := bits.Add64(lo, uint64(b)/2, 0)
	hi += carry
	q := uint64(math.MaxInt64)
	if hi < uint64(b) {
		quotient, _ := bits.Div64(hi, lo, uint64(b))
		q = min(q, quotient)
	}
	if a < 0 {
		return -int64(q)
	}
	return int64(q)
}

// nearest returns num ÷ den to the nearest integer, halves away from zero. den
// is positive.
func nearest(num, den *big.Int) *big.Int {
	twice := new(big.Int).Lsh(new(big.Int).Abs(num), 1)
	q := twice.Add(twice, den)
	q.Quo(q, new(big.Int).Lsh(den, 1))
	if num.Sign() < 0 {
		q.Neg(q)
	}
	return q
}
