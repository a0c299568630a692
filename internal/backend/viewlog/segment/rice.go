package segment

import "math/bits"

// Rice codes are short for numbers like times: most are close to each other,
// few are much larger. A number whose upper bits would need longCode zeros or
// more has so many zeros, and then all its bits.
const (
	longCode = 24
	mostLow  = 64 - longCode // so that a code has at most 64 bits
	// listedLow makes a code at least a byte long.
	listedLow = 7
)

// riceOf returns how many of the lowest bits give the shortest codes, and the
// length of these in bytes.
func riceOf(numbers []uint64) (low, size int) {
	sum := 0.0
	for _, n := range numbers {
		sum += float64(n)
	}
	mean := uint64(min(sum/float64(max(len(numbers), 1)), 1<<mostLow-1))
	low = bits.Len64(mean)
	for size = riceBits(numbers, low); low > 0; low-- {
		shorter := riceBits(numbers, low-1)
		if shorter >= size {
			break
		}
		size = shorter
	}
	return low, (size + 7) / 8
}

// riceBits returns the length of codes in bits.
func riceBits(numbers []uint64, low int) (size int) {
	for _, n := range numbers {
		if upper := n >> low; upper < longCode {
			size += int(upper) + 1 + low
		} else {
			size += longCode + 64
		}
	}
	return size
}

func appendRice(b []byte, numbers []uint64, low int) []byte {
	w := bitWriter{b: append(b, rice+byte(low))}
	for _, n := range numbers {
		if upper := n >> low; upper < longCode {
			w.add((n<<1&^(upper<<low<<1)|1)<<upper, int(upper)+1+low)
		} else {
			w.add(0, longCode)
			w.add(n, 64)
		}
	}
	return w.end()
}

// low returns the lowest bits of the codes of the column.
func (c *column) low() int { return int(c.form - rice) }

func (c *column) decodeRice(n int) {
	low, end := c.low(), 8*len(c.b)
	mask := uint64(1)<<low - 1
	for range n {
		if c.bit >= end {
			return
		}
		v := c.peek()
		upper := bits.TrailingZeros64(v)
		size := upper + 1 + low
		if upper >= longCode {
			c.bit += longCode
			size = 64
			if c.bit+size > end {
				return
			}
			c.some = append(c.some, int64(c.peek()))
		} else {
			if c.bit+size > end {
				return
			}
			c.some = append(c.some, int64(uint64(upper)<<low|v>>upper>>1&mask))
		}
		c.bit += size
	}
}
