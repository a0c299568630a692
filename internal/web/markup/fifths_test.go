package markup

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"vitrine/internal/test/vitrinetest"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// shownHalves counts the words that a part of a document shows, in halves.
func shownHalves(t *testing.T, part string) (halves int) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(part))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.TextNode && !within(n, atom.Details) {
			halves += halvesOf(n.Data)
		}
	}
	return halves
}

// halvesOf counts the words of a text, in halves.
func halvesOf(text string) (halves int) {
	letters := regexp.MustCompile(`[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]`)
	halves = len(letters.FindAllString(text, -1))
	for _, word := range strings.Fields(letters.ReplaceAllString(text, " ")) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			halves += 2
		}
	}
	return halves
}

// TestFifths checks over random texts that each fifth of a text without
// headings has a fifth of its words, give or take one, and that nothing of the
// text is lost or changed by its marks or its division.
func TestFifths(t *testing.T) {
	r := rand.New(rand.NewPCG(vitrinetest.Seed(t), 2))
	bits := []string{"word ", "don’t ", "a<b>c</b> ", "*some* ", "&amp;x & ", "漢字かな ", "ไทย", "“quoted” ", "– ", "\n", "\n\n", "\n\n* item ",
		"\n\n> quote ", "\n\n1. one ", "\n\n```\ncode here\n```\n\n", "[link](https://a.test) ", "`code` ", "\n\n<details>unseen words</details>\n\n", "<br>", ", ", "7 "}
	kinds := map[string]func(string) Document{"md": Markdown, "txt": Text}
	for _, ext := range []string{"json", "xml", "yaml"} {
		kinds[ext] = func(src string) Document { return Code(src, ext, false) }
	}
	cut := 0
	for range 25 {
		var b strings.Builder
		for range r.IntN(1500) {
			b.WriteString(bits[r.IntN(len(bits))])
		}
		for ext, render := range kinds {
			d := render(b.String())
			parts := Divide(d)
			all := shownHalves(t, string(d.HTML))
			if all < 2*fewestWords {
				if d.Outline != "" || parts != nil {
					t.Fatalf("%s: a text of %d halves of words has parts", ext, all)
				}
				continue
			}
			cut++
			whole := ""
			for i, p := range parts {
				whole += lawful(t, Document{HTML: p})
				halves := shownHalves(t, string(p))
				if words := d.Outline.Parts()[i].Words; words != (halves+1)/2 || 5*halves <= all-10 || 5*halves >= all+10 {
					t.Fatalf("%s: part %d has %d halves of %d words, of %d: %q", ext, i+1, halves, words, all, b.String())
				}
			}
			if want := lawful(t, d); len(parts) != 5 || whole != want {
				t.Fatalf("%s: %d parts of %q have the text %q, want %q", ext, len(parts), b.String(), whole, want)
			}
			if n := strings.Count(string(d.HTML), " data-part="); n != 5 {
				t.Fatalf("%s: %d marks", ext, n)
			}
		}
	}
	if cut < 30 {
		t.Errorf("only %d texts had parts", cut)
	}
}

// TestDivide checks that an element in which a part begins is in both parts.
func TestDivide(t *testing.T) {
	for src, want := range map[string]string{
		"<div align=center><h2>A</h2>a<h2>B</h2>b</div>": "[<div class=\"prose\" dir=\"auto\"><div class=\"center\"><h3 id=\"doc-a\" data-part=\"1\">A</h3>a</div></div> " +
			"<div class=\"prose\" dir=\"auto\"><div class=\"center\"><h3 id=\"doc-b\" data-part=\"2\">B</h3>b</div></div>]",
		"only words": "[]",
	} {
		if got := fmt.Sprint(Divide(Markdown(src))); got != want {
			t.Errorf("%q is divided into %s, want %s", src, got, want)
		}
	}
}
