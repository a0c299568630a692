package part

import "fmt"

// Bands is the time in milliseconds for which each quarter of a page or slide
// was in view, from the top. Zero bands were not measured.
type Bands [4]int64

// Max returns the longer time of each quarter.
func (b Bands) Max(c Bands) Bands {
	for i := range b {
		b[i] = max(b[i], c[i])
	}
	return b
}

// Add returns the sums of both, with c added n times.
func (b Bands) Add(c Bands, n int64) Bands {
	for i := range b {
		b[i] += n * c[i]
	}
	return b
}

// Within returns the bands without negative times, and cut so that their sum is
// at most ms: a quarter has a share of the time of its part.
func (b Bands) Within(ms int64) Bands {
	for i := range b {
		b[i] = min(max(b[i], 0), max(ms, 0))
		ms -= b[i]
	}
	return b
}

// Sum returns the time of all quarters.
func (b Bands) Sum() int64 { return b[0] + b[1] + b[2] + b[3] }

// List returns the bands as a list, or nil if they were not measured.
func (b Bands) List() []int64 {
	if b == (Bands{}) {
		return nil
	}
	return b[:]
}

// CheckBands returns the bands of a list as List writes them, of a part with
// this time. nil is one that was not measured.
func CheckBands(list []int64, ms int64) (b Bands, err error) {
	if list == nil {
		return b, nil
	}
	if len(list) != len(b) {
		return b, fmt.Errorf("bands has %d numbers, and a part has %d quarters", len(list), len(b))
	}
	left := ms
	for i, of := range list {
		if of < 0 {
			return b, fmt.Errorf("%d in bands is negative", of)
		}
		if of > left {
			return b, fmt.Errorf("bands has more time than its %d ms", ms)
		}
		b[i] = of
		left -= of
	}
	return b, nil
}
