// Package docs has those guides of this directory that an instance serves, so
// that the site and the repository say the same.
package docs

import "embed"

// Guides are how-to pages in Markdown, by their paths below docs.
//
//go:embed how-to/accounts.md how-to/command-line.md how-to/moderation.md
//go:embed how-to/reports.md how-to/websites.md
var Guides embed.FS
