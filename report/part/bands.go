package part

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
