package archive

import (
	"unicode/utf16"

	"vitrine/internal/filetype"
)

// rar5Header is the header of a RAR 5 block, and the position of its data.
type rar5Header struct {
	Typ, Flags uint64
	Fields     []byte // fields of the block's type
	Extra      []byte // records at the end of the header
	Data, Size int64
}

// maxRARHeader is the limit of the format.
const maxRARHeader = 2 * filetype.MiB

// Rar5Header reads the header at an offset; ok is false if there is none.
func Rar5Header(s *filetype.Source, off int64) (h rar5Header, ok bool) {
	size, n := RarNumber(s.Bytes(off+4, 10)) // after a checksum
	if n == 0 || size == 0 || size > maxRARHeader {
		return h, false
	}
	start := off + 4 + int64(n)
	if int64(size) > s.Size-start {
		return h, false
	}
	head := s.Bytes(start, int(size))
	if uint64(len(head)) < size {
		return h, false
	}
	var fields [4]uint64 // type, flags, size of the extra area, size of the data
	at := 0
	for i := range fields {
		if i == 2 && fields[1]&1 == 0 || i == 3 && fields[1]&2 == 0 {
			continue
		}
		v, n := RarNumber(head[at:])
		if n == 0 {
			return h, false
		}
		fields[i], at = v, at+n
	}
	room := uint64(s.Size - start - int64(size))
	if fields[2] > size-uint64(at) || fields[3] > room {
		return h, false
	}
	extra := int(size - fields[2])
	return rar5Header{fields[0], fields[1], head[at:extra], head[extra:], start + int64(size), int64(fields[3])}, true
}

// File reads the fields of a file or service block.
func (h rar5Header) File() (f *RarFile, ok bool) {
	const folder, timed, summed, unknown = 1, 2, 4, 8
	p, ok := h.Fields, true
	number := func() uint64 {
		v, n := RarNumber(p)
		if n == 0 {
			ok = false
			return 0
		}
		p = p[n:]
		return v
	}
	skip := func(n int) {
		if n > len(p) {
			ok = false
			return
		}
		p = p[n:]
	}
	flags, unpacked, mode := number(), number(), number()
	if flags&timed != 0 {
		skip(4)
	}
	if flags&summed != 0 {
		skip(4)
	}
	method, system, length := number()>>7&7, number(), number()
	if !ok || length > uint64(len(p)) || unpacked > 1<<62 {
		return nil, false
	}
	if flags&unknown != 0 {
		unpacked = uint64(h.Size)
	}
	f = &RarFile{Name: string(p[:length]), Dir: flags&folder != 0, Stored: method == 0, Data: h.Data, Packed: h.Size,
		Unpacked: int64(unpacked)}
	if system == 1 {
		f.Link = !IsPlainMode(uint32(mode))
	} else {
		f.Link = mode&0x400 != 0
	}
	return f, true
}

// Record finds a record of the extra area.
func (h rar5Header) Record(which uint64) (body []byte, ok bool) {
	for p := h.Extra; len(p) > 0; {
		size, n := RarNumber(p)
		if n == 0 || size == 0 || size > uint64(len(p)-n) {
			return nil, false
		}
		typ, k := RarNumber(p[n : n+int(size)])
		if k > 0 && typ == which {
			return p[n+k : n+int(size)], true
		}
		p = p[n+int(size):]
	}
	return nil, false
}

// RarNumber reads a variable-length number of RAR 5. It returns the value and
// its length, or 0 if there is none.
func RarNumber(p []byte) (v uint64, n int) {
	for i, b := range p[:min(len(p), 10)] {
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}

// Rar4Name decodes a name of RAR 4: bytes in some encoding, then a zero and the
// same name in Unicode, which copies runs from the bytes. Without a zero the
// name is UTF-8.
func Rar4Name(p []byte, unicode bool) string {
	zero := -1
	for i, c := range p {
		if c == 0 {
			zero = i
			break
		}
	}
	if !unicode || zero < 0 {
		return string(p)
	}
	plain, p := p[:zero], p[zero+1:]
	if len(p) == 0 {
		return string(plain)
	}
	high := uint16(p[0]) << 8
	var name []uint16
	next := func() (c byte, ok bool) {
		if len(p) == 0 {
			return 0, false
		}
		c, p = p[0], p[1:]
		return c, true
	}
	next()
	for {
		flags, ok := next()
		if !ok {
			return string(utf16.Decode(name))
		}
		for shift := 6; shift >= 0; shift -= 2 {
			low, ok := next()
			if !ok {
				return string(utf16.Decode(name))
			}
			switch flags >> shift & 3 {
			case 0:
				name = append(name, uint16(low))
			case 1:
				name = append(name, high|uint16(low))
			case 2:
				c, _ := next()
				name = append(name, uint16(low)|uint16(c)<<8)
			case 3:
				var correction byte
				top := uint16(0)
				if low&0x80 != 0 {
					correction, _ = next()
					top = high
				}
				for range int(low&0x7f) + 2 {
					if at := len(name); at < len(plain) {
						name = append(name, top|uint16(plain[at]+correction))
					}
				}
			}
		}
	}
}
