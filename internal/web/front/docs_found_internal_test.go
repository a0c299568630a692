package front

import (
	"slices"
	"strings"
	"testing"
)

// TestDocWords checks that a query is searched for at most eight words, each
// once, and for single letters and fillers only if there is nothing else.
func TestDocWords(t *testing.T) {
	for query, want := range map[string]string{
		"Albums album":                "album",
		"how do I delete a link":      "delet link",
		"a e a e x":                   "e x",
		"a b key c":                   "key",
		"the a":                       "the",
		"one two three four five six": "one two thre four five six",
		"“read-only” links, C":        "read-onl link",
		"":                            "",
		"q w r t z u p s d f g h j k": "q w r t z u p s",
	} {
		if got := docWords(query); !slices.Equal(got, words(want)) {
			t.Errorf("docWords(%q) = %q, want %q", query, got, words(want))
		}
	}
}

func words(s string) (list []docWord) {
	for _, w := range strings.Fields(s) {
		list = append(list, docWord(w))
	}
	return list
}

// TestDocIndex checks that the index leads to every section with a word, also
// to one that has it within marks or as part of a longer word.
func TestDocIndex(t *testing.T) {
	x := newDocIndex([]docPart{{lower: "the utm_source of a link", weight: 1}, {lower: "unlinked", weight: 1},
		{lower: "links, read-only", weight: 1}, {lower: "linking/p/x", weight: 1}})
	for query, want := range map[string][]int{"link": {0, 2, 3}, "links": {0, 2, 3}, "linki": {3}, "utm_source": {0},
		"utm_so": {0}, "source": {0}, "read-only": {2}, "only": {2}, "/p/x": nil, "/x": nil, "_source": nil,
		"unlink": {1}, "linker": nil} {
		var got []int
		for _, f := range x.found(query) {
			got = append(got, slices.IndexFunc(x.parts, func(p docPart) bool { return p.lower == f.lower }))
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("search for %q = sections %v, want %v", query, got, want)
		}
	}
	long := docPart{lower: "zebra", Text: "zebra" + strings.Repeat("–", 300)} // nowhere to cut
	if got := newDocIndex([]docPart{long}).found("zebra"); len(got) != 1 || len(got[0].Excerpt) != 3 {
		t.Errorf("search in a text without blanks = %+v", got)
	}
}
