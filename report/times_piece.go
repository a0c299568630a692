package report

import (
	"encoding/binary"
	"iter"
	"slices"
)

// TimesGroup is a run of buckets of engaged times whose values are stored
// together.
type TimesGroup int

// groupBuckets is the number of buckets of a group: a quarter of an octave.
const groupBuckets = 8

// AllTimes means every group.
const AllTimes TimesGroup = -1

func (b bucket) group() TimesGroup { return TimesGroup(b / groupBuckets) }

// Times returns the number of values of engaged times in memory.
func (t *Tally) Times() int {
	n := 0
	for _, b := range t.times {
		n += len(b.values)
	}
	return n
}

// TimesGroups lists the groups whose values t has in memory.
func (t *Tally) TimesGroups() []TimesGroup {
	var groups []TimesGroup
	for _, b := range t.times.buckets() {
		if g := b.group(); len(t.times[b].values) > 0 && !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	return groups
}

// MedianTimes are the engaged times that a median needs and a tally lacks.
type MedianTimes struct{ buckets []bucket }

// MedianTimes returns the values that the median of t needs and t lacks.
// AddTimes must add them before t is rendered.
func (t *Tally) MedianTimes() MedianTimes { return MedianTimes{t.times.lacking()} }

// MergeMedianTimes adds to t the values that its median needs, from tallies
// whose counts MergeCounts has added to t.
func (t *Tally) MergeMedianTimes(of iter.Seq[*Tally]) {
	for _, b := range t.times.lacking() {
		for u := range of {
			if from := u.times[b]; from != nil {
				t.times[b].values = append(t.times[b].values, from.values...)
			}
		}
	}
}

// Groups lists the groups that have the values.
func (m MedianTimes) Groups() (groups []TimesGroup) {
	for _, b := range m.buckets {
		groups = append(groups, b.group())
	}
	return slices.Compact(groups)
}

// AppendTimes appends to b the values of a group that t has in memory.
func (t *Tally) AppendTimes(b []byte, g TimesGroup) []byte {
	start := len(b)
	b = append(b, pieceVersion)
	buckets := slices.DeleteFunc(t.times.buckets(), func(k bucket) bool {
		return len(t.times[k].values) == 0 || g != AllTimes && k.group() != g
	})
	b = appendNumber(b, int64(len(buckets)))
	before := bucket(0)
	for _, k := range buckets {
		b = appendNumber(b, int64(k-before))
		b = appendNumber(b, int64(len(t.times[k].values)))
		before = k
	}
	w := bitWriter{b: b}
	for _, k := range buckets {
		low, open := k.low()
		for _, v := range t.times[k].values {
			w.write(uint64(v-low), open)
		}
	}
	return seal(w.end(), start)
}

// AddTimes adds the values of a piece to t: the values in of, or all values if
// of is nil. t must have counted their views.
func (t *Tally) AddTimes(piece []byte, of *MedianTimes) error {
	if err := CheckPiece(piece); err != nil {
		return err
	}
	r, err := open(piece)
	if err != nil {
		return err
	}
	type run struct {
		bucket
		n int64
	}
	n := r.count()
	runs := make([]run, 0, n)
	k := bucket(0)
	for range n {
		k += bucket(r.number())
		runs = append(runs, run{k, r.number()})
	}
	if r.bad {
		return ErrPiece
	}
	at := 0 // bits read
	for _, run := range runs {
		low, open := run.low()
		if open == 0 || run.n < 0 || run.n > int64((8*len(r.b)-at)/open) {
			return ErrPiece
		}
		if of != nil && !slices.Contains(of.buckets, run.bucket) {
			at += int(run.n) * open
			continue
		}
		b := t.times[run.bucket]
		if b == nil || int64(len(b.values))+run.n > b.n {
			return ErrPiece
		}
		b.values = slices.Grow(b.values, int(run.n))
		for range run.n {
			b.values = append(b.values, low+bitsAt(r.b, at, open))
			at += open
		}
	}
	return nil
}

// append writes the number of times in each bucket.
func (ts times) append(b []byte) []byte {
	b = appendNumber(b, int64(len(ts)))
	before := bucket(0)
	for _, k := range ts.buckets() {
		b = appendNumber(b, int64(k-before))
		b = appendNumber(b, ts[k].n)
		before = k
	}
	return b
}

func (r *pieceReader) times(ts *times) {
	k := bucket(0)
	for range r.count() {
		k += bucket(r.number())
		entry(ts, k).n += r.number()
	}
}

// bitWriter packs numbers of few bits.
type bitWriter struct {
	b    []byte
	held uint64
	n    int // bits held
}

func (w *bitWriter) write(v uint64, bits int) {
	w.held |= v << w.n
	for w.n += bits; w.n >= 8; w.n -= 8 {
		w.b = append(w.b, byte(w.held))
		w.held >>= 8
	}
}

func (w *bitWriter) end() []byte {
	if w.n > 0 {
		w.b = append(w.b, byte(w.held))
	}
	return w.b
}

// bitsAt reads a number of up to 32 bits.
func bitsAt(b []byte, at, bits int) uint32 {
	var v uint64
	if p := at / 8; p+8 <= len(b) {
		v = binary.LittleEndian.Uint64(b[p:])
	} else {
		for i, c := range b[min(p, len(b)):] {
			v |= uint64(c) << (8 * i)
		}
	}
	return uint32(v >> (at % 8) & (1<<bits - 1))
}
