package markup

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

var lawfulElements = strings.Fields(`p br hr h2 h3 h4 h5 h6 div span blockquote pre code kbd samp var strong b em i u s del ins sub sup small mark q cite
	abbr ruby rt rp ul ol li dl dt dd details summary table caption thead tbody tfoot tr th td a input bdi fieldset legend label section`)

var lawfulAttributes = strings.Fields(`id class href rel target dir colspan rowspan start title open type checked disabled tabindex role
	aria-label scope data-digits data-kind data-rows data-numeric data-part for name`)

// lawful checks what the surrounding page relies on, and returns the document's
// text.
func lawful(t *testing.T, d Document) string {
	t.Helper()
	// What follows the document must stay after it, and outside it.
	whole := `<!doctype html><body><main id="m"><article id="a">` + string(d.HTML) +
		`</article><p id="behind">behind</p></main>`
	root, err := html.Parse(strings.NewReader(whole))
	if err != nil {
		t.Fatalf("parse: %v: %.300q", err, d.HTML)
	}
	var article, behind *html.Node
	for n := range root.Descendants() {
		switch attr(n, "id") {
		case "a":
			article = n
		case "behind":
			behind = n
		}
	}
	if article == nil || behind == nil || behind.Parent != article.Parent || article.NextSibling != behind ||
		behind.FirstChild.Data != "behind" {
		t.Fatalf("the document ends at another place: %.600q", d.HTML)
	}
	ids := map[string]bool{}
	var text strings.Builder
	for n := range article.Descendants() {
		switch n.Type {
		case html.TextNode:
			text.WriteString(n.Data)
		case html.ElementNode:
			lawfulElement(t, n, ids)
		default:
			t.Fatalf("node of type %d: %.300q", n.Type, n.Data)
		}
	}
	for n := range article.Descendants() {
		if place, ok := strings.CutPrefix(attr(n, "href"), "#"); ok && !ids[place] {
			t.Fatalf("a link to %q, which does not exist", place)
		}
	}
	return text.String()
}

func lawfulElement(t *testing.T, n *html.Node, ids map[string]bool) {
	t.Helper()
	if n.Namespace != "" || !slices.Contains(lawfulElements, n.Data) {
		t.Fatalf("element %s %q is not allowed", n.Namespace, n.Data)
	}
	for _, a := range n.Attr {
		if a.Namespace != "" || !slices.Contains(lawfulAttributes, a.Key) {
			t.Fatalf("attribute %s=%q of %s is not allowed", a.Key, a.Val, n.Data)
		}
		switch a.Key {
		case "id":
			if !strings.HasPrefix(a.Val, "doc-") || ids[a.Val] {
				t.Fatalf("id %q is not allowed", a.Val)
			}
			ids[a.Val] = true
		case "name", "for":
			if !strings.HasPrefix(a.Val, "doc-") {
				t.Fatalf("%s=%q is not allowed", a.Key, a.Val)
			}
		case "class":
			for class := range strings.FieldsSeq(a.Val) {
				if !slices.Contains(strings.Fields("prose front-matter scroll grid few letters lines words sheets tree none more image n right center footnotes footnote-backref "+
					"t-key t-string t-number t-comment t-tag"), class) {
					t.Fatalf("class %q is not allowed", a.Val)
				}
			}
		case "data-kind":
			if !slices.Contains(strings.Fields("pdf image video audio document text html archive table"), a.Val) && a.Val != "" {
				t.Fatalf("kind %q is not allowed", a.Val)
			}
		case "href":
			inside := strings.HasPrefix(a.Val, "#doc-")
			outside := strings.HasPrefix(strings.ToLower(a.Val), "https://") ||
				strings.HasPrefix(strings.ToLower(a.Val), "http://") ||
				strings.HasPrefix(strings.ToLower(a.Val), "mailto:")
			if !inside && !outside || n.DataAtom != atom.A || outside &&
				(attr(n, "rel") != linkRel || attr(n, "target") != "_blank") {
				t.Fatalf("address %q of %s, rel %q, is not allowed", a.Val, n.Data, attr(n, "rel"))
			}
		}
	}
	if n.DataAtom == atom.Input && !(attr(n, "type") == "checkbox" && has(n, "disabled") ||
		attr(n, "type") == "radio" && attr(n, "name") == "doc-sheet") {
		t.Fatalf("input is not allowed: %v", n.Attr)
	}
}

// vectors are known ways to bring a script into a page, in Markdown and other
// formats.
var vectors = []string{
	`<script>alert(1)</script>`, `<SCRIPT SRC=//x.test/a.js>`, `<scr<script>ipt>alert(1)</script>`,
	`<img src=x onerror=alert(1)>`,
	`<svg onload=alert(1)>`, `<svg/onload=alert(1)//`, `<svg><style><img src=x onerror=alert(1)></style></svg>`,
	`<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>`,
	`<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>`,
	`<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">`,
	`<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
	`<textarea><img title="</textarea><img src=x onerror=alert(1)>">`,
	`<a href="javascript:alert(1)">x</a>`, `<a href="JaVaScRiPt&colon;alert(1)">x</a>`,
	`<a href="&#106;avascript:alert(1)">x</a>`, `<a href="java&#x09;script:alert(1)">x</a>`,
	`<a href=" &#14; javascript:alert(1)">x</a>`, `<a href="data:text/html,<script>alert(1)</script>">x</a>`,
	`<a href="vbscript:x">x</a>`, `<a href="//x.test">x</a>`,
	`<a href="\\x.test">x</a>`, `<a href="https:x.test">x</a>`, `<a href="blob:https://x.test/1">x</a>`,
	`<a href="file:///etc/passwd">x</a>`, `<a href="../admin">x</a>`,
	`[x](javascript:alert(1))`, `[x](java&#10;script:alert(1))`, `[x](<javascript:alert(1)>)`,
	"[x]: javascript:alert(1)\n[x]", `![x](javascript:alert(1))`, `![x](data:image/svg+xml,<svg/onload=alert(1)>)`,
	`![x](https://x.test/pixel.gif)`, `<javascript:alert(1)>`, `[x](https://x.test "onmouseover=alert(1)")`,
	"[x](https://x.test/\"onmouseover=alert(1))",
	`<iframe src=https://x.test></iframe>`, `<object data=x>`, `<embed src=x>`, `<base href=//x.test>`,
	`<meta http-equiv=refresh content=0;//x.test>`, `<link rel=stylesheet href=//x.test>`,
	`<style>@import '//x.test'</style>`, `<p style="background:url(//x.test)">x</p>`,
	`<video poster=//x.test src=//x.test>`, `<input type=image src=x onerror=alert(1)>`,
	`<input autofocus onfocus=alert(1)>`, `<form action=//x.test><button formaction=//x.test>x</button></form>`,
	`<details open ontoggle=alert(1)>x`, `<body onload=alert(1)>`,
	`<p id=copy name=body>x</p><a id=share name=location>x</a>`, `<a id="doc-sheet-1">x</a>`,
	`</article></main><h1>Sign in</h1>`, `</div></div></div></section>x`,
	`<template><script>alert(1)</script></template>`,
	`<!--><script>alert(1)</script>-->`, `<![CDATA[<script>alert(1)</script>]]>`, `<?php echo 1 ?>`, `<plaintext>x`,
	`<xmp><script>alert(1)</script></xmp>`, `<title><script>alert(1)</script>`,
	"```html onload=x\n<script>alert(1)</script>\n```", "```\"><script>alert(1)</script>\nx\n```",
	`"><script>alert(1)</script>`, `'"><img src=x onerror=alert(1)>`,
	"# <script>alert(1)</script>", "| a | <img src=x onerror=alert(1)> |\n|--|--|\n| </table><script>alert(1)</script> | b |", "[^1]\n\n[^1]: <script>alert(1)</script>",
	"- [x] <input type=text onfocus=alert(1) autofocus>", "---\na: </code></pre><script>alert(1)</script>\n---\n",
	"{\"a\": \"</code></pre><script>alert(1)</script>\"}",
	"a,b\n</table><script>alert(1)</script>,\"<img src=x onerror=alert(1)>\"\n",
	"<table><tr><td><div></table></div></td>x", "<a href=https://x.test><table><a href=https://y.test>",
	"<p><table><tr><td>x</p></td></tr></table></p>", "<li></ul></li></li>", "<summary><details></summary></details>",
	"<ruby><rt><ruby></rt></ruby>",
}
