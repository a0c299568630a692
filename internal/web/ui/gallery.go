package ui

import (
	"net/http"

	"vitrine"
	"vitrine/internal/web/httpx"
)

// The gallery shows every component in every state, with its tokens. It is for
// development: vitrine serve --dev, /dev/gallery.

type galleryPage struct {
	Page
	Colors, Sizes, Spaces, Corners []string
	Roles                          []Option
	States                         []vitrine.LinkState
	Looks                          []string
	Tabs                           []Tab
}

// Gallery serves the gallery.
func (s *Pages) Gallery(w http.ResponseWriter, r *http.Request) error {
	p := galleryPage{Page: s.NewChrome("Gallery · Vitrine"),
		Colors: []string{"wall", "light", "glass", "ink", "soft", "line", "edge", "hover", "brass", "alarm", "good",
			"views", "uniques", "was"},
		Sizes:   []string{"xs", "s", "m", "base", "l", "xl", "2xl", "3xl"},
		Spaces:  []string{"2", "4", "6", "8", "12", "16", "20", "24", "32", "48", "64", "96"},
		Corners: []string{"s", "m", "l", "full"},
		Roles:   []Option{{Value: "member", Name: "Member"}, {Value: "moderator", Name: "Moderator", Chosen: true}},
		States: []vitrine.LinkState{vitrine.StateLive, vitrine.StateReview, vitrine.StateProcessing,
			vitrine.StateDisabled},
		Looks: []string{"pdf", "document", "text", "table", "slides", "html", "archive", "image", "audio", "video"},
		Tabs: []Tab{{Name: "Queue", Address: "#tabs", Count: 3, Current: true},
			{Name: "Decisions", Address: "#tabs"}},
	}
	s.Server.SetPagePolicy(w, r, httpx.FrontPage, p.Nonce)
	return Render(w, r, http.StatusOK, "gallery.html", &p)
}
