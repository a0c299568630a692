package front

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bytes of text before and after a match in a result.
const foundBefore, foundAfter = 70, 150

// docFound is a section that matches, with the text around the first match.
type docFound struct {
	*docPart
	Excerpt []docPiece
	words   int // how many match
	rank    float64
}

// docPiece is a piece of an excerpt.
type docPiece struct {
	Text  string
	Match bool
}

// docWord is a word of a query, without its ending: "expiry" finds "expires".
type docWord string

// docWordEnds are the endings that a word of a text may have after a docWord to
// be the same word.
var docWordEnds = strings.Fields("s e es y ed d ing ies ion ions ation r er ers")

// maxDocsWords bounds the words of a query that are searched for.
const maxDocsWords = 8

// docIndex is the documentation, and where its words are.
type docIndex struct {
	parts []docPart
	words []string // in lower case, sorted
	in    [][]int  // the parts that have each word, in order
}

// newDocIndex indexes parts.
func newDocIndex(parts []docPart) *docIndex {
	x, in := &docIndex{parts: parts}, map[string][]int{}
	for i := range parts {
		for _, w := range strings.FieldsFunc(parts[i].lower, func(r rune) bool { return !inWord(r) }) {
			if at := in[w]; len(at) == 0 || at[len(at)-1] != i {
				in[w] = append(at, i)
			}
		}
	}
	x.words = slices.Sorted(maps.Keys(in))
	for _, w := range x.words {
		x.in = append(x.in, in[w])
	}
	return x
}

// mayHave sets has for each part that may have the word: a word of it begins
// with the first letters of w.
func (x *docIndex) mayHave(w docWord, has []bool) {
	letters := strings.TrimLeftFunc(string(w), func(r rune) bool { return !inWord(r) })
	if i := strings.IndexFunc(letters, func(r rune) bool { return !inWord(r) }); i >= 0 {
		letters = letters[:i]
	}
	i, _ := slices.BinarySearch(x.words, letters)
	for ; i < len(x.words) && strings.HasPrefix(x.words[i], letters); i++ {
		for _, part := range x.in[i] {
			has[part] = true
		}
	}
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// fillers are words that a query may contain and nobody looks for.
var fillers = strings.Fields("a an and are can do does for from how i in is it my of on or that the this to what when with you your")

// endings are cut from the words of a query, the first that fits.
var endings = []string{"ations", "ation", "ings", "ing", "ies", "ed", "es", "s", "y", "e"}

// stem returns a word without its ending.
func stem(word string) string {
	for _, end := range endings {
		s, ok := strings.CutSuffix(word, end)
		if !ok || utf8.RuneCountInString(s) < 4 && (end != "s" || utf8.RuneCountInString(s) < 3) {
			continue
		}
		if n := len(s); len(end) > 1 && s[n-1] == s[n-2] && !strings.HasSuffix(s, "ss") { // embedding
			s = s[:n-1]
		}
		return s
	}
	return word
}

// docWords returns the words of a query, each once and at most maxDocsWords:
// without fillers unless there are only those, and without single letters
// unless there are only those.
func docWords(query string) (words []docWord) {
	var all []string
	for _, w := range strings.Fields(strings.ToLower(query)) {
		if w = strings.Trim(w, `.,;:!?"'()“”‘’`); w != "" {
			all = append(all, w)
		}
	}
	for _, idle := range []func(string) bool{
		func(w string) bool { return slices.Contains(fillers, w) },
		func(w string) bool { return utf8.RuneCountInString(w) < 2 },
	} {
		if some := slices.DeleteFunc(slices.Clone(all), idle); len(some) > 0 {
			all = some
		}
	}
	for _, w := range all {
		if s := docWord(stem(w)); len(words) < maxDocsWords && !slices.Contains(words, s) {
			words = append(words, s)
		}
	}
	return words
}

// in returns how well a text in lower case has the word: 3 as a word, 2 as the
// beginning of one, 0 not at all.
func (w docWord) in(text string) (best float64) {
	for from := 0; ; {
		i := strings.Index(text[from:], string(w))
		if i < 0 {
			return best
		}
		from += i
		before, _ := utf8.DecodeLastRuneInString(text[:from])
		begins := from == 0 || !inWord(before)
		from += len(w)
		switch {
		case begins && wordEnds(text[from:]):
			return 3
		case begins:
			best = 2
		}
	}
}

// wordEnds reports whether a word that has matched up to here ends here, or
// with one of its endings.
func wordEnds(rest string) bool {
	end := rest
	if i := strings.IndexFunc(rest, func(r rune) bool { return !inWord(r) }); i >= 0 {
		end = rest[:i]
	}
	return end == "" || slices.Contains(docWordEnds, end)
}

// found returns the sections that have all words of a query or, if none has,
// those that have most of them; the best first.
func (x *docIndex) found(query string) (list []docFound) {
	words, most := docWords(query), 0
	phrase := strings.Join(strings.Fields(strings.ToLower(query)), " ")
	has := make([][]bool, len(words))
	for i, w := range words {
		has[i] = make([]bool, len(x.parts))
		x.mayHave(w, has[i])
	}
	for n := range x.parts {
		p := &x.parts[n]
		f := docFound{docPart: p}
		for i, w := range words {
			if !has[i][n] {
				continue
			}
			in := w.in(p.lower)
			if in == 0 {
				continue
			}
			f.words++
			f.rank += in + 4*w.in(p.title) + 2*w.in(p.terms) + min(float64(strings.Count(p.lower, string(w))), 4)/2
		}
		if f.words == 0 || f.words < most {
			continue
		}
		most = f.words
		switch {
		case p.title == phrase:
			f.rank += 20
		case strings.Contains(p.title, phrase):
			f.rank += 8
		case len(words) > 1 && strings.Contains(p.lower, phrase):
			f.rank += 6
		}
		f.rank *= p.weight
		list = append(list, f)
	}
	list = slices.DeleteFunc(list, func(f docFound) bool { return f.words < most })
	slices.SortStableFunc(list, func(a, b docFound) int { return cmp.Compare(b.rank, a.rank) })
	for i := range list[:min(len(list), maxDocsFound)] {
		list[i].Excerpt = excerpt(list[i].Text, words)
	}
	return list
}

// marks returns where a text has the word, in the best way that it does. lower
// is the text in lower case, of the same length.
func (w docWord) marks(text, lower string) (at [][2]int) {
	best := 0
	for from := 0; ; {
		i := strings.Index(lower[from:], string(w))
		if i < 0 {
			return at
		}
		m := [2]int{from + i, from + i + len(w)}
		rest := text[m[1]:]
		if end := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
			rest = rest[:end]
		}
		m[1] += len(rest)
		from = m[1]
		before, _ := utf8.DecodeLastRuneInString(text[:m[0]])
		first, _ := utf8.DecodeRuneInString(text[m[0]:])
		how := 0
		switch inside := unicode.IsLetter(before) || unicode.IsDigit(before); {
		case inside && unicode.IsUpper(first): // such as Id in uploadId
			how = 1
		case inside:
		case wordEnds(lower[m[1]-len(rest) : m[1]]):
			how = 3
		default:
			how = 2
		}
		if how > best {
			best, at = how, nil
		}
		if how == best && how > 0 {
			at = append(at, m)
		}
	}
}

// excerpt cuts a text around the first place of a word, at the beginning of a
// sentence or a word, and marks the words in it.
func excerpt(text string, words []docWord) (pieces []docPiece) {
	lower := strings.ToLower(text)
	if len(lower) != len(text) { // a letter whose lower case has another length
		lower = text
	}
	var at [][2]int
	for _, w := range words {
		at = append(at, w.marks(text, lower)...)
	}
	slices.SortFunc(at, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	from, to := 0, len(text)
	if len(at) > 0 && at[0][0] > foundBefore {
		from = at[0][0] - foundBefore
		if i := strings.LastIndex(text[from:at[0][0]], ". "); i >= 0 {
			from += i + len(". ")
		} else {
			from += strings.IndexByte(text[from:at[0][0]], ' ') + 1
		}
	}
	if end := from + foundBefore + foundAfter; end < to {
		to = end
		if i := strings.LastIndexByte(text[from:end], ' '); i >= 0 {
			to = from + i
		}
	}
	add := func(s string, match bool) {
		if s = strings.ToValidUTF8(s, ""); s != "" {
			pieces = append(pieces, docPiece{s, match})
		}
	}
	if from > 0 {
		add("… ", false)
	}
	for _, m := range at {
		if m[0] >= from && m[1] <= to {
			add(text[from:m[0]], false)
			add(text[m[0]:m[1]], true)
			from = m[1]
		}
	}
	add(text[from:to], false)
	if to < len(text) {
		add(" …", false)
	}
	return pieces
}
