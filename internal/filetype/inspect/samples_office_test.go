package inspect

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path"
	"strings"
	"unicode/utf16"

	"vitrine/internal/filetype"
)

// stored is a storage or stream of a compound file sample. The name of one that
// is not at the top begins with the storages that it is in, as in "Macros/VBA".
type stored struct {
	name  string
	kind  byte // 1 storage, 2 stream
	data  []byte
	class string // of a storage
}

func stream(name string, data string) stored { return stored{name, 2, []byte(data), ""} }
func storage(name string) stored             { return stored{name, 1, nil, ""} }

// oleFile returns a compound file with 512-byte sectors. Streams below 4096
// bytes are in its mini stream.
func oleFile(entries ...stored) []byte { return oleFileClass(nil, entries...) }

func oleFileClass(class []byte, entries ...stored) []byte {
	const end, free = 0xfffffffe, 0xffffffff
	var sectors [][]byte
	var fat []uint32
	put := func(p []byte) uint32 { // writes a chain of sectors
		first := uint32(len(fat))
		for n := (len(p) + 511) / 512; n > 0; n-- {
			k := min(512, len(p))
			sectors = append(sectors, pad(bytes.Clone(p[:k]), 512))
			p = p[k:]
			next := uint32(len(fat) + 1)
			if n == 1 {
				next = end
			}
			fat = append(fat, next)
		}
		return first
	}
	var directory buf
	// The entries of a storage are a list: each has the next one on its right.
	next, first := make([]uint32, len(entries)+1), make([]uint32, len(entries)+1)
	last := map[string]int{}
	for i := range next {
		next[i], first[i] = free, free
	}
	for i, e := range entries {
		folder, parent := path.Dir(e.name), -1 // in no storage
		if folder == "." {
			parent = 0
		}
		for j, f := range entries {
			if f.name == folder {
				parent = j + 1
			}
		}
		if before, ok := last[folder]; ok {
			next[before] = uint32(i + 1)
		} else if parent >= 0 {
			first[parent] = uint32(i + 1)
		}
		last[folder] = i + 1
	}
	add := func(i int, name string, kind byte, class []byte, start uint32, size int) {
		units := utf16.Encode([]rune(path.Base(name)))
		var e buf
		e.le(units)
		e.Write(make([]byte, 64-2*len(units)))
		e.le(uint16(2*len(units)+2), kind, byte(1), uint32(free), next[i], first[i])
		e.Write(pad(bytes.Clone(class), 16))
		e.Write(make([]byte, 20))
		e.le(start, uint64(size))
		directory.Write(e.Bytes())
	}
	var mini bytes.Buffer
	var miniFAT []uint32
	starts := make([]uint32, len(entries))
	for i, s := range entries {
		switch {
		case s.kind != 2 || len(s.data) == 0:
			starts[i] = end
		case len(s.data) >= 4096:
			starts[i] = put(s.data)
		default:
			starts[i] = uint32(len(miniFAT))
			for p := s.data; len(p) > 0; p = p[min(64, len(p)):] {
				mini.Write(pad(bytes.Clone(p[:min(64, len(p))]), 64))
				miniFAT = append(miniFAT, uint32(len(miniFAT)+1))
			}
			miniFAT[len(miniFAT)-1] = end
		}
	}
	root, miniTable := uint32(end), uint32(end)
	if len(miniFAT) > 0 {
		root = put(mini.Bytes())
		table := new(bytes.Buffer)
		binary.Write(table, binary.LittleEndian, miniFAT)
		miniTable = put(table.Bytes())
	}
	add(0, "Root Entry", 5, class, root, mini.Len())
	for i, s := range entries {
		add(i+1, s.name, s.kind, []byte(s.class), starts[i], len(s.data))
	}
	dir := put(directory.Bytes())
	count := len(fat)/127 + 1
	var h buf
	h.str(filetype.OleMagic).Write(make([]byte, 16))
	h.le(uint16(0x3e), uint16(3), uint16(0xfffe), uint16(9), uint16(6), uint16(0), uint32(0), uint32(0), uint32(count))
	h.le(dir, uint32(0), uint32(4096), miniTable, uint32(1), uint32(end), uint32(0))
	for i := range 109 {
		if i < count {
			h.le(uint32(len(fat) + i))
		} else {
			h.le(uint32(free))
		}
	}
	for range count {
		fat = append(fat, 0xfffffffd)
	}
	for len(fat) < count*128 {
		fat = append(fat, free)
	}
	h.Write(bytes.Join(sectors, nil))
	h.le(fat)
	return h.Bytes()
}

var filler = strings.Repeat("text ", 1000)

// fib returns the beginning of a Word stream.
func fib(flags uint16) string {
	var b buf
	b.le(uint16(0xa5ec), uint16(0xc1), uint16(0), uint16(0), uint16(0), flags).Write(make([]byte, 20))
	return b.String() + filler
}

// biff returns a workbook stream of records.
func biff(records ...string) string {
	var b buf
	b.le(uint16(0x809), uint16(4)).str("\x00\x06\x05\x00")
	for _, r := range records {
		b.str(r)
	}
	b.le(uint16(0x0a), uint16(0)).str(filler)
	return b.String()
}

func boundSheet(kind byte) string {
	var b buf
	b.le(uint16(0x85), uint16(10), uint32(0), byte(0), kind).str("\x02\x00Sh")
	return b.String()
}

// pptRecord returns a record of a presentation. Containers have others in their
// body.
func pptRecord(version, typ uint16, body string) string {
	var b buf
	b.le(version, typ, uint32(len(body))).str(body)
	return b.String()
}

func pptStream(macros uint32, objects ...string) string {
	var vba buf
	vba.le(uint32(1), macros, uint32(2))
	info := pptRecord(0x0f, 0x3ff, pptRecord(2, 0x400, vba.String()))
	return pptRecord(0x0f, 0x3e8, pptRecord(1, 0x3e9, filler)+pptRecord(0x0f, 0x7d0, info)) + strings.Join(objects, "")
}

// ooxmlFile returns a package of a format with additional parts. extra is added
// to its content types.
func ooxmlFile(ext, extra string, parts ...member) []byte {
	main := map[string][2]string{
		"docx": {"word/document.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"},
		"xlsx": {"xl/workbook.xml", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"},
		"pptx": {"ppt/presentation.xml", "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"},
	}[ext]
	types := fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">`+
		`<Default Extension="xml" ContentType="application/xml"/><Override PartName="/%s" ContentType="%s"/>%s</Types>`,
		main[0], main[1], extra)
	return zipFile(append([]member{{name: "[Content_Types].xml", data: types}, {name: "_rels/.rels", data: "<x/>"},
		{name: main[0], data: "<x/>"}}, parts...)...)
}

func packageFile(mime string, parts ...member) []byte {
	return zipFile(append([]member{{name: "mimetype", data: mime, store: true}}, parts...)...)
}

const (
	odtMIME  = "application/vnd.oasis.opendocument.text"
	odsMIME  = "application/vnd.oasis.opendocument.spreadsheet"
	odpMIME  = "application/vnd.oasis.opendocument.presentation"
	epubMIME = "application/epub+zip"
)
