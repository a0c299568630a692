package inspect

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"

	"github.com/ulikunitz/xz/lzma"
)

// inspect7z reads the directory, which may be compressed, and judges names,
// links and sizes as for a ZIP. Then it inspects the beginning of members, as
// far as filetype.MaxSolid and the supported coders allow: members are packed
// together, so reading the last one requires unpacking all others. Members
// beyond that are judged by name, and archives among them are held; a
// configured scanner unpacks them.
func inspect7z(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	return newInspection(s, facts).sevenZip(s, t, 0)
}

func (z *inspection) sevenZip(s *filetype.Source, t filetype.Type, depth int) *filetype.Problem {
	if depth > filetype.MaxDepth {
		return tooDeep()
	}
	header, p := sevenHeaderOf(s, t)
	switch {
	case p != nil:
		return p
	case header == nil: // an empty archive
		if s.Size > sevenStart {
			z.facts.HoldAbout(filetype.HoldHiddenData, "behind the header")
		}
		return nil
	}
	if end := sevenStart + int64(filetype.LittleEndian.Uint64(s.Head[12:])) + int64(len(header)); end < s.Size {
		z.facts.HoldAbout(filetype.HoldHiddenData, "behind the directory")
	}
	return z.sevenHeader(s, header, depth)
}

// sevenStart is where the packed streams begin.
const sevenStart = 32

// sevenHeaderOf reads the directory as it lies; nil of an archive of nothing.
func sevenHeaderOf(s *filetype.Source, t filetype.Type) ([]byte, *filetype.Problem) {
	h := s.Head
	if !bytes.HasPrefix(h, []byte(filetype.SevenMagic)) {
		return nil, filetype.NotThe(s, t)
	}
	if len(h) < sevenStart || crc32.ChecksumIEEE(h[12:sevenStart]) != filetype.LittleEndian.Uint32(h[8:]) {
		return nil, filetype.Damaged(t)
	}
	off, size := filetype.LittleEndian.Uint64(h[12:]), filetype.LittleEndian.Uint64(h[20:])
	if room := uint64(s.Size - sevenStart); off > room || size > room-off {
		return nil, filetype.Damaged(t)
	}
	switch {
	case size == 0:
		return nil, nil
	case size > filetype.MaxDirectory:
		return nil, archive.TooManyEntries()
	}
	header := s.Bytes(sevenStart+int64(off), int(size))
	if crc32.ChecksumIEEE(header) != filetype.LittleEndian.Uint32(h[28:]) {
		return nil, filetype.Damaged(t)
	}
	return header, nil
}

// sevenHeader judges the directory. It unpacks a packed one.
func (z *inspection) sevenHeader(s *filetype.Source, header []byte, depth int) *filetype.Problem {
	for level := 0; ; level++ {
		a, ok := archive.ReadSeven(header)
		switch {
		case ok && a.Encrypted():
			z.facts.Encrypted = true
			z.facts.HoldFor(filetype.HoldEncryptedArchive)
		case a.Crowded:
			return archive.TooManyEntries()
		case !ok, level > 2:
			z.facts.HoldAbout(filetype.HoldNotFullyInspected, "the directory")
			return nil
		}
		if !a.PackedHeader {
			return z.sevenMembers(s, a, depth)
		}
		if a.Encrypted() {
			return nil
		}
		if header, ok = z.sevenUnpacked(s, a); !ok {
			z.facts.HoldAbout(filetype.HoldNotFullyInspected, "the directory")
			return nil
		}
	}
}

// sevenUnpacked unpacks a directory of at most filetype.MaxDirectory bytes.
func (z *inspection) sevenUnpacked(s *filetype.Source, a *archive.SevenArchive) ([]byte, bool) {
	if len(a.Folders) != 1 || a.Folders[0].Size() > filetype.MaxDirectory {
		return nil, false
	}
	f := a.Folders[0]
	r, ok := z.sevenFolder(s, a, 0)
	if !ok {
		return nil, false
	}
	p, err := io.ReadAll(z.nested.Reader(io.LimitReader(r, f.Size()),
		filetype.OpenPrice+filetype.Allowance(f.Size()/4)))
	return p, err == nil && int64(len(p)) == f.Size()
}

// sevenMembers judges each member by the directory, and then by its content
// where possible.
func (z *inspection) sevenMembers(s *filetype.Source, a *archive.SevenArchive, depth int) *filetype.Problem {
	u := &unpacking{facts: z.facts, list: depth == 0, all: &z.tally}
	for _, m := range a.Members {
		if m.Link {
			return linkProblem(m.Name)
		}
		if p := u.add(m.Name, m.Dir, -1, m.Size); p != nil {
			return p
		}
		if ratioTooHigh(s.Size, u.unpacked) {
			return bomb().SetContext(m.Name)
		}
	}
	for i, m := range placed(a) {
		u.seal(i, !m.readable && m.Size > 0)
	}
	members := a.Members
	for i, f := range a.Folders {
		var r io.Reader
		if z.solid > 0 && !a.EncryptedFolder(i) {
			if content, ok := z.sevenFolder(s, a, i); ok {
				r = z.solid.Reader(content, filetype.OpenPrice)
			}
		}
		for n := f.Members; n > 0; members = members[1:] {
			m := members[0]
			if m.Empty {
				continue
			}
			n--
			if p := z.sevenMember(r, m, a.EncryptedFolder(i), depth); p != nil {
				return p
			}
		}
	}
	return nil
}

// sevenMember inspects the next member in r. r is nil if the folder cannot be
// read.
func (z *inspection) sevenMember(r io.Reader, m archive.SevenMember, encrypted bool, depth int) *filetype.Problem {
	if encrypted || m.Size == 0 {
		return nil
	}
	var head []byte
	body := io.Reader(bytes.NewReader(nil))
	if r != nil {
		body = io.LimitReader(r, m.Size)
		head = make([]byte, min(filetype.PeekBytes, m.Size))
		n, _ := io.ReadFull(body, head)
		head = head[:n]
	}
	if len(head) == 0 {
		if archiveName(m.Name) {
			z.facts.HoldAbout(filetype.HoldNotFullyInspected, m.Name)
		}
		return nil
	}
	if p := refuseHidden(m.Name, head); p != nil {
		return p
	}
	switch what := filetype.FormOf(m.Name, head); what {
	case filetype.FormOther:
	case filetype.FormSealed:
		z.facts.HoldAbout(filetype.HoldNotFullyInspected, m.Name)
	default:
		inner, ok := z.memory(io.MultiReader(bytes.NewReader(head), body))
		switch {
		case ok && inner.Size == m.Size:
			if p := z.enter(m.Name, what, inner, depth+1); p != nil {
				return p
			}
		case mayCarryPrograms(what):
			z.facts.HoldAbout(filetype.HoldNotFullyInspected, m.Name)
		}
	}
	io.Copy(io.Discard, body)
	return nil
}

// archiveName reports whether a name is that of an archive, for members whose
// bytes cannot be read.
func archiveName(name string) bool {
	t, ok := filetype.ByExt(name)
	return ok && t.Kind == filetype.Archive || filetype.FormOf(name, []byte{0}) == filetype.FormSealed
}

// sevenFolder returns a reader of an unpacked folder. It reports false if the
// packing is not supported.
func (z *inspection) sevenFolder(s *filetype.Source, a *archive.SevenArchive, i int) (io.Reader, bool) {
	f := a.Folders[i]
	at, packed, ok := a.Packed(i, s.Size)
	if !ok || len(f.Coders) == 0 || len(f.Coders) > 2 {
		return nil, false
	}
	r := io.Reader(s.Section(at, packed))
	// The filters for program code change only operands, so a beginning is
	// recognizable behind them too.
	last := f.Coders[len(f.Coders)-1]
	if len(f.Coders) == 2 && !branchFilters[f.Coders[0].ID] {
		if !branchFilters[last.ID] {
			return nil, false
		}
		last = f.Coders[0]
	}
	return open(last, bufio.NewReaderSize(r, filetype.ChunkBytes), f.Size())
}

var branchFilters = map[string]bool{
	"\x04": true, "\x05": true, "\x06": true, "\x07": true, "\x08": true, "\x09": true, "\x0a": true, "\x0b": true,
	"\x03\x03\x01\x03": true, "\x03\x03\x02\x05": true, "\x03\x03\x04\x01": true, "\x03\x03\x05\x01": true,
	"\x03\x03\x07\x01": true, "\x03\x03\x08\x05": true,
}

// open returns a reader that decodes a coder's output. The dictionary is never
// larger than the unpacked size.
func open(c archive.SevenCoder, r io.Reader, size int64) (io.Reader, bool) {
	dictionary := func(stated int64) int64 { return max(min(stated, size, filetype.MaxSolid), lzma.MinDictCap) }
	switch c.ID {
	case archive.SevenCopy:
		return r, true
	case archive.SevenLZMA:
		if len(c.Props) != 5 {
			return nil, false
		}
		head := make([]byte, 13)
		head[0] = c.Props[0]
		asked := filetype.LittleEndian.Uint32([]byte(c.Props[1:]))
		binary.LittleEndian.PutUint32(head[1:], uint32(dictionary(int64(asked))))
		binary.LittleEndian.PutUint64(head[5:], uint64(size))
		whole := bufio.NewReader(io.MultiReader(bytes.NewReader(head), r))
		z, err := lzma.ReaderConfig{DictCap: filetype.MaxSolid}.NewReader(whole)
		return z, err == nil
	case archive.SevenLZMA2:
		if len(c.Props) != 1 || c.Props[0] > 40 {
			return nil, false
		}
		stated := int64(2|c.Props[0]&1) << (c.Props[0]/2 + 11)
		z, err := lzma.Reader2Config{DictCap: int(dictionary(stated))}.NewReader2(r)
		return z, err == nil
	case archive.SevenDeflate:
		return flate.NewReader(r), true
	case archive.SevenBzip2:
		return bzip2.NewReader(r), true
	}
	return nil, false
}
