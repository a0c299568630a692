package linkpage

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/links"
	"vitrine/internal/filetype"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// templates maps the pages of a link in this package to templates.
var templates = map[app.LinkTab]string{app.LinkOverview: "link_overview.html", app.LinkShare: "link_share.html",
	app.LinkSettings: "link_settings.html"}

// maxLinkForm bounds the forms of a link, in bytes: a title of 200 characters,
// each encoded in up to 12 bytes.
const maxLinkForm = 8 << 10

// linkPage is a page of a link for its owner.
type linkPage struct {
	app.Page
	Head    *app.LinkHead
	Link    *links.LinkDetail
	Prefix  string // the part of an address before the slug, for display
	Picture string // address; "" when there is none to be seen
	Width   int
	Height  int
	QR      string // address without the extension of the picture; "" while the link is not live
	Embed   string // HTML
	Texts   []shareText
	Mail    template.URL
	Sources []channel
	Visits  []app.Visit       // the newest; none on other tabs
	Website *app.WebsiteOffer // nil unless its file is a ZIP that can become a website
	// Captions lists those of a video or sound; MayCaption reports whether the
	// link is one.
	Captions   []viewer.Track
	MayCaption bool

	NewTitle    string // as in the form
	NewSlug     string
	NewDownload bool
	NewExpires  string // the last day; "" for none
	NewLanguage string
}

// Pro reports whether the plan has custom slugs.
func (p *linkPage) Pro() bool { return p.Me.Plan.Pro() }

// AllVisits returns the address of the list of visits.
func (p *linkPage) AllVisits() string { return app.VisitsRoot(p.Link.Link) }

// Host returns the host of its address, as chats show it.
func (p *linkPage) Host() string {
	return strings.TrimSuffix(p.Prefix, "/p/")
}

// Live reports whether the public may see it.
func (p *linkPage) Live() bool { return p.Link.Live() }

// Held reports whether the link is held or disabled by anyone but its owner.
func (p *linkPage) Held() bool {
	return p.Link.State != vitrine.StateLive && p.Link.Reason != "" && p.Link.Reason != vitrine.ReasonOwner
}

// Review returns the address of the case in the queue if the owner may decide
// about it, otherwise "".
func (p *linkPage) Review() string { return app.ReviewAddress(p.Me, p.Link.Link) }

// Found returns what was found in the file. It does not show texts of readers
// or moderators to the owner.
func (p *linkPage) Found() string {
	if p.Link.Reason == vitrine.ReasonAbuse || p.Link.Reason == vitrine.ReasonModerator {
		return ""
	}
	return p.Link.Detail
}

// Show serves a page of a link.
func (s *Handler) Show(tab app.LinkTab) app.MemberHandler {
	return func(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
		text := r.PathValue("slug")
		o, err := s.Links.Own(r.Context(), me, text)
		if err != nil {
			return err
		}
		if string(o.Slug) != text { // another spelling, or a slug that it had before
			http.Redirect(w, r, app.LinkAddress(o.Link)+string(tab), http.StatusSeeOther)
			return nil
		}
		return s.writeLink(w, r, http.StatusOK, me, s.linkPage(r, me, o, tab))
	}
}

func (s *Handler) linkPage(r *http.Request, me *vitrine.Account, o *links.LinkDetail, tab app.LinkTab) *linkPage {
	p := &linkPage{Page: s.NewAppPage(r, me, ui.Title(o.Link), "links"), Link: o, Head: s.LinkHead(me, o.Link, tab),
		Prefix: s.PublicURL.Host + "/p/",
		Embed:  s.EmbedOf(o.Link).HTML(), NewTitle: ui.Title(o.Link), NewSlug: string(o.Slug),
		NewDownload: o.AllowDownload,
		NewExpires:  lastDay(o.ExpiresAt, app.Zone(me))}
	p.Texts, p.Mail = shareTexts(ui.Title(o.Link), p.Head.URL), mailTo(ui.Title(o.Link), p.Head.URL)
	if p.MayCaption = o.HasBytes && (o.Kind == filetype.Video || o.Kind == filetype.Audio); p.MayCaption {
		p.Captions = s.Tracks(o.Link)
	}
	if o.Live() {
		picture := s.Picture(o.Link)
		p.Picture, p.Width, p.Height, p.QR = picture.Address, picture.Width, picture.Height, p.Head.URL+"/qr"
	}
	return p
}

func (s *Handler) writeLink(w http.ResponseWriter, r *http.Request, status int, me *vitrine.Account,
	p *linkPage) (err error) {
	if err := s.AddNumbers(r.Context(), me, p.Head); err != nil {
		return err
	}
	if p.Head.Tab == app.LinkOverview && p.Head.Numbers != nil {
		if p.Visits, err = s.latestVisits(r.Context(), me, p.Link.Link); err != nil {
			return err
		}
	}
	if p.Head.Tab == app.LinkShare && p.Head.Numbers != nil {
		if p.Sources, err = s.channels(r.Context(), me, p.Link.Link); err != nil {
			return err
		}
	}
	if p.Website == nil && p.Head.Tab == app.LinkOverview && s.Uploads.IsWebsite(r.Context(), p.Link.Link) {
		p.Website = s.WebsiteOffer(me, s.Sites.Suggest(r.Context(), me, ui.Title(p.Link.Link)))
	}
	return s.WriteApp(w, r, status, templates[p.Head.Tab], p.Nonce, p)
}

// maxVisits is how many visits are on the overview.
const maxVisits = 5

func (s *Handler) latestVisits(ctx context.Context, me *vitrine.Account, l *vitrine.Link) ([]app.Visit, error) {
	rows, err := s.Analytics.RecentVisits(ctx, me, string(l.Slug), analytics.VisitQuery{N: maxVisits})
	if err != nil {
		return nil, err
	}
	return app.NewVisits(l, rows, s.Now()), nil
}

// linkAction carries out a form about a link. It returns the link, unless it
// was deleted, and the code of the message to show.
type linkAction func(s *Handler, ctx context.Context, me *vitrine.Account, slug string, f url.Values) (l *vitrine.Link,
	saying string, err error)

// allows reads the check box. A hidden field of the same name precedes it, so
// that an unchecked box is distinguishable from a missing one.
func allows(f url.Values) bool { return slices.Contains(f["download"], "yes") }

// linkForms maps the last part of a form's address to its action.
var linkForms = map[string]linkAction{
	"settings": func(s *Handler, ctx context.Context, me *vitrine.Account, slug string, f url.Values) (*vitrine.Link,
		string, error) {
		var e links.Edit
		if f.Has("title") {
			e.Title = new(f.Get("title"))
		}
		if f.Has("slug") {
			e.Slug = new(strings.TrimSpace(f.Get("slug")))
		}
		if f.Has("download") {
			e.Download = new(allows(f))
		}
		o, err := s.Links.Own(ctx, me, slug)
		if err != nil {
			return nil, "", err
		}
		if e.Title != nil && *e.Title == ui.Title(o.Link) {
			e.Title = nil // as it was shown
		}
		if e.ExpiresAt, err = expiryOf(f, o.Link, app.Zone(me)); err != nil {
			return nil, "", err
		}
		l, err := s.Links.Edit(ctx, me, slug, e)
		if err == nil && string(l.Slug) != slug {
			return l, "slug-changed", nil
		}
		return l, "saved", err
	},
	"disable": func(s *Handler, ctx context.Context, me *vitrine.Account, slug string, _ url.Values) (*vitrine.Link,
		string, error) {
		l, err := s.Links.Disable(ctx, slug, vitrine.Decision{By: vitrine.Owner(me.ID)})
		return l, "link-disabled", err
	},
	"undo": func(s *Handler, ctx context.Context, me *vitrine.Account, slug string, _ url.Values) (*vitrine.Link,
		string, error) {
		l, err := s.Links.Undo(ctx, slug, vitrine.Decision{By: vitrine.Owner(me.ID)})
		return l, "link-enabled", err
	},
	"delete": func(s *Handler, ctx context.Context, me *vitrine.Account, slug string, _ url.Values) (*vitrine.Link,
		string, error) {
		return nil, "link-deleted", s.Links.Delete(ctx, slug, vitrine.Decision{By: vitrine.Owner(me.ID)})
	},
}

// Form handles a form about a link and redirects to where it was sent from. If
// it fails, the settings are shown with what was typed.
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
			back = app.LinkAddress(l) + string(app.LinkSettings)
		}
		return httpx.Redirect(w, r, app.Said(backTo(r.PostForm.Get("back"), back), saying))
	}
}

// wrongLinkForm shows a failed form again with what was typed.
func (s *Handler) wrongLinkForm(w http.ResponseWriter, r *http.Request, me *vitrine.Account, o *links.LinkDetail,
	err error) error {
	wrong := httpx.FieldErrorsOf(err)
	if wrong == nil || vitrine.CodeOf(err) == vitrine.CodeNotFound {
		return err
	}
	p := s.linkPage(r, me, o, app.LinkSettings)
	p.Wrong = wrong
	for name, field := range map[string]*string{"title": &p.NewTitle, "slug": &p.NewSlug, "expires": &p.NewExpires,
		"language": &p.NewLanguage} {
		if r.PostForm.Has(name) {
			*field = r.PostForm.Get(name)
		}
	}
	if r.PostForm.Has("download") {
		p.NewDownload = allows(r.PostForm)
	}
	e, status := s.Known(w, r, err)
	httpx.RetryAfter(w, e)
	return s.writeLink(w, r, status, me, p)
}

// backTo returns the page of the list that a form was sent from, or otherwise.
func backTo(from, otherwise string) string {
	u, err := url.Parse(from)
	if err != nil || u.Path != app.LinksRoot || u.Host != "" || u.Scheme != "" || u.User != nil {
		return otherwise
	}
	return httpx.WithQuery(app.LinksRoot, u.Query())
}
