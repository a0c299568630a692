package inspect

import (
	"archive/tar"
	"bytes"
	"compress/flate"
	"hash/crc32"
	"strings"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"

	"github.com/ulikunitz/xz/lzma"
)

// peProgram returns the beginning of a Windows program.
func peProgram() string {
	p := append(pad([]byte("MZ\x90\x00\x03"), 0x3c), "\x80\x00\x00\x00"...)
	return string(pad(p, 0x200))
}

const elfProgram = "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// zipOf returns a ZIP of one file.
func zipOf(name, data string) []byte { return zipFile(member{name: name, data: data}) }

// rawDeflate compresses data for a ZIP.
func rawDeflate(data []byte) string {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression)
	w.Write(data)
	w.Close()
	return b.String()
}

// tarOf returns a tar of one file.
func tarOf(name, data string) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(data))})
	w.Write([]byte(data))
	w.Close()
	return b.Bytes()
}

// sevenFile is a member of a 7z sample.
type sevenFile struct {
	name, data string
	attributes uint32
	dir        bool
}

// sevenOptions say how a 7z sample is compressed.
type sevenOptions struct {
	coder   string // "copy", "lzma", "lzma2", or an id with properties, with stored content
	pack    bool   // the directory is compressed with LZMA
	claimed uint64 // size of the only member; 0 for its own
}

func sevenOf(files ...sevenFile) []byte { return sevenWith(sevenOptions{coder: "copy"}, files...) }

func sevenWith(o sevenOptions, files ...sevenFile) []byte {
	var content, names, attributes, empty buf
	var sizes []uint64
	emptyBits, dirs := make([]byte, (len(files)+7)/8), 0
	for i, f := range files {
		if f.dir {
			emptyBits[i/8] |= 0x80 >> (i % 8)
			dirs++
		} else {
			content.str(f.data)
			sizes = append(sizes, uint64(len(f.data)))
		}
		names.le(encodeUTF16(f.name), uint16(0))
		attributes.le(f.attributes)
	}
	total := uint64(content.Len())
	if o.claimed > 0 {
		total = o.claimed
	}
	packed, coder := sevenPack(o.coder, content.Bytes())
	var h buf
	h.str("\x01\x04").str(sevenStreamsOf(0, uint64(len(packed)), total, coder))
	h.str("\x08\x0d").number(uint64(len(sizes)))
	if len(sizes) > 1 {
		h.str("\x09")
		for _, n := range sizes[:len(sizes)-1] {
			h.number(n)
		}
	}
	h.str("\x00\x00\x05").number(uint64(len(files)))
	property := func(id byte, body string) { h.le(id).number(uint64(len(body))).str(body) }
	if dirs > 0 {
		empty.Write(emptyBits)
		property(archive.SevenEmptyStream, empty.String())
	}
	property(archive.SevenNames, "\x00"+names.String())
	property(archive.SevenAttributes, "\x01\x00"+attributes.String())
	h.str("\x00\x00")
	if !o.pack {
		return sevenFileOf(packed, h.Bytes())
	}
	packedHeader, coder := sevenPack("lzma", h.Bytes())
	at := uint64(len(packed))
	encoded := "\x17" + sevenStreamsOf(at, uint64(len(packedHeader)), uint64(h.Len()), coder) + "\x00"
	return sevenFileOf(append(packed, packedHeader...), []byte(encoded))
}

// sevenStreamsOf returns one folder with one coder.
func sevenStreamsOf(at, packed, unpacked uint64, coder string) string {
	var b buf
	b.str("\x06").number(at).str("\x01\x09").number(packed).str("\x00")
	b.str("\x07\x0b\x01\x00\x01").str(coder).str("\x0c").number(unpacked).str("\x00")
	return b.String()
}

func sevenFileOf(packed, directory []byte) []byte {
	var start, b buf
	start.le(uint64(len(packed)), uint64(len(directory)), crc32.ChecksumIEEE(directory))
	b.str("7z\xbc\xaf\x27\x1c\x00\x04").le(crc32.ChecksumIEEE(start.Bytes())).str(start.String()).str(string(packed)).str(string(directory))
	return b.Bytes()
}

// sevenPack compresses data and returns the coder.
func sevenPack(coder string, p []byte) (packed []byte, stated string) {
	var b bytes.Buffer
	switch coder {
	case "copy":
		return p, "\x01\x00"
	case "lzma":
		w, err := lzma.WriterConfig{SizeInHeader: true, Size: int64(len(p))}.NewWriter(&b)
		if err != nil {
			panic(err)
		}
		w.Write(p)
		w.Close()
		return b.Bytes()[13:], "\x23\x03\x01\x01\x05" + b.String()[:5]
	case "lzma2":
		w, err := lzma.NewWriter2(&b)
		if err != nil {
			panic(err)
		}
		w.Write(p)
		w.Close()
		return b.Bytes(), "\x21\x21\x01\x16"
	}
	return p, coder
}

// number writes 7z's variable-length number, either in its shortest or in its
// longest form.
func (b *buf) number(n uint64) *buf {
	if n < 0x80 {
		return b.le(byte(n))
	}
	return b.le(byte(0xff), n)
}

// Coders that a sample only names.
const (
	sevenStatesAES  = "\x24\x06\xf1\x07\x01\x02\x00\x00"
	sevenStatesPPMd = "\x23\x03\x04\x01\x05\x06\x00\x00\x10\x00"
)

// vint writes RAR 5's variable-length number.
func (b *buf) vint(n uint64) *buf {
	for ; n >= 0x80; n >>= 7 {
		b.le(byte(n) | 0x80)
	}
	return b.le(byte(n))
}

// rarMember is a member of a RAR sample.
type rarMember struct {
	name, data string
	size       uint64 // unpacked size; 0 for that of data
	packed     bool   // compressed, not stored
	extra      string // extra records
	flags      uint64 // additional flags of the header
	mode       uint64
	service    bool
}

func rar5Of(members ...rarMember) []byte { return rar5With(0, members...) }

func rar5With(archiveFlags uint64, members ...rarMember) []byte {
	var b buf
	b.str(filetype.Rar5Magic)
	block := func(body string) {
		var size buf
		size.vint(uint64(len(body)))
		b.le(crc32.ChecksumIEEE([]byte(size.String() + body))).str(size.String() + body)
	}
	block(new(buf).vint(1).vint(0).vint(archiveFlags).String())
	for _, m := range members {
		var h buf
		typ, flags := uint64(2), m.flags|2
		if m.service {
			typ = 3
		}
		if m.extra != "" {
			flags |= 1
		}
		h.vint(typ).vint(flags)
		if m.extra != "" {
			h.vint(uint64(len(m.extra)))
		}
		size, method := m.size, uint64(0)
		if size == 0 {
			size = uint64(len(m.data))
		}
		if m.packed {
			method = 3 << 7
		}
		mode := m.mode
		if mode == 0 {
			mode = 0o100644
		}
		h.vint(uint64(len(m.data))).vint(0).vint(size).vint(mode).vint(method).vint(1).vint(uint64(len(m.name))).str(m.name + m.extra)
		block(h.String())
		b.str(m.data)
	}
	block(new(buf).vint(5).vint(0).vint(0).String())
	return b.Bytes()
}

// rar5Record returns a record of the extra area.
func rar5Record(typ uint64, body string) string {
	var b, all buf
	b.vint(typ).str(body)
	return all.vint(uint64(b.Len())).str(b.String()).String()
}

// rar5Link redirects a member to another path.
func rar5Link(kind uint64, to string) string {
	return rar5Record(5, new(buf).vint(kind).vint(0).vint(uint64(len(to))).str(to).String())
}

// rar4Of returns a RAR 4 of one stored member.
func rar4Of(system byte, mode uint32, flags uint16, name, data string) []byte {
	var b buf
	b.str(filetype.Rar4Magic).le(uint16(0), byte(0x73), uint16(0), uint16(13), uint16(0), uint32(0))
	b.le(uint16(0), byte(0x74), flags|0x8000, uint16(32+len(name)), uint32(len(data)), uint32(len(data)), system,
		uint32(0), uint32(0), byte(29), byte(0x30),
		uint16(len(name)), mode).str(name + data)
	b.le(uint16(0), byte(0x7b), uint16(0), uint16(7))
	return b.Bytes()
}

// noise returns n bytes that no method can compress.
func noise(n int) string {
	p := make([]byte, n)
	x := uint32(1)
	for i := range p {
		x = x*1664525 + 1013904223
		p[i] = byte(x >> 24)
	}
	return string(p)
}

// behind appends a second file to a first one.
func behind(first, second []byte) []byte { return append(bytes.Clone(first), second...) }

// patched changes a sample at the first occurrence of a mark.
func patched(p []byte, mark string, at int, with string) []byte {
	i := bytes.Index(p, []byte(mark))
	copy(p[i+at:], with)
	return p
}

// nestedIn nests a file in n archives.
func nestedIn(n int, p []byte, wrap func([]byte) []byte) []byte {
	for range n {
		p = wrap(p)
	}
	return p
}

// paxTar names a member differently for readers with and without support for
// PAX headers.
func paxTar(known, other string) []byte {
	long := known + strings.Repeat("x", 101)
	p := tarFile(tar.Header{Name: long, Size: 3, PAXRecords: map[string]string{"comment": "x"}, Format: tar.FormatPAX})
	p = bytes.ReplaceAll(p, []byte(long), []byte(known+strings.Repeat("y", 101)))
	h := p[1024:1536]
	copy(h, pad([]byte(other), 100))
	copy(h[148:], "        ")
	sum := 0
	for _, c := range h {
		sum += int(c)
	}
	copy(h[148:], padOctal(sum))
	return p
}

func padOctal(n int) string {
	const digits = "01234567"
	var b [8]byte
	for i := 5; i >= 0; i-- {
		b[i], n = digits[n&7], n>>3
	}
	b[6], b[7] = 0, ' '
	return string(b[:])
}
