package text

import (
	"bytes"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// maxSample bounds the bytes from which an encoding is guessed, and so the time
// that a guess takes.
const maxSample = 16 << 10

// guess returns the encoding in which a text that is not Unicode reads best. Of
// encodings that read the same, it prefers the more common one.
func guess(b []byte) encoding.Encoding {
	b = sample(b)
	var best encoding.Encoding = charmap.Windows1252
	most := -1e9
	try := func(e encoding.Encoding, score float64) {
		if score > most {
			best, most = e, score
		}
	}
	for _, c := range alphabets() {
		try(c.encoding, c.score(b))
	}
	for _, c := range ideographs() {
		try(c.encoding, c.score(b))
	}
	return best
}

// sample returns the part of a text from which its encoding is guessed: whole
// lines, from the first one that is not ASCII.
func sample(b []byte) []byte {
	first := bytes.IndexFunc(b, func(r rune) bool { return r >= utf8.RuneSelf })
	if first < 0 {
		return nil
	}
	b = b[bytes.LastIndexByte(b[:first], '\n')+1:]
	if len(b) <= maxSample {
		return b
	}
	b = b[:maxSample]
	if end := bytes.LastIndexByte(b, '\n'); end > 0 {
		return b[:end]
	}
	return b
}

// alphabet is an encoding with a byte for each letter, and a language that is
// written with it.
type alphabet struct {
	encoding *charmap.Charmap
	latin    bool
	// The letters beyond ASCII, in lower case: common ones and others. Those of
	// other scripts are ordered by how common they are.
	common, rare string
}

const (
	german     = "äöüß"
	french     = "éèêëàâçîïôûùœæ"
	spanish    = "áéíóúñüçàèòï"
	portuguese = "ãõáéíóúâêôçàü"
	nordic     = "åäöøæé"
	icelandic  = "áéíóúýþæðö"
	western    = german + french + spanish + portuguese + nordic + icelandic + "ìÿšž"
	polish     = "ąćęłńóśźż"
	czech      = "áčďéěíňóřšťúůýž"
	slovak     = "áäčďéíĺľňóôŕšťúýž"
	hungarian  = "áéíóöőúüű"
	balkan     = "čćđšž"
	romanian   = "ăâîşţ"
	central    = polish + czech + slovak + hungarian + balkan + romanian + "ß"
	turkish    = "çğıöşüâîi̇"
	lithuanian = "ąčęėįšųūž"
	latvian    = "āčēģīķļņšūž"
	estonian   = "äõöüšž"
	russian    = "оеаинтсрвлкмдпу"
	russianToo = "яыьгзбчйхжшюцщэфъё"
	ukrainian  = "оаинтіврелкдпуясмз"
	ukrainToo  = "ьбгйчхжцюєшїфщґ'ў"
	serbian    = "аоиенрсјтуквдмљ"
	serbianToo = "њђћџпзбгцчжшхф"
	greek      = "αοιετσνηρπκυλμς"
	greekToo   = "ωγδβχθφζξψάόίέήύώϊϋΐΰ"
	hebrew     = "יוהלאתרשבמדנעםכחפקזסטגץןךצף"
	arabic     = "النيمرتوبةعدسفه"
	arabicToo  = "كقحجشطصزخغىأإءضثظذئؤآپچژگکیےںہ\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652\u0640،؟؛"
	thai       = "านรอกเงมยลวดทสต"
	thaiToo    = "ะปบคหแจพชขใไโผซถศณภธฉญฐฎฟฝษฬฮฆฏฌฤฑฒๆฯำ\u0e31\u0e34\u0e35\u0e36\u0e37\u0e38\u0e39\u0e3a\u0e47\u0e48\u0e49\u0e4a\u0e4b\u0e4c"
)

// alphabets are ordered by how common their encodings are in files.
var alphabets = sync.OnceValue(func() []*table {
	return tabled([]alphabet{
		{charmap.Windows1252, true, german, ""}, {charmap.Windows1252, true, french, ""},
		{charmap.Windows1252, true, spanish, ""}, {charmap.Windows1252, true, portuguese, ""},
		{charmap.Windows1252, true, nordic, "ü"}, {charmap.Windows1252, true, icelandic, ""},
		{charmap.Windows1252, true, "", western},
		{charmap.Windows1250, true, polish, ""}, {charmap.Windows1250, true, czech, ""},
		{charmap.Windows1250, true, slovak, ""}, {charmap.Windows1250, true, hungarian, ""},
		{charmap.Windows1250, true, balkan, ""},
		{charmap.Windows1250, true, romanian, ""}, {charmap.Windows1250, true, "", central},
		{charmap.Windows1251, false, russian, russianToo}, {charmap.Windows1251, false, ukrainian, ukrainToo},
		{charmap.Windows1251, false, serbian, serbianToo},
		{charmap.Windows1254, true, turkish, ""}, {charmap.Windows1253, false, greek, greekToo},
		{charmap.Windows1255, false, hebrew, ""}, {charmap.Windows1256, false, arabic, arabicToo},
		{charmap.Windows874, false, thai, thaiToo},
		{charmap.Windows1257, true, lithuanian, ""}, {charmap.Windows1257, true, latvian, ""},
		{charmap.Windows1257, true, estonian, ""},
		{charmap.KOI8R, false, russian, russianToo}, {charmap.KOI8U, false, ukrainian, ukrainToo},
		{charmap.CodePage866, false, russian, russianToo}, {charmap.ISO8859_5, false, russian, russianToo},
		{charmap.MacintoshCyrillic, false, russian, russianToo},
		{charmap.ISO8859_15, true, german, ""}, {charmap.ISO8859_15, true, french, ""},
		{charmap.ISO8859_2, true, polish, ""}, {charmap.ISO8859_2, true, czech, ""},
		{charmap.ISO8859_2, true, slovak, ""}, {charmap.ISO8859_2, true, hungarian, ""},
		{charmap.ISO8859_7, false, greek, greekToo},
		{charmap.Macintosh, true, german, ""}, {charmap.Macintosh, true, french, ""},
		{charmap.Macintosh, true, spanish, ""}, {charmap.Macintosh, true, portuguese, ""},
		{charmap.Macintosh, true, nordic, "ü"}, {charmap.Macintosh, true, "", western},
		{charmap.CodePage850, true, german, ""}, {charmap.CodePage850, true, french, ""},
		{charmap.CodePage850, true, spanish, ""}, {charmap.CodePage850, true, portuguese, ""},
		{charmap.CodePage850, true, nordic, "ü"}, {charmap.CodePage852, true, polish, ""},
		{charmap.CodePage852, true, czech, ""}, {charmap.CodePage852, true, hungarian, ""},
	})
})

// kind is what a byte is in an alphabet.
type kind byte

const (
	isOther kind = iota // ASCII that is no letter
	isLower
	isUpper
	isCaseless
	isSign    // punctuation of texts
	isStrange // a symbol that texts rarely have
	isNothing
)

// table says of each byte what it is and what it is worth.
type table struct {
	alphabet
	kinds  [256]kind
	worths [256]float64
}

func tabled(all []alphabet) []*table {
	var tables []*table
	for _, a := range all {
		t := &table{alphabet: a}
		for i := range 256 {
			t.kinds[i], t.worths[i] = a.judge(a.encoding.DecodeByte(byte(i)))
		}
		tables = append(tables, t)
	}
	return tables
}

// signs are the signs beyond ASCII that texts have.
const signs = "“”„‘’‚«»‹›–—…•·€£¥©®™°§¿¡№ªº²³½¼\u00a0"

func (a *alphabet) judge(r rune) (kind, float64) {
	switch {
	case r < utf8.RuneSelf && !unicode.IsLetter(r):
		return isOther, 0
	case r == utf8.RuneError, unicode.IsControl(r), '\ue000' <= r && r <= '\uf8ff':
		return isNothing, -4
	case strings.ContainsRune(signs, r):
		return isSign, 0.2
	}
	is, low := isLower, unicode.ToLower(r)
	switch {
	case unicode.IsUpper(r):
		is = isUpper
	case !unicode.IsLower(r):
		is = isCaseless
	}
	switch at := strings.IndexRune(a.common, low); {
	case r < utf8.RuneSelf:
		return is, 0
	case at >= 0 && a.latin, r == 'İ' && a.common == turkish:
		return is, 1
	case at >= 0:
		return is, 1 - 0.5*float64(at)/float64(len(a.common))
	case strings.ContainsRune(a.rare, low):
		return is, 0.4
	case unicode.IsLetter(r):
		return is, -1
	}
	return isStrange, -1
}

// score sums what the bytes beyond ASCII are worth, with their neighbors:
// letters of other scripts do not stand in a word with Latin ones, those of
// Latin with marks seldom stand together, small ones are not followed by
// capitals, and words have no signs within.
func (t *table) score(b []byte) float64 {
	sum, before := 0.0, kind(isOther)
	for i, c := range b {
		is := t.kinds[c]
		letter := is == isLower || is == isUpper || is == isCaseless
		follows := letter && (before == isLower || before == isUpper || before == isCaseless)
		high := c >= utf8.RuneSelf
		if high {
			sum += t.worths[c]
		}
		if i > 0 && (high || b[i-1] >= utf8.RuneSelf) {
			both := high && b[i-1] >= utf8.RuneSelf
			switch {
			case follows && before == isLower && is == isUpper:
				sum -= 1
			case follows && t.latin && both:
				sum -= 0.5
			case follows && !t.latin && !both:
				sum -= 1
			}
		}
		if letter && i > 1 && (before == isSign && b[i-1] != t.apostrophe() || before == isStrange) &&
			t.kinds[b[i-2]] >= isLower && t.kinds[b[i-2]] <= isCaseless {
			sum -= 1
		}
		before = is
	}
	return sum
}

// apostrophe returns the byte of ’, which words have within.
func (t *table) apostrophe() byte {
	c, _ := t.encoding.EncodeRune('’')
	return c
}

// ideographic is an encoding with two bytes for a character.
type ideographic struct {
	encoding encoding.Encoding
	// judge returns the length of the character that p begins with, at least 1,
	// and what it is worth. Common characters of the language are worth most.
	judge  func(p []byte) (int, float64)
	common map[rune]bool
}

var ideographs = sync.OnceValue(func() []*ideographic {
	return []*ideographic{
		{japanese.ShiftJIS, judgeShiftJIS, runes(commonJapanese)},
		{simplifiedchinese.GB18030, judgeGBK, runes(commonSimplified)},
		{korean.EUCKR, judgeEUCKR, nil},
		{traditionalchinese.Big5, judgeBig5, runes(commonTraditional)},
		{japanese.EUCJP, judgeEUCJP, runes(commonJapanese)},
	}
})

func runes(s string) map[rune]bool {
	m := map[rune]bool{}
	for _, r := range s {
		m[r] = true
	}
	return m
}

// score sums what the characters are worth, for each of their two bytes. One
// in a Latin word is a letter of another encoding.
func (c *ideographic) score(b []byte) float64 {
	sum := 0.0
	latin := func(i int) bool { return i >= 0 && i < len(b) && (b[i]|0x20) >= 'a' && (b[i]|0x20) <= 'z' }
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		n, worth := c.judge(b[i:])
		if n > 1 {
			s, err := c.encoding.NewDecoder().Bytes(b[i : i+n])
			if err != nil || bytes.ContainsRune(s, utf8.RuneError) {
				n, worth = 1, -4
			} else if r, _ := utf8.DecodeRune(s); c.common[r] {
				worth += 0.4
			}
			if latin(i - 1) {
				worth--
			}
			worth *= 2
		}
		sum += worth
		i += n
	}
	return sum
}

func between(c byte, from, to byte) bool { return from <= c && c <= to }

// pair returns the second byte of a character, or false at the end.
func pair(p []byte) (byte, bool) {
	if len(p) < 2 {
		return 0, false
	}
	return p[1], true
}

func judgeShiftJIS(p []byte) (int, float64) {
	c := p[0]
	if between(c, 0xa1, 0xdf) {
		return 1, -0.1 // narrow katakana
	}
	d, ok := pair(p)
	switch {
	case !ok || d < 0x40 || d == 0x7f || d > 0xfc || !between(c, 0x81, 0x9f) && !between(c, 0xe0, 0xfc):
		return 1, -4
	case c == 0x82 && d >= 0x9f, c == 0x83 && d <= 0x96:
		return 2, 1 // kana
	case c == 0x81, c == 0x82:
		return 2, 0.3
	case between(c, 0x88, 0x97), c == 0x98 && d <= 0x72:
		return 2, 0.6
	}
	return 2, -1
}

func judgeGBK(p []byte) (int, float64) {
	c := p[0]
	d, ok := pair(p)
	switch {
	case ok && between(d, '0', '9') && len(p) > 3 && p[2] >= 0x81 && between(p[3], '0', '9'):
		return 4, -0.5
	case !ok || d < 0x40 || d == 0x7f || d == 0xff || c == 0x80 || c == 0xff:
		return 1, -4
	case d >= 0xa1 && between(c, 0xb0, 0xd7):
		return 2, 0.6
	case d >= 0xa1 && between(c, 0xd8, 0xf7):
		return 2, -0.5
	case d >= 0xa1 && between(c, 0xa1, 0xa3):
		return 2, 0.3
	case d >= 0xa1 && between(c, 0xa4, 0xa5):
		return 2, -0.1 // kana
	}
	return 2, -1
}

func judgeBig5(p []byte) (int, float64) {
	c := p[0]
	d, ok := pair(p)
	switch {
	case !ok || !between(d, 0x40, 0x7e) && !between(d, 0xa1, 0xfe) || !between(c, 0x87, 0xfe):
		return 1, -4
	case between(c, 0xa4, 0xc5), c == 0xc6 && d <= 0x7e:
		return 2, 0.6
	case between(c, 0xa1, 0xa3):
		return 2, 0.3
	case between(c, 0xc9, 0xf9):
		return 2, -0.5
	}
	return 2, -1
}

func judgeEUCKR(p []byte) (int, float64) {
	c := p[0]
	d, ok := pair(p)
	switch {
	case !ok || d < 0x41 || d == 0xff || c == 0x80 || c == 0xff:
		return 1, -4
	case d >= 0xa1 && between(c, 0xb0, 0xc8):
		return 2, 1 // Hangul
	case d >= 0xa1 && between(c, 0xa1, 0xa3):
		return 2, 0.3
	case d < 0xa1 && between(c, 0x81, 0xc6):
		return 2, -0.3 // rare Hangul
	}
	return 2, -1
}

func judgeEUCJP(p []byte) (int, float64) {
	c := p[0]
	d, ok := pair(p)
	switch {
	case c == 0x8f && len(p) > 2 && d >= 0xa1 && p[2] >= 0xa1:
		return 3, -0.5
	case !ok || d < 0xa1 || d == 0xff || c != 0x8e && !between(c, 0xa1, 0xfe):
		return 1, -4
	case between(c, 0xa4, 0xa5):
		return 2, 1 // kana
	case between(c, 0xa1, 0xa3):
		return 2, 0.3
	case between(c, 0xb0, 0xcf):
		return 2, 0.6
	}
	return 2, -0.6
}
