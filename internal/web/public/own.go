package public

import (
	"html/template"
	"strings"

	"vitrine"
)

var ownBarTemplate = template.Must(template.New("").Parse(`<p class="own" role="note"><span>Only you see this: your visit is {{if .Counted}}counted{{else}}not counted{{end}}</span> ` +
	`<span><a href="/links/{{.Slug}}/analytics">Analytics</a> · <a href="/links/{{.Slug}}">Edit</a></span></p>`))

// ownBar returns what only the owner of a link sees above its page.
func ownBar(l *vitrine.Link, counted bool) string {
	var b strings.Builder
	_ = ownBarTemplate.Execute(&b, struct { // into memory
		Counted bool
		Slug    vitrine.Slug
	}{counted, l.Slug})
	return b.String()
}
