package markup

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/filetype"
)

// everything returns a document of each kind for a text.
func everything(s string) map[string]Document {
	return map[string]Document{
		"markdown": Markdown(s), "table": Table(s, 0, false, ""), "tsv": Table(s, '\t', false, ""),
		"rows": Table(s, 0, true, "https://content.example/c/t/rows/1"),
		"json": Code(s, "json", false), "xml": Code(s, "xml", false), "yaml": Code(s, "yaml", false),
		"log": Code(s, "log", false), "txt": Code(s, "txt", false),
		"tree": Tree(filetype.Listing{Entries: []filetype.Entry{{Name: s}, {Name: s + "/" + s, Size: -1},
			{Name: s, Dir: true}}, Total: 3}, nil),
		"sheets": Sheets(filetype.Workbook{Sheets: []filetype.Sheet{{Name: s, Rows: [][]string{{s}, {s, s}}},
			{Name: s}}}, nil),
	}
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		for what, d := range everything(v) {
			t.Run(what, func(t *testing.T) {
				lawful(t, d)
				if t.Failed() {
					t.Log(v)
				}
			})
		}
	}
	lawful(t, Markdown(strings.Join(vectors, "\n\n")))
	lawful(t, Markdown(strings.Join(vectors, "")))
}

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ src, has, hasNot string }{
		{"# One\n\n## Two", `<h2 id="doc-one">One</h2>`, "<h1"},
		{"###### Six", `<h6 id="doc-six">`, ""},
		{"# A\n# A\n# A", `id="doc-a-2"`, ""},
		{"[to](#setting-up)\n\n## Setting up", `<a href="#doc-setting-up">to</a>`, ""},
		{"[to](#nowhere)", `<a>to</a>`, "href"},
		{"[rel](docs/x.md)", "<a>rel</a>", "href"},
		{"<https://a.test/?b&c>", `href="https://a.test/?b&amp;c" rel="nofollow noopener noreferrer ugc" target="_blank"`, ""},
		{"see www.a.test now", `href="http://www.a.test"`, ""},
		{"a@b.test", `href="mailto:a@b.test"`, ""},
		{"![A chart](https://a.test/c.png)", `<a class="image" href="https://a.test/c.png"`, "<img"},
		{"[![badge](https://a.test/b.svg)](https://a.test)", `<span class="image">badge</span>`, "b.svg"},
		{"![](local.png)", `<span class="image">Image</span>`, "local.png"},
		{"- [x] done\n- [ ] not", `<input type="checkbox" checked="" disabled="" aria-label="Done"/>`, ""},
		{"~~gone~~", "<del>gone</del>", ""},
		{"a[^n]\n\n[^n]: note", `<a href="#doc-fn:1">1</a>`, ""},
		{"## Prices\n\n|a|b|\n|-|-:|\n|1|2|", `<div class="scroll" role="region" tabindex="0" aria-label="Table: Prices"><table>`, "style"},
		{"|a|b|\n|-|-:|\n|1|2|", `<td class="right">2</td>`, "align="},
		{"```json\n{\"a\": 1}\n```", `<b class="t-key">&#34;a&#34;</b>`, "language"},
		{"```brainf\n+<>\n```", "<code>+&lt;&gt;\n</code>", ""},
		{"---\ntitle: Hello\n---\n# Text", `<summary>Front matter</summary>`, "<hr"},
		{"---\n\nText\n\n---\n", "<hr/>", "Front"},
		{"<details><summary>More</summary>\n\n**bold**\n\n</details>", "<strong>bold</strong>", ""},
		{"Press <kbd>Ctrl</kbd>", "<kbd>Ctrl</kbd>", ""},
		{"<p align=\"center\">mid</p>", `<p class="center">mid</p>`, ""},
		{"<a name=\"Top\"></a>\n\n[up](#top)", `<a href="#doc-top">up</a>`, "name="},
	} {
		d := Markdown(c.src)
		lawful(t, d)
		if !strings.Contains(string(d.HTML), c.has) || c.hasNot != "" && strings.Contains(string(d.HTML), c.hasNot) {
			t.Errorf("%q became\n%s", c.src, d.HTML)
		}
	}
}

func TestTable(t *testing.T) {
	for _, c := range []struct {
		src, has string
		comma    rune
	}{
		{"a,b\n1,2\n", `<th scope="col" class="n">a</th>`, 0},
		{"a;b\n1,5;2\n", `<th scope="row">2</th><td class="n">1,5</td>`, 0},
		{"a|b\n1|2\n", `<td class="n">1</td>`, 0},
		{"a\tb,c\n1\t2\n", `>b,c</th>`, '\t'},
		{"sep=;\na;b\nx;y\n", `<td>x</td><td>y</td>`, 0},
		{"1,2\n3,4\n", `<tbody><tr><th scope="row">1</th>`, 0},
		{"a,b,c\n1\n", `<td colspan="2"></td>`, 0},
		{"a,b\n\"x \"\"y\"\" z\",<b>\n", `<td>x &#34;y&#34; z</td><td>&lt;b&gt;</td>`, 0},
		{"name,price\na,€ 1.200\nb,-3 %\n", `<td class="n">€ 1.200</td>`, 0},
		{"just\nlines\n", `<pre class="words"`, 0},
		{"", `<pre class="words"`, 0},
	} {
		d := Table(c.src, c.comma, false, "")
		lawful(t, d)
		if !strings.Contains(string(d.HTML), c.has) {
			t.Errorf("%q became\n%s", c.src, d.HTML)
		}
	}
	d := Table("a,b\n"+strings.Repeat("1,2\n", 10_411), 0, false, "")
	if !d.Cut || d.Note != "First 2,000 of 10,412 rows." || strings.Count(string(d.HTML), "<tr>") != maxRows {
		t.Errorf("Cut = %v, note %q", d.Cut, d.Note)
	}
	d = Table(strings.Repeat("1,", 300)+"\n1,1", 0, false, "")
	lawful(t, d)
	if !d.Cut || !strings.Contains(d.Note, "First 100 of 301 columns") {
		t.Errorf("Cut = %v, note %q", d.Cut, d.Note)
	}
}

func TestCode(t *testing.T) {
	for _, c := range []struct{ ext, src, has string }{
		{"json", `{"a": [1.50, true, "x"]}`, `<b class="t-key">&#34;a&#34;</b>: [<b class="t-number">1.50</b>, <b class="t-number">true</b>, <b class="t-string">&#34;x&#34;</b>]`},
		{"xml", `<a b="c">d &amp; e<!-- f --></a>`,
			`<b class="t-tag">&lt;a</b> <b class="t-key">b</b>=<b class="t-string">&#34;c&#34;</b><b class="t-tag">&gt;</b>d <b class="t-number">&amp;amp;</b> e<b class="t-comment">`},
		{"yaml", "a: 1 # c\n- b: \"x\"\n", `<span><b class="t-key">a</b>: <b class="t-number">1</b> <b class="t-comment"># c</b>`},
		{"yaml", "run: |\n  a: b\nz: y", "<span><b class=\"t-string\">  a: b</b>\n</span>"},
		{"yml", "url: http://a.test/#x", `: http://a.test/#x`},
		{"log", "a <b>\n", "data-digits=\"1\"><code><span>a &lt;b&gt;\n</span></code>"},
	} {
		d := Code(c.src, c.ext, false)
		if got := lawful(t, d); got != c.src || !strings.Contains(string(d.HTML), c.has) {
			t.Errorf("%q became\n%s", c.src, d.HTML)
		}
	}
}

func TestJSON(t *testing.T) {
	long := `{"b":1.10,"a":[],"c":{},"d":[1,{"x y":"[{,:"}],"e":"` + strings.Repeat("é", 300) + `"}`
	got := lawful(t, Code(long, "json", false))
	if want := "{\n  \"b\": 1.10,\n  \"a\": [],\n  \"c\": {},\n  \"d\": [\n    1,\n    {\n      \"x y\": \"[{,:\"\n    }\n  ],\n"; !strings.HasPrefix(got, want) {
		t.Errorf("indented to\n%s", got)
	}
	flat := `{"works":[{"title":"Hall of light, view","year":1962},{"title":"Stairs","year":1971}]}`
	if got := lawful(t, Code(flat, "json", false)); strings.Count(got, "\n") != 11 {
		t.Errorf("one line is indented to\n%s", got)
	}
	for src, note := range map[string]string{
		"{\n \"é\": x}":     "Not valid JSON: line 2, column 7.",
		`{"a": [1, 2`:       "The JSON ends before it is complete.",
		"{}\n{}":            "Not valid JSON: line 2, column 1.",
		"":                  "The JSON ends before it is complete.",
		"[1]":               "",
		`{"a": 1, "a": 2} `: "",
	} {
		d := Code(src, "json", false)
		if text := lawful(t, d); d.Note != note || text != src {
			t.Errorf("%q: note %q, shown %q", src, d.Note, text)
		}
	}
}

func TestTree(t *testing.T) {
	d := Tree(filetype.Listing{Total: 52_310, Entries: []filetype.Entry{
		{Name: "b/file10.txt", Size: 10}, {Name: "b/file9.txt", Size: 1000}, {Name: "a.txt", Size: 5},
		{Name: "b/", Dir: true}, {Name: `win\dir\x.txt`}, {Name: "../../up.txt"},
		{Name: "/etc/passwd"}, {Name: "a.txt", Size: 5}, {Name: "gpj.\u202eexe"}, {Name: "", Size: 1},
		{Name: strings.Repeat("d/", 5000) + "leaf"},
	}}, nil)
	text := lawful(t, d)
	html := string(d.HTML)
	if !d.Cut || d.Note != "11 of 52,310 entries shown." {
		t.Errorf("Cut = %v, note %q", d.Cut, d.Note)
	}
	at := func(s string) int {
		i := strings.Index(text, s)
		if i < 0 {
			t.Errorf("%q is missing in %q", s, text)
		}
		return i
	}
	if at("file9.txt") > at("file10.txt") || at("b2 files · 1.0 kB") > at("a.txt") ||
		strings.Count(text, "a.txt") != 2 || strings.Contains(html, "\u202e") {
		t.Errorf("tree = %s", html)
	}
	for _, want := range []string{`<li data-kind="text"><bdi>file9.txt`, `<li data-kind=""><bdi>passwd`} {
		if !strings.Contains(html, want) {
			t.Errorf("%q is missing in %s", want, html)
		}
	}
	if n := strings.Count(html, "<details"); n > 40 {
		t.Errorf("%d folders, want at most 40", n)
	}
}

func TestSheets(t *testing.T) {
	d := Sheets(filetype.Workbook{Sheets: []filetype.Sheet{{Name: "Costs", Rows: [][]string{{"a", "1"}, {"b"}}},
		{Name: "", Rows: nil, Cut: true}}}, nil)
	text := lawful(t, d)
	if !d.Cut || !strings.Contains(string(d.HTML), ` id="doc-sheet-1" checked>`) ||
		!strings.Contains(text, "Sheet 2") || strings.Count(string(d.HTML), "<section>") != 2 {
		t.Errorf("sheets = %s", d.HTML)
	}
	if one := Sheets(filetype.Workbook{Sheets: []filetype.Sheet{{Name: "x",
		Rows: [][]string{{"1"}}}}}, nil); strings.Contains(string(one.HTML), "radio") {
		t.Errorf("one sheet = %s, want no tabs", one.HTML)
	}
	lawful(t, Sheets(filetype.Workbook{}, nil))
}

// TestExtremes checks that the largest inputs are rendered quickly and with a
// bounded result.
func TestExtremes(t *testing.T) {
	const size = 1 << 20
	for _, s := range []string{"[", "*", "`", "<", ">", "|", "(", "![", "_a", "> ", "- ", "1. ", "<b>", "<div>",
		"<a href=x>", "<a ", "</", "&", "&amp", "\"", "'", ",", "{", "[{", "[1,", "#", "\n", " ", "\t", "a\n\n", "\x00",
		"\r", "-\n", "* a\n",
		"[^1]: ", "[a]: b\n", "[a][a]", "|a|b\n|-|-\n", "\\", "~~", "a:\n ", "? ", "<!--", "<![CDATA[", "www.a.b ",
		"a@b.c ", "http://", "é", "\u202e", "<details>", "<b i>", "```\n", "**a *", "[a](", "[a](b \"\n", "a@b.c "} {
		long := strings.Repeat(s, size/len(s))
		for what, d := range map[string]Document{"markdown": Markdown(long[:maxMarkdown]),
			"table": Table(long, 0, false, ""), "json": Code(long, "json", false),
			"xml": Code(long[:maxColored], "xml", false), "yaml": Code(long[:maxColored], "yaml", false),
			"log": Code(long, "log", false)} {
			if len(d.HTML) > 20*size {
				t.Errorf("%q as %s: %d bytes", s, what, len(d.HTML))
			}
		}
	}
}

var readme = strings.Repeat("# A heading\n\nSome *words* with `code`, a [link](https://a.test/b) and **more** of them, as people write.\n\n- one\n- two\n\n```json\n{\"a\": [1, 2]}\n```\n\n|a|b|\n|-|-|\n|1|2|\n\n", 2600)

func benchmark(b *testing.B, src string, f func(string) Document) {
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		f(src)
	}
}

func BenchmarkMarkdown(b *testing.B) { benchmark(b, readme[:64<<10], Markdown) }

func BenchmarkTable(b *testing.B) {
	benchmark(b, strings.Repeat("2026-11-21,Some name,12.50,\"a, b\",true\n", 1<<20/39),
		func(s string) Document { return Table(s, 0, false, "") })
}

func BenchmarkCode(b *testing.B) {
	for ext, src := range map[string]string{
		"json": strings.Repeat("  {\"name\": \"Some\", \"value\": 12.5, \"ok\": true},\n", 1<<20/48),
		"xml":  strings.Repeat("<item id=\"12\"><name>Some &amp; other</name></item>\n", 1<<20/51),
		"yaml": strings.Repeat("- name: Some # c\n  value: 12.5\n", 1<<20/31),
		"log":  strings.Repeat("2026-11-21T20:00:00Z INFO something has happened\n", 1<<20/49),
	} {
		for _, n := range []int{maxColored, len(src)} {
			b.Run(fmt.Sprint(ext, n>>10, "KiB"), func(b *testing.B) {
				benchmark(b, src[:n],
					func(s string) Document { return Code(s, ext, false) })
			})
		}
	}
	minified, _ := json.Marshal(strings.Fields(strings.Repeat("some words ", 1<<20/14)))
	b.Run("minified", func(b *testing.B) {
		benchmark(b, string(minified), func(s string) Document { return Code(s, "json", false) })
	})
}

func BenchmarkTree(b *testing.B) {
	var l filetype.Listing
	for i := range 1000 {
		l.Entries = append(l.Entries, filetype.Entry{Name: fmt.Sprintf("project/src/package%d/file%d.go", i%40, i),
			Size: int64(i)})
	}
	b.ReportAllocs()
	for b.Loop() {
		Tree(l, nil)
	}
}

// TestTogether renders pages concurrently.
func TestTogether(t *testing.T) {
	want := Markdown(readme[:8<<10])
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := Markdown(readme[:8<<10]); got != want {
				t.Error("a concurrent rendering differs")
			}
		})
	}
	all.Wait()
}
