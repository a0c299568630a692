package web

import (
	"fmt"
	"html"
	"net/http"
	"strings"

	"vitrine"
)

// embedRoute is the page of a link as other sites show it in a frame.
const embedRoute = "GET /p/{slug}/embed"

// embedQuery, at the end of the address of a content frame, says that the page
// around it is in a frame itself.
const embedQuery = "?embed"

// embedding is what another site needs to show a link's content.
type embedding struct {
	title, address string
	width, height  int // CSS pixels that suit the content
}

// embedBar is the height of the line above embedded content.
const embedBar = 40

// embedOf is the embed of a link, at the size that suits its kind.
func (s *viewerH) embedOf(l *vitrine.Link) embedding {
	e := embedding{title: l.Title, address: s.linkURL(l.Slug) + "/embed", width: 640, height: embedBar + 480}
	switch s.showOf(l) {
	case showPDF:
		e.height = embedBar + 720
	case showVideo:
		e.height = embedBar + 360 // 16:9
	case showAudio:
		e.height = embedBar + 88
	case showCard:
		e.height = embedBar + 320
	}
	return e
}

// within is the embed in a space that is bounded; 0 is no bound. A video keeps
// its shape, and only it has one.
func (e embedding) within(width, height int, video bool) embedding {
	if width > 0 && width < e.width {
		if video {
			e.height = embedBar + max(1, width*9/16)
		}
		e.width = width
	}
	if height > 0 && height < e.height {
		if video {
			e.width = max(1, min(e.width, (height-embedBar)*16/9))
		}
		e.height = height
	}
	return e
}

// html is what goes on a page to show the embed. The content's own frame is
// sandboxed; this one has nothing to be kept from.
func (e embedding) html() string {
	return fmt.Sprintf(`<iframe src="%s" title="%s" width="%d" height="%d" style="border:0;max-width:100%%" loading="lazy" allow="fullscreen"></iframe>`,
		html.EscapeString(e.address), html.EscapeString(e.title), e.width, e.height)
}

// framers tells, in the words of frame-ancestors, whose pages may show in a
// frame what is at a request's address.
func (s *httpxH) framers(r *http.Request) string {
	switch {
	case strings.HasPrefix(r.URL.Path, contentRoot):
		return s.ancestors(r)
	case r.Pattern == embedRoute:
		return "*"
	default:
		return "'none'"
	}
}
