package filetype

import "bytes"

// inspectRAR knows RAR 4 and 5 by their signatures, and a password by the flags of the archive or of a file in it.
func inspectRAR(s *source, t Type, facts *Facts) *Problem {
	h := s.head
	var encrypted, ok bool
	switch {
	case bytes.HasPrefix(h, []byte("Rar!\x1a\x07\x00")):
		encrypted, ok = s.rar4Encrypted(7)
	case bytes.HasPrefix(h, []byte("Rar!\x1a\x07\x01\x00")):
		encrypted, ok = s.rar5Encrypted(8)
	default:
		return notThe(s, t)
	}
	if !ok {
		return damaged(t)
	}
	facts.Opaque = true
	if encrypted {
		facts.Encrypted = true
		facts.hold(HoldEncryptedArchive)
	}
	return nil
}

// rar4Encrypted walks the blocks of RAR 1.5 to 4. ok is false when the first is not the archive's header.
func (s *source) rar4Encrypted(off int64) (encrypted, ok bool) {
	const archive, file = 0x73, 0x74
	for n := 0; s.step(); n++ {
		p := s.bytes(off, 11)
		if len(p) < 7 {
			return false, n > 0
		}
		typ, flags, size := p[2], le.Uint16(p[3:]), int64(le.Uint16(p[5:]))
		switch {
		case n == 0 && typ != archive:
			return false, false
		case typ == archive && flags&0x80 != 0, typ == file && flags&0x04 != 0:
			return true, true
		case size < 7:
			return false, n > 0
		}
		if typ == file || flags&0x8000 != 0 { // bytes follow the header
			if len(p) < 11 {
				return false, true
			}
			size += int64(le.Uint32(p[7:]))
		}
		if typ == file && flags&0x100 != 0 {
			high := s.bytes(off+32, 4)
			if len(high) < 4 {
				return false, true
			}
			size += int64(le.Uint32(high)) << 32
		}
		off += size
	}
	return false, true
}

// rar5Encrypted walks the blocks of RAR 5. ok is false when the first is neither the archive's header nor its encryption.
func (s *source) rar5Encrypted(off int64) (encrypted, ok bool) {
	const archive, file, encryption = 1, 2, 4
	for n := 0; s.step(); n++ {
		b, read := s.rar5Block(off)
		switch {
		case !read, n == 0 && b.typ != archive && b.typ != encryption:
			return false, n > 0
		case b.typ == encryption, b.typ == file && b.encrypted():
			return true, true
		}
		off = b.next
	}
	return false, true
}

// rar5Block is the header of a block, and the extra area at its end.
type rar5Block struct {
	typ   uint64
	extra []byte
	next  int64
}

// maxRARHeader is the format's own bound.
const maxRARHeader = 2 * mib

func (s *source) rar5Block(off int64) (b rar5Block, ok bool) {
	size, n := rarNumber(s.bytes(off+4, 10)) // behind a checksum
	if n == 0 || size == 0 || size > maxRARHeader {
		return b, false
	}
	start := off + 4 + int64(n)
	head := s.bytes(start, int(size))
	if uint64(len(head)) < size {
		return b, false
	}
	var fields [4]uint64 // type, flags, size of the extra area, size of the data
	at := 0
	for i := range fields {
		if i == 2 && fields[1]&1 == 0 || i == 3 && fields[1]&2 == 0 {
			continue
		}
		v, n := rarNumber(head[at:])
		if n == 0 {
			return b, false
		}
		fields[i], at = v, at+n
	}
	room := uint64(s.size - start - int64(size))
	if fields[2] > size-uint64(at) || fields[3] > room {
		return b, false
	}
	return rar5Block{fields[0], head[size-fields[2]:], start + int64(size) + int64(fields[3])}, true
}

// encrypted looks for the record of a file's encryption.
func (b rar5Block) encrypted() bool {
	for p := b.extra; len(p) > 0; {
		size, n := rarNumber(p)
		if n == 0 || size == 0 || size > uint64(len(p)-n) {
			return false
		}
		if typ, _ := rarNumber(p[n:]); typ == 1 {
			return true
		}
		p = p[n+int(size):]
	}
	return false
}

// rarNumber reads RAR 5's variable-length number and how many bytes it takes; 0 for none.
func rarNumber(p []byte) (v uint64, n int) {
	for i, b := range p[:min(len(p), 10)] {
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}
