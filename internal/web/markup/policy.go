package markup

import (
	"regexp"
	"sync"

	"github.com/microcosm-cc/bluemonday"
)

// policy is the HTML that is allowed in Markdown output, generated or literal.
// rewrite then replaces IDs, link targets and classes.
var policy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "div", "span", "blockquote", "pre", "code",
		"kbd", "samp", "var",
		"strong", "b", "em", "i", "u", "s", "del", "ins", "sub", "sup", "small", "mark", "q", "cite", "abbr", "ruby",
		"rt", "rp",
		"ul", "ol", "li", "dl", "dt", "dd", "details", "summary", "table", "caption", "thead", "tbody", "tfoot", "tr",
		"th", "td")
	p.AllowNoAttrs().OnElements("a", "img", "span")
	p.AllowAttrs("id").Matching(regexp.MustCompile(`^[^\s"'<>&]{1,100}$`)).Globally()
	p.AllowAttrs("name").Matching(regexp.MustCompile(`^[^\s"'<>&]{1,100}$`)).OnElements("a")
	p.AllowAttrs("dir").Matching(regexp.MustCompile(`^(ltr|rtl|auto)$`)).Globally()
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|right|center)$`)).OnElements("th", "td", "p", "div", "h1",
		"h2", "h3")
	p.AllowAttrs("colspan", "rowspan").Matching(regexp.MustCompile(`^[1-9]\d?$`)).OnElements("th", "td")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^\d{1,9}$`)).OnElements("ol")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^language-\S{1,40}$`)).OnElements("code")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^footnotes$`)).OnElements("div")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^footnote-backref$`)).OnElements("a")
	p.AllowAttrs("title").OnElements("abbr")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked").OnElements("input")
	p.AllowAttrs("open").OnElements("details")
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("src", "alt").OnElements("img")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	return p
})
