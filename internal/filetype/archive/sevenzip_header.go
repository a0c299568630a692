package archive

import (
	"unicode/utf16"

	"vitrine/internal/filetype"
)

// SevenArchive is the directory of a 7z archive. A packed directory is itself
// described as an archive with one member.
type SevenArchive struct {
	PackedHeader bool
	Crowded      bool    // has more members than are read
	start        int64   // of the packed streams, after the signature header
	packs        []int64 // sizes of the packed streams
	Folders      []sevenFolder
	sizes        []int64 // unpacked, of the members with content
	Members      []SevenMember
}

// sevenFolder is a group of members that are packed together.
type sevenFolder struct {
	Coders  []SevenCoder
	outs    []int64 // sizes of the coders' outputs
	main    int     // the output that has the folder's content
	packs   int     // number of packed streams
	Members int
	summed  bool // has a checksum
}

// SevenCoder is a step of decompression in a folder of a 7-Zip archive.
type SevenCoder struct {
	ID, Props string
	ins, outs int
}

// SevenMember is an entry of a 7-Zip archive.
type SevenMember struct {
	Name             string
	Size             int64
	Dir, Empty, Link bool
}

func (f sevenFolder) Size() int64 {
	if f.main < len(f.outs) {
		return f.outs[f.main]
	}
	return 0
}

// EncryptedFolder reports whether the i-th folder of packed bytes is encrypted.
func (a *SevenArchive) EncryptedFolder(i int) bool {
	for _, c := range a.Folders[i].Coders {
		if c.ID == sevenAES {
			return true
		}
	}
	return false
}

// Encrypted reports whether any folder is.
func (a *SevenArchive) Encrypted() bool {
	for i := range a.Folders {
		if a.EncryptedFolder(i) {
			return true
		}
	}
	return false
}

// Packed returns the position of the only stream of a folder.
func (a *SevenArchive) Packed(i int, size int64) (at, n int64, ok bool) {
	first := 0
	for _, f := range a.Folders[:i] {
		first += f.packs
	}
	if a.Folders[i].packs != 1 || first >= len(a.packs) {
		return 0, 0, false
	}
	at = 32 + a.start
	for _, p := range a.packs[:first] {
		at += p
	}
	n = a.packs[first]
	return at, n, at >= 32 && at <= size && n <= size-at
}

// maxCoders is the limit of the format.
const maxCoders = 32

// The property IDs of a directory.
const (
	sevenEnd = iota
	sevenHeader
	sevenArchiveProperties
	sevenAdditional
	sevenMain
	sevenFiles
	sevenPackInfo
	sevenUnpackInfo
	sevenSubStreams
	sevenSize
	sevenCRC
	sevenFolderID
	sevenOutSizes
	sevenStreams
	SevenEmptyStream
	sevenEmptyFile
	sevenAnti
	SevenNames
	sevenCreated
	sevenAccessed
	sevenModified
	SevenAttributes
	sevenComment
	sevenEncoded
)

// ReadSeven parses a directory. It reports false if the directory is
// inconsistent or has unsupported parts.
func ReadSeven(p []byte) (a *SevenArchive, ok bool) {
	a, r := new(SevenArchive), &sevenReader{p: p}
	switch r.byte() {
	case sevenEncoded:
		a.PackedHeader = true
		return a, a.streams(r) && !r.failed
	case sevenHeader:
	default:
		return a, false
	}
	for {
		switch r.byte() {
		case sevenEnd:
			return a, !r.failed && a.complete()
		case sevenArchiveProperties:
			for !r.failed && r.byte() != sevenEnd {
				r.bytes(r.number())
			}
		case sevenMain:
			if !a.streams(r) {
				return a, false
			}
		case sevenFiles:
			if !a.files(r) {
				return a, false
			}
		default: // additional streams, which no program writes
			return a, false
		}
	}
}

// complete reports whether the folders have as many members as there are names.
func (a *SevenArchive) complete() bool {
	in := 0
	for _, f := range a.Folders {
		in += f.Members
	}
	for _, m := range a.Members {
		if !m.Empty {
			in--
		}
	}
	return in == 0
}

func (a *SevenArchive) streams(r *sevenReader) bool {
	for !r.failed {
		switch r.byte() {
		case sevenEnd:
			if a.sizes == nil {
				a.oneEach()
			}
			return true
		case sevenPackInfo:
			a.packInfo(r)
		case sevenUnpackInfo:
			if !a.unpackInfo(r) {
				return false
			}
		case sevenSubStreams:
			a.subStreams(r)
		default:
			return false
		}
	}
	return false
}

func (a *SevenArchive) packInfo(r *sevenReader) {
	a.start = r.number()
	n := r.count()
	for !r.failed {
		switch r.byte() {
		case sevenEnd:
			return
		case sevenSize:
			for range n {
				a.packs = append(a.packs, r.number())
			}
		case sevenCRC:
			r.digests(n)
		default:
			r.failed = true
		}
	}
}

func (a *SevenArchive) unpackInfo(r *sevenReader) bool {
	if r.byte() != sevenFolderID {
		return false
	}
	n := r.count()
	if r.byte() != 0 || len(a.Folders) > 0 { // external
		return false
	}
	for range n {
		f, ok := readFolder(r)
		if !ok {
			return false
		}
		a.Folders = append(a.Folders, f)
	}
	for !r.failed {
		switch r.byte() {
		case sevenEnd:
			return true
		case sevenOutSizes:
			for i := range a.Folders {
				f := &a.Folders[i]
				for _, c := range f.Coders {
					for range c.outs {
						f.outs = append(f.outs, r.number())
					}
				}
			}
		case sevenCRC:
			for i, there := range r.digests(n) {
				a.Folders[i].summed = there
			}
		default:
			return false
		}
	}
	return false
}

func readFolder(r *sevenReader) (f sevenFolder, ok bool) {
	n := r.count()
	if n < 1 || n > maxCoders {
		return f, false
	}
	ins, outs := 0, 0
	for range n {
		flags := r.byte()
		c := SevenCoder{ins: 1, outs: 1, ID: string(r.bytes(int64(flags & 15)))}
		if flags&0x10 != 0 {
			c.ins, c.outs = r.count(), r.count()
		}
		if flags&0x20 != 0 {
			c.Props = string(r.bytes(r.number()))
		}
		if flags&0xc0 != 0 || c.ins > maxCoders || c.outs > maxCoders {
			return f, false
		}
		ins, outs = ins+c.ins, outs+c.outs
		f.Coders = append(f.Coders, c)
	}
	if ins > maxCoders || outs < 1 || outs > maxCoders || ins < outs-1 {
		return f, false
	}
	bound := map[int64]bool{}
	for range outs - 1 {
		r.number()
		bound[r.number()] = true
	}
	for i := range outs {
		if !bound[int64(i)] {
			f.main = i
		}
	}
	if f.packs = ins - (outs - 1); f.packs > 1 {
		for range f.packs {
			r.number()
		}
	}
	f.Members = 1
	return f, !r.failed
}

// oneEach applies the default: one member in every folder.
func (a *SevenArchive) oneEach() {
	for _, f := range a.Folders {
		a.sizes = append(a.sizes, f.Size())
	}
}

func (a *SevenArchive) subStreams(r *sevenReader) {
	typ := r.byte()
	if typ == sevenStreams {
		for i := range a.Folders {
			n := r.number()
			if n > filetype.MaxEntries {
				a.Crowded, r.failed = true, true
				return
			}
			a.Folders[i].Members = int(n)
		}
		typ = r.byte()
	}
	explicit := typ == sevenSize
	a.sizes = []int64{}
	unsummed := 0
	for _, f := range a.Folders {
		if len(a.sizes)+f.Members > filetype.MaxEntries {
			a.Crowded, r.failed = true, true
			return
		}
		if f.Members != 1 || !f.summed {
			unsummed += f.Members
		}
		if f.Members > 1 && !explicit {
			r.failed = true
			return
		}
		rest := f.Size()
		for i := range f.Members {
			if r.failed {
				return
			}
			size := rest
			if i < f.Members-1 {
				size = r.number()
			}
			if rest -= size; rest < 0 {
				r.failed = true
				return
			}
			a.sizes = append(a.sizes, size)
		}
	}
	if explicit {
		typ = r.byte()
	}
	if typ == sevenCRC {
		r.digests(unsummed)
		typ = r.byte()
	}
	r.failed = r.failed || typ != sevenEnd
}

// files reads names and attributes.
func (a *SevenArchive) files(r *sevenReader) bool {
	n := r.number()
	if n > filetype.MaxEntries {
		a.Crowded = true
		return false
	}
	if n > int64(len(r.p))/2 { // each has a name
		return false
	}
	a.Members = make([]SevenMember, n)
	var empty []int // members without content
	for !r.failed {
		id := r.byte()
		if id == sevenEnd {
			return a.fill(empty)
		}
		p := &sevenReader{p: r.bytes(r.number())}
		switch id {
		case SevenEmptyStream:
			for i, set := range p.bits(int(n)) {
				if a.Members[i].Empty = set; set {
					empty = append(empty, i)
				}
			}
		case sevenEmptyFile:
			file := p.bits(len(empty))
			for i, at := range empty {
				a.Members[at].Dir = !file[i]
			}
			empty = nil
		case SevenNames:
			if p.byte() != 0 || !a.names(p.p) {
				return false
			}
		case SevenAttributes:
			there := p.defined(int(n))
			if p.byte() != 0 {
				return false
			}
			for i, set := range there {
				if set && !a.attributes(&a.Members[i], p.bytes(4)) {
					return false
				}
			}
		case sevenAnti: // deletes a file when unpacked
			return false
		}
	}
	return false
}

// fill assigns sizes to the members. A member without content is a folder
// unless it is marked as a file.
func (a *SevenArchive) fill(empty []int) bool {
	for _, i := range empty {
		a.Members[i].Dir = true
	}
	sizes := a.sizes
	for i := range a.Members {
		if m := &a.Members[i]; !m.Empty {
			if len(sizes) == 0 {
				return false
			}
			m.Size, sizes = sizes[0], sizes[1:]
		}
	}
	return len(sizes) == 0
}

// names reads one UTF-16 name for each member, each ending with a zero.
func (a *SevenArchive) names(p []byte) bool {
	for i := range a.Members {
		var name []uint16
		for {
			if len(p) < 2 {
				return false
			}
			c := filetype.LittleEndian.Uint16(p)
			if p = p[2:]; c == 0 {
				break
			}
			name = append(name, c)
		}
		a.Members[i].Name = string(utf16.Decode(name))
	}
	return len(p) == 0
}

// attributes reads Windows attributes. Their upper half has the Unix mode.
func (a *SevenArchive) attributes(m *SevenMember, p []byte) bool {
	if len(p) < 4 {
		return false
	}
	v := filetype.LittleEndian.Uint32(p)
	const reparse, unix = 0x400, 0x8000
	m.Link = v&reparse != 0 || v&unix != 0 && !IsPlainMode(v>>16)
	return true
}
