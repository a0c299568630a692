package segment

import (
	"encoding/binary"
	"slices"
)

// numbers are the numbers of a column. To decode a column at once takes a
// fraction of the time of decoding number by number.
type numbers struct {
	all []int64
	at  int
	bad bool // more were read than there are
}

// decode replaces the numbers by those of a column, up to a damaged one. It
// reuses their memory.
func (n *numbers) decode(column Reader) {
	b := column.b
	all := slices.Grow(n.all[:0], len(b))[:len(b)]
	count := 0
	for at := 0; at < len(b); count++ {
		c := b[at]
		switch {
		case c < 0x80:
			all[count] = int64(c)
			at++
		case at+1 < len(b) && b[at+1] < 0x80:
			all[count] = int64(c&0x7f) | int64(b[at+1])<<7
			at += 2
		case at+2 < len(b) && b[at+2] < 0x80:
			all[count] = int64(c&0x7f) | int64(b[at+1]&0x7f)<<7 | int64(b[at+2])<<14
			at += 3
		default:
			number, size := binary.Uvarint(b[at:])
			if size <= 0 {
				*n = numbers{all: all[:count]}
				return
			}
			all[count] = int64(number)
			at += size
		}
	}
	*n = numbers{all: all[:count]}
}

// next returns the next number, or 0 after the last one.
func (n *numbers) next() int64 {
	if n.at == len(n.all) {
		n.bad = true
		return 0
	}
	n.at++
	return n.all[n.at-1]
}

func (n *numbers) word() LabelID { return LabelID(n.next()) }

// signed returns the next number as binary.AppendVarint wrote it.
func (n *numbers) signed() int64 { return signed(n.next()) }

func signed(n int64) int64 { return int64(uint64(n)>>1) ^ -(n & 1) }
