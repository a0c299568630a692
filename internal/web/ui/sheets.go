package ui

import (
	"path"
	"strings"
)

// layers are the cascade layers of all pages, in order: later ones win.
const layers = "@layer reset, tokens, figures, base, components, pages;"

// layered puts a style sheet into the layer of its folder: parts of ui/styles
// into those of their names, components into "components", all others into
// "pages". Left alone are one that names its layers itself, and the viewer of
// Word documents, whose library adds styles in no layer.
func layered(name string, css []byte) []byte {
	layer := "pages"
	switch dir, file := path.Split(name); {
	case strings.Contains(string(css), "@layer"), name == "viewer/docx/docx.css":
		return css
	case dir == "ui/styles/":
		layer = strings.TrimSuffix(file, ".css")
	case dir == "ui/components/":
		layer = "components"
	}
	return []byte("@layer " + layer + " {" + string(css) + "}")
}

// sheets are the shared styles, each made of its parts in this order. A page
// links ui/core.css, the others that it needs, and one of its own.
var sheets = map[string][]string{
	// All pages, and frames of viewers.
	"ui/core.css": {
		"styles/tokens.css", "styles/reset.css", "styles/base.css", "components/button.css",
		"components/popover.css", "components/bar.css", "components/header.css",
	},
	// Pages of a few words, such as errors.
	"ui/notice.css": {"components/serif.css", "components/notice.css"},
	// The app, the pages about Vitrine, and those for signing in.
	"ui/app.css": {
		"styles/figures.css", "components/serif.css", "components/code.css", "components/plain-button.css",
		"components/shell.css",
		"components/menu.css", "components/layout.css",
		"components/keys.css", "components/field.css", "components/tile.css", "components/table.css",
		"components/visits.css", "components/list.css", "components/chip.css", "components/badge.css",
		"components/dialog.css",
		"components/drop.css",
		"components/toast.css", "components/banner.css",
		"components/tabs.css", "components/empty.css", "components/progress.css", "components/link-rows.css",
		"components/link-head.css",
		"components/manage.css",
		"components/secret.css", "components/key-rows.css", "components/chart.css",
	},
	// Reports: of links, accounts and websites.
	"ui/report.css": {"components/report.css"},
}
