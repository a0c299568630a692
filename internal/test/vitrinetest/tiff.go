package vitrinetest

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
)

// TIFFSide is the width and height of a page.
const TIFFSide = 16

// TIFFForm is the layout of a file.
type TIFFForm struct {
	Big     bool // BigTIFF
	Swapped bool // big-endian
	Circle  bool // the last page leads to the first one
}

// TIFFTags are the numbers of tags. Those that are left out say: one strip for
// all rows, not compressed, one sample.
type TIFFTags map[uint16][]uint64

// TIFFPage is a page of a file: its strips or tiles, and its tags.
type TIFFPage struct {
	Chunks [][]byte
	Tags   TIFFTags
}

// TIFF returns a file with pages.
func TIFF(f TIFFForm, pages ...TIFFPage) []byte {
	var order binary.AppendByteOrder = binary.LittleEndian
	b := []byte("II")
	if f.Swapped {
		order, b = binary.BigEndian, []byte("MM")
	}
	number := func(b []byte, v uint64, size int) []byte {
		switch size {
		case 1:
			return append(b, byte(v))
		case 2:
			return order.AppendUint16(b, uint16(v))
		case 4:
			return order.AppendUint32(b, uint32(v))
		}
		return order.AppendUint64(b, v)
	}
	word, countSize := 4, 2
	if f.Big {
		word, countSize = 8, 8
		b = order.AppendUint16(order.AppendUint16(order.AppendUint16(b, 43), 8), 0)
	} else {
		b = order.AppendUint16(b, 42)
	}
	next := len(b) // where the offset of the next directory is
	b = number(b, 0, word)
	first := 0
	for i, p := range pages {
		tags := TIFFTags{256: {TIFFSide}, 257: {TIFFSide}, 259: {1}, 277: {1}, 278: {TIFFSide}}
		maps.Copy(tags, p.Tags)
		offsets, sizes := uint16(273), uint16(279)
		if tags[322] != nil {
			offsets, sizes = 324, 325
			delete(tags, 278)
		}
		for _, c := range p.Chunks {
			tags[offsets] = append(tags[offsets], uint64(len(b)))
			tags[sizes] = append(tags[sizes], uint64(len(c)))
			b = append(b, c...)
			b = append(b, make([]byte, len(b)%2)...)
		}
		places := map[uint16]int{}
		kind := func(tag uint16) (typ uint16, size int) {
			switch {
			case tag == offsets || tag == sizes:
				return 4, 4
			case tag == 282 || tag == 283:
				return 5, 8
			}
			return 3, 2
		}
		value := func(b []byte, tag uint16, v uint64) []byte {
			typ, size := kind(tag)
			if typ == 5 {
				return number(number(b, v, 4), 1, 4)
			}
			return number(b, v, size)
		}
		for _, tag := range slices.Sorted(maps.Keys(tags)) {
			if _, size := kind(tag); len(tags[tag])*size > word {
				places[tag] = len(b)
				for _, v := range tags[tag] {
					b = value(b, tag, v)
				}
			}
		}
		copy(b[next:], number(nil, uint64(len(b)), word))
		if i == 0 {
			first = len(b)
		}
		b = number(b, uint64(len(tags)), countSize)
		for _, tag := range slices.Sorted(maps.Keys(tags)) {
			typ, _ := kind(tag)
			b = number(order.AppendUint16(order.AppendUint16(b, tag), typ), uint64(len(tags[tag])), word)
			if at, ok := places[tag]; ok {
				b = number(b, uint64(at), word)
				continue
			}
			var inline []byte
			for _, v := range tags[tag] {
				inline = value(inline, tag, v)
			}
			b = append(b, append(inline, bytes.Repeat([]byte{0}, word-len(inline))...)...)
		}
		next = len(b)
		b = number(b, 0, word)
	}
	if f.Circle {
		copy(b[next:], number(nil, uint64(first), word))
	}
	return b
}
