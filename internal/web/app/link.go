package app

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/links"
	"vitrine/internal/app/publish"
	"vitrine/internal/app/recipients"
	"vitrine/internal/filetype"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// LinkPages serves the list of links, and the page of each.
type LinkPages struct {
	Server     *httpx.Server
	Viewers    *viewer.Viewers
	Shell      *Shell
	Analytics  *analytics.Service
	Now        func() time.Time
	Links      *links.Service
	Uploads    *publish.Uploads
	Captions   *publish.Captions
	Recipients *recipients.Service
	Albums     *collections.Albums
	Sites      *collections.Sites
}

// linkTemplates maps pages of a link to templates.
var linkTemplates = map[LinkTab]string{LinkOverview: "link_overview.html", LinkShare: "link_share.html",
	LinkSettings: "link_settings.html"}

// maxLinkForm bounds the forms of a link, in bytes: a title of 200 characters,
// each encoded in up to 12 bytes.
const maxLinkForm = 8 << 10

// linkPage is a page of a link for its owner.
type linkPage struct {
	Page
	Head    *LinkHead
	Link    *links.LinkDetail
	Prefix  string // the part of an address before the slug, for display
	Picture string // address; "" when there is none to be seen
	Width   int
	Height  int
	QR      string // address without the extension of the picture; "" while the link is not live
	Embed   string // HTML
	Texts   []shareText
	Mail    template.URL
	Visits  []Visit // the newest; none on other tabs
	// Recipients is nil on other tabs than Share.
	Recipients *recipientCard
	Website    *websiteOffer // nil unless its file is a ZIP that can become a website
	// Captions lists those of a video or sound; MayCaption reports whether the
	// link is one.
	Captions   []viewer.Track
	MayCaption bool

	Gate        accessForm
	Protection  *protection // nil on other tabs than Share
	NewTitle    string      // as in the form
	NewSlug     string
	NewDownload bool
	NewExpires  string // the last day; "" for none
	NewLabels   string // separated by commas
	NewLanguage string
}

// Pro reports whether the plan has custom slugs.
func (p *linkPage) Pro() bool { return p.Me.Plan.Pro() }

// AllVisits returns the address of the list of visits.
func (p *linkPage) AllVisits() string { return VisitsRoot(p.Link.Link) }

// Host returns the host of its address, as chats show it.
func (p *linkPage) Host() string {
	return strings.TrimSuffix(p.Prefix, "/p/")
}

// DeleteText says what deleting the link does.
func (p *linkPage) DeleteText() string { return deleteText(p.Link.Link) }

// Live reports whether the public may see it.
func (p *linkPage) Live() bool { return p.Link.Live() }

// Held reports whether the link is held or disabled by anyone but its owner.
func (p *linkPage) Held() bool {
	return p.Link.State != vitrine.StateLive && p.Link.Reason != "" && p.Link.Reason != vitrine.ReasonOwner
}

// Review returns the address of the case in the queue if the owner may decide
// about it, otherwise "".
func (p *linkPage) Review() string { return reviewAddress(p.Me, p.Link.Link) }

// Found returns what was found in the file. It does not show texts of readers
// or moderators to the owner.
func (p *linkPage) Found() string {
	if p.Link.Reason == vitrine.ReasonAbuse || p.Link.Reason == vitrine.ReasonModerator {
		return ""
	}
	return p.Link.Detail
}

// Show serves a page of a link.
func (s *LinkPages) Show(tab LinkTab) MemberHandler {
	return func(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
		text := r.PathValue("slug")
		o, err := s.Links.Own(r.Context(), me, text)
		if err != nil {
			return err
		}
		if string(o.Slug) != text { // another spelling, or a slug that it had before
			http.Redirect(w, r, LinkAddress(o.Link)+string(tab), http.StatusSeeOther)
			return nil
		}
		return s.writeLink(w, r, http.StatusOK, me, s.linkPage(r, me, o, tab))
	}
}

func (s *LinkPages) linkPage(r *http.Request, me *vitrine.Account, o *links.LinkDetail, tab LinkTab) *linkPage {
	p := &linkPage{Page: s.Shell.NewAppPage(r, me, ui.Title(o.Link), "links"), Link: o,
		Head: s.Shell.LinkHead(me, o.Link, tab), Prefix: s.Server.PublicURL.Host + "/p/",
		Embed: s.Viewers.EmbedOf(o.Link).HTML(), NewTitle: ui.Title(o.Link), NewSlug: string(o.Slug),
		NewDownload: o.AllowDownload,
		NewExpires:  lastDay(o.ExpiresAt, me.Zone()), NewLabels: strings.Join(o.Labels.All(), ", "),
		Gate: accessFormOf(s.Viewers.Gates, o.Link)}
	p.Texts, p.Mail = shareTexts(ui.Title(o.Link), p.Head.URL), mailTo(ui.Title(o.Link), p.Head.URL)
	if p.MayCaption = o.HasBytes && (o.Kind == filetype.Video || o.Kind == filetype.Audio); p.MayCaption {
		p.Captions = s.Viewers.Tracks(o.Link)
	}
	if o.Live() {
		picture := s.Viewers.Picture(o.Link)
		p.Picture, p.Width, p.Height, p.QR = picture.Address, picture.Width, picture.Height, p.Head.URL+"/qr"
	}
	return p
}

func (s *LinkPages) writeLink(w http.ResponseWriter, r *http.Request, status int, me *vitrine.Account,
	p *linkPage) (err error) {
	if err := s.Shell.AddNumbers(r.Context(), me, p.Head); err != nil {
		return err
	}
	if p.Head.Tab == LinkOverview && p.Head.Numbers != nil {
		if p.Visits, err = s.latestVisits(r.Context(), me, p.Link.Link); err != nil {
			return err
		}
	}
	if p.Head.Tab == LinkShare {
		if p.Protection, err = s.protection(r.Context(), p.Link.Link); err != nil {
			return err
		}
		p.Protection.typed(r.PostForm, p.Wrong)
		if p.Recipients, err = s.recipientCard(r, me, p.Link.Link, p.Wrong); err != nil {
			return err
		}
	}
	if p.Website == nil && p.Head.Tab == LinkOverview && s.Uploads.IsWebsite(r.Context(), p.Link.Link) {
		p.Website = s.Shell.websiteOffer(me, s.Sites.Suggest(r.Context(), me, ui.Title(p.Link.Link)))
	}
	return s.Shell.WriteApp(w, r, status, linkTemplates[p.Head.Tab], p.Nonce, p)
}

// overviewVisits is how many visits are on the overview.
const overviewVisits = 5

func (s *LinkPages) latestVisits(ctx context.Context, me *vitrine.Account, l *vitrine.Link) ([]Visit, error) {
	rows, err := s.Analytics.RecentVisits(ctx, me, string(l.Slug), analytics.VisitQuery{N: overviewVisits})
	if err != nil {
		return nil, err
	}
	return NewVisits(ctx, s.Recipients, l, rows, s.Now())
}

// linkAction carries out a form about a link. It returns the link, unless it
// was deleted, and the code of the message to show.
type linkAction func(s *LinkPages, ctx context.Context, me *vitrine.Account, slug string,
	f url.Values) (l *vitrine.Link, saying string, err error)

// allowsDownload reads the check box. A hidden field of the same name precedes
// it, so that an unchecked box is distinguishable from a missing one.
func allowsDownload(f url.Values) bool { return slices.Contains(f["download"], "yes") }

// splitLabels returns the labels of a field, which commas separate.
func splitLabels(text string) (labels []string) {
	for label := range strings.SplitSeq(text, ",") {
		if label = strings.TrimSpace(label); label != "" {
			labels = append(labels, label)
		}
	}
	return labels
}

// linkForms maps the last part of a form's address to its action.
var linkForms = map[string]linkAction{
	"settings": func(s *LinkPages, ctx context.Context, me *vitrine.Account, slug string, f url.Values) (*vitrine.Link,
		string, error) {
		var e links.Edit
		if f.Has("title") {
			e.Title = new(f.Get("title"))
		}
		if f.Has("slug") {
			e.Slug = new(strings.TrimSpace(f.Get("slug")))
		}
		if f.Has("download") {
			e.Download = new(allowsDownload(f))
		}
		if f.Has("labels") {
			labels, err := links.ParseLabels(splitLabels(f.Get("labels")))
			if err != nil {
				return nil, "", err
			}
			e.Labels = &labels
		}
		o, err := s.Links.Own(ctx, me, slug)
		if err != nil {
			return nil, "", err
		}
		if e.Title != nil && *e.Title == ui.Title(o.Link) {
			e.Title = nil // as it was shown
		}
		if e.ExpiresAt, err = expiryOf(f, o.Link, me.Zone()); err != nil {
			return nil, "", err
		}
		l, err := s.Links.Edit(ctx, me, slug, e)
		if err == nil && string(l.Slug) != slug {
			return l, "slug-changed", nil
		}
		return l, "saved", err
	},
	"access": func(s *LinkPages, ctx context.Context, me *vitrine.Account, slug string, f url.Values) (*vitrine.Link,
		string, error) {
		if f.Has("recipient") {
			return s.protectRecipient(ctx, me, slug, f)
		}
		c, err := accessChange(f)
		if err != nil {
			return nil, "", err
		}
		l, err := s.Links.Edit(ctx, me, slug, links.Edit{Access: c})
		return l, "access-saved", err
	},
	"recipient": (*LinkPages).changeRecipient,
	"bell": func(s *LinkPages, ctx context.Context, me *vitrine.Account, slug string, f url.Values) (*vitrine.Link,
		string, error) {
		bell, err := links.ParseBell(f.Get("notify"))
		if err != nil {
			return nil, "", err
		}
		l, err := s.Links.Edit(ctx, me, slug, links.Edit{Bell: &bell})
		if bell == vitrine.BellOff {
			return l, "bell-off", err
		}
		return l, "bell", err
	},
	"disable": func(s *LinkPages, ctx context.Context, me *vitrine.Account, slug string, _ url.Values) (*vitrine.Link,
		string, error) {
		l, err := s.Links.Disable(ctx, slug, vitrine.Decision{By: vitrine.Owner(me.ID)})
		return l, "link-disabled", err
	},
	"undo": func(s *LinkPages, ctx context.Context, me *vitrine.Account, slug string, _ url.Values) (*vitrine.Link,
		string, error) {
		l, err := s.Links.Undo(ctx, slug, vitrine.Decision{By: vitrine.Owner(me.ID)})
		return l, "link-enabled", err
	},
	"delete": func(s *LinkPages, ctx context.Context, me *vitrine.Account, slug string, _ url.Values) (*vitrine.Link,
		string, error) {
		l, err := s.Links.DeleteOwn(ctx, me, slug, links.Deletion{})
		if err == nil && l.InTrash() {
			return nil, "link-trashed", nil
		}
		return nil, "link-deleted", err
	},
}

// deleteText says what deleting a link does.
func deleteText(l *vitrine.Link) string {
	if links.GoesToTrash(l) {
		return "Readers lose it at once. You can restore it from the trash for 30 days, with its address and its numbers."
	}
	return "This deletes the page, the file and its numbers for good. The address stays reserved for 90 days."
}

// Form handles a form about a link and redirects to where it was sent from. If
// it fails, the settings are shown with what was typed.
func (s *LinkPages) Form(action string) MemberHandler {
	does, ok := linkForms[action]
	if !ok {
		panic("no form " + action)
	}
	return func(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
		tab, most := LinkSettings, int64(maxLinkForm)
		switch action {
		case "access":
			tab, most = LinkShare, maxAccessForm
		case "recipient":
			tab = LinkShare
		}
		if err := httpx.ReadForm(w, r, most); err != nil {
			return err
		}
		if action == "bell" && !r.PostForm.Has("settings") {
			tab = bellTab(r.PostForm.Get("tab"))
		}
		slug := r.PathValue("slug")
		o, err := s.Links.Own(r.Context(), me, slug)
		if err != nil {
			return err
		}
		l, saying, err := does(s, r.Context(), me, string(o.Slug), r.PostForm)
		if err != nil {
			return s.wrongLinkForm(w, r, me, o, tab, err)
		}
		back := linksRoot
		if l != nil {
			back = LinkAddress(l) + string(tab)
		}
		return httpx.Redirect(w, r, Said(backToLinks(r.PostForm.Get("back"), back), saying))
	}
}

// bellTab returns the tab on which the bell was clicked.
func bellTab(name string) LinkTab {
	for _, tab := range []LinkTab{LinkAnalytics, LinkShare, LinkVersions, LinkSettings} {
		if string(tab) == name {
			return tab
		}
	}
	return LinkOverview
}

// wrongLinkForm shows a failed form of a tab again with what was typed.
func (s *LinkPages) wrongLinkForm(w http.ResponseWriter, r *http.Request, me *vitrine.Account, o *links.LinkDetail,
	tab LinkTab, err error) error {
	wrong := httpx.FieldErrorsOf(err)
	if wrong == nil || vitrine.CodeOf(err) == vitrine.CodeNotFound {
		return err
	}
	p := s.linkPage(r, me, o, tab)
	p.Wrong = wrong
	for name, field := range map[string]*string{"title": &p.NewTitle, "slug": &p.NewSlug, "expires": &p.NewExpires,
		"labels": &p.NewLabels, "language": &p.NewLanguage} {
		if r.PostForm.Has(name) {
			*field = r.PostForm.Get(name)
		}
	}
	if r.PostForm.Has("download") {
		p.NewDownload = allowsDownload(r.PostForm)
	}
	e, status := s.Server.Known(w, r, err)
	httpx.RetryAfter(w, e)
	return s.writeLink(w, r, status, me, p)
}

// backToLinks returns the page of the list that a form was sent from, or
// otherwise.
func backToLinks(from, otherwise string) string {
	u, err := url.Parse(from)
	if err != nil || u.Path != linksRoot || u.Host != "" || u.Scheme != "" || u.User != nil {
		return otherwise
	}
	return httpx.WithQuery(linksRoot, u.Query())
}
