package importer

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/filetype"

	"github.com/go-json-experiment/json"
)

// lineMembers is a line of the import format with all that a line can have, as
// importLine puts it together.
var lineMembers = []string{`"slug":"old-report"`, `"at":"2026-05-04T12:00:00.123Z"`, `"viewer":"v 1"`, `"country":"DE"`, `"city":"München"`,
	`"referrer":"linkedin.com"`, `"source":"LinkedIn"`, `"device":"Desktop"`, `"browser":"Samsung Internet"`, `"os":""`, `"bot":false`, `"qr":true`, `"returning":true`,
	`"session":{"engagedMs":61000,"presentMs":70000,"screen":"1440-1919","downloaded":true,"pages":[{"page":1,"ms":20000},{"page":2,"ms":0}],` +
		`"playedPct":12.5,"reachedPct":100,"scrollPct":0.125}`}

func importLine(members ...string) string { return "{" + strings.Join(members, ",") + "}" }

// sameAsUnmarshal holds the parser against json.Unmarshal: the same lines
// accepted, the same read, the same error told. It tells whether the line was
// read without json.Unmarshal.
func sameAsUnmarshal(t *testing.T, p *openParser, line string) (plain bool) {
	t.Helper()
	var want importedOpen
	wantErr := json.Unmarshal([]byte(line), &want)
	b := []byte(line)
	plain = p.plain(b)
	got, err := p.parse(b)
	clear(b) // what was read shares no memory with the line
	switch {
	case (err == nil) != (wantErr == nil):
		t.Fatalf("%q: error %v, json.Unmarshal says %v", line, err, wantErr)
	case err != nil && !strings.HasSuffix(err.Error(), wantErr.Error()):
		t.Fatalf("%q: error %q does not tell of %q", line, err, wantErr)
	case err != nil:
		return plain
	}
	normal := *got
	if normal.Session != nil && len(normal.Session.Pages) == 0 {
		s := *normal.Session
		s.Pages = nil
		normal.Session = &s
	}
	if want.Session != nil && len(want.Session.Pages) == 0 {
		want.Session.Pages = nil
	}
	if !reflect.DeepEqual(normal, want) {
		t.Fatalf("%q is read as\n%+v\nand not as\n%+v", line, normal, want)
	}
	return plain
}

func TestImportParse(t *testing.T) {
	p := &openParser{words: newWordCache()}
	full := importLine(lineMembers...)
	for _, line := range []string{full, `{}`, ` { "slug" : "a" , "session" : { "pages" : [ ] } } ` + "\t\r\n", `{"session":{}}`, `{"session":{"pages":[{},{"ms":7}]}}`,
		`{"session":{"playedPct":0.1}}`, `{"session":{"playedPct":99.999999999999999}}`, `{"session":{"engagedMs":999999999999999999}}`} {
		if !sameAsUnmarshal(t, p, line) {
			t.Errorf("%q is not read as plain", line)
		}
	}
	for _, line := range []string{``, ` `, `null`, `[]`, `{`, `{}}`, `{} {}`, `{,}`, `{"slug"}`, `{"slug":}`, `{"slug":"a",}`, `{"slug":"a" "at":"b"}`, `{slug:"a"}`,
		`{"slug":"a","slug":"b"}`, `{"slug":"a","sl\u0075g":"b"}`, `{"Slug":"a"}`, `{"slug":1}`, `{"slug":null}`, `{"slug":"a\n"}`, "{\"slug\":\"a\n\"}", "{\"slug\":\"\xff\"}", "{\"slug\":\"\xed\xa0\x80\"}",
		`{"slug":"\ud800"}`, `{"slug":"\ud83d\ude00"}`, "{\"slug\":\"\x7f\u00a0\u2028\"}", `{"bot":"true"}`, `{"bot":tru}`, `{"bot":trueish}`, `{"bot":null}`, `{"bot":1}`, `{"more":1}`, `{"more":1,"more":2}`,
		`{"more":{"a":1,"a":2}}`, `{"more":01}`, `{"session":null}`, `{"session":[]}`, `{"session":{"engagedMs":null}}`, `{"session":{"engagedMs":-0}}`, `{"session":{"engagedMs":-1}}`,
		`{"session":{"engagedMs":1.0}}`, `{"session":{"engagedMs":1e3}}`, `{"session":{"engagedMs":01}}`, `{"session":{"engagedMs":00}}`, `{"session":{"engagedMs":9223372036854775807}}`,
		`{"session":{"engagedMs":9223372036854775808}}`, `{"session":{"engagedMs":"1"}}`, `{"session":{"engagedMs":1 2}}`, `{"session":{"pages":null}}`, `{"session":{"pages":{}}}`,
		`{"session":{"pages":[}}`, `{"session":{"pages":[{},]}}`, `{"session":{"pages":[,{}]}}`, `{"session":{"pages":[null]}}`, `{"session":{"pages":[{"page":1,"page":2}]}}`, `{"session":{"pages":[{"page":1}{"page":2}]}}`,
		`{"session":{"pages":[],"pages":[]}}`, `{"session":{"playedPct":.5}}`, `{"session":{"playedPct":5.}}`, `{"session":{"playedPct":05.1}}`, `{"session":{"playedPct":1e1}}`, `{"session":{"playedPct":1.5e1}}`,
		`{"session":{"playedPct":-0.0}}`, `{"session":{"playedPct":1e999}}`, `{"session":{"playedPct":12345678901234567890.5}}`, `{"session":{"playedPct":NaN}}`, `{"session":{"playedPct":"1"}}`,
		`{"session":{"session":{}}}`, strings.Repeat(`{"session":`, 3) + `1`, `{"more":` + strings.Repeat("[", 20_000)} {
		sameAsUnmarshal(t, p, line)
	}
	for i := range len(full) { // cut off, and each byte replaced or taken out
		sameAsUnmarshal(t, p, full[:i])
		sameAsUnmarshal(t, p, full[:i]+full[i+1:])
		for _, c := range "\x00 \"\\{}[],:.-0e\u00e9\x7f" {
			sameAsUnmarshal(t, p, full[:i]+string(c)+full[i+1:])
		}
		sameAsUnmarshal(t, p, full[:i]+"\x80"+full[i+1:])
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 { // members left out, twice and in any order
		var members []string
		for range r.IntN(8) {
			members = append(members, lineMembers[r.IntN(len(lineMembers))])
		}
		sameAsUnmarshal(t, p, importLine(members...))
	}
}

func FuzzImportParse(f *testing.F) {
	f.Add(importLine(lineMembers...))
	for _, m := range lineMembers {
		f.Add(importLine(m))
	}
	f.Fuzz(func(t *testing.T, line string) { sameAsUnmarshal(t, &openParser{words: newWordCache()}, line) })
}

func TestImportTime(t *testing.T) {
	for s, want := range map[string]string{
		"2026-05-04T12:00:00.123Z":       "2026-05-04T12:00:00.123Z",
		"2026-05-04T12:00:00.123999999Z": "2026-05-04T12:00:00.123Z",
		"2026-05-04T14:00:00+02:00":      "2026-05-04T12:00:00.000Z",
		"1970-01-01T00:00:00Z":           "1970-01-01T00:00:00.000Z",
		"1970-01-01T00:00:00+00:01":      "", // 1969
		"2099-12-31T23:59:59.999Z":       "2099-12-31T23:59:59.999Z",
		"2099-12-31T23:59:59-00:01":      "", // 2100
		"2026-02-30T12:00:00Z":           "",
		"2026-05-04":                     "",
		"2026-05-04T12:00:00":            "",
		"":                               "",
	} {
		at, err := importTime(s)
		got := at.Format("2006-01-02T15:04:05.000Z07:00")
		if (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("importTime(%q) = %s, %v, want %q", s, got, err, want)
		}
	}
}

// The viewer of a name stays the same over all versions: what was imported
// before and what will be must agree.
func TestImportedViewer(t *testing.T) {
	for _, c := range []struct {
		account vitrine.AccountID
		name    string
	}{{1, "v"}, {42, "ä viewer"}, {1 << 40, strings.Repeat("long ", 100)}} {
		sum := sha256.Sum256([]byte(fmt.Sprintf("imported %d %s", c.account, c.name)))
		if got, want := importedViewer(c.account, c.name), binary.BigEndian.Uint64(sum[:8]); got != want {
			t.Errorf("viewer %q of account %d is %x, not %x", c.name, c.account, got, want)
		}
	}
}

// What is staged is read back as it was.
func TestStagedRecord(t *testing.T) {
	in := importing{links: map[string]*importTarget{}, parser: openParser{words: newWordCache()}}
	for _, kind := range []string{"pdf", "video", "html", "archive"} {
		in.links[kind] = &importTarget{account: 1, link: 2, content: vitrine.ContentKindOf(filetype.Kind(kind))}
	}
	label := strings.Repeat("é", 127) + "x"
	for _, members := range []string{`"slug":"pdf"`, `"slug":"pdf","bot":true,"qr":true,"returning":true`,
		`"slug":"pdf","country":"DE","city":"` + label + `","referrer":"r","source":"s","device":"d","browser":"b","os":"o"`,
		`"slug":"archive","session":{"engagedMs":0,"presentMs":1099511627776,"downloaded":true}`,
		`"slug":"pdf","session":{"engagedMs":5,"presentMs":6,"screen":"1920+","pages":[{"page":100000,"ms":1099511627776},{"page":1,"ms":0}]}`,
		`"slug":"video","bot":true,"session":{"engagedMs":5,"presentMs":6,"playedPct":0.0001,"reachedPct":100}`,
		`"slug":"html","session":{"engagedMs":5,"presentMs":6,"scrollPct":33.3}`} {
		var want, got vitrine.OpenRecord
		if _, err := in.open(t.Context(), []byte(importLine(members, `"at":"2026-05-04T12:00:00Z"`, `"viewer":"v"`)), &want); err != nil {
			t.Fatal(members, err)
		}
		if want.Session != nil && len(want.Session.Pages) == 0 {
			want.Session.Pages = nil
		}
		b := appendStaged(nil, &want)
		got = vitrine.OpenRecord{Account: want.Account}
		got.At, got.Link = want.At, want.Link
		stored := append([]byte{}, b...)
		if err := readStaged(stored, &got, newWordCache()); err != nil {
			t.Fatal(members, err)
		}
		clear(stored)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: read back as %+v, %+v", members, got, got.Session)
		}
		for n := range b {
			if err := readStaged(b[:n], &got, newWordCache()); err == nil {
				t.Fatalf("%s: %d bytes of %d are read", members, n, len(b))
			}
		}
		if err := readStaged(append(b, 0), &got, newWordCache()); err == nil {
			t.Errorf("%s: a byte more is read", members)
		}
	}
}
