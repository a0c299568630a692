package archive

import (
	"bytes"
	"strings"

	"vitrine/internal/filetype"
)

// Contradiction returns the problem of an archive that different programs
// unpack to different files.
func Contradiction(name, how string) *filetype.Problem {
	return filetype.UnsafeFile(filetype.ReasonContradiction,
		"The archive %s, so that programs unpack different files. Pack it again.", how).SetContext(name)
}

// readLocalHeader reads the member's local header, which some programs use to
// unpack, and the member's first bytes. Both must lie before the directory, and
// the header must agree with the directory.
func readLocalHeader(s *filetype.Source, m *ZipMember, limit int64, t filetype.Type, names zipNames) *filetype.Problem {
	const slack = 64 // room for an extra field, so that one read is enough
	h := s.Bytes(m.Header, 30+len(m.Stored)+slack+filetype.PeekBytes)
	if len(h) < 30 || string(h[:4]) != filetype.ZipLocal {
		return filetype.Damaged(t)
	}
	nameLen, extraLen := int(filetype.LittleEndian.Uint16(h[26:])), int(filetype.LittleEndian.Uint16(h[28:]))
	lead := 30 + nameLen + extraLen
	m.Data = m.Header + int64(lead)
	if m.Data > limit || m.Packed > limit-m.Data {
		return filetype.Damaged(t)
	}
	want := lead + int(min(m.Packed, filetype.PeekBytes))
	if len(h) < want {
		h = s.Bytes(m.Header, want)
	}
	if len(h) < want {
		return filetype.Damaged(t)
	}
	m.Start = h[lead:want]
	return m.compare(h[:lead], string(h[30:30+nameLen]), h[30+nameLen:lead], names, s.Names)
}

// compare finds differences between the local header and the directory.
func (m *ZipMember) compare(h []byte, stored string, extra []byte, names zipNames,
	judge func(string, bool) *filetype.Problem) *filetype.Problem {
	packed, unpacked := int64(filetype.LittleEndian.Uint32(h[18:])), int64(filetype.LittleEndian.Uint32(h[22:]))
	alias := readExtra(extra, &unpacked, &packed)
	name := names.of(stored, "")
	for _, other := range []string{stored, name, alias} {
		if other == m.Name || other == "" {
			continue
		}
		if p := judge(other, m.Dir()); p != nil {
			return p
		}
	}
	if stored != m.Stored && asciiPart(name) != asciiPart(names.of(m.Stored, "")) {
		return Contradiction(m.Name, "has two names for a file")
	}
	flags, crc := filetype.LittleEndian.Uint16(h[6:]), filetype.LittleEndian.Uint32(h[14:])
	late := flags&8 != 0 // sizes follow in a descriptor
	m.flags |= flags & 8
	switch {
	case flags&1 != m.flags&1:
		return Contradiction(m.Name, "says of a file both that it is encrypted and that it is not")
	case filetype.LittleEndian.Uint16(h[8:]) != m.Method:
		return Contradiction(m.Name, "names two ways to unpack a file")
	case flags&(1<<13) != 0: // the header is masked
	case packed != m.Packed && !(late && packed == 0), unpacked != m.Unpacked && !(late && unpacked == 0),
		crc != m.Crc && !(late && crc == 0):
		return Contradiction(m.Name, "gives two sizes for a file")
	}
	if m.Method == 0 && !m.Encrypted && m.Packed != m.Unpacked {
		return Contradiction(m.Name, "gives two sizes for a file")
	}
	return nil
}

// asciiPart returns the part of a name that does not depend on its encoding.
func asciiPart(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x80 {
			return -1
		}
		return r
	}, name)
}

// HasDescriptor reports whether a descriptor follows the member, which may be
// nil.
func (m *ZipMember) HasDescriptor() bool { return m != nil && m.flags&8 != 0 }

// Descriptor returns the length of the descriptor at the start of gap, if its
// checksum and sizes are those of the member, otherwise 0.
func (m *ZipMember) Descriptor(gap []byte) int {
	if !m.HasDescriptor() {
		return 0
	}
	at := 0
	if bytes.HasPrefix(gap, []byte("PK\x07\x08")) {
		at = 4
	}
	p := gap[at:]
	switch {
	case len(p) >= 20 && int64(filetype.LittleEndian.Uint64(p[4:])) == m.Packed &&
		int64(filetype.LittleEndian.Uint64(p[12:])) == m.Unpacked:
		return at + 20
	case len(p) >= 12 && int64(filetype.LittleEndian.Uint32(p[4:])) == m.Packed&0xffffffff &&
		int64(filetype.LittleEndian.Uint32(p[8:])) == m.Unpacked&0xffffffff:
		return at + 12
	}
	return 0
}
