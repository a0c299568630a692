package app

import (
	"html"
	"html/template"
	"net/url"
	"strings"
)

// shareText is a text with the link's address for copying.
type shareText struct {
	ID, Name, Text string
	Rows           int
}

// inMarkdown escapes a title for a link in Markdown.
var inMarkdown = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`)

func shareTexts(title, address string) []shareText {
	return []shareText{
		{"text-plain", "Message", title + "\n" + address, 2},
		{"text-markdown", "Markdown", "[" + inMarkdown.Replace(title) + "](" + address + ")", 2},
		{"text-html", "HTML link", `<a href="` + html.EscapeString(address) + `">` + html.EscapeString(title) + "</a>",
			2},
	}
}

// mailTo begins an e-mail with the address.
func mailTo(title, address string) template.URL {
	return template.URL("mailto:?subject=" + url.PathEscape(title) + "&body=" + url.QueryEscape(address))
}
