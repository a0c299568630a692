package report

// times is a multiset of durations in milliseconds, in any order.
type times []uint32

// median is the middle value, or the mean of the two middle ones rounded to the
// nearest integer; 0 of none. It leaves ts as it is.
func (ts times) median() int64 {
	n := len(ts)
	switch {
	case n == 0:
		return 0
	case n%2 == 1:
		return ts.nth(n / 2)
	}
	return mean(ts.nth(n/2-1)+ts.nth(n/2), 2)
}

// digitBits is how much of a value one reading of all of them fixes: three readings
// for 32 bits, with counters that stay in the processor's nearest cache.
const digitBits = 11

// nth is the k-th smallest value, from 0. It fixes the value's digits from the highest
// down: linear in any order of ts, without a copy.
func (ts times) nth(k int) int64 {
	var found uint64 // the digits fixed so far
	for shift := 2 * digitBits; shift >= 0; shift -= digitBits {
		var counts [1 << digitBits]int
		for _, t := range ts {
			if v := uint64(t); v>>(shift+digitBits) == found {
				counts[v>>shift%(1<<digitBits)]++
			}
		}
		digit := 0
		for ; k >= counts[digit]; digit++ {
			k -= counts[digit]
		}
		found = found<<digitBits | uint64(digit)
	}
	return int64(found)
}
