package filetype

import (
	"bytes"
	"strings"
)

const (
	rar4Magic = "Rar!\x1a\x07\x00"
	rar5Magic = "Rar!\x1a\x07\x01\x00"
)

// inspectRAR walks the headers of RAR 4 and 5 and judges names, links and sizes as those of a ZIP. Members are not unpacked: the method
// belongs to one vendor. So an archive goes live by the names in it, as it would be judged by anyone who looks at the list, and a scanner,
// where one is configured, unpacks it. What is stored as it is, is looked at; an archive within that is packed again is held, since
// nothing at all would be known of what is in it.
func inspectRAR(s *source, t Type, facts *Facts) *Problem {
	return newInspection(s, facts).rar(s, t, 0)
}

func (z *inspection) rar(s *source, t Type, depth int) *Problem {
	if depth > maxDepth {
		return tooDeep()
	}
	w := &rarWalk{z: z, s: s, u: &unpacking{facts: z.facts, list: depth == 0, all: &z.tally}, depth: depth}
	var p *Problem
	switch {
	case bytes.HasPrefix(s.head, []byte(rar4Magic)):
		p = w.walk(t, int64(len(rar4Magic)), w.rar4)
	case bytes.HasPrefix(s.head, []byte(rar5Magic)):
		p = w.walk(t, int64(len(rar5Magic)), w.rar5)
	default:
		return notThe(s, t)
	}
	z.facts.Opaque = depth == 0 && w.u.entries == 0
	return p
}

// rarWalk goes from block to block.
type rarWalk struct {
	z     *inspection
	s     *source
	u     *unpacking
	depth int
}

// rarBlock is what a walk needs of a block of either version.
type rarBlock struct {
	kind      rarKind
	next      int64 // where the next one begins
	encrypted bool
	volume    bool // a part of a set
	file      *rarFile
}

type rarKind int

const (
	rarOther rarKind = iota
	rarArchive
	rarFileBlock
	rarStream // a second stream of the file before
	rarEncryption
	rarEnd
)

type rarFile struct {
	name         string
	dir, link    bool
	stored       bool
	data, packed int64 // where its bytes are
	unpacked     int64
}

// walk judges block after block. read answers false where there is no block.
func (w *rarWalk) walk(t Type, off int64, read func(off int64) (rarBlock, bool)) *Problem {
	facts := w.z.facts
	for n := 0; ; n++ {
		if n > 0 && off == w.s.size { // an end block is not always written
			return nil
		}
		b, ok := read(off)
		if n == 0 && (!ok || b.kind != rarArchive && b.kind != rarEncryption) {
			return damaged(t)
		}
		if !ok || !w.s.step() {
			facts.holdAbout(HoldNotFullyInspected, "a part of the archive that cannot be read")
			return nil
		}
		if b.encrypted {
			facts.Encrypted = true
			facts.hold(HoldEncryptedArchive)
		}
		if b.volume {
			facts.holdAbout(HoldNotFullyInspected, "a part of a set")
		}
		switch {
		case b.kind == rarEncryption || b.kind == rarArchive && b.encrypted: // nothing can be read beyond
			return nil
		case b.kind == rarStream:
			facts.holdAbout(HoldHiddenData, "a second stream of a file")
		case b.kind == rarEnd:
			if !zeros(w.s.rest(b.next)) {
				facts.holdAbout(HoldHiddenData, "behind the last member")
			}
			return nil
		case b.kind == rarFileBlock:
			if p := w.member(b); p != nil {
				return p
			}
		}
		off = b.next
	}
}

func (w *rarWalk) member(b rarBlock) *Problem {
	f := b.file
	if f.link {
		return linkProblem(f.name)
	}
	if p := w.u.add(f.name, f.dir, -1, f.unpacked); p != nil {
		return p
	}
	if inflated(w.s.size, w.u.unpacked) {
		return bomb().about(f.name)
	}
	if b.encrypted || f.dir || f.packed == 0 {
		return nil
	}
	if !f.stored {
		if archiveName(f.name) {
			w.z.facts.holdAbout(HoldNotFullyInspected, f.name)
		}
		return nil
	}
	head := w.s.bytes(f.data, int(min(f.packed, peekBytes)))
	if p := suspect(f.name, head); p != nil {
		return p
	}
	if what := formOf(f.name, head); what != formOther {
		return w.z.enter(f.name, what, newSource(w.s.section(f.data, f.packed), f.packed), w.depth+1)
	}
	return nil
}

// rar4 reads a block of RAR 1.5 to 4.
func (w *rarWalk) rar4(off int64) (b rarBlock, ok bool) {
	const archive, file, service, end = 0x73, 0x74, 0x7a, 0x7b
	p := w.s.bytes(off, 7)
	if len(p) < 7 {
		return b, false
	}
	typ, flags, size := p[2], le.Uint16(p[3:]), int64(le.Uint16(p[5:]))
	if p = w.s.bytes(off, int(size)); size < 7 || int64(len(p)) < size {
		return b, false
	}
	b.next = off + size
	switch typ {
	case archive:
		b.kind, b.encrypted, b.volume = rarArchive, flags&0x80 != 0, flags&1 != 0
		return b, true
	case end:
		b.kind = rarEnd
		return b, true
	case file, service:
		return w.rar4File(b, p, flags, typ == service)
	}
	if flags&0x8000 != 0 { // bytes follow the header
		if len(p) < 11 {
			return b, false
		}
		b.next += int64(le.Uint32(p[7:]))
	}
	return b, b.next <= w.s.size
}

func (w *rarWalk) rar4File(b rarBlock, p []byte, flags uint16, service bool) (rarBlock, bool) {
	if len(p) < 32 {
		return b, false
	}
	f := &rarFile{data: b.next, packed: int64(le.Uint32(p[7:])), unpacked: int64(le.Uint32(p[11:])), stored: p[25] == 0x30}
	system, nameLen, mode, at := p[15], int(le.Uint16(p[26:])), le.Uint32(p[28:]), 32
	if flags&0x100 != 0 {
		if len(p) < 40 {
			return b, false
		}
		f.packed += int64(le.Uint32(p[32:])) << 32
		f.unpacked += int64(le.Uint32(p[36:])) << 32
		at = 40
	}
	if nameLen > len(p)-at || f.packed < 0 || f.packed > w.s.size-b.next {
		return b, false
	}
	b.next += f.packed
	name := p[at : at+nameLen]
	if service {
		if string(name) == "STM" {
			b.kind = rarStream
		}
		return b, true
	}
	b.kind, b.file, b.encrypted, b.volume = rarFileBlock, f, flags&4 != 0, flags&3 != 0
	f.name = rar4Name(name, flags&0x200 != 0)
	const unix, beos = 3, 5
	if system == unix || system == beos {
		f.link = !plain(mode)
	} else {
		f.name = strings.ReplaceAll(f.name, `\`, "/") // which only separates there
		f.link = mode&0x400 != 0
	}
	f.dir = flags&0xe0 == 0xe0
	return b, true
}

// rar5 reads a block of RAR 5.
func (w *rarWalk) rar5(off int64) (rarBlock, bool) {
	const archive, file, service, encryption, end = 1, 2, 3, 4, 5
	h, ok := w.s.rar5Header(off)
	if !ok {
		return rarBlock{}, false
	}
	b := rarBlock{next: h.data + h.size}
	switch h.typ {
	case archive:
		flags, _ := rarNumber(h.fields)
		b.kind, b.volume = rarArchive, flags&1 != 0
	case encryption:
		b.kind, b.encrypted = rarEncryption, true
	case end:
		b.kind = rarEnd
	case service:
		if name, ok := h.file(); ok && name.name == "STM" && !bytes.Contains(h.extra, []byte("Zone.Identifier")) {
			b.kind = rarStream
		}
	case file:
		f, ok := h.file()
		if !ok {
			return b, false
		}
		_, b.encrypted = h.record(1)
		if link, there := h.record(5); there {
			kind, _ := rarNumber(link)
			f.link = kind != 5 // a copy of another member
		}
		b.kind, b.file, b.volume = rarFileBlock, f, h.flags&0x18 != 0
	}
	return b, true
}
