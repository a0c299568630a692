package markup

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// series formats the numbers from 0 on until the result has the given size.
func series(format string, size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func repeated(s string, size int) string { return strings.Repeat(s, size/len(s)) }

// TestHeavy checks texts for which a parser's work grows with the square of
// their length. At this length it takes seconds.
func TestHeavy(t *testing.T) {
	const size = maxMarkdown - 1<<10
	for name, src := range map[string]string{
		"footnotes":            series("[^%d]: x\n", size/2) + "\n" + series("[^%d]", size/2),
		"footnotes of another": series("[^%[1]d]:[^%[1]d]\n", size),
		"one footnote":         "[^a]: x\n\n" + repeated("[^a]", size),
		"brackets":             repeated("[", size/2) + repeated("]", size/2),
		"brackets on lines":    repeated("[\n", size/2) + repeated("]\n", size/2),
		"images":               repeated("![", 2*size/3) + repeated("]", size/3),
		"destinations":         repeated("[a](", size),
		"titles":               repeated("[a](b \"", size),
		"mail":                 repeated("a@b.c ", size),
		"emphasis":             repeated("*a_ ", size),
		"emphasis on lines":    repeated("*a\n", size/2) + repeated("a_\n", size/2),
		"strikes":              repeated("~a ", size/2) + repeated("a_ ", size/2),
		"in a list":            "- x\n" + repeated("  *a_ \n", size),
		"behind a fence":       "- ```\n```\n" + repeated("*a_ ", size),
		"behind HTML":          "<div>\n```\n\n```\n```\n" + repeated("*a_ ", size),
		"behind a comment":     "<!--\n\n```\n-->\n\n" + repeated("*a_ ", size),
		"behind code":          "```go `x`\n" + repeated("*a_ ", size),
		"cells":                "|" + repeated("a|", 400) + "\n|" + repeated("-|", 400) + "\n" + repeated("|\n", 1000),
		"quotes":               strings.Repeat("> ", 20) + "a\n",
	} {
		if !isHeavy(src) {
			t.Errorf("%s: isHeavy = false, want true", name)
		}
		d := Markdown(src)
		if text := lawful(t, d); text != src || !strings.HasPrefix(d.Note, "Shown as text") {
			t.Errorf("%s: note = %q", name, d.Note)
		}
	}
}

// TestOpenFormatting checks elements that are not closed, which an HTML parser
// repeats in each paragraph.
func TestOpenFormatting(t *testing.T) {
	for _, src := range []string{
		series("<b id=%d>", 4000) + repeated("<p>x", maxMarkdown/2),
		"x" + series("<code class=language-%d>", 4000) + repeated("<p>x", maxMarkdown/2),
		"<table><tr><td>" + series("<i id=%d>", 4000) + repeated("<p></td>", maxMarkdown/2),
	} {
		if d := Markdown(src); d.Note == "" || len(d.HTML) > 2*maxMarkdown {
			t.Errorf("%.40s: note %q, %d bytes", src, d.Note, len(d.HTML))
		}
	}
	for src, want := range map[string]string{
		"<p><b>x</p><p>y":                    "<p><b>x</b></p><p>y",
		"<b><i>x</b>y":                       "<b><i>x</i></b>y",
		"<ul><li>a<li>b</ul>":                "<ul><li>a<li>b</ul>",
		"<b><table><tr><td>x</b>":            "<b><table><tr><td>x</table></b>",
		"x</p></b>":                          "x",
		"<br><img src=x><hr/>":               "<br><img src=x><hr/>",
		`<a href="x">&lt;<code>y</code></a>`: `<a href="x">&lt;<code>y</code></a>`,
	} {
		if got, err := closeElements(bytes.NewBufferString(src)); err != nil || got.String() != want {
			t.Errorf("closeElements(%s) = %s, %v", src, got, err)
		}
	}
}

// TestNotHeavy checks that ordinary text is rendered, however long.
func TestNotHeavy(t *testing.T) {
	for name, src := range map[string]string{
		"readme": repeated(readme[:165]+"A paragraph of some more words, as there are in each part of a text that explains something.\n\n", 200<<10),
		"footnotes": series("A sentence with a note.[^%d]\n\n", 3000) +
			series("[^%d]: The note, with a [link](https://a.test).\n", 5000),
		"links": series("- [Project %[1]d](https://a.test/%[1]d) - What it *does*, in `some_words`.\n", 150<<10),
		"table": "|Name|Link|\n|-|-|\n" + series("|**n%[1]d**|[a](https://a.test/%[1]d)|\n", 40<<10),
		"references": series("See [one %[1]d][%[1]d] or [two][%[1]d].\n\n", 80<<10) + series("[%d]: https://a.test/b\n",
			60<<10),
		"code":      "# Code\n\n```c\n" + series("int *a_b_%d = c_d[e_f] * *g_h;\n", 150<<10) + "```\n\nEnd.\n",
		"addresses": series("- person%d@a.test\n", 100<<10),
		"changes":   series("* **fix:** a_word in `some_code` ([#%[1]d](https://a.test/%[1]d))\n", 200<<10),
		"HTML":      repeated("<table><tr><td align=\"center\"><a href=\"https://a.test\"><b>Name</b></a></td></tr></table>\n\n", 100<<10),
	} {
		if isHeavy(src) {
			t.Errorf("%s: isHeavy = true, want false", name)
		}
		if d := Markdown(src); d.Note != "" {
			t.Errorf("%s: note = %q, want none", name, d.Note)
		}
	}
}

// TestCut checks that the notes on a truncated text are right for the whole
// file.
func TestCut(t *testing.T) {
	const size = 1 << 20
	whole := "[" + strings.Repeat("{\"a\":1},\n", 200_000) + "{}]"
	for _, n := range []int{size, size - 3} {
		if d := Code(whole[:n], "json", true); d.Note != "" {
			t.Errorf("note on valid JSON = %q", d.Note)
		}
	}
	if d := Code("{x", "json", true); d.Note != "Not valid JSON: line 1, column 2." {
		t.Errorf("note on invalid JSON = %q", d.Note)
	}
	rows := "a,b\n" + strings.Repeat("1,2\n", 1_000_000)
	if d := Table(rows[:size], ',', true, ""); d.Note != "First 2,000 rows." || !d.Cut {
		t.Errorf("note on a million rows = %q", d.Note)
	}
	if d := Table(strings.Repeat("1,", 300)+"\n1,1", 0, true, ""); d.Note != "First 100 columns." || !d.Cut {
		t.Errorf("note on wide rows = %q", d.Note)
	}
}

// TestStrayQuote checks that a literal quotation mark does not turn the rest of
// the table into one cell.
func TestStrayQuote(t *testing.T) {
	d := Table("size,what\n\"5 inch,pipe\n"+strings.Repeat("7,tap\n", 1000), ',', false, "")
	if text := lawful(t, d); d.Note != "" || strings.Count(string(d.HTML), "<tr>") != 1002 ||
		!strings.Contains(text, `"5 inch`) {
		t.Errorf("note %q, %d rows", d.Note, strings.Count(string(d.HTML), "<tr>"))
	}
	d = Table("a,b\n\"one\ntwo, three\",c\n", 0, false, "")
	if !strings.Contains(string(d.HTML), "<td>one\ntwo, three</td>") {
		t.Errorf("table = %s", d.HTML)
	}
	d = Table("a,b\n\""+strings.Repeat("x\n", 3000), 0, false, "")
	if d.Note != "First 2,000 of 3,001 rows." {
		t.Errorf("note = %q", d.Note)
	}
}

// TestHeavyBounds checks that what is skipped as code is code, and that a
// paragraph ends where a block begins.
func TestHeavyBounds(t *testing.T) {
	pieces := []string{"```", "~~~", "````", "```go", "``` a`b", "  ```", "    ```", "\t```", "- ```", "> ```",
		"1. ~~~", "[^a]: ```", "```   ", "", "", " ", "<div>", "<!--", "-->", "<pre>", "</pre>", "> <div>", "- <div>",
		"<a>", "<script", "</script>", "<?x", "?>",
		"text", "- item", "  - item", "   * item", "    - item", "-", "# head", "> quote", "***", "---", "[a]: b '",
		"'", "|a|b|", "|-|-|", "1. x", "2. x", "    code", "[^n]: x", "    y", "<b>", "\\", "`", "``"}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var src strings.Builder
		var skipped []bool
		var f fences
		for i := range 3 + rnd.IntN(10) {
			for _, line := range []string{pieces[rnd.IntN(len(pieces))] + "\n", fmt.Sprintf("*w%d*\n", i)} {
				src.WriteString(line)
				skipped = append(skipped, f.skip(line))
			}
		}
		var out bytes.Buffer
		if err := markdown().Convert([]byte(src.String()), &out); err != nil {
			t.Fatal(err)
		}
		for i := range len(skipped) / 2 {
			if skipped[2*i+1] && strings.Contains(out.String(), fmt.Sprintf("<em>w%d</em>", i)) {
				t.Fatalf("line %d is not code:\n%s\n%s", 2*i+1, src.String(), out.String())
			}
		}
	}
	for range 20_000 {
		var src strings.Builder
		part := 0
		for range 3 + rnd.IntN(10) {
			line := pieces[rnd.IntN(len(pieces))] + " "
			if strings.TrimSpace(line) == "" || begins.MatchString(line+"w") {
				part++
			}
			if strings.TrimSpace(line) != "" {
				line += []string{fmt.Sprintf("~~w%d w", part), fmt.Sprintf("w w%d~~", part)}[rnd.IntN(2)]
			}
			src.WriteString(line + "\n")
		}
		var out bytes.Buffer
		if err := markdown().Convert([]byte(src.String()), &out); err != nil {
			t.Fatal(err)
		}
		for piece := range strings.SplitSeq(out.String(), "<del>") {
			inside, _, ok := strings.Cut(piece, "</del>")
			var from, to int
			if ok && strings.HasPrefix(inside, "w") {
				fmt.Sscanf(inside, "w%d", &from)
				if i := strings.LastIndexByte(inside, 'w'); i >= 0 {
					fmt.Sscanf(inside[i:], "w%d", &to)
				}
				if from != to {
					t.Fatalf("a paragraph does not end:\n%s\n%s", src.String(), out.String())
				}
			}
		}
	}
}
