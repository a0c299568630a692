package filetype

import (
	"bytes"
	"compress/flate"
	"io"
)

// inspectZIP walks the directory, looks at how members begin, and opens the small ZIPs and office files among them. Larger ones are
// listed only.
func inspectZIP(s *source, t Type, facts *Facts) *Problem {
	return newZipInspection(facts).zip(s, t, 0)
}

// zipInspection is the inspection of one ZIP-based file with those inside it.
type zipInspection struct {
	facts    *Facts
	nested   allowance // what may still be unpacked into memory to look inside
	embedded allowance // what may still be decompressed of embedded objects
	inflater io.ReadCloser
	peeked   int
}

func newZipInspection(facts *Facts) *zipInspection {
	return &zipInspection{facts: facts, nested: maxNestedTotal, embedded: maxEmbedded}
}

func (z *zipInspection) zip(s *source, t Type, depth int) *Problem {
	var inner []zipMember
	p := z.walk(s, t, depth, func(m *zipMember) *Problem {
		if m.encrypted {
			z.facts.Encrypted = true
			z.facts.hold(HoldEncryptedArchive)
			return nil
		}
		if nestable(m) && len(inner) < maxPeeked {
			inner = append(inner, *m)
		}
		return z.peek(s, m)
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

// walk applies to every member what holds for all ZIP-based formats, and calls visit with those that pass. It ends with a check
// that no two share bytes.
func (z *zipInspection) walk(s *source, t Type, depth int, visit func(*zipMember) *Problem) *Problem {
	if depth > maxDepth {
		return unsafeFile("The archive contains archives within archives, more than %d deep. Unpack them first.", maxDepth)
	}
	u := &unpacking{facts: z.facts, list: depth == 0 && t.Kind == Archive}
	var extents []extent
	p := s.zipMembers(t, func(m *zipMember) *Problem {
		if !plain(m.mode) {
			return linkProblem()
		}
		if p := u.add(m.name, m.dir(), m.packed, m.unpacked); p != nil {
			return p
		}
		extents = append(extents, extent{m.header, m.data + m.packed})
		return visit(m)
	})
	if p == nil && overlapping(extents) {
		p = unsafeFile("The archive lists the same bytes more than once, as archives made to fill disks do.")
	}
	return p
}

// peek looks at the first bytes of a member for a program under another name.
func (z *zipInspection) peek(s *source, m *zipMember) *Problem {
	if z.peeked++; z.peeked > maxPeeked || m.unpacked == 0 {
		return nil
	}
	packed := io.Reader(s.section(m.data, min(m.packed, peekBytes)))
	if m.method == 8 {
		if z.inflater == nil {
			z.inflater = flate.NewReader(packed)
		}
		z.inflater.(flate.Resetter).Reset(packed, nil)
		packed = z.inflater
	} else if m.method != 0 {
		return nil
	}
	head := make([]byte, peekBytes)
	n, _ := io.ReadFull(packed, head)
	if what := surelyProgram(head[:n]); what != "" {
		return unsafeFile("The archive contains %s under another name. Remove it and pack again.", what)
	}
	return nil
}

// surelyProgram is programAt for data of which nobody said what it is: two letters alone do not convict random bytes.
func surelyProgram(head []byte) string {
	what := programName(head)
	switch {
	case bytes.HasPrefix(head, []byte("MZ")):
		if len(head) < 0x40 || le.Uint32(head[0x3c:]) < 0x40 || le.Uint32(head[0x3c:]) > 16*mib {
			return ""
		}
	case bytes.HasPrefix(head, []byte("#!")):
		if !bytes.HasPrefix(bytes.TrimLeft(head[2:], " \t"), []byte("/")) {
			return ""
		}
	}
	return what
}

// nestable tells members that are opened: what can carry macros or members of its own, and fits into memory.
func nestable(m *zipMember) bool {
	if m.unpacked > maxNested {
		return false
	}
	t, _ := ByExt(m.name)
	switch t.Ext {
	case "zip", "docx", "xlsx", "pptx", "odt", "ods", "odp", "epub", "doc", "xls", "ppt":
		return true
	}
	return false
}

func (z *zipInspection) openAll(s *source, members []zipMember, depth int) *Problem {
	for i := range members {
		if p := z.open(s, &members[i], depth+1); p != nil {
			return p
		}
	}
	return nil
}

// open inspects a member in memory. A member that is not what its name says is the reader's trouble and no danger: only unsafe_file
// counts.
func (z *zipInspection) open(s *source, m *zipMember, depth int) *Problem {
	p, err := io.ReadAll(z.nested.reader(io.LimitReader(s.open(m), maxNested+1), openPrice))
	if err != nil || len(p) == 0 || len(p) > maxNested {
		return nil
	}
	inner := newSource(bytes.NewReader(p), int64(len(p)))
	t, _ := ByExt(m.name)
	var problem *Problem
	switch t.Ext {
	case "zip":
		problem = z.zip(inner, t, depth)
	case "docx", "xlsx", "pptx":
		problem = z.ooxml(inner, t, depth)
	case "odt", "ods", "odp", "epub":
		problem = z.pack(inner, t, depth)
	default:
		problem = inspectOLE(inner, t, z.facts)
	}
	if problem != nil && problem.Code == CodeUnsafeFile {
		return problem
	}
	return nil
}
