package visitor

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"vitrine/internal/test/vitrinetest"

	"github.com/phuslu/iploc"
)

var update = flag.Bool("update", false, "write the tables anew")

const tablesDir = "vendor/iploc"

// moduleFile returns a file of the module iploc.
func moduleFile(t *testing.T, name string) []byte {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/phuslu/iploc").Output()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(string(bytes.TrimSpace(out)), name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func unzipped(t *testing.T, b []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if b, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	return b
}

// span is a range of addresses: its first one, and the country.
type span struct {
	from ipv6
	code string
}

// written returns a table as readTable reads it, with the first addresses as
// next writes them.
func written(spans []span, next func(b []byte, before, from ipv6) []byte) []byte {
	var names []string
	for _, s := range spans {
		if i, found := slices.BinarySearch(names, s.code); !found {
			names = slices.Insert(names, i, s.code)
		}
	}
	b := binary.AppendUvarint(nil, uint64(len(names)))
	for _, name := range names {
		b = append(b, name...)
	}
	b = binary.AppendUvarint(b, uint64(len(spans)))
	for _, s := range spans {
		i, _ := slices.BinarySearch(names, s.code)
		b = append(b, byte(i))
	}
	var before ipv6
	for _, s := range spans {
		b = next(b, before, s.from)
		before = s.from
	}
	return b
}

// spansOf returns the ranges of the module, without those of IPv4 mapped into
// IPv6.
func spansOf(t *testing.T) (four, networks, within []span) {
	t.Helper()
	starts, codes := moduleFile(t, "ipv4be.bin"), moduleFile(t, "ipv4.txt")
	for i := range len(starts) / 4 {
		four = append(four, span{ipv6{uint64(binary.BigEndian.Uint32(starts[4*i:]))}, string(codes[2*i : 2*i+2])})
	}
	starts, codes = unzipped(t, moduleFile(t, "ipv6be.gz")), moduleFile(t, "ipv6.txt")
	for i := range len(starts) / 16 {
		b := starts[16*i:]
		s := span{ipv6{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}, string(codes[2*i : 2*i+2])}
		switch {
		case s.from[0] == 0 && s.from[1]>>32 == 0xffff:
		case s.from[1] == 0:
			networks = append(networks, s)
		default:
			within = append(within, s)
		}
	}
	return four, networks, within
}

// TestCountries checks that the tables have the ranges of the module in the
// version that go.mod names. With -update it writes them.
func TestCountries(t *testing.T) {
	four, networks, within := spansOf(t)
	high := func(b []byte, before, from ipv6) []byte { return binary.AppendUvarint(b, from[0]-before[0]) }
	full := func(b []byte, before, from ipv6) []byte { return binary.AppendUvarint(high(b, before, from), from[1]) }
	for name, want := range map[string][]byte{
		"ipv4.gz": written(four, high),
		"ipv6.gz": append(written(networks, high), written(within, full)...),
	} {
		if *update {
			var b bytes.Buffer
			z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
			if err != nil {
				t.Fatal(err)
			}
			_, err = z.Write(want)
			if err := errors.Join(err, z.Close(), os.WriteFile(filepath.Join(tablesDir, name), b.Bytes(), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(filepath.Join(tablesDir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(unzipped(t, got), want) {
			t.Errorf("%s has not the ranges of iploc %s: run this test with -update", name, iploc.Version)
		}
	}
	version := fmt.Sprintf("The ranges of github.com/phuslu/iploc %s, https://github.com/phuslu/iploc, MIT (LICENSE), from IP2Location\n"+
		"LITE. Written by TestCountries.\n", iploc.Version)
	if *update {
		if err := os.WriteFile(filepath.Join(tablesDir, "VERSION"), []byte(version), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(tablesDir, "VERSION")); err != nil || string(got) != version {
		t.Errorf("VERSION = %q (%v), want %q: run this test with -update", got, err, version)
	}
}

// TestCountryOf checks at the first and the last address of each range, and at
// random ones, that lookups have the country that the module has.
func TestCountryOf(t *testing.T) {
	wrong := 0
	same := func(addr netip.Addr) {
		if got, want := countryOf(addr), iploc.IPCountry(addr); got != want {
			if wrong++; wrong < 10 {
				t.Errorf("countryOf(%s) = %q, want %q", addr, got, want)
			}
		}
	}
	around := func(addr netip.Addr) {
		same(addr)
		if before := addr.Prev(); before.IsValid() {
			same(before)
		}
	}
	address6 := func(p ipv6) netip.Addr {
		var b [16]byte
		binary.BigEndian.PutUint64(b[:8], p[0])
		binary.BigEndian.PutUint64(b[8:], p[1])
		return netip.AddrFrom16(b)
	}
	address4 := func(n uint32) netip.Addr { return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, n))) }
	four, networks, within := spansOf(t)
	for _, s := range four {
		around(address4(uint32(s.from[0])))
	}
	for _, s := range slices.Concat(networks, within) {
		if addr := address6(s.from); !addr.Is4In6() && !addr.Prev().Is4In6() {
			around(addr)
		}
	}
	r := rand.New(rand.NewPCG(vitrinetest.Seed(t), 0))
	for range 100_000 {
		same(address4(r.Uint32()))
		same(address6(ipv6{0x2000<<48 | r.Uint64()>>3, r.Uint64()}))
	}
	if len(four) < 200_000 || len(networks) < 300_000 || len(within) < 50_000 {
		t.Errorf("the module has %d, %d and %d ranges", len(four), len(networks), len(within))
	}
}

func BenchmarkCountryOf(b *testing.B) {
	for name, addr := range map[string]netip.Addr{"IPv4": netip.MustParseAddr("8.8.8.8"),
		"IPv6": netip.MustParseAddr("2a00:1450:4001:81b::200e")} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				countryOf(addr)
			}
		})
		b.Run(name+"/module", func(b *testing.B) {
			for b.Loop() {
				iploc.IPCountry(addr)
			}
		})
	}
}
