package public

import (
	"strings"

	"vitrine"
	"vitrine/internal/web/ui"
)

// ownBar returns what only the owner of a link sees above its page.
func ownBar(l *vitrine.Link, counted bool) string {
	var b strings.Builder
	_ = ui.Template("own.html").Execute(&b, struct { // into memory
		Counted bool
		Slug    vitrine.Slug
	}{counted, l.Slug})
	return b.String()
}
