package markup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/report/part"
)

// TestSections checks which sections a document has.
func TestSections(t *testing.T) {
	many := func(n int, level string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s H%d\ntext\n", level, i)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		src  string
		want []string // labels and words
	}{
		"none":          {"only text\n\nand more", nil},
		"one":           {"# Title\n\ntext", nil},
		"beginning":     {"Hello there\n\n# One\n\ntwo words", []string{"Beginning 2", "One 2"}},
		"title":         {"# Title\n\n## One\n\na b c\n\n## Two\n\nd", []string{"One 3", "Two 1"}},
		"nested":        {"# A\n\na\n\n## B\n\nb\n\n###### C\n\nc\n\n# D\n\nd", []string{"A 1", "B 1", "C 1", "D 1"}},
		"in a quote":    {"# A\n\na\n\n> # B\n\n- # C\n\n# D\n\nd", []string{"A 3", "D 1"}},
		"in details":    {"# A\n\na\n\n<details><summary>s</summary>\n\n# B\n\n</details>\n\n# D\n\nd", []string{"A 3", "D 1"}},
		"HTML":          {"<h1 align=center>A</h1>\n\na\n\n<div><h2>B</h2>b</div>", []string{"A 1", "B 1"}},
		"code":          {"# A\n\n```go\nx := 1\n```\n\n# B\n\nb", []string{"A 2", "B 1"}},
		"marks":         {"# *A* `b` [c](https://a.test)\n\na\n\n# D\n\nd", []string{"A b c 1", "D 1"}},
		"without words": {"# A\n\n***\n\n# B", nil},
		"front matter":  {"---\na: b\n---\n# A\n\na\n\n# B\n\nb", []string{"A 1", "B 1"}},
		"no spaces":     {"# A\n\n這是一個測試\n\n# B\n\nb", []string{"A 3", "B 1"}},
	} {
		d := Markdown(c.src)
		var got []string
		for _, p := range d.Outline.Parts() {
			got = append(got, fmt.Sprint(p.Label, " ", p.Words))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: sections %q, want %q", name, got, c.want)
		}
		if n := strings.Count(string(d.HTML), " data-part="); n != len(c.want) {
			t.Errorf("%s: %d marks, want %d:\n%s", name, n, len(c.want), d.HTML)
		}
	}
	for name, c := range map[string]struct {
		src   string
		parts int
		last  int // words of the last one
	}{
		"5,000 headings":        {many(5000, "#"), part.MaxSections, 4901},
		"100 headings":          {many(100, "#"), 100, 1},
		"lower ones left out":   {many(50, "#") + many(60, "##"), 50, 121},
		"beginning and 100":     {"text\n\n" + many(100, "#"), 100, 2},
		"two levels of 50":      {many(50, "#") + many(49, "##"), 99, 1},
		"too long for a layout": {many(20_000, "#"), 5, 8000},
	} {
		d := Markdown(c.src)
		parts := d.Outline.Parts()
		if len(parts) != c.parts || c.parts > 0 && parts[c.parts-1].Words != c.last {
			t.Errorf("%s: %d sections, want %d; the last one: %+v, want %d words", name, len(parts), c.parts,
				parts[max(len(parts)-1, 0):], c.last)
		}
	}
}
