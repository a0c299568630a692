// Package docs has those guides of this directory that an instance serves, so
// that the site and the repository say the same.
package docs

import "embed"

// Guides are how-to pages in Markdown, by their paths below docs.
//
//go:embed how-to/websites.md how-to/moderation.md
var Guides embed.FS
