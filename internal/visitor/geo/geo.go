// Package geo returns the city of a network address. It reads city files in
// MaxMind's format (.mmdb), such as DB-IP's City Lite and MaxMind's GeoLite2
// City. It detects a replaced file and can download DB-IP's.
package geo

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/oschwald/maxminddb-golang/v2"
)

// Source is the publisher of a city file.
type Source struct {
	Name, Text, URL string // Text is the credit that the license requires
}

// sources are the publishers whose licenses require a credit. They are
// recognized by the description or the name of the file.
var sources = []struct {
	word string
	Source
}{
	{"dbip", Source{"DB-IP", "IP geolocation by DB-IP", "https://db-ip.com"}},
	{"db-ip", Source{"DB-IP", "IP geolocation by DB-IP", "https://db-ip.com"}},
	{"geolite", Source{"MaxMind", "Includes GeoLite data created by MaxMind", "https://www.maxmind.com"}},
}

// database is an open city file. It is safe for concurrent use.
type database struct {
	reader *maxminddb.Reader
	flat   bool // "city" is a name; else it has names
	source Source
}

// nested is the record format of MaxMind and DB-IP.
type nested struct {
	Country struct {
		Code string `maxminddb:"iso_code"`
	} `maxminddb:"country"`
	City struct {
		Names struct {
			English string `maxminddb:"en"`
		} `maxminddb:"names"`
	} `maxminddb:"city"`
}

// flat is the record format of ip-location-db.
type flat struct {
	Country string `maxminddb:"country_code"`
	City    string `maxminddb:"city"`
}

// errNoCities is returned for a file without cities.
type errNoCities struct{ kind string }

func (e errNoCities) Error() string {
	return fmt.Sprintf("the file has no cities: its type is %q. Use a city file, such as DB-IP's City Lite",
		e.kind)
}

var errDamaged = errors.New("the file is cut off or damaged, or is not an .mmdb file")

// open opens a city file, which must not change afterwards. name is the name of
// the original file. It returns an error if the file has no cities, or if the
// parts that open reads are damaged.
func open(path, name string) (*database, error) {
	reader, err := maxminddb.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errDamaged, err)
	}
	db := &database{reader: reader}
	if err := db.testRead(); err != nil {
		_ = reader.Close()
		return nil, err
	}
	told := strings.ToLower(db.kind() + " " + reader.Metadata.Description["en"] + " " + filepath.Base(name))
	for _, s := range sources {
		if strings.Contains(told, s.word) {
			db.source = s.Source
			break
		}
	}
	return db, nil
}

func (db *database) kind() string { return db.reader.Metadata.DatabaseType }

// built returns the build time of the file.
func (db *database) built() time.Time { return db.reader.Metadata.BuildTime().UTC() }

// Limits of the test lookups before a file is used: its first networks, and
// addresses from all ranges.
const (
	testedNetworks  = 20_000
	testedAddresses = 4096
)

// testRead reads a part of the file and detects its record format.
func (db *database) testRead() error {
	found := false
	look := func(r maxminddb.Result) error {
		var record struct {
			City any `maxminddb:"city"`
		}
		if err := r.Decode(&record); err != nil {
			return fmt.Errorf("%w (%w)", errDamaged, err)
		}
		name, isName := record.City.(string)
		names, hasNames := record.City.(map[string]any)
		if found = isName && name != "" || hasNames && len(names) > 0; found {
			db.flat = isName
		}
		return nil
	}
	for addr := range db.samples() {
		if r := db.reader.Lookup(addr); r.Err() != nil || r.Found() {
			if err := look(r); found || err != nil {
				return errors.Join(err, db.readable())
			}
		}
	}
	n := 0
	for r := range db.reader.Networks() {
		if n++; n > testedNetworks {
			break
		}
		if err := look(r); found || err != nil {
			return errors.Join(err, db.readable())
		}
	}
	return errNoCities{db.kind()}
}

// readable returns an error if a location in the tested part of the file cannot
// be read.
func (db *database) readable() error {
	for addr := range db.samples() {
		if _, _, err := db.place(addr); err != nil {
			return fmt.Errorf("%w (%w)", errDamaged, err)
		}
	}
	return nil
}

// samples returns public addresses. They are the same on each call.
func (db *database) samples() func(func(netip.Addr) bool) {
	random := rand.New(rand.NewPCG(1, 2))
	return func(yield func(netip.Addr) bool) {
		for range testedAddresses {
			var b [16]byte
			for i := range b {
				b[i] = byte(random.Uint32())
			}
			addr := netip.AddrFrom4([4]byte(b[:]))
			if db.reader.Metadata.IPVersion == 6 && b[15]%2 == 0 {
				b[0] = 0x20 | b[0]&3 // 2000::/6 contains the addresses in use
				addr = netip.AddrFrom16(b)
			}
			if mayContain(addr) && !yield(addr) {
				return
			}
		}
	}
}

// mayContain reports whether a file can contain an address.
func mayContain(addr netip.Addr) bool { return addr.IsGlobalUnicast() && !addr.IsPrivate() }

// place returns the country and city of a public address.
func (db *database) place(addr netip.Addr) (country, city string, err error) {
	defer runtime.KeepAlive(db) // keeps the memory mapping alive
	if addr.Is6() && db.reader.Metadata.IPVersion == 4 {
		return "", "", nil
	}
	r := db.reader.Lookup(addr)
	if db.flat {
		var record flat
		err = r.Decode(&record)
		country, city = record.Country, record.City
	} else {
		var record nested
		err = r.Decode(&record)
		country, city = record.Country.Code, record.City.Names.English
	}
	if err != nil || !isCode(country) {
		return "", "", err
	}
	return country, cityName(city), nil
}

func isCode(s string) bool {
	return len(s) == 2 && 'A' <= s[0] && s[0] <= 'Z' && 'A' <= s[1] && s[1] <= 'Z'
}

// ofName are words in parentheses that belong to a city name. Other words in
// parentheses are districts.
var ofName = []string{"(Oder)", "(Saale)", "(Wumme)", "(Unterweser)"}

// maxName is the maximum length of a city name in bytes.
const maxName = 100

// cityName returns the name of a city without its district, which would say
// more about a reader than reports promise. It is "" if the name is invalid.
func cityName(s string) string {
	if name, rest, cut := strings.Cut(s, " ("); cut && !isOfName(rest) {
		s = name
	}
	s = strings.TrimSpace(s)
	if len(s) > maxName || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return ""
	}
	return s
}

func isOfName(rest string) bool {
	return slices.Contains(ofName, "("+rest)
}
