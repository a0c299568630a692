package publish_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/test/fixture"
)

func TestWebVTTStaysAsItIs(t *testing.T) {
	for about, text := range map[string]string{
		"short":              fixture.SomeVTT,
		"a title":            "WEBVTT - the film\r\nKind: captions\r\n\r\n1\r\n01:00:01.000 --> 01:00:04.000 line:0\r\n<v Ann>Hello &amp; welcome\r\n",
		"old line ends":      "WEBVTT\r\r00:01.000 --> 00:04.000\rGood morning.\r",
		"notes and styles":   "WEBVTT\n\nSTYLE\n::cue { color: gold }\n\nNOTE 00:01.000 -> none\n\n00:00.000-->00:00.001\nNow\n",
		"one of two is good": "WEBVTT\n\n00:09.000 --> 00:04.000\nBackwards\n\n100:00:09.000 --> 100:00:10.000\nForwards\n",
		"no text":            "WEBVTT\n00:01.000 --> 00:04.000",
	} {
		if got, err := publish.ParseCaptions([]byte("\ufeff" + text)); err != nil || string(got) != text {
			t.Errorf("%s: Parse = %q, %v, want it unchanged", about, got, err)
		}
	}
}

func TestSubRipBecomesWebVTT(t *testing.T) {
	for about, c := range map[string]struct{ text, want string }{
		"as written": {"1\r\n00:00:01,600 --> 00:00:04,200\r\n<i>Good</i> morning.\r\nTwo lines.\r\n\r\n2\r\n01:02:03,004 --> 01:02:05,000\r\nBye.\r\n",
			"WEBVTT\n\n00:00:01.600 --> 00:00:04.200\n<i>Good</i> morning.\nTwo lines.\n\n01:02:03.004 --> 01:02:05.000\nBye.\n"},
		"places, short numbers, dots": {"\n\n7\n0:0:1.6 --> 0:0:4.2  X1:40 X2:600\nHi\n",
			"WEBVTT\n\n00:00:01.006 --> 00:00:04.002\nHi\n"},
		"no empty lines between": {"1\n00:00:01,000 --> 00:00:02,000\nOne\n2\n00:00:03,000 --> 00:00:04,000\nTwo",
			"WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nOne\n\n00:00:03.000 --> 00:00:04.000\nTwo\n"},
		"commands and arrows": {"1\n00:00:01,000 --> 00:00:02,000\n{\\an8}Up --> there\n{\\an8}\n",
			"WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nUp → there\n\u00a0\n"},
		"cues of no length or text": {"1\n00:00:01,000 --> 00:00:01,000\nNever\n\n2\n00:00:02,000 --> 00:00:03,000\n\n3\n00:00:04,000 --> 00:00:05,000\nShown\n",
			"WEBVTT\n\n00:00:04.000 --> 00:00:05.000\nShown\n"},
	} {
		if got, err := publish.ParseCaptions([]byte(c.text)); err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n got %q\nwant %q", about, err, got, c.want)
		}
	}
}

func TestNoCaptions(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "neither WebVTT",
		"WEBVTT":                               "no cue",
		"WEBVTTX\n\n1\nx":                      "neither WebVTT",
		"WEBVTT\n\n00:01,000 --> 00:04,000\nx": "no cue",
		"WEBVTT\n\n00:61.000 --> 99:04.000\nx": "no cue",
		"WEBVTT\n\n00:04.000 --> 00:04.000\nx": "no cue",
		"1\n00:00:09,000 --> 00:00:04,000\nx":  "no cue",
		"A letter --> to you":                  "neither WebVTT",
		"\xff\xfeW\x00E\x00":                   "neither WebVTT",
		"WEBVTT\n\n00:01.000 --> 00:04.000\n\x00\x00\x01":                   "not text",
		strings.Repeat("1\n0:1,1 --> 0:2,2\nx\n\n", vitrine.MaxCaptions/22): "1 MiB",
	} {
		if got, err := publish.ParseCaptions([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%.40q) = %.40q, %v, want %s", text, got, err, want)
		}
	}
}

// FuzzParseCaptions checks that accepted captions are valid WebVTT of a bounded
// size, and do not change when they are parsed again.
func FuzzParseCaptions(f *testing.F) {
	f.Add([]byte(fixture.SomeVTT))
	f.Add([]byte("\ufeffWEBVTT x\r\n\r\n01:00:01.000 --> 01:00:04.000 align:start\r\nx\r\n"))
	f.Add([]byte("1\n00:00:01,600 --> 00:00:04,200\n{\\an8}Good --> morning\n\n2\n0:0:5.1 --> 0:0:6.1\n\u2028\n"))
	f.Add([]byte("99:99:99,999-->999999:99:99,999\n\v\n-->"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > vitrine.MaxCaptions {
			return
		}
		vtt, err := publish.ParseCaptions(text)
		if err != nil {
			if vtt != nil || err.Error() == "" {
				t.Errorf("Parse = %q, %v", vtt, err)
			}
			return
		}
		if !bytes.HasPrefix(vtt, []byte("WEBVTT")) || !utf8.Valid(vtt) || len(vtt) > vitrine.MaxCaptions {
			t.Fatalf("Parse(%q) = %q", text, vtt)
		}
		if again, err := publish.ParseCaptions(vtt); err != nil || !bytes.Equal(again, vtt) {
			t.Errorf("Parse(%q) a second time = %q, %v", vtt, again, err)
		}
	})
}

func TestParseLanguage(t *testing.T) {
	for in, want := range map[string]string{"en": "en", "DE": "de", "pt-br": "pt-BR", "en_US": "en-US",
		"zh-hant": "zh-Hant", "iw": "he", "sr-latn-rs": "sr-Latn-RS", "es-419": "es-419"} {
		if got, err := vitrine.ParseLanguage(in); err != nil || got != want {
			t.Errorf("ParseLanguage(%s) = %q, %v, want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"", "und", "x", "x-klingon", "english", "qqqq", "e", "en-", "../en", "en/us", "de DE",
		"en\x00", strings.Repeat("en-", 40)} {
		if got, err := vitrine.ParseLanguage(in); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
			t.Errorf("ParseLanguage(%q) = %q, %v, want invalid_request", in, got, err)
		}
	}
}

// FuzzParseLanguage checks that a canonical tag is a valid part name and is
// read back from it.
func FuzzParseLanguage(f *testing.F) {
	for _, s := range []string{"en", "pt-BR", "zh-Hant-TW", "sl-rozaj-biske", "de-u-co-phonebk", "en-x-private",
		"i-klingon", "zh-min-nan", "no"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tag, err := vitrine.ParseLanguage(s)
		if err != nil {
			return
		}
		p := vitrine.CaptionsPart(tag)
		if _, ok := vitrine.ParsePart(string(p)); !ok {
			t.Fatalf("ParseLanguage(%q) = %q, which is not a valid part name", s, tag)
		}
		if again, err := vitrine.ParseLanguage(p.Language()); err != nil || again != tag {
			t.Errorf("ParseLanguage(%q) = %q, but the language of its part = %q, %v", s, tag, again, err)
		}
	})
}
