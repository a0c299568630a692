// Package archive reads the directories of files that contain files: ZIP, 7z
// and RAR archives, and the compound files of old Office documents.
package archive

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"strings"

	"vitrine/internal/filetype"
)

// ZipMember is one entry of a ZIP's directory.
type ZipMember struct {
	Name      string // in UTF-8 if that could be found out, with slashes as separators
	Stored    string // the bytes of the name
	Encrypted bool
	Method    uint16
	Packed    int64
	Unpacked  int64
	Header    int64 // position of its local header
	Data      int64 // position of its bytes
	Crc       uint32
	flags     uint16
	Mode      uint32
	Start     []byte        // the first filetype.PeekBytes, packed, until they are inspected
	Form      filetype.Form // how to inspect it, according to its first bytes
}

func (m *ZipMember) Dir() bool { return strings.HasSuffix(m.Name, "/") }

// zipDirectory is the position of a ZIP's directory according to the end
// record.
type zipDirectory struct {
	offset, Size int64
	Entries      uint64
	wrapped      bool // entries is known only modulo 65536
	twice        bool // the comment contains another end record, where some programs stop searching
}

var (
	errNotZIP        = errors.New("no ZIP directory")
	errHuge          = errors.New("ZIP directory over the bound")
	errTwoEndRecords = errors.New("a second end record in the comment")
)

// maxPadding is how many blanks and zeros may follow the end record: mail
// gateways and forms add a line, and tapes fill a block. Programs look for the
// record in the last 64 KiB.
const maxPadding = 32 * filetype.KiB

// IsPadding reports whether bytes behind the end of an archive are only blanks,
// ends of lines and zeros, in which nothing can hide.
func IsPadding(p []byte) bool { return len(bytes.Trim(p, " \t\r\n\x00\x1a")) == 0 }

// ZipEndRecord finds the record at the end of the file, before at most as much
// padding as stated, and the directory to which it points. end is where the
// directory should end.
func ZipEndRecord(s *filetype.Source, padding int) (d zipDirectory, end int64, ok bool) {
	start := max(0, s.Size-22-0xffff-int64(padding))
	tail := s.Bytes(start, 22+0xffff+padding)
	ends := func(at int) bool {
		if at+22 > len(tail) {
			return false
		}
		rest := tail[at+22:]
		comment := int(filetype.LittleEndian.Uint16(tail[at+20:]))
		return comment <= len(rest) && len(rest)-comment <= padding && IsPadding(rest[comment:])
	}
	at := bytes.LastIndex(tail, []byte(filetype.ZipEnd))
	for at >= 0 && !ends(at) {
		at = bytes.LastIndex(tail[:at], []byte(filetype.ZipEnd))
	}
	if at < 0 {
		return d, 0, false
	}
	e, end := tail[at:], start+int64(at)
	if disk := filetype.LittleEndian.Uint16(e[4:]); disk != 0 && disk != 0xffff {
		return d, 0, false // part of a multi-volume archive
	}
	d = zipDirectory{int64(filetype.LittleEndian.Uint32(e[16:])), int64(filetype.LittleEndian.Uint32(e[12:])),
		uint64(filetype.LittleEndian.Uint16(e[10:])), true, bytes.Contains(e[22:], []byte(filetype.ZipEnd))}
	if finder := s.Bytes(end-20, 20); len(finder) == 20 && string(finder[:4]) == filetype.Zip64Finder {
		end = int64(filetype.LittleEndian.Uint64(finder[8:]))
		e := s.Bytes(end, 56)
		if len(e) < 56 || string(e[:4]) != filetype.Zip64End {
			return d, 0, false
		}
		d = zipDirectory{int64(filetype.LittleEndian.Uint64(e[48:])), int64(filetype.LittleEndian.Uint64(e[40:])),
			filetype.LittleEndian.Uint64(e[32:]), false, d.twice}
	}
	return d, end, true
}

// readZipDirectory reads the end record. It is strict where programs differ,
// because all programs must see the same files: only padding follows the
// record, the directory ends at the record, and nothing precedes the first
// entry.
func readZipDirectory(s *filetype.Source) (d zipDirectory, err error) {
	if !bytes.HasPrefix(s.Head, []byte(filetype.ZipLocal)) && !bytes.HasPrefix(s.Head, []byte(filetype.ZipEnd)) {
		return d, errNotZIP
	}
	d, end, ok := ZipEndRecord(s, maxPadding)
	switch {
	case !ok:
		return d, errNotZIP
	case d.Size > filetype.MaxDirectory || d.Entries > filetype.MaxEntries:
		return d, errHuge
	case d.offset < 0 || d.Size < 0 || d.offset+d.Size != end:
		return d, errNotZIP
	case d.twice:
		return d, errTwoEndRecords
	}
	return d, nil
}

// ZipMembers calls visit with each entry of the directory until visit returns a
// problem. end is where the members end and the directory begins.
func ZipMembers(s *filetype.Source, t filetype.Type,
	visit func(*ZipMember) *filetype.Problem) (end int64, _ *filetype.Problem) {
	d, err := readZipDirectory(s)
	if errors.Is(err, errHuge) {
		return 0, TooManyEntries()
	}
	if errors.Is(err, errTwoEndRecords) {
		return 0, Contradiction("", "has two directories")
	}
	if err != nil {
		return 0, filetype.NotThe(s, t)
	}
	names := namesOf(s, d)
	r := bufio.NewReaderSize(s.Section(d.offset, d.Size), filetype.ChunkBytes)
	left, count := d.Size, uint64(0)
	for ; left > 0; count++ {
		m, length, alias, ok := ReadMember(r)
		if !ok {
			return 0, filetype.Damaged(t)
		}
		m.Name = names.of(m.Stored, alias)
		if count >= filetype.MaxEntries {
			return 0, TooManyEntries()
		}
		left -= length
		if p := readLocalHeader(s, &m, d.offset, t, names); p != nil {
			return 0, p
		}
		for _, other := range []string{alias, m.Stored} { // some programs read these
			if other == "" || other == m.Name {
				continue
			}
			if p := s.Names(other, m.Dir()); p != nil {
				return 0, p
			}
		}
		if p := visit(&m); p != nil {
			return 0, p
		}
	}
	if count != d.Entries && !(d.wrapped && count&0xffff == d.Entries) {
		return 0, filetype.Damaged(t)
	}
	return d.offset, nil
}

// TooManyEntries refuses an archive whose list of members is too long.
func TooManyEntries() *filetype.Problem {
	return filetype.UnsafeFile(filetype.ReasonTooManyEntries,
		"The archive has more than %d entries, or names beyond reason. Split it.", filetype.MaxEntries)
}

// ReadMember reads an entry of the directory. It returns the entry's length,
// and the second name from an extra field, if there is one.
func ReadMember(r io.Reader) (m ZipMember, length int64, alias string, ok bool) {
	var h [46]byte
	if _, err := io.ReadFull(r, h[:]); err != nil || string(h[:4]) != filetype.ZipEntry {
		return m, 0, "", false
	}
	nameLen, extraLen, commentLen := int(filetype.LittleEndian.Uint16(h[28:])),
		int(filetype.LittleEndian.Uint16(h[30:])), int(filetype.LittleEndian.Uint16(h[32:]))
	rest := make([]byte, nameLen+extraLen+commentLen)
	if _, err := io.ReadFull(r, rest); err != nil {
		return m, 0, "", false
	}
	m = ZipMember{
		Name:      slashed(string(rest[:nameLen])),
		Stored:    string(rest[:nameLen]),
		Encrypted: filetype.LittleEndian.Uint16(h[8:])&(1|1<<6|1<<13) != 0,
		Method:    filetype.LittleEndian.Uint16(h[10:]),
		Packed:    int64(filetype.LittleEndian.Uint32(h[20:])),
		Unpacked:  int64(filetype.LittleEndian.Uint32(h[24:])),
		Crc:       filetype.LittleEndian.Uint32(h[16:]),
		flags:     filetype.LittleEndian.Uint16(h[8:]),
		Header:    int64(filetype.LittleEndian.Uint32(h[42:])),
	}
	if maker := h[5]; maker == 3 || maker == 19 { // Unix, macOS
		m.Mode = filetype.LittleEndian.Uint32(h[38:]) >> 16
	}
	alias = readExtra(rest[nameLen:nameLen+extraLen], &m.Unpacked, &m.Packed, &m.Header)
	ok = m.Packed >= 0 && m.Unpacked >= 0 && m.Header >= 0
	return m, int64(len(h) + len(rest)), alias, ok
}

// readExtra reads the 64-bit numbers of an extra field. It returns the Unicode
// name of Info-ZIP's field, which some programs use to unpack.
func readExtra(p []byte, numbers ...*int64) (alias string) {
	for len(p) >= 4 {
		id, n := filetype.LittleEndian.Uint16(p), int(filetype.LittleEndian.Uint16(p[2:]))
		if p = p[4:]; n > len(p) {
			return alias
		}
		field := p[:n]
		p = p[n:]
		switch id {
		case 0x0001:
			for _, v := range numbers {
				if *v == 0xffffffff && len(field) >= 8 {
					*v, field = int64(binary.LittleEndian.Uint64(field)), field[8:]
				}
			}
		case 0x7075:
			if len(field) > 5 {
				alias = string(field[5:])
			}
		}
	}
	return alias
}

var errMethod = errors.New("unknown compression method")

// Open returns a reader of a member's unpacked bytes.
func Open(s *filetype.Source, m *ZipMember) io.Reader {
	packed := s.Section(m.Data, m.Packed)
	switch {
	case m.Encrypted:
		return filetype.Failing{Err: errMethod}
	case m.Method == 0:
		return packed
	case m.Method == 8:
		return flate.NewReader(bufio.NewReaderSize(packed, 4*filetype.KiB))
	}
	return filetype.Failing{Err: errMethod}
}

// ReadAll unpacks a member of at most limit bytes. It reports false if the
// member is larger or cannot be unpacked.
func ReadAll(s *filetype.Source, m *ZipMember, limit int64) (p []byte, ok bool) {
	p, err := io.ReadAll(io.LimitReader(Open(s, m), limit+1))
	return p, err == nil && int64(len(p)) <= limit
}
