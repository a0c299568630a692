package geo_test

import (
	"math/rand/v2"
	"net/netip"
	"testing"

	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/visitor/geo"
)

// BenchmarkPlace looks up addresses from all of DB-IP's file.
func BenchmarkPlace(b *testing.B) {
	f := &geo.File{Path: vitrinetest.CityFile(b), Temp: b.TempDir(), Log: quiet}
	if err := f.Open(b.Context()); err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	addresses := make([]netip.Addr, 1<<16)
	for i := range addresses {
		n := random.Uint32()
		addresses[i] = netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
	}
	known := 0
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, city := f.Place(addresses[i%len(addresses)]); city != "" {
			known++
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lookups/s")
	b.ReportMetric(100*float64(known)/float64(b.N), "%known")
}

// BenchmarkOpen opens DB-IP's file, which a server does at its start and when
// the file is replaced.
func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		f := &geo.File{Path: vitrinetest.CityFile(b), Temp: b.TempDir(), Log: quiet}
		if err := f.Open(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
