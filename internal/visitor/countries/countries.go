// Package countries has the countries of network addresses: IP2Location LITE
// (http://www.ip2location.com), as the module github.com/phuslu/iploc has it.
//
// The program embeds the tables compressed. The first lookup of an IPv4 address
// unpacks those of IPv4, which takes some milliseconds, and the same for IPv6.
package countries

import (
	"bufio"
	"cmp"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"io"
	"net/netip"
	"slices"
	"strings"
	"sync"
)

// TestTables writes both files.
var (
	//go:embed vendor/iploc/ipv4.gz
	packed4 string
	//go:embed vendor/iploc/ipv6.gz
	packed6 string
)

// None is the country of an address that has none: private, unassigned.
const None = "ZZ"

// Of returns the ISO 3166-1 alpha-2 code of the country of an address, or None.
// An IPv4 address must not be mapped into IPv6.
func Of(addr netip.Addr) string {
	if addr.Is4() {
		b := addr.As4()
		return in4().country(binary.BigEndian.Uint32(b[:]))
	}
	b := addr.As16()
	return in6().country(pair{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])})
}

// pair is an IPv6 address: its network of 64 bits, and the rest.
type pair [2]uint64

func (p pair) compare(other pair) int {
	if p[0] != other[0] {
		return cmp.Compare(p[0], other[0])
	}
	return cmp.Compare(p[1], other[1])
}

// tables4 are the tables of IPv4.
type tables4 struct{ table[uint32] }

func (t *tables4) country(addr uint32) string { return t.at(t.last(addr, cmp.Compare[uint32])) }

var in4 = sync.OnceValue(func() *tables4 {
	r := unpack(packed4)
	return &tables4{read(r, func(before uint32) uint32 { return before + uint32(number(r)) })}
})

// tables6 are the tables of IPv6: of ranges that begin with a network of 64
// bits, and of the few that begin within one. Each ends where the next one of
// either table begins.
type tables6 struct {
	networks table[uint64]
	within   table[pair]
}

func (t *tables6) country(addr pair) string {
	i := t.networks.last(addr[0], cmp.Compare[uint64])
	j := t.within.last(addr, pair.compare)
	if j >= 0 && (i < 0 || t.within.starts[j][0] >= t.networks.starts[i]) {
		return t.within.at(j)
	}
	return t.networks.at(i)
}

var in6 = sync.OnceValue(func() *tables6 {
	r := unpack(packed6)
	return &tables6{
		read(r, func(before uint64) uint64 { return before + number(r) }),
		read(r, func(before pair) pair { return pair{before[0] + number(r), number(r)} }),
	}
})

// table has the first addresses of ranges, in order, and their countries.
type table[A any] struct {
	starts []A
	codes  []byte // places in names
	names  string // two letters each
}

// last returns the last range that begins at addr or before, or -1.
func (t *table[A]) last(addr A, compare func(a, b A) int) int {
	i, found := slices.BinarySearchFunc(t.starts, addr, compare)
	if !found {
		i--
	}
	return i
}

func (t *table[A]) at(i int) string {
	if i < 0 {
		return None
	}
	name := 2 * int(t.codes[i])
	return t.names[name : name+2]
}

// read reads the number of the names, the names, the number of the ranges,
// their codes, and their first addresses: next returns one, after another.
func read[A any](r *bufio.Reader, next func(before A) A) table[A] {
	t := table[A]{names: string(bytesOf(r, 2*number(r)))}
	t.codes = bytesOf(r, number(r))
	t.starts = make([]A, len(t.codes))
	var before A
	for i := range t.starts {
		before = next(before)
		t.starts[i] = before
	}
	return t
}

// The files are part of the program, so errors are faults of the build.

func unpack(packed string) *bufio.Reader {
	z, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		panic(err)
	}
	return bufio.NewReader(z)
}

func number(r *bufio.Reader) uint64 {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		panic(err)
	}
	return n
}

func bytesOf(r *bufio.Reader, n uint64) []byte {
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		panic(err)
	}
	return b
}
