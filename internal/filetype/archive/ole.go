package archive

import (
	"bytes"
	"io"
	"unicode/utf16"

	"vitrine/internal/filetype"
)

// Compound is an OLE2 compound file: a file system of sectors with an
// allocation table, used by doc, xls, ppt and encrypted office files. Every
// chain is followed for a bounded number of steps and only to existing sectors.
type Compound struct {
	S       *filetype.Source
	sector  int64    // size of a sector
	fat     []uint32 // sectors of the allocation table
	miniFAT []uint32 // sectors of the table of small streams
	Storage []StorageEntry
	// Projects is the number of projects of Visual Basic without any code.
	// Check counts them.
	Projects int
	cached   int64 // number of the sector in table; -1 if none
	table    []byte
	small    []uint32       // sectors of the root, which contain small streams; nil if not listed yet
	ids      map[uint32]int // numbers of the directory's entries to indexes of Storage
	odd      bool           // another program may read other streams
	listed   int            // entries that were listed so far
}

// StorageEntry is an entry of the directory.
type StorageEntry struct {
	Name  string
	Kind  byte // 1 storage, 2 stream, 5 root
	Clsid [16]byte
	start uint32
	size  int64
	// Entries of one storage are a tree: this one's neighbors, and the root of
	// the tree within it.
	left, right, child uint32
}

// OpenCompound reads the tables and the directory. It reports false if they are
// inconsistent.
func OpenCompound(s *filetype.Source) (c *Compound, ok bool) {
	h := s.Bytes(0, filetype.OleHeader)
	if len(h) < filetype.OleHeader || !bytes.HasPrefix(h, []byte(filetype.OleMagic)) {
		return nil, false
	}
	shift := filetype.LittleEndian.Uint16(h[30:])
	if shift != 9 && shift != 12 || filetype.LittleEndian.Uint16(h[32:]) != 6 {
		return nil, false
	}
	c = &Compound{S: s, sector: 1 << shift, cached: -1, ids: map[uint32]int{},
		odd: filetype.LittleEndian.Uint32(h[56:]) != filetype.OleCutoff}
	if !c.readFAT(h) {
		return nil, false
	}
	directory, ok := c.chain(filetype.LittleEndian.Uint32(h[48:]), filetype.MaxStorages*128/c.sector)
	if !ok || len(directory) == 0 {
		return nil, false
	}
	if first := filetype.LittleEndian.Uint32(h[60:]); first < filetype.OleLast {
		if c.miniFAT, ok = c.chain(first, c.S.Size/c.sector); !ok {
			return nil, false
		}
	}
	return c, c.readDirectory(directory)
}

// readFAT lists the sectors of the allocation table: 109 in the header, more in
// a chain of sectors.
func (c *Compound) readFAT(h []byte) bool {
	count := int64(filetype.LittleEndian.Uint32(h[44:]))
	if count < 1 || count > c.S.Size/c.sector {
		return false
	}
	add := func(p []byte) {
		for ; len(p) >= 4 && int64(len(c.fat)) < count; p = p[4:] {
			n := filetype.LittleEndian.Uint32(p)
			if n < filetype.OleLast {
				c.fat = append(c.fat, n)
			}
			c.odd = c.odd || n >= filetype.OleLast
		}
	}
	add(h[76:])
	next := filetype.LittleEndian.Uint32(h[68:])
	for steps := int64(0); int64(len(c.fat)) < count && next < filetype.OleLast; steps++ {
		p := c.sectorBytes(next)
		if p == nil || steps > c.S.Size/c.sector {
			return false
		}
		add(p[:len(p)-4])
		next = filetype.LittleEndian.Uint32(p[len(p)-4:])
	}
	return true
}

// sectorBytes reads a whole sector. It pads the last one of a file.
func (c *Compound) sectorBytes(n uint32) []byte {
	p := c.S.Bytes((int64(n)+1)*c.sector, int(c.sector))
	if len(p) == 0 {
		return nil
	}
	return append(p, make([]byte, int(c.sector)-len(p))...)
}

// next follows the allocation table. It reports false outside the table.
func (c *Compound) next(n uint32) (uint32, bool) { return c.lookup(c.fat, n) }

func (c *Compound) lookup(sectors []uint32, n uint32) (uint32, bool) {
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
	return filetype.LittleEndian.Uint32(c.table[n%perSector*4:]), true
}

// chain lists the sectors of a chain, at most limit.
func (c *Compound) chain(n uint32, limit int64) (sectors []uint32, ok bool) {
	for n < filetype.OleLast {
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

func (c *Compound) readDirectory(sectors []uint32) bool {
	id := uint32(0)
	for _, n := range sectors {
		p := c.sectorBytes(n)
		if p == nil {
			return false
		}
		for ; len(p) >= 128; p, id = p[128:], id+1 {
			if p[66] == 0 {
				continue
			}
			size := int64(filetype.LittleEndian.Uint64(p[120:]))
			if c.sector == 512 {
				size = int64(uint32(size)) // the upper half is undefined here
			}
			e := StorageEntry{Name: oleName(p), Kind: p[66], start: filetype.LittleEndian.Uint32(p[116:]), size: size,
				left: filetype.LittleEndian.Uint32(p[68:]), right: filetype.LittleEndian.Uint32(p[72:]),
				child: filetype.LittleEndian.Uint32(p[76:])}
			copy(e.Clsid[:], p[80:96])
			c.ids[id] = len(c.Storage)
			c.Storage = append(c.Storage, e)
		}
	}
	return len(c.Storage) > 0 && c.Storage[0].Kind == 5
}

// Within lists the entries of a storage, by index. It lists every entry that a
// program can find there, whatever the order of the tree, unless storages share
// so many that listing them takes too long.
func (c *Compound) Within(storage int) (entries []int) {
	seen := map[int]bool{}
	for next := []uint32{c.Storage[storage].child}; len(next) > 0; {
		i, ok := c.ids[next[len(next)-1]]
		next = next[:len(next)-1]
		if ok && !seen[i] && !c.Crowded() {
			c.listed++
			seen[i] = true
			entries = append(entries, i)
			next = append(next, c.Storage[i].left, c.Storage[i].right)
		}
	}
	return entries
}

// Crowded reports whether Within left entries out.
func (c *Compound) Crowded() bool { return c.listed >= 4*filetype.MaxStorages }

func oleName(p []byte) string {
	length := min(int(filetype.LittleEndian.Uint16(p[64:])), 64)
	var units []uint16
	for i := 0; i+2 <= length; i += 2 {
		if u := filetype.LittleEndian.Uint16(p[i:]); u != 0 {
			units = append(units, u)
		}
	}
	return string(utf16.Decode(units))
}

// Open returns a reader of a stream. It uses the allowance of the whole
// inspection, because any number of streams may consist of the same sectors.
func (c *Compound) Open(e StorageEntry) io.Reader {
	if e.size < 0 || e.size > c.S.Size {
		e.size = c.S.Size
	}
	r := &streamReader{c: c, at: e.start, left: e.size}
	if e.size < filetype.OleCutoff {
		if c.small == nil {
			c.small, _ = c.chain(c.Storage[0].start, c.S.Size/c.sector)
		}
		r.small = c.small
	}
	return c.S.Work.Unfolded.Reader(r, filetype.KiB)
}

// streamReader reads a stream along its chain. Small streams are in 64-byte
// sectors within the root's stream.
type streamReader struct {
	c     *Compound
	at    uint32
	left  int64
	small []uint32 // sectors of the root, for a small stream
	buf   []byte
}

func (r *streamReader) Read(p []byte) (int, error) {
	if len(r.buf) == 0 {
		if r.left <= 0 || r.at >= filetype.OleLast || !r.fill() {
			return 0, io.EOF
		}
	}
	n := copy(p, r.buf)
	r.buf = r.buf[n:]
	return n, nil
}

// fill reads the next sector. It stops at the stream's size, so that a circular
// chain ends too.
func (r *streamReader) fill() bool {
	if r.small != nil {
		perSector := r.c.sector / filetype.OleMini
		i := int64(r.at) / perSector
		if i >= int64(len(r.small)) {
			return false
		}
		r.buf = r.c.S.Bytes((int64(r.small[i])+1)*r.c.sector+int64(r.at)%perSector*filetype.OleMini, filetype.OleMini)
	} else {
		r.buf = r.c.S.Bytes((int64(r.at)+1)*r.c.sector, int(r.c.sector))
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
		next = filetype.OleLast
	}
	r.at = next
	return len(r.buf) > 0
}
