package segment

import (
	"bytes"
	"encoding/hex"
	"math"
	"reflect"
	"testing"

	"vitrine/report"
	"vitrine/report/part"
)

const testMs = 1_767_605_400_250

// TestRecordBytes fixes the stored form: a change of these bytes needs a new
// version in addition to the old one.
func TestRecordBytes(t *testing.T) {
	for _, c := range []struct {
		view View
		want string
	}{
		{View{Viewer: 0x0102030405060708, Place: 1, Origin: 127, Agent: 300},
			"20" + "0807060504030201" + "01" + "7f" + "ac02"},
		{View{Flags: ViewBot | ViewQR, Viewer: math.MaxUint64, Bot: 5}, "26" + "ffffffffffffffff" + "000000" + "05"},
		{View{Flags: ViewReturning | ViewImported}, "31" + "0000000000000000" + "000000"},
		{View{Flags: ViewQR, Version: 300, Campaign: 7}, "42" + "0000000000000000" + "000000" + "03" + "ac02" + "07"},
		{View{Was: 300}, "40" + "0000000000000000" + "000000" + "20" + "ac02"},
		{View{Flags: ViewBot, Bot: 5, Version: 2, Campaign: 7, Was: 6},
			"44" + "0000000000000000" + "000000" + "05" + "23" + "02" + "07" + "06"},
		{View{Campaign: 1}, "40" + "0000000000000000" + "000000" + "02" + "01"},
	} {
		if got := hex.EncodeToString(c.view.Append(nil)); got != c.want {
			t.Errorf("%+v is stored as %s, want %s", c.view, got, c.want)
		}
		var back View
		b, _ := hex.DecodeString(c.want)
		if err := back.Decode(b); err != nil || back != c.view {
			t.Errorf("%s reads as %+v, %v, want %+v", c.want, back, err, c.view)
		}
	}
	for _, c := range []struct {
		session Session
		want    string
	}{
		{Session{}, "00000000"},
		{Session{Session: report.Session{EngagedMs: 300, PresentMs: 5, Downloaded: true}, Screen: 9},
			"01" + "ac02" + "05" + "09"},
		{Session{Session: report.Session{Played: 1_000_000, Reached: 0}, StartMs: testMs - 1},
			"0a" + "000000" + "01" + "c0843d" + "00"},
		{Session{Session: report.Session{Pages: []report.PageTime{{Page: 1, Ms: 2}, {Page: 4, Ms: 0}}, Depth: 7}},
			"14" + "000000" + "02" + "0102" + "0300" + "07"},
		{Session{Session: report.Session{Played: 1_000_000, Reached: 1, Parts: report.Parts{0b1110, 1 << 35}}},
			"28" + "000000" + "c0843d" + "01" + "02" + "0103" + "5f01"},
		{Session{Session: report.Session{Parts: report.Parts{0x5555555555555555, 0x555555555}}},
			"20" + "000000" + "ff" + "55555555555555555555555505"},
		{Session{Session: report.Session{Pages: []report.PageTime{{Page: 2, Ms: 5}}, Outlined: true}},
			"44" + "000000" + "01" + "0205"},
		{Session{Session: report.Session{Outlined: true, Parts: report.Parts{0b1110, 1 << 35}}},
			"60" + "000000" + "02" + "0103" + "5f01"},
		{Session{Session: report.Session{EngagedMs: 5, PresentMs: 6, Unmeasured: true}}, "10" + "050600" + "00"},
		{Session{Session: report.Session{Clicks: []part.Click{{Part: 3, Target: "tel", Count: 2}}}},
			"80" + "000000" + "01" + "01" + "0302" + "0374656c"},
		{Session{Session: report.Session{Pages: []report.PageTime{{Page: 1, Ms: 300, Bands: part.Bands{256, 0, 0, 5}},
			{Page: 2, Ms: 4}}}}, "84" + "000000" + "02" + "01ac02" + "0104" + "02" + "09" + "8002" + "05" + "00"},
	} {
		if got := hex.EncodeToString(c.session.Append(nil, testMs)); got != c.want {
			t.Errorf("%+v is stored as %s, want %s", c.session, got, c.want)
		}
		var back Session
		b, _ := hex.DecodeString(c.want)
		if err := back.Decode(b, testMs); err != nil || !reflect.DeepEqual(back, c.session) {
			t.Errorf("%s reads as %+v, %v, want %+v", c.want, back, err, c.session)
		}
	}
}

// TestRecordDamage checks that a record that is truncated, extended or of a
// later version is refused.
func TestRecordDamage(t *testing.T) {
	open := (&View{Flags: ViewBot, Viewer: 1 << 60, Place: 1000, Origin: 2000, Agent: 3000, Bot: 4000, Version: 5000,
		Campaign: 6000, Was: 7000}).Append(nil)
	full := report.Session{EngagedMs: 1000, PresentMs: 2000, Pages: []report.PageTime{{Page: 300, Ms: 4000, Bands: part.Bands{0, 3000, 1000}}}, Played: 5,
		Depth: 6, Parts: report.Parts{7, 8}, Clicks: []part.Click{{Part: 9, Target: "https://a.example/", Count: 10}}}
	session := (&Session{Session: full, Screen: 1, StartMs: testMs}).Append(nil, testMs)
	decodeView := func(b []byte) error { return new(View).Decode(b) }
	decodeSession := func(b []byte) error { return new(Session).Decode(b, testMs) }
	for _, c := range []struct {
		name   string
		record []byte
		decode func([]byte) error
		others []byte // the upper bits of other forms
	}{{"open", open, decodeView, []byte{0, 3, 7}}, {"session", session, decodeSession, []byte{0, 1, 4}}} {
		if err := c.decode(c.record); err != nil {
			t.Errorf("%s: decode = %v, want nil", c.name, err)
		}
		for n := range len(c.record) {
			if c.decode(c.record[:n]) == nil {
				t.Errorf("%s: %d of %d bytes are accepted", c.name, n, len(c.record))
			}
		}
		if c.decode(append(bytes.Clone(c.record), 0)) == nil {
			t.Errorf("%s: an additional byte is accepted", c.name)
		}
		for _, v := range c.others {
			other := bytes.Clone(c.record)
			other[0] = other[0]&^versionMask | v<<5
			if c.decode(other) == nil {
				t.Errorf("%s: form %d is accepted", c.name, v)
			}
		}
	}
	// Memory is allocated for what is there, not for what is claimed.
	if decodeSession([]byte{sessionPages, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x7f}) == nil {
		t.Error("a session with billions of pages is accepted")
	}
}

func FuzzOpenRecord(f *testing.F) {
	f.Add((&View{Viewer: 1, Place: 2, Origin: 3, Agent: 4}).Append(nil))
	f.Add((&View{Flags: ViewBot | ViewSelfReported, Bot: 70_000}).Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		var v, again View
		if v.Decode(b) != nil {
			return
		}
		if err := again.Decode(v.Append(nil)); err != nil || again != v {
			t.Errorf("%x reads as %+v, and that reads back as %+v, %v", b, v, again, err)
		}
	})
}

func FuzzSessionRecord(f *testing.F) {
	f.Add((&Session{}).Append(nil, testMs))
	full := report.Session{EngagedMs: 1, PresentMs: -2, Downloaded: true,
		Pages:  []report.PageTime{{Page: 3, Ms: 4, Bands: part.Bands{1, 0, 3, 0}}, {Page: 5, Ms: 6}},
		Played: 7, Reached: 8, Depth: 9, Clicks: []part.Click{{Part: 1, Target: "mailto", Count: 2}}}
	f.Add((&Session{Session: full, Screen: 10, StartMs: 11}).Append(nil, testMs))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s, again Session
		if s.Decode(b, testMs) != nil {
			return
		}
		if err := again.Decode(s.Append(nil, testMs), testMs); err != nil {
			t.Fatalf("%x reads as %+v, which cannot be read back: %v", b, s, err)
		}
		if len(s.Pages) == 0 && len(again.Pages) == 0 {
			s.Pages, again.Pages = nil, nil
		}
		if !reflect.DeepEqual(s, again) {
			t.Errorf("%x reads as %+v, and that reads back as %+v", b, s, again)
		}
	})
}

func FuzzWord(f *testing.F) {
	f.Add(AppendLabels(nil, WordPlace, "DE", "Berlin"))
	f.Add(AppendLabels(nil, WordAgent, "", "", "Plan 9"))
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := ParseLabels(b)
		if err != nil {
			return
		}
		again, err := ParseLabels(AppendLabels(nil, w.kind, w.Labels[:]...))
		if err != nil || *again != *w {
			t.Errorf("%x reads as %+v, and that reads back as %+v, %v", b, w, again, err)
		}
	})
}
