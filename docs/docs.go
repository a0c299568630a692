// Package docs has the guides, which an instance serves below /docs and which
// can be read in the repository, too.
//
// A guide is Markdown. Its front matter has the title, the description, the
// group of the menu and the place in the order of all guides. Its comments are
// actions of text/template, for what depends on the instance.
package docs

import "embed"

// Guides are the guides, below the directory guide.
//
//go:embed guide/*.md
var Guides embed.FS
