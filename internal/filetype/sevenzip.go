package filetype

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/ulikunitz/xz/lzma"
)

const sevenMagic = "7z\xbc\xaf\x27\x1c"

// inspect7z reads the directory, which is compressed itself, and judges names, links and sizes as those of a ZIP. Then it looks at how
// members begin, as far as maxSolid and the coders below reach: members are packed together, and the last one's beginning costs the
// unpacking of all before it. Members out of reach go by their names alone, and archives among them are held; a scanner, where one is
// configured, unpacks them.
func inspect7z(s *source, t Type, facts *Facts) *Problem {
	return newInspection(s, facts).sevenZip(s, t, 0)
}

func (z *inspection) sevenZip(s *source, t Type, depth int) *Problem {
	if depth > maxDepth {
		return tooDeep()
	}
	h := s.head
	if !bytes.HasPrefix(h, []byte(sevenMagic)) {
		return notThe(s, t)
	}
	if len(h) < 32 || crc32.ChecksumIEEE(h[12:32]) != le.Uint32(h[8:]) {
		return damaged(t)
	}
	off, size := le.Uint64(h[12:]), le.Uint64(h[20:])
	if room := uint64(s.size - 32); off > room || size > room-off {
		return damaged(t)
	}
	switch {
	case size == 0: // an archive of nothing
		if s.size > 32 {
			z.facts.holdAbout(HoldHiddenData, "behind the header")
		}
		return nil
	case size > maxDirectory:
		return tooManyEntries()
	}
	header := s.bytes(32+int64(off), int(size))
	if crc32.ChecksumIEEE(header) != le.Uint32(h[28:]) {
		return damaged(t)
	}
	if end := 32 + int64(off+size); end < s.size {
		z.facts.holdAbout(HoldHiddenData, "behind the directory")
	}
	return z.sevenHeader(s, header, depth)
}

// sevenHeader unpacks the directory if it is packed, and judges it.
func (z *inspection) sevenHeader(s *source, header []byte, depth int) *Problem {
	for level := 0; ; level++ {
		a, ok := readSeven(header)
		switch {
		case ok && a.encrypted():
			z.facts.Encrypted = true
			z.facts.hold(HoldEncryptedArchive)
		case a.crowded:
			return tooManyEntries()
		case !ok, level > 2:
			z.facts.holdAbout(HoldNotFullyInspected, "the directory")
			z.facts.Opaque = true
			return nil
		}
		if !a.packedHeader {
			return z.sevenMembers(s, a, depth)
		}
		if a.encrypted() {
			z.facts.Opaque = true
			return nil
		}
		if header, ok = z.sevenUnpacked(s, a); !ok {
			z.facts.holdAbout(HoldNotFullyInspected, "the directory")
			z.facts.Opaque = true
			return nil
		}
	}
}

// sevenUnpacked unpacks a directory, of at most maxDirectory bytes.
func (z *inspection) sevenUnpacked(s *source, a *sevenArchive) ([]byte, bool) {
	if len(a.folders) != 1 || a.folders[0].size() > maxDirectory {
		return nil, false
	}
	f := a.folders[0]
	r, ok := z.sevenFolder(s, a, 0)
	if !ok {
		return nil, false
	}
	p, err := io.ReadAll(z.nested.reader(io.LimitReader(r, f.size()), openPrice+allowance(f.size()/4)))
	return p, err == nil && int64(len(p)) == f.size()
}

// sevenMembers judges what the directory says of each member, and then what can be seen of the members.
func (z *inspection) sevenMembers(s *source, a *sevenArchive, depth int) *Problem {
	u := &unpacking{facts: z.facts, list: depth == 0, all: &z.tally}
	for _, m := range a.members {
		if m.link {
			return linkProblem(m.name)
		}
		if p := u.add(m.name, m.dir, -1, m.size); p != nil {
			return p
		}
		if inflated(s.size, u.unpacked) {
			return bomb().about(m.name)
		}
	}
	members := a.members
	for i, f := range a.folders {
		var r io.Reader
		if z.solid > 0 && !a.encryptedFolder(i) {
			if content, ok := z.sevenFolder(s, a, i); ok {
				r = z.solid.reader(content, openPrice)
			}
		}
		for n := f.members; n > 0; members = members[1:] {
			m := members[0]
			if m.empty {
				continue
			}
			n--
			if p := z.sevenMember(r, m, a.encryptedFolder(i), depth); p != nil {
				return p
			}
		}
	}
	return nil
}

// sevenMember looks at the next member in r, which is nil where a folder cannot be read.
func (z *inspection) sevenMember(r io.Reader, m sevenMember, encrypted bool, depth int) *Problem {
	if encrypted || m.size == 0 {
		return nil
	}
	var head []byte
	body := io.Reader(bytes.NewReader(nil))
	if r != nil {
		body = io.LimitReader(r, m.size)
		head = make([]byte, min(peekBytes, m.size))
		n, _ := io.ReadFull(body, head)
		head = head[:n]
	}
	if len(head) == 0 {
		if archiveName(m.name) {
			z.facts.holdAbout(HoldNotFullyInspected, m.name)
		}
		return nil
	}
	if p := suspect(m.name, head); p != nil {
		return p
	}
	switch what := formOf(m.name, head); what {
	case formOther:
	case formSealed:
		z.facts.holdAbout(HoldNotFullyInspected, m.name)
	default:
		inner, ok := z.memory(io.MultiReader(bytes.NewReader(head), body))
		switch {
		case ok && inner.size == m.size:
			if p := z.enter(m.name, what, inner, depth+1); p != nil {
				return p
			}
		case what.carries():
			z.facts.holdAbout(HoldNotFullyInspected, m.name)
		}
	}
	io.Copy(io.Discard, body)
	return nil
}

// archiveName tells by name alone what is an archive, where the bytes are out of reach.
func archiveName(name string) bool {
	t, ok := ByExt(name)
	return ok && t.Kind == Archive || formOf(name, []byte{0}) == formSealed
}

// sevenFolder unpacks a folder, if it is packed in a way that is known here.
func (z *inspection) sevenFolder(s *source, a *sevenArchive, i int) (io.Reader, bool) {
	f := a.folders[i]
	at, packed, ok := a.packed(i, s.size)
	if !ok || len(f.coders) == 0 || len(f.coders) > 2 {
		return nil, false
	}
	r := io.Reader(s.section(at, packed))
	// The filters for program code change operands only; a beginning is known behind them as well.
	last := f.coders[len(f.coders)-1]
	if len(f.coders) == 2 && !branchFilters[f.coders[0].id] {
		if !branchFilters[last.id] {
			return nil, false
		}
		last = f.coders[0]
	}
	return last.open(bufio.NewReaderSize(r, chunkBytes), f.size())
}

// The coders of 7z that are undone here, and the filters for program code.
const (
	sevenCopy    = "\x00"
	sevenLZMA    = "\x03\x01\x01"
	sevenLZMA2   = "\x21"
	sevenDeflate = "\x04\x01\x08"
	sevenBzip2   = "\x04\x02\x02"
	sevenAES     = "\x06\xf1\x07\x01"
)

var branchFilters = map[string]bool{
	"\x04": true, "\x05": true, "\x06": true, "\x07": true, "\x08": true, "\x09": true, "\x0a": true, "\x0b": true,
	"\x03\x03\x01\x03": true, "\x03\x03\x02\x05": true, "\x03\x03\x04\x01": true, "\x03\x03\x05\x01": true, "\x03\x03\x07\x01": true, "\x03\x03\x08\x05": true,
}

// open undoes the coder. A dictionary is never larger than what is unpacked.
func (c sevenCoder) open(r io.Reader, size int64) (io.Reader, bool) {
	dictionary := func(stated int64) int64 { return max(min(stated, size, maxSolid), lzma.MinDictCap) }
	switch c.id {
	case sevenCopy:
		return r, true
	case sevenLZMA:
		if len(c.props) != 5 {
			return nil, false
		}
		head := make([]byte, 13)
		head[0] = c.props[0]
		binary.LittleEndian.PutUint32(head[1:], uint32(dictionary(int64(le.Uint32([]byte(c.props[1:]))))))
		binary.LittleEndian.PutUint64(head[5:], uint64(size))
		z, err := lzma.ReaderConfig{DictCap: maxSolid}.NewReader(bufio.NewReader(io.MultiReader(bytes.NewReader(head), r)))
		return z, err == nil
	case sevenLZMA2:
		if len(c.props) != 1 || c.props[0] > 40 {
			return nil, false
		}
		stated := int64(2|c.props[0]&1) << (c.props[0]/2 + 11)
		z, err := lzma.Reader2Config{DictCap: int(dictionary(stated))}.NewReader2(r)
		return z, err == nil
	case sevenDeflate:
		return flate.NewReader(r), true
	case sevenBzip2:
		return bzip2.NewReader(r), true
	}
	return nil, false
}
