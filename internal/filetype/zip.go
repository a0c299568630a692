package filetype

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"strings"
)

// zipMember is one entry of a ZIP's directory.
type zipMember struct {
	name      string // as stored
	encrypted bool
	method    uint16
	packed    int64
	unpacked  int64
	header    int64 // where its local header is
	data      int64 // where its bytes are
	crc       uint32
	flags     uint16
	mode      uint32
	start     []byte // the first peekBytes as they are packed, until they have been looked at
	form      form   // what it is to be opened as, by its first bytes
}

func (m *zipMember) dir() bool { return strings.HasSuffix(m.name, "/") }

// zipDirectory is where a ZIP's directory lies, as its end record says.
type zipDirectory struct {
	offset, size int64
	entries      uint64
	wrapped      bool // entries is known modulo 65536 only
	twice        bool // the comment holds another end record, at which some programs end their search
}

const (
	zipLocal    = "PK\x03\x04"
	zipEntry    = "PK\x01\x02"
	zipEnd      = "PK\x05\x06"
	zip64End    = "PK\x06\x06"
	zip64Finder = "PK\x06\x07"
)

var (
	errNotZIP  = errors.New("no ZIP directory")
	errHuge    = errors.New("ZIP directory over the bound")
	errTwoEnds = errors.New("a second end record in the comment")
)

// zipEndRecord finds the record that ends the file, and the directory that it states. end is where the directory should end.
func (s *source) zipEndRecord() (d zipDirectory, end int64, ok bool) {
	start := max(0, s.size-22-0xffff)
	tail := s.bytes(start, 22+0xffff)
	at := bytes.LastIndex(tail, []byte(zipEnd))
	for at >= 0 && (at+22 > len(tail) || at+22+int(le.Uint16(tail[at+20:])) != len(tail)) {
		at = bytes.LastIndex(tail[:at], []byte(zipEnd))
	}
	if at < 0 {
		return d, 0, false
	}
	e, end := tail[at:], start+int64(at)
	if disk := le.Uint16(e[4:]); disk != 0 && disk != 0xffff {
		return d, 0, false // a part of a set
	}
	d = zipDirectory{int64(le.Uint32(e[16:])), int64(le.Uint32(e[12:])), uint64(le.Uint16(e[10:])), true, bytes.Contains(e[22:], []byte(zipEnd))}
	if finder := s.bytes(end-20, 20); len(finder) == 20 && string(finder[:4]) == zip64Finder {
		end = int64(le.Uint64(finder[8:]))
		e := s.bytes(end, 56)
		if len(e) < 56 || string(e[:4]) != zip64End {
			return d, 0, false
		}
		d = zipDirectory{int64(le.Uint64(e[48:])), int64(le.Uint64(e[40:])), le.Uint64(e[32:]), false, d.twice}
	}
	return d, end, true
}

// zipDirectory reads the end record. It is strict where readers differ, since what one reader sees must be what every reader sees:
// the record ends the file, the directory ends at the record, and nothing comes before the first entry.
func (s *source) zipDirectory() (d zipDirectory, err error) {
	if !bytes.HasPrefix(s.head, []byte(zipLocal)) && !bytes.HasPrefix(s.head, []byte(zipEnd)) {
		return d, errNotZIP
	}
	d, end, ok := s.zipEndRecord()
	switch {
	case !ok:
		return d, errNotZIP
	case d.size > maxDirectory || d.entries > maxEntries:
		return d, errHuge
	case d.offset < 0 || d.size < 0 || d.offset+d.size != end:
		return d, errNotZIP
	case d.twice:
		return d, errTwoEnds
	}
	return d, nil
}

// zipMembers reads the directory, entry by entry, until visit answers a problem. end is where the members end and the directory begins.
func (s *source) zipMembers(t Type, visit func(*zipMember) *Problem) (end int64, _ *Problem) {
	d, err := s.zipDirectory()
	if errors.Is(err, errHuge) {
		return 0, tooManyEntries()
	}
	if errors.Is(err, errTwoEnds) {
		return 0, contradiction("", "has two directories")
	}
	if err != nil {
		return 0, notThe(s, t)
	}
	r := bufio.NewReaderSize(s.section(d.offset, d.size), chunkBytes)
	left, count := d.size, uint64(0)
	for ; left > 0; count++ {
		m, length, alias, ok := readMember(r)
		if !ok {
			return 0, damaged(t)
		}
		if count >= maxEntries {
			return 0, tooManyEntries()
		}
		left -= length
		if p := s.locate(&m, d.offset, t); p != nil {
			return 0, p
		}
		if alias != "" {
			if p := s.names(alias, m.dir()); p != nil {
				return 0, p
			}
		}
		if p := visit(&m); p != nil {
			return 0, p
		}
	}
	if count != d.entries && !(d.wrapped && count&0xffff == d.entries) {
		return 0, damaged(t)
	}
	return d.offset, nil
}

func tooManyEntries() *Problem {
	return unsafeFile(ReasonTooManyEntries, "The archive has more than %d entries, or names beyond reason. Split it.", maxEntries)
}

// readMember reads one directory entry, its length, and the second name that an extra field may give it.
func readMember(r io.Reader) (m zipMember, length int64, alias string, ok bool) {
	var h [46]byte
	if _, err := io.ReadFull(r, h[:]); err != nil || string(h[:4]) != zipEntry {
		return m, 0, "", false
	}
	nameLen, extraLen, commentLen := int(le.Uint16(h[28:])), int(le.Uint16(h[30:])), int(le.Uint16(h[32:]))
	rest := make([]byte, nameLen+extraLen+commentLen)
	if _, err := io.ReadFull(r, rest); err != nil {
		return m, 0, "", false
	}
	m = zipMember{
		name:      string(rest[:nameLen]),
		encrypted: le.Uint16(h[8:])&(1|1<<6|1<<13) != 0,
		method:    le.Uint16(h[10:]),
		packed:    int64(le.Uint32(h[20:])),
		unpacked:  int64(le.Uint32(h[24:])),
		crc:       le.Uint32(h[16:]),
		flags:     le.Uint16(h[8:]),
		header:    int64(le.Uint32(h[42:])),
	}
	if maker := h[5]; maker == 3 || maker == 19 { // Unix, macOS
		m.mode = le.Uint32(h[38:]) >> 16
	}
	alias = readExtra(rest[nameLen:nameLen+extraLen], &m.unpacked, &m.packed, &m.header)
	ok = m.packed >= 0 && m.unpacked >= 0 && m.header >= 0
	return m, int64(len(h) + len(rest)), alias, ok
}

// readExtra takes over the 64-bit numbers and returns the Unicode name of Info-ZIP's field, by which some programs unpack.
func readExtra(p []byte, numbers ...*int64) (alias string) {
	for len(p) >= 4 {
		id, n := le.Uint16(p), int(le.Uint16(p[2:]))
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

// open reads a member's unpacked bytes.
func (s *source) open(m *zipMember) io.Reader {
	packed := s.section(m.data, m.packed)
	switch {
	case m.encrypted:
		return failing{err: errMethod}
	case m.method == 0:
		return packed
	case m.method == 8:
		return flate.NewReader(bufio.NewReaderSize(packed, 4*kib))
	}
	return failing{err: errMethod}
}

// readAll unpacks a member of at most limit bytes. ok is false when it is larger, or cannot be unpacked.
func (s *source) readAll(m *zipMember, limit int64) (p []byte, ok bool) {
	p, err := io.ReadAll(io.LimitReader(s.open(m), limit+1))
	return p, err == nil && int64(len(p)) <= limit
}
