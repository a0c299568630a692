package segment

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// A column is a list of numbers in the shortest of these forms, which its first
// byte names:
//
//	0 to 64   the smallest number; the distance of each number from it, in so
//	          many bits
//	plain     each number as a varint
//	words     how many different numbers there are; their distances, the
//	          smallest first, as a column; the lengths of their codes, as a
//	          column; the code of each number (codes.go)
//	rice + n  each number as a Rice code: its bits above the lowest n, as so
//	          many zeros and a one, then the lowest n (rice.go)
//
// A column of zeros is empty, unless it is listed. Bits are packed from the
// lowest bit of a byte on.
const (
	plain = 0x80
	words = 0x81
	rice  = 0xc0
)

// columnWriter collects the numbers of a column.
type columnWriter struct {
	numbers []uint64
	sorted  []uint64
	words   wordCodes
}

func (c *columnWriter) number(n int64) { c.numbers = append(c.numbers, uint64(n)) }
func (c *columnWriter) signed(n int64) { c.number(n<<1 ^ n>>63) }
func (c *columnWriter) word(id WordID) { c.number(int64(id)) }
func (c *columnWriter) bytes(b []byte) {
	for _, n := range b {
		c.number(int64(n))
	}
}

// columnKind says what the numbers of a column are.
type columnKind int

const (
	repeated columnKind = iota // words and the like: many are equal
	measures                   // times and the like: few are equal, so never as words
	listed                     // in a form that has as many bytes as numbers, or more
)

// end appends the column to b and empties c.
func (c *columnWriter) end(b []byte, kind columnKind) []byte {
	numbers := c.numbers
	c.numbers = numbers[:0]
	form := formOf(numbers)
	switch {
	case len(numbers) == 0 || form.largest == 0 && kind != listed:
		return b
	case kind == listed:
		return form.appendListed(b, numbers)
	case kind == measures || form.largest == form.smallest || len(numbers) < 3:
		return form.append(b, numbers)
	}
	c.sorted = append(c.sorted[:0], numbers...)
	slices.Sort(c.sorted)
	if !c.words.of(c.sorted) || c.words.least() >= form.size() {
		return form.append(b, numbers)
	}
	start := len(b)
	if b = c.words.append(b, numbers); len(b)-start >= form.size() {
		return form.append(b[:start], numbers)
	}
	return b
}

// form is what the length of a column depends on.
type form struct {
	count, plain, rice int // lengths of these forms
	low                int // the lowest bits of Rice codes
	smallest, largest  uint64
}

func formOf(numbers []uint64) form {
	f := form{count: len(numbers)}
	if len(numbers) > 0 {
		f.smallest = numbers[0]
	}
	for _, n := range numbers {
		f.plain += max(bits.Len64(n)+6, 7) / 7
		f.smallest, f.largest = min(f.smallest, n), max(f.largest, n)
	}
	f.low, f.rice = riceOf(numbers)
	return f
}

// width returns the bits of a number in the packed form.
func (f form) width() int { return bits.Len64(f.largest - f.smallest) }

func packedSize(count, width int) int { return (count*width + 7) / 8 }

// packed returns the length of the packed form.
func (f form) packed() int {
	return max(bits.Len64(f.smallest)+6, 7)/7 + packedSize(f.count, f.width())
}

// size returns the length of the shortest form.
func (f form) size() int { return 1 + min(f.plain, f.packed(), f.rice) }

// append appends the shortest form of a column that is not only zeros.
func (f form) append(b []byte, numbers []uint64) []byte {
	switch {
	case f.rice < min(f.plain, f.packed()):
		return appendRice(b, numbers, f.low)
	case f.plain < f.packed():
		return appendPlain(b, numbers)
	}
	b = binary.AppendUvarint(append(b, byte(f.width())), f.smallest)
	w := bitWriter{b: b}
	for _, n := range numbers {
		w.add(n-f.smallest, f.width())
	}
	return w.end()
}

func (f form) appendListed(b []byte, numbers []uint64) []byte {
	if f.rice < f.plain && f.low >= listedLow {
		return appendRice(b, numbers, f.low)
	}
	return appendPlain(b, numbers)
}

func appendPlain(b []byte, numbers []uint64) []byte {
	b = append(b, plain)
	for _, n := range numbers {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

// bitWriter appends numbers of few bits.
type bitWriter struct {
	b    []byte
	bits uint64
	n    int // bits that wait
}

func (w *bitWriter) add(n uint64, width int) {
	w.bits |= n << w.n
	if w.n += width; w.n < 64 {
		return
	}
	w.b = binary.LittleEndian.AppendUint64(w.b, w.bits)
	w.n -= 64
	w.bits = n >> (width - w.n)
}

func (w *bitWriter) end() []byte {
	for ; w.n > 0; w.n -= 8 {
		w.b = append(w.b, byte(w.bits))
		w.bits >>= 8
	}
	return w.b
}

// appendColumns appends a bit for each column that is not empty, the lengths of
// these columns, and the columns. It empties the writers.
func appendColumns(b []byte, writers []columnWriter, kinds []columnKind) []byte {
	var packed []byte
	var lengths []uint64
	there := uint64(0)
	for i := range writers {
		before := len(packed)
		packed = writers[i].end(packed, kinds[i])
		if n := len(packed) - before; n > 0 {
			there |= 1 << i
			lengths = append(lengths, uint64(n))
		}
	}
	b = binary.AppendUvarint(b, there)
	for _, n := range lengths {
		b = binary.AppendUvarint(b, n)
	}
	return append(b, packed...)
}

// columns opens what appendColumns wrote. It reports false if that is damaged.
func (r *Reader) columns(of []column, kinds []columnKind) bool {
	there := uint64(r.number())
	var lengths [64]int64
	for i := range of {
		if there&(1<<i) != 0 {
			lengths[i] = r.number()
		}
	}
	for i := range of {
		n := lengths[i]
		if n < 0 || n > int64(r.left()) || !of[i].open(r.b[r.at:][:n:n], kinds[i]) {
			return false
		}
		r.at += int(n)
	}
	return !r.bad
}

// anyBad reports whether a column is damaged.
func anyBad(of []column) bool {
	return slices.ContainsFunc(of, func(c column) bool { return c.bad })
}

// column reads the numbers of a column, some at a time, so that it needs little
// memory whatever the column claims to have.
type column struct {
	b     []byte
	some  []int64 // read and not returned, from at on
	at    int
	bad   bool // more numbers were read than there are
	form  byte
	base  int64
	words []int64
	codes codeTable // of words
	bit   int       // position of the next number, in bits, or in bytes if plain
	inner *column   // memory to read the words and their codes
}

// decodedAtOnce is the number of numbers that are decoded together.
const decodedAtOnce = 256

// zeros reports whether a column has only zeros, or nothing. Call it before
// reading numbers.
func (c *column) zeros() bool { return c.form == 0 && c.base == 0 && len(c.words) == 0 }

// open begins to read a column of a kind. It reports false if no column of the
// kind has this form. It keeps the memory that c has.
func (c *column) open(b []byte, kind columnKind) bool {
	t := c.codes
	*c = column{some: c.some[:0], words: c.words[:0],
		codes: codeTable{lengths: t.lengths[:0], codes: t.codes, entries: t.entries}, inner: c.inner}
	if len(b) == 0 {
		if kind == listed {
			c.form = plain
		}
		return true
	}
	c.form, b = b[0], b[1:]
	switch {
	case c.form <= 64 && kind != listed:
		base, size := binary.Uvarint(b)
		if size <= 0 {
			return false
		}
		c.base, b = int64(base), b[size:]
	case c.form == words && kind == repeated:
		n, size := binary.Uvarint(b)
		if size <= 0 || n == 0 || n > maxWords {
			return false
		}
		if b = c.openWords(b[size:], int(n)); b == nil {
			return false
		}
	case c.form == plain:
	case c.form < rice || c.low() > mostLow || kind == listed && c.low() < listedLow:
		return false
	}
	c.b = b
	return true
}

// openWords reads n words and the lengths of their codes. It returns what
// follows, or nil if they are damaged.
func (c *column) openWords(b []byte, n int) []byte {
	if c.inner == nil {
		c.inner = new(column)
	}
	in := c.inner
	if !in.open(b, measures) {
		return nil
	}
	for sum := int64(0); len(c.words) < n && !in.bad; {
		sum += in.nextOf(n - len(c.words)) // the distances
		c.words = append(c.words, sum)
	}
	if in.bad || !in.open(in.rest(), measures) {
		return nil
	}
	for range n {
		c.codes.lengths = append(c.codes.lengths, uint64(in.nextOf(n-len(c.codes.lengths))))
	}
	if in.bad {
		return nil
	}
	return in.rest()
}

// rest returns what follows the numbers that were decoded, in a column that was
// opened with more bytes than its own.
func (c *column) rest() []byte {
	if c.form == plain {
		return c.b[c.bit:]
	}
	return c.b[(c.bit+7)/8:]
}

// next returns the next number, or 0 after the last one.
func (c *column) next() int64 {
	if c.at == len(c.some) {
		c.decode(decodedAtOnce)
	}
	n := c.some[c.at]
	c.at++
	return n
}

// nextOf returns the next number of a column that has n numbers left, so that
// rest is right after the last one.
func (c *column) nextOf(n int) int64 {
	if c.at == len(c.some) {
		c.decode(min(n, decodedAtOnce))
	}
	return c.next()
}

func (c *column) signed() int64 { return signed(c.next()) }
func (c *column) word() WordID  { return WordID(c.next()) }

func signed(n int64) int64 { return int64(uint64(n)>>1) ^ -(n & 1) }

// decode decodes up to n numbers, the next ones. At the end of a column there
// is one zero.
func (c *column) decode(n int) {
	c.some, c.at = slices.Grow(c.some[:0], decodedAtOnce), 0
	switch {
	case c.form == plain:
		c.decodePlain(n)
	case c.form == 0:
		c.some = c.some[:n]
		for i := range c.some {
			c.some[i] = c.base
		}
	case c.form == words:
		c.decodeWords(n)
	case c.form >= rice:
		c.decodeRice(n)
	default:
		c.decodeBits(n)
	}
	if len(c.some) == 0 {
		c.some, c.bad = append(c.some, 0), true
	}
}

func (c *column) decodePlain(n int) {
	for len(c.some) < n && c.bit < len(c.b) {
		if first := c.b[c.bit]; first < 0x80 {
			c.some = append(c.some, int64(first))
			c.bit++
			continue
		}
		number, size := binary.Uvarint(c.b[c.bit:])
		if size <= 0 {
			return
		}
		c.some = append(c.some, int64(number))
		c.bit += size
	}
}

func (c *column) decodeBits(n int) {
	width := int(c.form)
	mask := ^uint64(0) >> (64 - width)
	for range min(n, (8*len(c.b)-c.bit)/width) {
		c.some = append(c.some, c.base+int64(c.peek()&mask))
		c.bit += width
	}
}

// peek returns the next 64 bits, with zeros after the end.
func (c *column) peek() (v uint64) {
	at, shift := c.bit>>3, c.bit&7
	if at+9 <= len(c.b) {
		v = binary.LittleEndian.Uint64(c.b[at:]) >> shift
		return v | uint64(c.b[at+8])<<1<<(63-shift)
	}
	for i, b := range c.b[at:] {
		v |= uint64(b) << (8 * i) >> shift
	}
	return v
}

// different returns all numbers of a column of n numbers, each at least once.
func (c *column) different(n int64) []int64 {
	switch {
	case len(c.words) > 0:
		return c.words
	case c.form == 0:
		return []int64{c.base}
	}
	again := column{b: c.b, form: c.form, base: c.base}
	all := make([]int64, 0, n)
	for range n {
		all = append(all, again.next())
	}
	return all
}
