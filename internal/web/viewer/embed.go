package viewer

import (
	"fmt"
	"html"

	"vitrine"
	"vitrine/internal/web/ui"
)

// Embedding is what another site needs to show a link's content.
type Embedding struct {
	title, address string
	Width, Height  int // CSS pixels that suit the content
}

// embedBar is the height of the bar above embedded content.
const embedBar = 40

// EmbedOf returns the embed of a link, with a size for its kind.
func (s *Viewers) EmbedOf(l *vitrine.Link) Embedding {
	v := s.Of(l)
	return Embedding{title: ui.Title(l), address: s.Server.AddressOf(l) + "/embed", Width: 640,
		Height: embedBar + v.Height}
}

// Within fits the embed into a space; 0 is no limit. Only a video has an aspect
// ratio, which it keeps.
func (e Embedding) Within(width, height int, video bool) Embedding {
	if width > 0 && width < e.Width {
		if video {
			e.Height = embedBar + max(1, width*9/16)
		}
		e.Width = width
	}
	if height > 0 && height < e.Height {
		if video {
			e.Width = max(1, min(e.Width, (height-embedBar)*16/9))
		}
		e.Height = height
	}
	return e
}

// HTML returns the code for a page that shows the embed. The frame needs no
// sandbox, because the content has one of its own.
func (e Embedding) HTML() string {
	return fmt.Sprintf(`<iframe src="%s" title="%s" width="%d" height="%d" style="border:0;max-width:100%%" loading="lazy" allow="fullscreen"></iframe>`,
		html.EscapeString(e.address), html.EscapeString(e.title), e.Width, e.Height)
}
