package filetype

import (
	"bytes"
	"strings"
)

// contradiction refuses an archive of which two programs unpack different files.
func contradiction(name, how string) *Problem {
	return unsafeFile(ReasonContradiction, "The archive %s, so that programs unpack different files. Pack it again.", how).about(name)
}

// locate reads the member's local header, by which some programs unpack, and how its bytes begin. They must lie before the directory,
// and the header must say what the directory says.
func (s *source) locate(m *zipMember, limit int64, t Type) *Problem {
	const slack = 64 // for an extra field, so that one read does
	h := s.bytes(m.header, 30+len(m.name)+slack+peekBytes)
	if len(h) < 30 || string(h[:4]) != zipLocal {
		return damaged(t)
	}
	nameLen, extraLen := int(le.Uint16(h[26:])), int(le.Uint16(h[28:]))
	lead := 30 + nameLen + extraLen
	m.data = m.header + int64(lead)
	if m.data > limit || m.packed > limit-m.data {
		return damaged(t)
	}
	want := lead + int(min(m.packed, peekBytes))
	if len(h) < want {
		h = s.bytes(m.header, want)
	}
	if len(h) < want {
		return damaged(t)
	}
	m.start = h[lead:want]
	return m.compare(h[:lead], string(h[30:30+nameLen]), h[30+nameLen:lead], s.names)
}

// compare finds what the local header says otherwise than the directory.
func (m *zipMember) compare(h []byte, name string, extra []byte, names func(string, bool) *Problem) *Problem {
	packed, unpacked := int64(le.Uint32(h[18:])), int64(le.Uint32(h[22:]))
	alias := readExtra(extra, &unpacked, &packed)
	for _, other := range []string{name, alias} {
		if other == m.name || other == "" {
			continue
		}
		if p := names(other, m.dir()); p != nil {
			return p
		}
	}
	if ascii(name) != ascii(m.name) {
		return contradiction(m.name, "has two names for a file")
	}
	flags, crc := le.Uint16(h[6:]), le.Uint32(h[14:])
	late := flags&8 != 0 // sizes follow in a descriptor
	m.flags |= flags & 8
	switch {
	case flags&1 != m.flags&1:
		return contradiction(m.name, "says of a file both that it is encrypted and that it is not")
	case le.Uint16(h[8:]) != m.method:
		return contradiction(m.name, "names two ways to unpack a file")
	case flags&(1<<13) != 0: // the header is masked
	case packed != m.packed && !(late && packed == 0), unpacked != m.unpacked && !(late && unpacked == 0), crc != m.crc && !(late && crc == 0):
		return contradiction(m.name, "gives two sizes for a file")
	}
	if m.method == 0 && !m.encrypted && m.packed != m.unpacked {
		return contradiction(m.name, "gives two sizes for a file")
	}
	return nil
}

// ascii is what of a name does not depend on its encoding.
func ascii(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x80 {
			return -1
		}
		return r
	}, name)
}

// late reports that a descriptor follows the member. There may be no member.
func (m *zipMember) late() bool { return m != nil && m.flags&8 != 0 }

// descriptor is the length of the descriptor with which gap begins, behind a member of which it states checksum and sizes; 0 for none.
func (m *zipMember) descriptor(gap []byte) int {
	if !m.late() {
		return 0
	}
	at := 0
	if bytes.HasPrefix(gap, []byte("PK\x07\x08")) {
		at = 4
	}
	p := gap[at:]
	switch {
	case len(p) >= 20 && int64(le.Uint64(p[4:])) == m.packed && int64(le.Uint64(p[12:])) == m.unpacked:
		return at + 20
	case len(p) >= 12 && int64(le.Uint32(p[4:])) == m.packed&0xffffffff && int64(le.Uint32(p[8:])) == m.unpacked&0xffffffff:
		return at + 12
	}
	return 0
}
