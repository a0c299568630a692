package front

import (
	"image"
	"net/http"
	"strings"

	"vitrine/internal/app/auth"
	"vitrine/internal/filetype"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
)

type homePage struct {
	frontPage
	Plans  []planRow
	Sample *app.Sample
	Viewer image.Config // of the page of a link
	Accept string       // extensions, as a chooser of files wants them
	Next   string       // where to go after choosing a file
	Closed string       // why a stranger cannot open an account here; "" where they can, and for who is signed in
}

// Home serves the home page.
func (s *Handler) Home(w http.ResponseWriter, r *http.Request) error {
	p := homePage{frontPage: s.newFrontPage(r, "",
		"Turn a file into a public link, and see how it is read: who opened it, for how long, how far. No cookies.",
		""),
		Sample: Sample(), Viewer: pictureSize("pictures/viewer-light.webp"), Accept: accepted(),
		Next: "/dashboard"}
	p.Plans = s.planRows(p.Me)
	switch {
	case p.Me != nil:
	case p.SignUp:
		p.Next = "/sign-up?next=/dashboard"
	default:
		p.Next, p.Closed = httpx.SignInRoot+"?next=/dashboard", s.whyClosed()
	}
	return s.writeFront(w, r, "home.html", p.Nonce, &p)
}

// accepted returns the supported extensions for a file input.
func accepted() string { return "." + strings.Join(filetype.Extensions(), ",.") }

// whyClosed returns who creates accounts here, if not everybody may.
func (s *Handler) whyClosed() string {
	if s.Accounts != nil && s.Accounts.SignUp == auth.SignUpInvite {
		return "This instance is invite-only. Have an invitation? Open the link in it."
	}
	return "This instance is closed to new accounts. Ask its administrator."
}

// mayJoin reports whether anybody may make an account here.
func (s *Handler) mayJoin() bool { return s.Accounts != nil && s.Accounts.SignUp == auth.SignUpOpen }
