package viewdb

import (
	"bytes"
	"encoding/hex"
	"math"
	"reflect"
	"testing"

	"vitrine/report"
)

const testMs = 1_767_605_400_250

// The stored form is for good: a change of these bytes needs a new version beside the old one.
func TestRecordBytes(t *testing.T) {
	for _, c := range []struct {
		open openRecord
		want string
	}{
		{openRecord{viewer: 0x0102030405060708, place: 1, origin: 127, agent: 300}, "20" + "0807060504030201" + "01" + "7f" + "ac02"},
		{openRecord{flags: openBot | openQR, viewer: math.MaxUint64, bot: 5}, "26" + "ffffffffffffffff" + "000000" + "05"},
		{openRecord{flags: openReturning | openImported}, "31" + "0000000000000000" + "000000"},
	} {
		if got := hex.EncodeToString(c.open.append(nil)); got != c.want {
			t.Errorf("%+v is stored as %s, want %s", c.open, got, c.want)
		}
		var back openRecord
		b, _ := hex.DecodeString(c.want)
		if err := back.decode(b); err != nil || back != c.open {
			t.Errorf("%s reads as %+v, %v, want %+v", c.want, back, err, c.open)
		}
	}
	for _, c := range []struct {
		session sessionRecord
		want    string
	}{
		{sessionRecord{}, "20000000"},
		{sessionRecord{Session: report.Session{EngagedMs: 300, PresentMs: 5, Downloaded: true}, screen: 9}, "21" + "ac02" + "05" + "09"},
		{sessionRecord{Session: report.Session{Played: 1_000_000, Reached: 0}, startMs: testMs - 1}, "2a" + "000000" + "01" + "c0843d" + "00"},
		{sessionRecord{Session: report.Session{Pages: []report.PageTime{{Page: 1, Ms: 2}, {Page: 4, Ms: 0}}, Depth: 7}},
			"34" + "000000" + "02" + "0102" + "0300" + "07"},
	} {
		if got := hex.EncodeToString(c.session.append(nil, testMs)); got != c.want {
			t.Errorf("%+v is stored as %s, want %s", c.session, got, c.want)
		}
		var back sessionRecord
		b, _ := hex.DecodeString(c.want)
		if err := back.decode(b, testMs); err != nil || !reflect.DeepEqual(back, c.session) {
			t.Errorf("%s reads as %+v, %v, want %+v", c.want, back, err, c.session)
		}
	}
}

// A record that was cut, lengthened or made by a version to come is refused.
func TestRecordDamage(t *testing.T) {
	open := (&openRecord{flags: openBot, viewer: 1 << 60, place: 1000, origin: 2000, agent: 3000, bot: 4000}).append(nil)
	full := report.Session{EngagedMs: 1000, PresentMs: 2000, Pages: []report.PageTime{{Page: 300, Ms: 4000}}, Played: 5, Depth: 6}
	session := (&sessionRecord{Session: full, screen: 1, startMs: testMs}).append(nil, testMs)
	decodeOpen := func(b []byte) error { return new(openRecord).decode(b) }
	decodeSession := func(b []byte) error { return new(sessionRecord).decode(b, testMs) }
	for _, c := range []struct {
		name   string
		record []byte
		decode func([]byte) error
	}{{"open", open, decodeOpen}, {"session", session, decodeSession}} {
		if err := c.decode(c.record); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for n := range len(c.record) {
			if c.decode(c.record[:n]) == nil {
				t.Errorf("%s: accepted with %d of %d bytes", c.name, n, len(c.record))
			}
		}
		if c.decode(append(bytes.Clone(c.record), 0)) == nil {
			t.Errorf("%s: accepted with a byte more", c.name)
		}
		for _, v := range []byte{0, 2, 7} {
			other := bytes.Clone(c.record)
			other[0] = other[0]&^versionMask | v<<5
			if c.decode(other) == nil {
				t.Errorf("%s: accepted as version %d", c.name, v)
			}
		}
	}
	// Memory is asked for by what is there, not by what is claimed.
	if decodeSession([]byte{version | sessionPages, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x7f}) == nil {
		t.Error("session: accepted with billions of pages")
	}
}

func FuzzOpenRecord(f *testing.F) {
	f.Add((&openRecord{viewer: 1, place: 2, origin: 3, agent: 4}).append(nil))
	f.Add((&openRecord{flags: openBot | openTold, bot: 70_000}).append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		var o, again openRecord
		if o.decode(b) != nil {
			return
		}
		if err := again.decode(o.append(nil)); err != nil || again != o {
			t.Errorf("%x reads as %+v, and that again as %+v, %v", b, o, again, err)
		}
	})
}

func FuzzSessionRecord(f *testing.F) {
	f.Add((&sessionRecord{}).append(nil, testMs))
	full := report.Session{EngagedMs: 1, PresentMs: -2, Downloaded: true, Pages: []report.PageTime{{Page: 3, Ms: 4}, {Page: 5, Ms: 6}},
		Played: 7, Reached: 8, Depth: 9}
	f.Add((&sessionRecord{Session: full, screen: 10, startMs: 11}).append(nil, testMs))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s, again sessionRecord
		if s.decode(b, testMs) != nil {
			return
		}
		if err := again.decode(s.append(nil, testMs), testMs); err != nil {
			t.Fatalf("%x reads as %+v, and that does not: %v", b, s, err)
		}
		if len(s.Pages) == 0 && len(again.Pages) == 0 {
			s.Pages, again.Pages = nil, nil
		}
		if !reflect.DeepEqual(s, again) {
			t.Errorf("%x reads as %+v, and that again as %+v", b, s, again)
		}
	})
}

func FuzzWord(f *testing.F) {
	f.Add(appendWord(nil, wordPlace, "DE", "Berlin"))
	f.Add(appendWord(nil, wordAgent, "", "", "Plan 9"))
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := parseWord(b)
		if err != nil {
			return
		}
		again, err := parseWord(appendWord(nil, w.kind, w.labels[:]...))
		if err != nil || *again != *w {
			t.Errorf("%x reads as %+v, and that again as %+v, %v", b, w, again, err)
		}
	})
}
