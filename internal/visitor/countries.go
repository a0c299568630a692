package visitor

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

// The countries of addresses are those of IP2Location LITE
// (http://www.ip2location.com), as the module github.com/phuslu/iploc has them.
// The program embeds the tables compressed. The first lookup of an IPv4 address
// unpacks those of IPv4, which takes some milliseconds, and the same for IPv6.
// TestCountries writes both files.
var (
	//go:embed vendor/iploc/ipv4.gz
	packed4 string
	//go:embed vendor/iploc/ipv6.gz
	packed6 string
)

// noCountry is the country of an address that has none: private, unassigned.
const noCountry = "ZZ"

// countryOf returns the ISO 3166-1 alpha-2 code of the country of an address,
// or noCountry. An IPv4 address must not be mapped into IPv6.
func countryOf(addr netip.Addr) string {
	if addr.Is4() {
		b := addr.As4()
		return countries4().country(binary.BigEndian.Uint32(b[:]))
	}
	b := addr.As16()
	return countries6().country(ipv6{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])})
}

// ipv6 is an IPv6 address: its network of 64 bits, and the rest.
type ipv6 [2]uint64

func (p ipv6) compare(other ipv6) int {
	if p[0] != other[0] {
		return cmp.Compare(p[0], other[0])
	}
	return cmp.Compare(p[1], other[1])
}

// tables4 are the tables of IPv4.
type tables4 struct{ ranges[uint32] }

func (t *tables4) country(addr uint32) string { return t.at(t.last(addr, cmp.Compare[uint32])) }

var countries4 = sync.OnceValue(func() *tables4 {
	r := unpackTable(packed4)
	return &tables4{readTable(r, func(before uint32) uint32 { return before + uint32(readNumber(r)) })}
})

// tables6 are the tables of IPv6: of ranges that begin with a network of 64
// bits, and of the few that begin within one. Each ends where the next one of
// either table begins.
type tables6 struct {
	networks ranges[uint64]
	within   ranges[ipv6]
}

func (t *tables6) country(addr ipv6) string {
	i := t.networks.last(addr[0], cmp.Compare[uint64])
	j := t.within.last(addr, ipv6.compare)
	if j >= 0 && (i < 0 || t.within.starts[j][0] >= t.networks.starts[i]) {
		return t.within.at(j)
	}
	return t.networks.at(i)
}

var countries6 = sync.OnceValue(func() *tables6 {
	r := unpackTable(packed6)
	return &tables6{
		readTable(r, func(before uint64) uint64 { return before + readNumber(r) }),
		readTable(r, func(before ipv6) ipv6 { return ipv6{before[0] + readNumber(r), readNumber(r)} }),
	}
})

// ranges has the first addresses of ranges, in order, and their countries.
type ranges[A any] struct {
	starts []A
	codes  []byte // places in names
	names  string // two letters each
}

// last returns the last range that begins at addr or before, or -1.
func (t *ranges[A]) last(addr A, compare func(a, b A) int) int {
	i, found := slices.BinarySearchFunc(t.starts, addr, compare)
	if !found {
		i--
	}
	return i
}

func (t *ranges[A]) at(i int) string {
	if i < 0 {
		return noCountry
	}
	name := 2 * int(t.codes[i])
	return t.names[name : name+2]
}

// readTable reads the number of the names, the names, the number of the ranges,
// their codes, and their first addresses: next returns one, after another.
func readTable[A any](r *bufio.Reader, next func(before A) A) ranges[A] {
	t := ranges[A]{names: string(readBytes(r, 2*readNumber(r)))}
	t.codes = readBytes(r, readNumber(r))
	t.starts = make([]A, len(t.codes))
	var before A
	for i := range t.starts {
		before = next(before)
		t.starts[i] = before
	}
	return t
}

// The files are part of the program, so errors are faults of the build.

func unpackTable(packed string) *bufio.Reader {
	z, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		panic(err)
	}
	return bufio.NewReader(z)
}

func readNumber(r *bufio.Reader) uint64 {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		panic(err)
	}
	return n
}

func readBytes(r *bufio.Reader, n uint64) []byte {
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		panic(err)
	}
	return b
}
