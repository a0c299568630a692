package front

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bytes of text before and after a match in a result.
const foundBefore, foundAfter = 70, 150

// docFound is a section that matches, with the text around the first match.
type docFound struct {
	docPart
	Excerpt []docPiece
	words   int // how many match
	rank    float64
}

// docPiece is a piece of an excerpt.
type docPiece struct {
	Text  string
	Match bool
}

// docWord is a word of a query, in its forms: "expiry" finds "expires".
type docWord struct {
	stem                   string
	whole, begins, matches *regexp.Regexp
}

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

// docWords returns the words of a query, without fillers unless there are only
// those.
func docWords(query string) (words []docWord) {
	var all []string
	for _, w := range strings.Fields(strings.ToLower(query)) {
		if w = strings.Trim(w, `.,;:!?"'()“”‘’`); w != "" {
			all = append(all, w)
		}
	}
	filler := func(w string) bool { return slices.Contains(fillers, w) }
	if some := slices.DeleteFunc(slices.Clone(all), filler); len(some) > 0 {
		all = some
	}
	for _, w := range all {
		s := stem(w)
		q := regexp.QuoteMeta(s)
		words = append(words, docWord{stem: s,
			whole: regexp.MustCompile(`(?:^|[^\pL\pN])` + q +
				`(?:|s|e|es|y|ed|d|ing|ies|ion|ions|ation|r|er|ers)(?:$|[^\pL\pN])`),
			begins:  regexp.MustCompile(`(?:^|[^\pL\pN])` + q),
			matches: regexp.MustCompile(`(?i)` + q + `\pL*`)})
	}
	return words
}

// in returns how well a text in lower case has the word: 3 as a word, 2 as the
// beginning of one, 0 not at all.
func (w *docWord) in(text string) float64 {
	switch {
	case !strings.Contains(text, w.stem):
		return 0
	case w.whole.MatchString(text):
		return 3
	case w.begins.MatchString(text):
		return 2
	default:
		return 0
	}
}

// found returns the sections that have all words of a query or, if none has,
// those that have most of them; the best first.
func found(index []docPart, query string) (list []docFound) {
	words, most := docWords(query), 0
	phrase := strings.Join(strings.Fields(strings.ToLower(query)), " ")
	for _, p := range index {
		f := docFound{docPart: p}
		for i := range words {
			w := &words[i]
			in := w.in(p.lower)
			if in == 0 {
				continue
			}
			f.words++
			f.rank += in + 4*w.in(p.title) + 2*w.in(p.terms) + min(float64(strings.Count(p.lower, w.stem)), 4)/2
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

// marks returns where a text has the word, in the best way that it does.
func (w *docWord) marks(text string) (at [][]int) {
	best := 0
	for _, m := range w.matches.FindAllStringIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:m[0]])
		first, _ := utf8.DecodeRuneInString(text[m[0]:])
		how := 0
		switch inside := unicode.IsLetter(before) || unicode.IsDigit(before); {
		case inside && unicode.IsUpper(first): // such as Id in uploadId
			how = 1
		case inside:
		case w.whole.MatchString(strings.ToLower(text[m[0]:m[1]])):
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
	return at
}

// excerpt cuts a text around the first place of a word, at the beginning of a
// sentence or a word, and marks the words in it.
func excerpt(text string, words []docWord) (pieces []docPiece) {
	var at [][]int
	for i := range words {
		at = append(at, words[i].marks(text)...)
	}
	slices.SortFunc(at, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
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
		to = from + strings.LastIndexByte(text[from:end], ' ')
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
