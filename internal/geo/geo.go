// Package geo says in which city a network address is. It reads files in
// MaxMind's format (.mmdb) with cities, such as DB-IP's City Lite and MaxMind's
// GeoLite2 City, keeps up with a file that is replaced, and fetches the one of
// DB-IP.
package geo

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/oschwald/maxminddb-golang/v2"
)

// Source is who made a city file.
type Source struct {
	Name, Text, URL string // Text: as the licence wants it said
}

// sources are makers whose licence wants them named, by what their files say of
// themselves or are called.
var sources = []struct {
	word string
	Source
}{
	{"dbip", Source{"DB-IP", "IP geolocation by DB-IP", "https://db-ip.com"}},
	{"db-ip", Source{"DB-IP", "IP geolocation by DB-IP", "https://db-ip.com"}},
	{"geolite", Source{"MaxMind", "Includes GeoLite data created by MaxMind", "https://www.maxmind.com"}},
}

// database is an open city file. It may be used by many at once.
type database struct {
	reader *maxminddb.Reader
	flat   bool // "city" is a name; else it has names
	source Source
}

// nested is a record as MaxMind and DB-IP have it.
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

// flat is a record as ip-location-db has it.
type flat struct {
	Country string `maxminddb:"country_code"`
	City    string `maxminddb:"city"`
}

// errNoCities says that a file has no cities.
type errNoCities struct{ kind string }

func (e errNoCities) Error() string {
	return fmt.Sprintf("the file has no cities: it says that it is %q. Use a city file, such as DB-IP's City Lite", e.kind)
}

var errDamaged = errors.New("the file is cut off or damaged, or is not an .mmdb file")

// open opens a city file, which must not change afterwards. name is the name of
// the file at its origin. It returns an error if the file has no cities or is
// damaged where open looks.
func open(path, name string) (*database, error) {
	reader, err := maxminddb.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errDamaged, err)
	}
	db := &database{reader: reader}
	if err := db.try(); err != nil {
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

// built returns when the file was made.
func (db *database) built() time.Time { return db.reader.Metadata.BuildTime().UTC() }

// What is tried of a file before it is used: its first networks, and addresses
// all over it.
const (
	triedNetworks  = 20_000
	triedAddresses = 4096
)

// try looks up a part of a file and learns how its records are arranged.
func (db *database) try() error {
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
		if n++; n > triedNetworks {
			break
		}
		if err := look(r); found || err != nil {
			return errors.Join(err, db.readable())
		}
	}
	return errNoCities{db.kind()}
}

// readable reports whether the places of a part of the file can be read.
func (db *database) readable() error {
	for addr := range db.samples() {
		if _, _, err := db.place(addr); err != nil {
			return fmt.Errorf("%w (%w)", errDamaged, err)
		}
	}
	return nil
}

// samples returns public addresses, the same on each call.
func (db *database) samples() func(func(netip.Addr) bool) {
	random := rand.New(rand.NewPCG(1, 2))
	return func(yield func(netip.Addr) bool) {
		for range triedAddresses {
			var b [16]byte
			for i := range b {
				b[i] = byte(random.Uint32())
			}
			addr := netip.AddrFrom4([4]byte(b[:]))
			if db.reader.Metadata.IPVersion == 6 && b[15]%2 == 0 {
				b[0] = 0x20 | b[0]&3 // 2000::/6, where what is in use is
				addr = netip.AddrFrom16(b)
			}
			if public(addr) && !yield(addr) {
				return
			}
		}
	}
}

// public reports whether an address is one that a file can know.
func public(addr netip.Addr) bool { return addr.IsGlobalUnicast() && !addr.IsPrivate() }

// place looks a public address up.
func (db *database) place(addr netip.Addr) (country, city string, err error) {
	defer runtime.KeepAlive(db) // what it is mapped to memory by
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

// ofName are words in brackets that are a part of a city's name. Other words in
// brackets are districts.
var ofName = []string{"(Oder)", "(Saale)", "(Wumme)", "(Unterweser)"}

// longestName is the length of the longest name of a city that is used, in
// bytes.
const longestName = 100

// cityName returns the name of a city without its district, "" for what cannot
// be a name.
func cityName(s string) string {
	if name, rest, cut := strings.Cut(s, " ("); cut && !isOfName(rest) {
		s = name
	}
	s = strings.TrimSpace(s)
	if len(s) > longestName || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return ""
	}
	return s
}

func isOfName(rest string) bool {
	for _, words := range ofName {
		if "("+rest == words {
			return true
		}
	}
	return false
}
