package inspect

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
)

// inspectRAR walks the headers of RAR 4 and 5 and judges names, links and sizes
// as for a ZIP. It does not unpack members, because the compression method is
// proprietary. So an archive is published by its names alone; a configured
// scanner unpacks it. Stored members are inspected. A compressed archive inside
// is held, because its members are unknown.
func inspectRAR(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	return newInspection(s, facts).rar(s, t, 0)
}

func (z *inspection) rar(s *filetype.Source, t filetype.Type, depth int) *filetype.Problem {
	if depth > filetype.MaxDepth {
		return tooDeep()
	}
	w := &rarWalk{z: z, s: s, u: &unpacking{facts: z.facts, list: depth == 0, all: &z.tally}, depth: depth}
	var p *filetype.Problem
	switch {
	case bytes.HasPrefix(s.Head, []byte(filetype.Rar4Magic)):
		p = w.walk(t, int64(len(filetype.Rar4Magic)), w.rar4)
	case bytes.HasPrefix(s.Head, []byte(filetype.Rar5Magic)):
		p = w.walk(t, int64(len(filetype.Rar5Magic)), w.rar5)
	default:
		return filetype.NotThe(s, t)
	}
	return p
}

// rarWalk walks from block to block.
type rarWalk struct {
	z     *inspection
	s     *filetype.Source
	u     *unpacking
	depth int
}

// rarBlock is what a walk needs to know about a block of either version.
type rarBlock struct {
	kind      rarKind
	next      int64 // position of the next block
	encrypted bool
	volume    bool // part of a multi-volume archive
	file      *archive.RarFile
}

type rarKind int

const (
	rarOther rarKind = iota
	rarArchive
	rarFileBlock
	rarStream // a second stream of the previous file
	rarEncryption
	rarEnd
)

// walk judges all blocks. read reports false if there is no block.
func (w *rarWalk) walk(t filetype.Type, off int64, read func(off int64) (rarBlock, bool)) *filetype.Problem {
	facts := w.z.facts
	for n := 0; ; n++ {
		if n > 0 && off == w.s.Size { // the end block is optional
			return nil
		}
		b, ok := read(off)
		if n == 0 && (!ok || b.kind != rarArchive && b.kind != rarEncryption) {
			return filetype.Damaged(t)
		}
		if !ok || !w.s.Step() {
			facts.HoldAbout(filetype.HoldNotFullyInspected, "a part of the archive that cannot be read")
			return nil
		}
		if b.encrypted {
			facts.Encrypted = true
			facts.HoldFor(filetype.HoldEncryptedArchive)
		}
		if b.volume {
			facts.HoldAbout(filetype.HoldNotFullyInspected, "a part of a set")
		}
		switch {
		case b.kind == rarEncryption || b.kind == rarArchive && b.encrypted: // nothing can be read after this
			return nil
		case b.kind == rarStream:
			facts.HoldAbout(filetype.HoldHiddenData, "a second stream of a file")
		case b.kind == rarEnd:
			if !onlyZeros(w.s.Rest(b.next)) {
				facts.HoldAbout(filetype.HoldHiddenData, "behind the last member")
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

func (w *rarWalk) member(b rarBlock) *filetype.Problem {
	f := b.file
	if f.Link {
		return linkProblem(f.Name)
	}
	if p := w.u.add(f.Name, f.Dir, -1, f.Unpacked); p != nil {
		return p
	}
	w.u.seal(w.u.entries-1, !f.Dir && f.Unpacked > 0 && !b.readable())
	if ratioTooHigh(w.s.Size, w.u.unpacked) {
		return bomb().SetContext(f.Name)
	}
	if b.encrypted || f.Dir || f.Packed == 0 {
		return nil
	}
	if !f.Stored {
		if archiveName(f.Name) {
			w.z.facts.HoldAbout(filetype.HoldNotFullyInspected, f.Name)
		}
		return nil
	}
	head := w.s.Bytes(f.Data, int(min(f.Packed, filetype.PeekBytes)))
	if p := refuseHidden(f.Name, head); p != nil {
		return p
	}
	if what := filetype.FormOf(f.Name, head); what != filetype.FormOther {
		return w.z.enter(f.Name, what, filetype.NewSource(w.s.Section(f.Data, f.Packed), f.Packed), w.depth+1)
	}
	return nil
}

// rar4 reads a block of RAR 1.5 to 4.
func (w *rarWalk) rar4(off int64) (b rarBlock, ok bool) {
	const archive, file, service, end = 0x73, 0x74, 0x7a, 0x7b
	p := w.s.Bytes(off, 7)
	if len(p) < 7 {
		return b, false
	}
	typ, flags, size := p[2], filetype.LittleEndian.Uint16(p[3:]), int64(filetype.LittleEndian.Uint16(p[5:]))
	if p = w.s.Bytes(off, int(size)); size < 7 || int64(len(p)) < size {
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
	if flags&0x8000 != 0 { // data follows the header
		if len(p) < 11 {
			return b, false
		}
		b.next += int64(filetype.LittleEndian.Uint32(p[7:]))
	}
	return b, b.next <= w.s.Size
}

func (w *rarWalk) rar4File(b rarBlock, p []byte, flags uint16, service bool) (rarBlock, bool) {
	if len(p) < 32 {
		return b, false
	}
	f := &archive.RarFile{Data: b.next, Packed: int64(filetype.LittleEndian.Uint32(p[7:])),
		Unpacked: int64(filetype.LittleEndian.Uint32(p[11:])), Stored: p[25] == 0x30}
	system, nameLen, mode, at := p[15], int(filetype.LittleEndian.Uint16(p[26:])), filetype.LittleEndian.Uint32(p[28:]),
		32
	if flags&0x100 != 0 {
		if len(p) < 40 {
			return b, false
		}
		f.Packed += int64(filetype.LittleEndian.Uint32(p[32:])) << 32
		f.Unpacked += int64(filetype.LittleEndian.Uint32(p[36:])) << 32
		at = 40
	}
	if nameLen > len(p)-at || f.Packed < 0 || f.Packed > w.s.Size-b.next {
		return b, false
	}
	b.next += f.Packed
	name := p[at : at+nameLen]
	if service {
		if string(name) == "STM" {
			b.kind = rarStream
		}
		return b, true
	}
	b.kind, b.file, b.encrypted, b.volume = rarFileBlock, f, flags&4 != 0, flags&3 != 0
	f.Name = archive.Rar4Name(name, flags&0x200 != 0)
	if utf8.ValidString(f.Name) {
		f.Name = strings.ReplaceAll(f.Name, `\`, "/") // the separator of all systems
	}
	const unix, beos = 3, 5
	if system == unix || system == beos {
		f.Link = !archive.IsPlainMode(mode)
	} else {
		f.Link = mode&0x400 != 0
	}
	f.Dir = flags&0xe0 == 0xe0
	return b, true
}

// rar5 reads a block of RAR 5.
func (w *rarWalk) rar5(off int64) (rarBlock, bool) {
	const outer, file, service, encryption, end = 1, 2, 3, 4, 5
	h, ok := archive.Rar5Header(w.s, off)
	if !ok {
		return rarBlock{}, false
	}
	b := rarBlock{next: h.Data + h.Size}
	switch h.Typ {
	case outer:
		flags, _ := archive.RarNumber(h.Fields)
		b.kind, b.volume = rarArchive, flags&1 != 0
	case encryption:
		b.kind, b.encrypted = rarEncryption, true
	case end:
		b.kind = rarEnd
	case service:
		if name, ok := h.File(); ok && name.Name == "STM" && !bytes.Contains(h.Extra, []byte("Zone.Identifier")) {
			b.kind = rarStream
		}
	case file:
		f, ok := h.File()
		if !ok {
			return b, false
		}
		_, b.encrypted = h.Record(1)
		if link, there := h.Record(5); there {
			kind, _ := archive.RarNumber(link)
			f.Link = kind != 5 // copy of another member
		}
		b.kind, b.file, b.volume = rarFileBlock, f, h.Flags&0x18 != 0
	}
	return b, true
}
