package report

import "math/big"

// completion is the mean completion of counted sessions, over links of every
// kind and length (analytics, Totals). Sums are kept by denominator: the number
// of pages of a file, or a million for shares in millionths.
type completion struct {
	sessions int64           // sessions that have a completion
	sums     map[int64]int64 // denominator -> numerator
}

// add adds the sessions of a link.
func (c *completion) add(l *Link, e engagement) {
	sum, of := e.completion(l)
	n := e.measured()
	if of == 0 || n == 0 {
		return
	}
	if c.sums == nil {
		c.sums = make(map[int64]int64)
	}
	c.sessions += n
	c.sums[of] += min(sum, n*of)
}

// completion returns the sum of how far the sessions of a link got, and in of
// the value of one complete session; of is 0 if sessions of that link have no
// completion.
func (e engagement) completion(l *Link) (sum, of int64) {
	switch l.Content {
	case ContentPages:
		return e.pages, int64(max(l.Pages, 0))
	case ContentMedia:
		return e.played, Whole
	case ContentScroll:
		return e.depth, Whole
	}
	return 0, 0
}

// pct returns the mean, or nil without sessions. Fractions of many page counts
// have no small common denominator, so they are added unreduced and rounded
// once.
func (c *completion) pct() *Tenths {
	if c.sessions == 0 {
		return nil
	}
	num, den := new(big.Int), big.NewInt(1)
	for of, sum := range c.sums {
		d := big.NewInt(of)
		num.Mul(num, d)
		num.Add(num, d.Mul(den, big.NewInt(sum)))
		den.Mul(den, big.NewInt(of))
	}
	num.Mul(num, big.NewInt(1000))
	den.Mul(den, big.NewInt(c.sessions))
	p := Tenths(nearest(num, den).Int64())
	return &p
}
