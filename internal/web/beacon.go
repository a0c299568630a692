package web

import (
	"math"
	"mime"
	"net/http"
	"strconv"
	"sync/atomic"

	"vitrine"
	"vitrine/internal/visitor"

	"github.com/go-json-experiment/json/jsontext"
)

// maxBeacon bounds the body of a beacon (engagement, The page's tracker).
const maxBeacon = 4 << 10

// clampedBeacons counts beacons that claimed more than was possible. That a
// page sends at most 240 of them is the page's own affair: one more costs the
// server as little as one before, and changes what is kept by nothing
// (docs/reference/beacon.md).
var clampedBeacons atomic.Int64

// ClampedBeacons tells how many beacons this process received that claimed more
// than was possible.
func ClampedBeacons() int64 { return clampedBeacons.Load() }

// beacon takes in how a page is being read. The signature comes first: without
// an open to speak of, a body is not looked at.
func (s *publicH) beacon(w http.ResponseWriter, r *http.Request) error {
	now := s.Now()
	v, err := s.Signer.ParseViewToken(r.URL.Query().Get("v"), now)
	if err != nil {
		return err
	}
	o, err := readBeacon(w, r)
	if err != nil {
		return err
	}
	claim, err := parseClaim(o)
	if err != nil {
		return err
	}
	screen := ""
	if claim.Width > 0 {
		screen = visitor.ScreenRange(claim.Width)
	}
	snapshot, clamped := claim.Snapshot(v, screen, now)
	if clamped {
		clampedBeacons.Add(1)
	}
	if err := s.Views.Snapshot(r.Context(), &snapshot); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// readBeacon reads a beacon's body. A page's last one goes out as text/plain,
// which needs no leave of the server first.
func readBeacon(w http.ResponseWriter, r *http.Request) (object, error) {
	t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || t != "text/plain" && t != "application/json" {
		return nil, invalidJSON("Send the body as text/plain or application/json.")
	}
	return readBounded(w, r, maxBeacon)
}

// parseClaim reads what a beacon says. Members that it does not know are
// ignored; known ones must be of their type.
func parseClaim(o object) (vitrine.Claim, error) {
	f := fields{object: o}
	c := vitrine.Claim{
		Engaged:    f.amount("engaged"),
		Present:    f.amount("present"),
		Width:      int(f.amount("width")),
		Pages:      f.amounts("pages"),
		Duration:   f.amount("duration"),
		Played:     f.amount("played"),
		Reached:    f.amount("reached"),
		Depth:      f.amount("depth"),
		Downloaded: f.flag("downloaded"),
		Automation: f.flag("automation"),
	}
	return c, f.err
}

// maxAmount is some thirty years in milliseconds: more than any claim that can
// be true, and little enough to be multiplied.
const maxAmount = 1_000_000_000_000

// amount reads a number that may be missing, and cuts off its fraction.
func (f *fields) amount(name string) int64 {
	v, ok := f.object[name]
	if !ok {
		return 0
	}
	return f.number(name, v)
}

func (f *fields) number(name string, v jsontext.Value) int64 {
	if v.Kind() != '0' {
		f.wrong(name, "The member \""+name+"\" is not a number.")
		return 0
	}
	n, _ := strconv.ParseFloat(string(v), 64) // out of range is an infinity
	return int64(math.Trunc(min(max(n, -maxAmount), maxAmount)))
}

// amounts reads an object of numbers by number that may be missing.
func (f *fields) amounts(name string) map[int]int64 {
	v, ok := f.object[name]
	if !ok {
		return nil
	}
	if v.Kind() != '{' {
		f.wrong(name, "The member \""+name+"\" is not an object.")
		return nil
	}
	o, err := members(v)
	if err != nil {
		f.wrong(name, "The member \""+name+"\" is not an object.")
		return nil
	}
	m := make(map[int]int64, len(o))
	for key, v := range o {
		n, err := strconv.ParseInt(key, 10, 32)
		if err != nil || strconv.FormatInt(n, 10) != key {
			f.wrong(name, "A name in \""+name+"\" is not a page number.")
			continue
		}
		m[int(n)] = f.number(name, v)
	}
	return m
}

func (f *fields) flag(name string) bool {
	b := f.optionalBool(name)
	return b != nil && *b
}
