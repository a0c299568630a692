package segment

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

// Codes of words are prefix codes, which are short for frequent words. Only
// their lengths are stored. Words of the same length have consecutive codes, in
// the order of the words, after those of shorter words.
const (
	longestCode = 12
	maxWords    = 1 << longestCode // in a column
)

// wordCodes is the words of a column, and their codes.
type wordCodes struct {
	words   []uint64 // ascending
	lengths []uint64 // of their codes, in bits
	codes   []uint64 // their first bit is the lowest one
	order   []int    // words by the lengths of their codes
	sums    []int
}

// of sets w to the words of sorted numbers and their shortest codes. It reports
// false if there are too many.
func (w *wordCodes) of(sorted []uint64) bool {
	w.words, w.sums = w.words[:0], w.sums[:0]
	for i, n := range sorted {
		if i == 0 || n != sorted[i-1] {
			if len(w.words) == maxWords {
				return false
			}
			w.words, w.sums = append(w.words, n), append(w.sums, 0)
		}
		w.sums[len(w.sums)-1]++
	}
	n := len(w.words)
	w.order, w.lengths = w.order[:0], slices.Grow(w.lengths[:0], n)[:n]
	for i := range n {
		w.order = append(w.order, i)
	}
	slices.SortStableFunc(w.order, func(a, b int) int { return cmp.Compare(w.sums[a], w.sums[b]) })
	counts := make([]int, n)
	for i, at := range w.order {
		counts[i] = w.sums[at]
	}
	lengths := slices.Clone(counts)
	for codeLengths(lengths); lengths[0] > longestCode; codeLengths(lengths) {
		for i := range counts { // more alike
			counts[i] = counts[i]/2 + 1
		}
		copy(lengths, counts)
	}
	size, width := 0, bits.Len(uint(n-1))
	for i, at := range w.order {
		w.lengths[at] = uint64(lengths[i])
		size += lengths[i] * w.sums[at]
	}
	if packedSize(len(sorted), width)+2 <= formOf(w.lengths).size()+packedSize(size, 1) {
		for i := range w.lengths { // their different lengths would take more than they save
			w.lengths[i] = uint64(width)
		}
	}
	return true
}

// codeLengths replaces two or more ascending counts by the lengths of the
// shortest prefix codes (Moffat and Katajainen, In-place calculation of
// minimum-redundancy codes).
func codeLengths(a []int) {
	n := len(a)
	a[0] += a[1]
	root, leaf := 0, 2
	smaller := func(next int) (sum int) { // takes the smaller one of the next sum and the next count
		if leaf >= n || root < next && a[root] < a[leaf] {
			sum, a[root] = a[root], next
			root++
			return sum
		}
		leaf++
		return a[leaf-1]
	}
	for next := 1; next < n-1; next++ {
		sum := smaller(next)
		a[next] = sum + smaller(next)
	}
	a[n-2] = 0
	for next := n - 3; next >= 0; next-- {
		a[next] = a[a[next]] + 1 // depths of sums
	}
	root, leaf = n-2, n-1
	for free, depth := 1, 0; free > 0; depth++ {
		sums := 0
		for ; root >= 0 && a[root] == depth; root-- {
			sums++
		}
		for ; free > sums; free-- {
			a[leaf] = depth
			leaf--
		}
		free = 2 * sums
	}
}

// appendCodes appends the codes with these lengths, their first bit as the
// lowest one. It reports false if there are no such codes.
func appendCodes(codes, lengths []uint64) ([]uint64, bool) {
	var next [longestCode + 1]uint64 // code of each length
	for _, n := range lengths {
		if n < 1 || n > longestCode {
			return nil, false
		}
		next[n]++
	}
	code := uint64(0)
	for n, of := range next {
		if code <<= 1; code+of > 1<<n {
			return nil, false
		}
		next[n], code = code, code+of
	}
	for _, n := range lengths {
		codes = append(codes, bits.Reverse64(next[n])>>(64-n))
		next[n]++
	}
	return codes, true
}

// append appends a column of these words.
func (w *wordCodes) append(b []byte, numbers []uint64) []byte {
	b = binary.AppendUvarint(append(b, words), uint64(len(w.words)))
	distances := slices.Clone(w.words)
	for i := len(distances) - 1; i > 0; i-- {
		distances[i] -= distances[i-1]
	}
	b = formOf(distances).append(b, distances)
	b = formOf(w.lengths).append(b, w.lengths)
	w.codes, _ = appendCodes(w.codes[:0], w.lengths)
	out := bitWriter{b: b}
	for _, n := range numbers {
		at, _ := slices.BinarySearch(w.words, n)
		out.add(w.codes[at], int(w.lengths[at]))
	}
	return out.end()
}

// least returns less than a column of these words takes.
func (w *wordCodes) least() int {
	size := 0
	for i, n := range w.lengths {
		size += int(n) * w.sums[i]
	}
	return packedSize(size, 1)
}

// codeTable finds words by the next bits of a column.
type codeTable struct {
	lengths, codes []uint64
	width          int      // bits of the longest code; 0: the table is not made yet
	entries        []uint32 // by bits: the place of the word << 4 | the length of its code; 0: no code
}

// make makes the table from the lengths. It reports false if there are no such
// codes.
func (t *codeTable) make() (ok bool) {
	if t.codes, ok = appendCodes(t.codes[:0], t.lengths); !ok {
		return false
	}
	t.width = int(slices.Max(t.lengths))
	t.entries = slices.Grow(t.entries[:0], 1<<t.width)[:1]
	t.entries[0] = 0
	for n := 1; n <= t.width; n++ { // what n bits mean, also before any further ones
		t.entries = append(t.entries, t.entries...)
		for i, length := range t.lengths {
			if length == uint64(n) {
				t.entries[t.codes[i]] = uint32(i)<<4 | uint32(n)
			}
		}
	}
	return true
}

// decodeWords decodes up to n words.
func (c *column) decodeWords(n int) {
	if c.codes.width == 0 && !c.codes.make() {
		return
	}
	table, end := c.codes.entries, 8*len(c.b)
	mask := uint64(len(table) - 1)
	for len(c.some) < n {
		v, left := c.peek(), min(64, end-c.bit)
		before := left
		for len(c.some) < n && left > 0 {
			e := table[v&mask]
			size := int(e & (1<<4 - 1))
			if size == 0 || size > left {
				break
			}
			c.some = append(c.some, c.words[e>>4])
			v, left = v>>size, left-size
		}
		if left == before { // no code
			return
		}
		c.bit += before - left
	}
}
