package ui

// sheets are the shared styles, each made of its parts in this order. A page
// links ui/core.css, the others that it needs, and one of its own.
var sheets = map[string][]string{
	// All pages, and frames of viewers.
	"ui/core.css": {
		"styles/tokens.css", "styles/reset.css", "styles/base.css", "components/button.css", "components/code.css",
		"components/popover.css",
		"components/bar.css", "components/header.css",
	},
	// Pages of a few words, such as errors.
	"ui/notice.css": {"components/notice.css"},
	// The app, the pages about Vitrine, and those for signing in.
	"ui/app.css": {
		"styles/figures.css", "components/shell.css", "components/menu.css", "components/layout.css",
		"components/keys.css", "components/field.css", "components/tile.css", "components/table.css",
		"components/visits.css", "components/list.css", "components/chip.css", "components/dialog.css",
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
