package filetype

import (
	"bytes"
	"io"
	"unicode/utf16"
)

// compound is an OLE2 compound file: a file system of sectors with an allocation table, as doc, xls, ppt and encrypted office
// files are stored. Every chain is followed for a bounded number of steps and only to sectors that exist.
type compound struct {
	s       *source
	sector  int64    // bytes a sector
	fat     []uint32 // the sectors that hold the allocation table
	miniFAT []uint32 // the sectors of the table of small streams
	storage []storageEntry
	cached  int64 // which sector table holds; -1 none
	table   []byte
	small   []uint32 // the root's sectors, which hold small streams; nil not listed yet
}

// storageEntry is one entry of the directory.
type storageEntry struct {
	name  string
	kind  byte // 1 storage, 2 stream, 5 root
	clsid [16]byte
	start uint32
	size  int64
}

const (
	oleMagic  = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
	oleHeader = 512
	oleMini   = 64         // bytes a sector of small streams
	oleCutoff = 4096       // streams below it are small
	oleLast   = 0xfffffffa // sector numbers from here on are marks
)

// openCompound reads the tables and the directory. ok is false when they do not hang together.
func openCompound(s *source) (c *compound, ok bool) {
	h := s.bytes(0, oleHeader)
	if len(h) < oleHeader || !bytes.HasPrefix(h, []byte(oleMagic)) {
		return nil, false
	}
	shift := le.Uint16(h[30:])
	if shift != 9 && shift != 12 || le.Uint16(h[32:]) != 6 {
		return nil, false
	}
	c = &compound{s: s, sector: 1 << shift, cached: -1}
	if !c.readFAT(h) {
		return nil, false
	}
	directory, ok := c.chain(le.Uint32(h[48:]), maxStorages*128/c.sector)
	if !ok || len(directory) == 0 {
		return nil, false
	}
	if first := le.Uint32(h[60:]); first < oleLast {
		if c.miniFAT, ok = c.chain(first, c.s.size/c.sector); !ok {
			return nil, false
		}
	}
	return c, c.readDirectory(directory)
}

// readFAT lists the sectors of the allocation table: 109 in the header, more in a chain of sectors of their own.
func (c *compound) readFAT(h []byte) bool {
	count := int64(le.Uint32(h[44:]))
	if count < 1 || count > c.s.size/c.sector {
		return false
	}
	add := func(p []byte) {
		for ; len(p) >= 4 && int64(len(c.fat)) < count; p = p[4:] {
			if n := le.Uint32(p); n < oleLast {
				c.fat = append(c.fat, n)
			}
		}
	}
	add(h[76:])
	next := le.Uint32(h[68:])
	for steps := int64(0); int64(len(c.fat)) < count && next < oleLast; steps++ {
		p := c.sectorBytes(next)
		if p == nil || steps > c.s.size/c.sector {
			return false
		}
		add(p[:len(p)-4])
		next = le.Uint32(p[len(p)-4:])
	}
	return true
}

// sectorBytes reads a whole sector; the last of a file may be short and is filled up.
func (c *compound) sectorBytes(n uint32) []byte {
	p := c.s.bytes((int64(n)+1)*c.sector, int(c.sector))
	if len(p) == 0 {
		return nil
	}
	return append(p, make([]byte, int(c.sector)-len(p))...)
}

// next follows the allocation table; ok is false outside of it.
func (c *compound) next(n uint32) (uint32, bool) { return c.lookup(c.fat, n) }

func (c *compound) lookup(sectors []uint32, n uint32) (uint32, bool) {
	perSector := uint32(c.sector / 4)
	i := n / perSector
	if int64(i) >= int64(len(sectors)) {
		return 0, false
	}
	if at := int64(sectors[i]); at != c.cached {
		if c.table = c.sectorBytes(sectors[i]); c.table == nil {
			c.cached = -1
			return 0, false
		}
		c.cached = at
	}
	return le.Uint32(c.table[n%perSector*4:]), true
}

// chain lists the sectors of a chain of at most limit.
func (c *compound) chain(n uint32, limit int64) (sectors []uint32, ok bool) {
	for n < oleLast {
		if int64(len(sectors)) >= limit {
			return nil, false
		}
		sectors = append(sectors, n)
		if n, ok = c.next(n); !ok {
			return nil, false
		}
	}
	return sectors, true
}

func (c *compound) readDirectory(sectors []uint32) bool {
	for _, n := range sectors {
		p := c.sectorBytes(n)
		if p == nil {
			return false
		}
		for ; len(p) >= 128; p = p[128:] {
			if p[66] == 0 {
				continue
			}
			size := int64(le.Uint64(p[120:]))
			if c.sector == 512 {
				size = int64(uint32(size)) // the upper half is undefined there
			}
			e := storageEntry{name: oleName(p), kind: p[66], start: le.Uint32(p[116:]), size: size}
			copy(e.clsid[:], p[80:96])
			c.storage = append(c.storage, e)
		}
	}
	return len(c.storage) > 0 && c.storage[0].kind == 5
}

func oleName(p []byte) string {
	length := min(int(le.Uint16(p[64:])), 64)
	var units []uint16
	for i := 0; i+2 <= length; i += 2 {
		if u := le.Uint16(p[i:]); u != 0 {
			units = append(units, u)
		}
	}
	return string(utf16.Decode(units))
}

// open reads a stream, sector by sector, on the account of the whole inspection: any number of streams may be of the same sectors.
func (c *compound) open(e storageEntry) io.Reader {
	if e.size < 0 || e.size > c.s.size {
		e.size = c.s.size
	}
	r := &streamReader{c: c, at: e.start, left: e.size}
	if e.size < oleCutoff {
		if c.small == nil {
			c.small, _ = c.chain(c.storage[0].start, c.s.size/c.sector)
		}
		r.small = c.small
	}
	return c.s.work.unfolded.reader(r, kib)
}

// streamReader reads a stream along its chain; small streams lie in 64-byte sectors within the root's stream.
type streamReader struct {
	c     *compound
	at    uint32
	left  int64
	small []uint32 // the root's sectors, for a small stream
	buf   []byte
}

func (r *streamReader) Read(p []byte) (int, error) {
	if len(r.buf) == 0 {
		if r.left <= 0 || r.at >= oleLast || !r.fill() {
			return 0, io.EOF
		}
	}
	n := copy(p, r.buf)
	r.buf = r.buf[n:]
	return n, nil
}

// fill reads the next sector. It ends at the stream's size, so that a chain in a circle ends too.
func (r *streamReader) fill() bool {
	if r.small != nil {
		perSector := r.c.sector / oleMini
		i := int64(r.at) / perSector
		if i >= int64(len(r.small)) {
			return false
		}
		r.buf = r.c.s.bytes((int64(r.small[i])+1)*r.c.sector+int64(r.at)%perSector*oleMini, oleMini)
	} else {
		r.buf = r.c.s.bytes((int64(r.at)+1)*r.c.sector, int(r.c.sector))
	}
	if int64(len(r.buf)) > r.left {
		r.buf = r.buf[:r.left]
	}
	r.left -= int64(len(r.buf))
	table := r.c.fat
	if r.small != nil {
		table = r.c.miniFAT
	}
	next, ok := r.c.lookup(table, r.at)
	if !ok {
		next = oleLast
	}
	r.at = next
	return len(r.buf) > 0
}
