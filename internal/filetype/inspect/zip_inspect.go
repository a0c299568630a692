package inspect

import (
	"bytes"
	"cmp"
	"io"
	"slices"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
)

// inspectZIP walks the directory, inspects the beginning of members, and opens
// those that can contain others.
func inspectZIP(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	return newInspection(s, facts).zip(s, t, 0)
}

func (z *inspection) zip(s *filetype.Source, t filetype.Type, depth int) *filetype.Problem {
	var inner []archive.ZipMember
	p := z.walk(s, t, depth, func(m *archive.ZipMember) *filetype.Problem {
		switch {
		case m.Encrypted:
			z.facts.Encrypted = true
			z.facts.HoldAbout(filetype.HoldEncryptedArchive, m.Name)
		case m.Form != filetype.FormOther:
			inner = append(inner, *m)
		}
		return nil
	})
	if p != nil {
		return p
	}
	return z.openAll(s, inner, depth)
}

// walk applies the rules for all ZIP-based formats to every member, and calls
// visit with those that pass. At the end it checks that members do not overlap,
// that no bytes lie between them, and that their sizes are right.
func (z *inspection) walk(s *filetype.Source, t filetype.Type, depth int,
	visit func(*archive.ZipMember) *filetype.Problem) *filetype.Problem {
	if depth > filetype.MaxDepth {
		return tooDeep()
	}
	u := &unpacking{facts: z.facts, list: depth == 0 && t.Kind == filetype.Archive, all: &z.tally}
	var extents []zipExtent
	names, twice := map[string]bool{}, ""
	end, p := archive.ZipMembers(s, t, func(m *archive.ZipMember) *filetype.Problem {
		if !archive.IsPlainMode(m.Mode) {
			return linkProblem(m.Name)
		}
		if p := u.add(m.Name, m.Dir(), m.Packed, m.Unpacked); p != nil {
			return p
		}
		if p := z.peek(m); p != nil {
			return p
		}
		if names[m.Name] && !m.Dir() {
			twice = m.Name
		}
		names[m.Name] = true
		extents = append(extents, zipExtent{extent{m.Header, m.Data + m.Packed}, m})
		return visit(m)
	})
	if p != nil {
		return p
	}
	if overlappingMembers(extents) {
		return filetype.UnsafeFile(filetype.ReasonOverlap,
			"The archive lists the same bytes more than once, as archives made to fill disks do.")
	}
	if twice != "" {
		return archive.Contradiction(twice, "lists a name twice")
	}
	if p := z.gaps(s, extents, end); p != nil {
		return p
	}
	return z.verify(s, extents)
}

type zipExtent struct {
	extent
	member *archive.ZipMember
}

func overlappingMembers(extents []zipExtent) bool {
	plain := make([]extent, len(extents))
	for i, e := range extents {
		plain[i] = e.extent
	}
	return overlapping(plain)
}

// peek checks the first bytes of a member for a program under another name, and
// determines how to inspect it.
func (z *inspection) peek(m *archive.ZipMember) *filetype.Problem {
	head := m.Start
	m.Start = nil
	if m.Encrypted || len(head) == 0 {
		return nil
	}
	switch m.Method {
	case 0:
	case 8:
		n, _ := io.ReadFull(z.inflate(bytes.NewReader(head)), z.head[:])
		head = z.head[:n]
	default:
		z.facts.HoldAbout(filetype.HoldNotFullyInspected, m.Name)
		return nil
	}
	m.Form = filetype.FormOf(m.Name, head)
	return refuseHidden(m.Name, head)
}

// gaps checks the bytes between members and before the directory at end, where
// programs that read a ZIP from its start find unlisted data. Only a descriptor
// may follow its member.
func (z *inspection) gaps(s *filetype.Source, extents []zipExtent, end int64) *filetype.Problem {
	slices.SortFunc(extents, func(a, b zipExtent) int { return cmp.Compare(a.from, b.from) })
	extents = append(extents, zipExtent{extent{end, end}, nil})
	at, looked := int64(0), int64(0)
	var last *archive.ZipMember
	for _, e := range extents {
		if n := e.from - at; n > 0 && !(n <= 24 && n%4 == 0 && last.HasDescriptor()) {
			if looked += n; looked > filetype.MaxGap {
				z.facts.HoldAbout(filetype.HoldHiddenData, "between members")
				return nil
			}
			gap := s.Bytes(at, int(n))
			gap = gap[last.Descriptor(gap):]
			switch {
			case bytes.Contains(gap, []byte(filetype.ZipLocal)):
				return filetype.UnsafeFile(filetype.ReasonHiddenEntry,
					"The archive contains a file that its directory does not list. Pack it again.")
			case len(bytes.Trim(gap, "\x00")) > 0:
				z.facts.HoldAbout(filetype.HoldHiddenData, "between members")
			}
		}
		at, last = e.to, e.member
	}
	return nil
}

// verify unpacks members, those with the highest ratio first, to check that
// they end where the directory states. It does nothing if the members cannot
// unpack to much in any case.
func (z *inspection) verify(s *filetype.Source, extents []zipExtent) *filetype.Problem {
	const most = 1032 // the limit of deflate
	var all int64
	var packed []*archive.ZipMember
	for _, e := range extents {
		if e.member.Method == 8 && !e.member.Encrypted {
			all += e.member.Packed
			packed = append(packed, e.member)
		}
	}
	if all < filetype.BombFloor/most {
		return nil
	}
	slices.SortStableFunc(packed, func(a, b *archive.ZipMember) int {
		return cmp.Compare(a.Unpacked-a.Packed, b.Unpacked-b.Packed)
	})
	for _, m := range packed {
		if z.verified <= 0 {
			return nil
		}
		r := z.verified.Reader(z.inflate(s.Section(m.Data, m.Packed)), filetype.KiB)
		if n, _ := io.Copy(io.Discard, io.LimitReader(r, m.Unpacked+1)); n > m.Unpacked {
			return archive.Contradiction(m.Name, "unpacks to more than it says")
		}
	}
	return nil
}

func (z *inspection) openAll(s *filetype.Source, members []archive.ZipMember, depth int) *filetype.Problem {
	for i := range members {
		if p := z.open(s, &members[i], depth+1); p != nil {
			return p
		}
	}
	return nil
}

// open inspects a member: in place if it is stored, in memory if it is small,
// otherwise as a stream.
func (z *inspection) open(s *filetype.Source, m *archive.ZipMember, depth int) *filetype.Problem {
	if m.Encrypted || m.Packed == 0 || m.Form == filetype.FormOther {
		return nil
	}
	var inner *filetype.Source
	switch {
	case m.Form == filetype.FormSealed:
		inner = &filetype.Source{}
	case m.Method == 0:
		inner = filetype.NewSource(s.Section(m.Data, m.Packed), m.Packed)
	case m.Unpacked <= filetype.MaxNested:
		var ok bool
		if inner, ok = z.memory(archive.Open(s, m)); !ok {
			if z.nested <= 0 || mayCarryPrograms(m.Form) {
				z.facts.HoldAbout(filetype.HoldNotFullyInspected, m.Name)
			}
			return nil
		}
	default:
		inner = filetype.NewSource(&rewound{open: func() io.Reader { return archive.Open(s, m) }, budget: &z.nested},
			m.Unpacked)
	}
	return z.enter(m.Name, m.Form, inner, depth)
}
