package importer

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/report"
)

func importLine(members ...string) string { return "{" + strings.Join(members, ",") + "}" }

func TestImportTime(t *testing.T) {
	for s, want := range map[string]string{
		"2026-05-04T12:00:00.123Z":       "2026-05-04T12:00:00.123Z",
		"2026-05-04T12:00:00.123999999Z": "2026-05-04T12:00:00.123Z",
		"2026-05-04T14:00:00+02:00":      "2026-05-04T12:00:00.000Z",
		"1990-01-01T00:00:00Z":           "1990-01-01T00:00:00.000Z",
		"1990-01-01T00:00:00+00:01":      "", // 1989
		"1970-01-01T00:00:00Z":           "",
		"0001-01-01T00:00:00Z":           "",
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

// TestImportedViewer checks that the ID of a viewer's name never changes,
// because earlier and later imports must agree.
func TestImportedViewer(t *testing.T) {
	for _, c := range []struct {
		account vitrine.AccountID
		name    string
	}{{1, "v"}, {42, "ä viewer"}, {1 << 40, strings.Repeat("long ", 100)}} {
		sum := sha256.Sum256([]byte(fmt.Sprintf("imported %d %s", c.account, c.name)))
		if got, want := importedViewer(c.account, c.name), binary.BigEndian.Uint64(sum[:8])>>16; got != want {
			t.Errorf("ID of viewer %q of account %d = %x, want %x", c.name, c.account, got, want)
		}
	}
}

// TestStagedRecord checks that a staged record is read back unchanged.
func TestStagedRecord(t *testing.T) {
	in := importing{Importer: &Importer{Now: time.Now}, links: map[string]*importTarget{}}
	for _, kind := range []string{"pdf", "video", "html", "archive"} {
		in.links[kind] = &importTarget{account: 1, link: 2,
			files: map[int]importedFile{1: {content: report.ContentOf(filetype.Kind(kind))}}}
	}
	in.links["guide"] = &importTarget{account: 1, link: 2,
		files: map[int]importedFile{1: {content: report.ContentScroll, pages: 4}}}
	label := strings.Repeat("é", 127) + "x"
	for _, members := range []string{`"slug":"pdf"`, `"slug":"pdf","bot":true,"qr":true,"returning":true`,
		`"slug":"pdf","country":"DE","city":"` + label +
			`","referrer":"r","source":"s","device":"d","browser":"b","os":"o"`,
		`"slug":"archive","session":{"engagedMs":0,"presentMs":1099511627776,"downloaded":true}`,
		`"slug":"pdf","session":{"engagedMs":5,"presentMs":6,"screen":"1920+","pages":[{"page":100000,"ms":1099511627776},{"page":1,"ms":0}]}`,
		`"slug":"video","bot":true,"session":{"engagedMs":5,"presentMs":6,"playedPct":0.0001,"reachedPct":100}`,
		`"slug":"video","version":7,"campaign":"` + label + `","medium":"m","content":"n","term":"t","bot":true,"product":"GPTBot",
			"session":{"engagedMs":5,"presentMs":6,"playedPct":62,"reachedPct":100,"playedIn":[[0,50.2],[99,100]]}`,
		`"slug":"guide","session":{"engagedMs":5,"presentMs":6,"scrollPct":0,"parts":[]}`,
		`"slug":"pdf","session":{"engagedMs":5,"presentMs":6,"pages":[{"page":2,"ms":10,"bands":[1,0,4,5]},{"page":9,"ms":1},
			{"page":1,"ms":1099511627776,"bands":[0,1099511627775,0,1]}],"clicks":[{"part":9,"target":"mailto","count":1}]}`,
		`"slug":"html","session":{"engagedMs":5,"presentMs":6}`,
		`"slug":"guide","session":{"engagedMs":5,"presentMs":6,"scrollPct":7,"parts":[{"part":4,"ms":3,"bands":[0,0,0,2]},{"part":1,"ms":2,"bands":[0,0,0,0]}]}`,
		`"slug":"guide","session":{"engagedMs":5,"presentMs":6,"scrollPct":7,"clicks":[{"part":4,"target":"https://a.test/b","count":100},{"part":0,"target":"tel","count":1}]}`,
		`"slug":"html","session":{"engagedMs":5,"presentMs":6,"scrollPct":33.3}`} {
		var want, got vitrine.ViewRecord
		if _, err := in.view(t.Context(), []byte(importLine(members, `"at":"2026-05-04T12:00:00Z"`, `"viewer":"v"`)),
			&want); err != nil {
			t.Fatal(members, err)
		}
		if want.Session != nil && len(want.Session.Pages) == 0 {
			want.Session.Pages = nil
		}
		b := appendStaged(nil, &want)
		got = vitrine.ViewRecord{Account: want.Account}
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
				t.Fatalf("%s: reading %d of %d bytes succeeds, want an error", members, n, len(b))
			}
		}
		if err := readStaged(append(b, 0), &got, newWordCache()); err == nil {
			t.Errorf("%s: reading one byte too many succeeds, want an error", members)
		}
	}
}
