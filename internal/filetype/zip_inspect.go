package filetype

import (
	"bytes"
	"cmp"
	"io"
	"slices"
)

// inspectZIP walks the directory, looks at how members begin, and opens those that can carry others.
func inspectZIP(s *source, t Type, facts *Facts) *Problem {
	return newInspection(s, facts).zip(s, t, 0)
}

func (z *inspection) zip(s *source, t Type, depth int) *Problem {
	var inner []zipMember
	p := z.walk(s, t, depth, func(m *zipMember) *Problem {
		switch {
		case m.encrypted:
			z.facts.Encrypted = true
			z.facts.holdAbout(HoldEncryptedArchive, m.name)
		case m.form != formOther:
			inner = append(inner, *m)
		}
		return nil
	})
	if p != nil {
		return p
	}
	return z.openAll(s, inner, depth)
}

// modeType is the part of a Unix mode that tells links and devices.
const modeType = 0xf000

// plain tells a Unix mode of a file or folder, or none. A pipe is what programs note that packed from one; it unpacks as a file.
func plain(mode uint32) bool {
	switch mode & modeType {
	case 0, 0x8000, 0x4000, 0x1000:
		return true
	}
	return false
}

// walk applies to every member what holds for all ZIP-based formats, and calls visit with those that pass. It ends with checks that no
// two share bytes, that no bytes lie between them, and that they are as long as said.
func (z *inspection) walk(s *source, t Type, depth int, visit func(*zipMember) *Problem) *Problem {
	if depth > maxDepth {
		return tooDeep()
	}
	u := &unpacking{facts: z.facts, list: depth == 0 && t.Kind == Archive, all: &z.tally}
	var extents []zipExtent
	names, twice := map[string]bool{}, ""
	end, p := s.zipMembers(t, func(m *zipMember) *Problem {
		if !plain(m.mode) {
			return linkProblem(m.name)
		}
		if p := u.add(m.name, m.dir(), m.packed, m.unpacked); p != nil {
			return p
		}
		if p := z.peek(s, m); p != nil {
			return p
		}
		if names[m.name] && !m.dir() {
			twice = m.name
		}
		names[m.name] = true
		extents = append(extents, zipExtent{extent{m.header, m.data + m.packed}, m})
		return visit(m)
	})
	if p != nil {
		return p
	}
	if overlappingMembers(extents) {
		return unsafeFile(ReasonOverlap, "The archive lists the same bytes more than once, as archives made to fill disks do.")
	}
	if twice != "" {
		return contradiction(twice, "lists a name twice")
	}
	if p := z.gaps(s, extents, end); p != nil {
		return p
	}
	return z.verify(s, extents)
}

type zipExtent struct {
	extent
	m *zipMember
}

func overlappingMembers(extents []zipExtent) bool {
	plain := make([]extent, len(extents))
	for i, e := range extents {
		plain[i] = e.extent
	}
	return overlapping(plain)
}

// peek looks at the first bytes of a member for a program under another name, and for what it is to be opened as.
func (z *inspection) peek(s *source, m *zipMember) *Problem {
	head := m.start
	m.start = nil
	if m.encrypted || len(head) == 0 {
		return nil
	}
	switch m.method {
	case 0:
	case 8:
		n, _ := io.ReadFull(z.inflate(bytes.NewReader(head)), z.head[:])
		head = z.head[:n]
	default:
		z.facts.holdAbout(HoldNotFullyInspected, m.name)
		return nil
	}
	m.form = formOf(m.name, head)
	return suspect(m.name, head)
}

// gaps looks at the bytes between members and before the directory at end, where programs that read a ZIP from its start find what the
// directory does not list. Only a descriptor behind its member belongs there.
func (z *inspection) gaps(s *source, extents []zipExtent, end int64) *Problem {
	slices.SortFunc(extents, func(a, b zipExtent) int { return cmp.Compare(a.from, b.from) })
	extents = append(extents, zipExtent{extent{end, end}, nil})
	at, looked := int64(0), int64(0)
	var last *zipMember
	for _, e := range extents {
		if n := e.from - at; n > 0 && !(n <= 24 && n%4 == 0 && last.late()) {
			if looked += n; looked > maxGap {
				z.facts.holdAbout(HoldHiddenData, "between members")
				return nil
			}
			gap := s.bytes(at, int(n))
			gap = gap[last.descriptor(gap):]
			switch {
			case bytes.Contains(gap, []byte(zipLocal)):
				return unsafeFile(ReasonHiddenEntry, "The archive contains a file that its directory does not list. Pack it again.")
			case len(bytes.Trim(gap, "\x00")) > 0:
				z.facts.holdAbout(HoldHiddenData, "between members")
			}
		}
		at, last = e.to, e.m
	}
	return nil
}

// verify unpacks members, those with the most doubtful ratio first, to see that they end where the directory says. Where all together
// cannot unpack to much, whatever they say, it does nothing.
func (z *inspection) verify(s *source, extents []zipExtent) *Problem {
	const most = 1032 // what deflate reaches
	var all int64
	var packed []*zipMember
	for _, e := range extents {
		if e.m.method == 8 && !e.m.encrypted {
			all += e.m.packed
			packed = append(packed, e.m)
		}
	}
	if all < bombFloor/most {
		return nil
	}
	slices.SortStableFunc(packed, func(a, b *zipMember) int { return cmp.Compare(a.unpacked-a.packed, b.unpacked-b.packed) })
	for _, m := range packed {
		if z.verified <= 0 {
			return nil
		}
		r := z.verified.reader(z.inflate(s.section(m.data, m.packed)), kib)
		if n, _ := io.Copy(io.Discard, io.LimitReader(r, m.unpacked+1)); n > m.unpacked {
			return contradiction(m.name, "unpacks to more than it says")
		}
	}
	return nil
}

func (z *inspection) openAll(s *source, members []zipMember, depth int) *Problem {
	for i := range members {
		if p := z.open(s, &members[i], depth+1); p != nil {
			return p
		}
	}
	return nil
}

// open inspects a member: in the file where it is stored, in memory where it is small, and else piece by piece.
func (z *inspection) open(s *source, m *zipMember, depth int) *Problem {
	if m.encrypted || m.packed == 0 || m.form == formOther {
		return nil
	}
	var inner *source
	switch {
	case m.form == formSealed:
		inner = &source{}
	case m.method == 0:
		inner = newSource(s.section(m.data, m.packed), m.packed)
	case m.unpacked <= maxNested:
		var ok bool
		if inner, ok = z.memory(s.open(m)); !ok {
			if z.nested <= 0 || m.form.carries() {
				z.facts.holdAbout(HoldNotFullyInspected, m.name)
			}
			return nil
		}
	default:
		inner = newSource(&rewound{open: func() io.Reader { return s.open(m) }, budget: &z.nested}, m.unpacked)
	}
	return z.enter(m.name, m.form, inner, depth)
}
