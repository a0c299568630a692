package report

import (
	"iter"
	"math/bits"
	"slices"
)

// times is a multiset of durations in milliseconds. It counts them in buckets
// whose width is a thirty-second of their octave. The counts show in which
// bucket the median lies, and only the values of that bucket are needed: the
// values of other buckets can stay in storage.
type times map[bucket]*timeBucket

// bucket is a range of durations: each of 0 to 63 has its own, and every octave
// above has 32.
type bucket int

// timeBucket has the number of durations in a bucket, and their values in any
// order. A bucket with one possible duration has no values.
type timeBucket struct {
	n      int64
	values []uint32
}

const (
	exactTimes = 64 // durations below have buckets of their own
	perOctave  = 32
	lastBucket = exactTimes + (32-6)*perOctave - 1
)

// bucketOf returns the bucket of a duration, and how many of its low bits the
// bucket leaves open.
func bucketOf(v uint32) (b bucket, open int) {
	if v < exactTimes {
		return bucket(v), 0
	}
	open = bits.Len32(v) - 6
	return bucket(exactTimes + (open-1)*perOctave + int(v>>open) - perOctave), open
}

// low returns the smallest duration of b, and how many low bits b leaves open.
func (b bucket) low() (v uint32, open int) {
	if b < exactTimes {
		return uint32(b), 0
	}
	octave := int(b-exactTimes) / perOctave
	return uint32(perOctave+int(b-exactTimes)%perOctave) << (octave + 1), octave + 1
}

// add counts a duration.
func (ts *times) add(v uint32) {
	k, open := bucketOf(v)
	b := entry(ts, k)
	b.n++
	if open > 0 {
		b.values = append(b.values, v)
	}
}

// addAll counts the durations of an empty ts, and keeps the values that its
// median needs.
func (ts *times) addAll(durations iter.Seq[uint32]) {
	var counts [lastBucket + 1]int64
	for v := range durations {
		k, _ := bucketOf(v)
		counts[k]++
	}
	for k, n := range counts {
		if n > 0 {
			entry(ts, bucket(k)).n = n
		}
	}
	lacking := ts.lacking()
	for v := range durations {
		if k, _ := bucketOf(v); slices.Contains(lacking, k) {
			b := (*ts)[k]
			b.values = append(b.values, v)
		}
	}
}

// remove undoes adding a duration, whose value must be in memory.
func (ts times) remove(v uint32) {
	k, _ := bucketOf(v)
	b := ts[k]
	if b == nil {
		return
	}
	if i := slices.Index(b.values, v); i >= 0 {
		last := len(b.values) - 1
		b.values[i] = b.values[last]
		b.values = b.values[:last]
	}
	if b.n--; b.n == 0 {
		delete(ts, k)
	}
}

func (ts *times) merge(us times) {
	for k, u := range us {
		b := entry(ts, k)
		b.n += u.n
		b.values = append(b.values, u.values...)
	}
}

func (ts times) equal(us times) bool {
	if len(ts) != len(us) {
		return false
	}
	for k, b := range ts {
		u := us[k]
		if u == nil || b.n != u.n || len(b.values) != len(u.values) {
			return false
		}
		if !slices.Equal(slices.Sorted(slices.Values(b.values)), slices.Sorted(slices.Values(u.values))) {
			return false
		}
	}
	return true
}

// count returns the number of durations.
func (ts times) count() int64 {
	var n int64
	for _, b := range ts {
		n += b.n
	}
	return n
}

// at returns the bucket of the k-th smallest duration, counted from 0, and its
// rank in that bucket.
func (ts times) at(k int64) (bucket, int64) {
	var counts [lastBucket + 1]int64
	for b, of := range ts {
		counts[b] = of.n
	}
	for b, n := range counts {
		if k < n {
			return bucket(b), k
		}
		k -= n
	}
	panic("report: no such rank")
}

// lacks reports whether values of a bucket are not in memory.
func (ts times) lacks(b bucket) bool {
	_, open := b.low()
	return open > 0 && int64(len(ts[b].values)) < ts[b].n
}

// lacking returns the buckets whose values the median needs and are not in
// memory.
func (ts times) lacking() (list []bucket) {
	if n := ts.count(); n > 0 {
		for _, k := range ranks(n) {
			if b, _ := ts.at(k); ts.lacks(b) && !slices.Contains(list, b) {
				list = append(list, b)
			}
		}
	}
	return list
}

// buckets lists the buckets in order.
func (ts times) buckets() []bucket {
	list := make([]bucket, 0, len(ts))
	for b := range ts {
		list = append(list, b)
	}
	slices.Sort(list)
	return list
}

// ranks returns the ranks of the two values whose mean is the median of n
// values.
func ranks(n int64) [2]int64 { return [2]int64{(n - 1) / 2, n / 2} }

// median returns the middle value, or the mean of the two middle values rounded
// to the nearest integer, or 0 without values. It does not change ts, and
// panics if a value that it needs is not in memory.
func (ts times) median() int64 {
	n := ts.count()
	if n == 0 {
		return 0
	}
	r := ranks(n)
	return mean(ts.nth(r[0])+ts.nth(r[1]), 2)
}

// nth returns the k-th smallest value, counted from 0.
func (ts times) nth(k int64) int64 {
	b, rank := ts.at(k)
	if ts.lacks(b) {
		panic("report: the times that the median is of were not added")
	}
	low, open := b.low()
	return int64(low) + smallest(ts[b].values, low, open, rank)
}

// digitBits is the number of bits that one pass over all values determines. The
// counters of a pass fit in the processor's nearest cache.
const digitBits = 11

// smallest returns how far the k-th smallest value, counted from 0, is above
// low, the lowest of its bucket. The lowest open bits of a value are the
// offset. smallest fixes these bits from the highest down, in linear time for
// any order of the values, without a copy.
func smallest(values []uint32, low uint32, open int, k int64) int64 {
	var found uint32 // the bits fixed so far
	for open > 0 {
		shift := max(open-digitBits, 0)
		var counts [1 << digitBits]int64
		for _, v := range values {
			if v -= low; v>>open == found {
				counts[v>>shift&(1<<(open-shift)-1)]++
			}
		}
		digit := 0
		for ; k >= counts[digit]; digit++ {
			k -= counts[digit]
		}
		found = found<<(open-shift) | uint32(digit)
		open = shift
	}
	return int64(found)
}
