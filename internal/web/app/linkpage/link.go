package linkpage

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/links"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

var manageTemplate = app.Parse("link_manage.html")

// maxLinkForm bounds the forms of a link, in bytes: a title of 200 characters,
// each up to 12 bytes of the form's encoding.
const maxLinkForm = 8 << 10

// managePage is the page of one link for its owner.
type managePage struct {
	app.Page
	Link    *links.LinkDetail
	Numbers *linkNumbers // nil: the plan has no analytics, or there are none
	Badge   string
	Facts   []string
	URL     string // public address
	Prefix  string // what is before a slug in an address, as people read it
	Here    string // address of this page
	Picture string // address; "" when there is none to be seen
	Width   int
	Height  int
	QR      string // address without the ending that says which kind of picture; "" while the link is not live
	Embed   string // HTML
	// Captions are those of a video or sound, of which MayCaption tells that it
	// is one.
	Captions   []viewer.Track
	MayCaption bool

	NewTitle    string // as in the form
	NewSlug     string
	NewLanguage string
}

// Pro reports whether the plan has custom slugs.
func (p *managePage) Pro() bool { return p.Me.Plan.Pro() }

// Live reports whether the public may see it.
func (p *managePage) Live() bool { return p.Link.Live() }

// Held reports whether someone or something other than its owner keeps it off
// display.
func (p *managePage) Held() bool {
	return p.Link.State != vitrine.StateLive && p.Link.Reason != "" && p.Link.Reason != vitrine.ReasonOwner
}

// Review is the address of the case in the queue, for an owner who may decide
// about it; "" for others.
func (p *managePage) Review() string { return app.ReviewAddress(p.Me, p.Link.Link) }

// Found is what exactly was found in the file; what readers or moderators have
// to say of it is not its owner's to read.
func (p *managePage) Found() string {
	if p.Link.Reason == vitrine.ReasonAbuse || p.Link.Reason == vitrine.ReasonModerator {
		return ""
	}
	return p.Link.Detail
}

func (s *Handler) Show(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	text := r.PathValue("slug")
	o, err := s.Links.Own(r.Context(), me, text)
	if err != nil {
		return err
	}
	if string(o.Slug) != text { // another spelling, or a slug that it had before
		http.Redirect(w, r, app.LinkAddress(o.Link), http.StatusSeeOther)
		return nil
	}
	p := s.managePage(r, me, o)
	if p.Numbers, err = s.numbers(r.Context(), me, o.Link); err != nil {
		return err
	}
	return s.writeManage(w, r, http.StatusOK, p)
}

func (s *Handler) managePage(r *http.Request, me *vitrine.Account, o *links.LinkDetail) *managePage {
	t, _ := filetype.ByExt(o.Name)
	p := &managePage{Page: s.NewAppPage(r, me, o.Title, "links"), Link: o, Badge: ui.Badge(t), Facts: ui.Facts(o.Link, t), URL: s.LinkURL(o.Slug),
		Prefix: s.PublicURL.Host + "/p/", Here: app.LinkAddress(o.Link), Embed: s.EmbedOf(o.Link).HTML(), NewTitle: o.Title, NewSlug: string(o.Slug)}
	if p.MayCaption = o.HasBytes && (o.Kind == filetype.Video || o.Kind == filetype.Audio); p.MayCaption {
		p.Captions = s.Tracks(o.Link)
	}
	if o.Live() {
		picture := s.Picture(o.Link)
		p.Picture, p.Width, p.Height, p.QR = picture.Address, picture.Width, picture.Height, p.URL+"/qr"
	}
	return p
}

func (s *Handler) writeManage(w http.ResponseWriter, r *http.Request, status int, p *managePage) error {
	return s.WriteApp(w, r, status, manageTemplate, p.Nonce, p)
}

// linkDeed is what a form does with a link; it returns the link, where it is
// still there, and what is said of it.
type linkDeed func(s *Handler, ctx context.Context, me *vitrine.Account, slug string, f url.Values) (l *vitrine.Link, saying string, err error)

// linkForms are the forms of a link's page, by the end of the address that
// takes them.
var linkForms = map[string]linkDeed{
	"title": func(s *Handler, ctx context.Context, me *vitrine.Account, slug string, f url.Values) (*vitrine.Link, string, error) {
		l, err := s.Links.Edit(ctx, me, slug, links.Edit{Title: new(f.Get("title"))})
		return l, "renamed", err
	},
	"slug": func(s *Handler, ctx context.Context, me *vitrine.Account, slug string, f url.Values) (*vitrine.Link, string, error) {
		l, err := s.Links.Edit(ctx, me, slug, links.Edit{Slug: new(strings.TrimSpace(f.Get("slug")))})
		if err == nil && string(l.Slug) == slug {
			return l, "saved", nil
		}
		return l, "moved", err
	},
	"download": func(s *Handler, ctx context.Context, me *vitrine.Account, slug string, f url.Values) (*vitrine.Link, string, error) {
		allow := f.Get("allow") != ""
		l, err := s.Links.Edit(ctx, me, slug, links.Edit{Download: new(allow)})
		if allow {
			return l, "with-file", err
		}
		return l, "view-only", err
	},
	"disable": func(s *Handler, ctx context.Context, me *vitrine.Account, slug string, _ url.Values) (*vitrine.Link, string, error) {
		l, err := s.Links.Disable(ctx, slug, vitrine.Decision{By: vitrine.Owner(me.ID)})
		return l, "off-display", err
	},
	"undo": func(s *Handler, ctx context.Context, me *vitrine.Account, slug string, _ url.Values) (*vitrine.Link, string, error) {
		l, err := s.Links.Undo(ctx, slug, vitrine.Decision{By: vitrine.Owner(me.ID)})
		return l, "on-display", err
	},
	"delete": func(s *Handler, ctx context.Context, me *vitrine.Account, slug string, _ url.Values) (*vitrine.Link, string, error) {
		return nil, "link-deleted", s.Links.Delete(ctx, slug, vitrine.Decision{By: vitrine.Owner(me.ID)})
	},
}

// Form takes a form about a link of who is signed in, and leads back to
// where it was sent from. One that cannot be carried out is shown again on the
// link's page, with what was typed.
func (s *Handler) Form(action string) app.MemberHandler {
	does, ok := linkForms[action]
	if !ok {
		panic("no form " + action)
	}
	return func(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
		if err := httpx.ReadForm(w, r, maxLinkForm); err != nil {
			return err
		}
		slug := r.PathValue("slug")
		o, err := s.Links.Own(r.Context(), me, slug)
		if err != nil {
			return err
		}
		l, saying, err := does(s, r.Context(), me, string(o.Slug), r.PostForm)
		if err != nil {
			return s.wrongLinkForm(w, r, me, o, err)
		}
		back := app.LinksRoot
		if l != nil {
			back = app.LinkAddress(l)
		}
		return httpx.Redirect(w, r, app.Said(backTo(r.PostForm.Get("back"), back), saying))
	}
}

// wrongLinkForm shows a form again that could not be carried out, with what was
// typed.
func (s *Handler) wrongLinkForm(w http.ResponseWriter, r *http.Request, me *vitrine.Account, o *links.LinkDetail, err error) error {
	wrong := httpx.WrongWith(err)
	if wrong == nil || vitrine.CodeOf(err) == vitrine.CodeNotFound {
		return err
	}
	p := s.managePage(r, me, o)
	p.Wrong = wrong
	for name, field := range map[string]*string{"title": &p.NewTitle, "slug": &p.NewSlug, "language": &p.NewLanguage} {
		if r.PostForm.Has(name) {
			*field = r.PostForm.Get(name)
		}
	}
	e, status := s.Known(w, r, err)
	httpx.RetryAfter(w, e)
	return s.writeManage(w, r, status, p)
}

// backTo is the page of the list that a form was sent from, or another page.
func backTo(from, otherwise string) string {
	u, err := url.Parse(from)
	if err != nil || u.Path != app.LinksRoot || u.Host != "" || u.Scheme != "" || u.User != nil {
		return otherwise
	}
	return httpx.WithQuery(app.LinksRoot, u.Query())
}
