package app

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/publish"
	"vitrine/internal/filetype/inspect"
	"vitrine/internal/web/api"
	"vitrine/internal/web/content"
	"vitrine/internal/web/httpx"
)

// WebsitePages serves the pages on which websites are managed.
type WebsitePages struct {
	Server  *httpx.Server
	Shell   *Shell
	Sites   *collections.Sites
	Uploads *publish.Uploads
	Content *content.Handler
	API     *api.Handler
}

// maxWebsiteForm bounds the forms of websites and albums, in bytes: a title of
// 200 characters, each up to 12 bytes of the form's encoding.
const maxWebsiteForm = 8 << 10

// dropZone is the area onto which a website's files are dropped.
type dropZone struct {
	Name      string // of the website; "" for one that is made by dropping
	Compact   bool   // there are websites, or there is a version
	Begin     string // address that takes the first step, and with /complete the last; "" as long as there is no website
	FileLimit int64  // bytes; 0 if none
	Storage   int64  // bytes that the plan has left; -1 without a limit
	Upgrade   bool   // a higher plan takes more
}

func (s *WebsitePages) dropZone(ctx context.Context, me *vitrine.Account) (dropZone, publish.Usage, error) {
	usage, err := s.Uploads.Usage(ctx, me)
	z := dropZone{FileLimit: usage.Limits.FileBytes, Storage: -1, Upgrade: s.Server.Sold() && !me.Plan.Pro()}
	if most := usage.Limits.StorageBytes; most > 0 {
		z.Storage = max(most-usage.Bytes, 0)
	}
	return z, usage, err
}

// websitesPage lists the websites of an account.
type websitesPage struct {
	Page
	Rows     []WebsiteRow
	Drop     dropZone
	Full     string // that all links of the plan are in use; "" as long as they are not
	Prefix   string // the parts of an address before and after the slug, for display
	Suffix   string
	NewTitle string
	NewSlug  string
}

func (s *WebsitePages) List(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	return s.writeWebsites(w, r, me, http.StatusOK, func(*websitesPage) {})
}

func (s *WebsitePages) writeWebsites(w http.ResponseWriter, r *http.Request, me *vitrine.Account, status int,
	change func(*websitesPage)) error {
	p := websitesPage{Page: s.Shell.NewAppPage(r, me, "Websites", "websites")}
	list, err := s.Sites.List(r.Context(), me)
	if err != nil {
		return err
	}
	for _, f := range list {
		p.Rows = append(p.Rows, s.Shell.WebsiteRow(f))
	}
	var usage publish.Usage
	if p.Drop, usage, err = s.dropZone(r.Context(), me); err != nil {
		return err
	}
	if most := usage.Limits.Links; most > 0 && usage.Links >= most {
		p.Full = linksInUse(most)
	}
	p.Drop.Compact = len(list) > 0
	p.Prefix, p.Suffix = s.Shell.siteAffixes()
	change(&p)
	return s.Shell.WriteApp(w, r, status, "websites.html", p.Nonce, &p)
}

func (s *WebsitePages) Create(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, maxWebsiteForm); err != nil {
		return err
	}
	title, slug := strings.TrimSpace(r.PostForm.Get("title")), strings.TrimSpace(r.PostForm.Get("slug"))
	site, err := s.Sites.Create(r.Context(), me, title, slug)
	if wrong := httpx.FieldErrorsOf(err); wrong != nil {
		return s.writeWebsites(w, r, me, httpx.StatusOf[vitrine.CodeOf(err)], func(p *websitesPage) {
			p.Wrong, p.NewTitle, p.NewSlug = wrong, title, slug
		})
	}
	if err != nil {
		return err
	}
	return httpx.Redirect(w, r, Said(WebsiteAddress(site.Slug), "website-made"))
}

// CreateFromPage creates a website for dropped files.
func (s *WebsitePages) CreateFromPage(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	o, err := httpx.ReadObject(w, r)
	if err != nil {
		return err
	}
	f := httpx.Fields{Object: o}
	title, slug := strings.TrimSpace(f.Text("title")), f.OptionalText("slug")
	if f.Err != nil {
		return f.Err
	}
	if slug == nil { // an address that says what the folder or ZIP is called
		slug = new(s.Sites.Suggest(r.Context(), me, title))
	}
	site, err := s.Sites.Create(r.Context(), me, title, strings.TrimSpace(*slug))
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, map[string]string{"begin": WebsiteAddress(site.Slug) + "/uploads",
		"manage": WebsiteAddress(site.Slug)})
}

// Discard deletes a website whose first deploy failed.
func (s *WebsitePages) Discard(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := s.Sites.Discard(r.Context(), me, r.PathValue("slug")); err != nil {
		return err
	}
	return httpx.WriteJSON(w, struct{}{})
}

func (s *WebsitePages) CheckSlug(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	slug := r.URL.Query().Get("slug")
	return writeSlugAnswer(w, slug, s.Sites.SlugFree(r.Context(), me, slug))
}

// websitePage is the page of a website for its owner.
type websitePage struct {
	Page
	Site     WebsiteRow
	Drop     dropZone
	Here     string
	Versions []versionRow
	Left     *leftOut // of the newest version
	Shared   bool     // the website has no origin of its own
	NewTitle string
}

// versionRow is a version in the table.
type versionRow struct {
	*vitrine.Link
	Number  int // position among the kept versions, from 1
	Shown   bool
	Waiting bool
}

// Review returns the address of the case of a version, for an owner who may
// decide about it; "" for others.
func (p *websitePage) Review(version *vitrine.Link) string { return reviewAddress(p.Me, version) }

// MayRestore reports whether the owner may show it.
func (v versionRow) MayRestore() bool { return v.Live() && !v.Shown }

// MayDelete reports whether the owner may delete it.
func (v versionRow) MayDelete() bool { return !v.Shown && !v.Waiting }

// leftOut lists entries that a version does not serve.
type leftOut struct {
	List []leftOutEntry
	More int // beyond those of the list
}

type leftOutEntry struct{ Path, Why string }

// shownLeftOut is how many of them a page lists.
const shownLeftOut = 200

func (s *WebsitePages) Show(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	f, err := s.Sites.BySlug(r.Context(), me, r.PathValue("slug"))
	if err != nil {
		return err
	}
	return s.writeWebsite(w, r, me, f, http.StatusOK, func(*websitePage) {})
}

func (s *WebsitePages) writeWebsite(w http.ResponseWriter, r *http.Request, me *vitrine.Account,
	f *collections.SiteFacts, status int, change func(*websitePage)) error {
	p := websitePage{Page: s.Shell.NewAppPage(r, me, f.Title, "websites"), Site: s.Shell.WebsiteRow(f),
		Here: WebsiteAddress(f.Slug), NewTitle: f.Title,
		Shared: s.Server.SitesURL == nil}
	var err error
	if p.Drop, _, err = s.dropZone(r.Context(), me); err != nil {
		return err
	}
	p.Drop.Name, p.Drop.Begin, p.Drop.Compact = f.Title, p.Here+"/uploads", len(f.Versions) > 0
	for i, l := range f.Versions {
		p.Versions = append(p.Versions, versionRow{Link: l, Number: len(f.Versions) - i, Shown: f.Shown != nil &&
			l.ID == f.Shown.ID,
			Waiting: f.Waiting != nil && l.ID == f.Waiting.ID})
	}
	if last := p.Site.Last(); last != nil && last.HasBytes {
		if p.Left, err = s.leftOut(r.Context(), last); err != nil {
			return err
		}
	}
	change(&p)
	return s.Shell.WriteApp(w, r, status, "website.html", p.Nonce, &p)
}

// leftOut returns the files that a version leaves out, or nil if there are
// none.
func (s *WebsitePages) leftOut(ctx context.Context, version *vitrine.Link) (*leftOut, error) {
	site, blob, err := s.Content.OpenSite(ctx, version)
	if err != nil {
		return nil, err
	}
	if err := blob.Close(); err != nil || site.RefusedTotal == 0 {
		return nil, err
	}
	left := &leftOut{}
	for _, e := range site.Refused[:min(len(site.Refused), shownLeftOut)] {
		left.List = append(left.List, leftOutEntry{e.Path, inspect.EntryMeaning(e.Reason)})
	}
	left.More = site.RefusedTotal - len(left.List)
	return left, nil
}

// linkIDOf parses an ID. It returns 0, which no link has, for anything else.
func linkIDOf(text string) vitrine.LinkID {
	n, _ := strconv.ParseInt(text, 10, 64)
	return vitrine.LinkID(n)
}

// Form handles a form about a website: action is the last part of its address.
// If it fails, the form is shown again.
func (s *WebsitePages) Form(action string) MemberHandler {
	return form[*collections.SiteFacts]{Most: maxWebsiteForm, Find: s.Sites.BySlug, Again: s.wrongForm,
		Do: func(ctx context.Context, me *vitrine.Account, site *collections.SiteFacts, f url.Values) (string, string,
			error) {
			slug, here := string(site.Slug), WebsiteAddress(site.Slug)
			switch action {
			case "title":
				return "renamed", here, s.Sites.SetTitle(ctx, me, slug, strings.TrimSpace(f.Get("title")))
			case "restore":
				return "restored", here, s.Sites.Rollback(ctx, me, slug, linkIDOf(f.Get("version")))
			case "remove":
				return "version-gone", here, s.Sites.DeleteVersion(ctx, me, slug, linkIDOf(f.Get("version")))
			case "delete":
				return "site-deleted", websitesRoot, s.Sites.Delete(ctx, me, slug)
			}
			panic("no form " + action)
		}}.Handle
}

func (s *WebsitePages) wrongForm(w http.ResponseWriter, r *http.Request, me *vitrine.Account,
	site *collections.SiteFacts, status int, wrong httpx.FieldErrors, title *string) error {
	return s.writeWebsite(w, r, me, site, status, func(p *websitePage) {
		p.Wrong = wrong
		if title != nil {
			p.NewTitle = *title
		}
	})
}

// readDeploy parses a step of a deploy and finds the website.
func (s *WebsitePages) readDeploy(w http.ResponseWriter, r *http.Request,
	me *vitrine.Account) (*collections.SiteFacts, httpx.Fields, error) {
	site, err := s.Sites.BySlug(r.Context(), me, r.PathValue("slug"))
	if err != nil {
		return nil, httpx.Fields{}, err
	}
	o, err := httpx.ReadObject(w, r)
	return site, httpx.Fields{Object: o}, err
}

// BeginDeploy does step 1 of a deploy.
func (s *WebsitePages) BeginDeploy(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	site, f, err := s.readDeploy(w, r, me)
	if err != nil {
		return err
	}
	req := publish.UploadRequest{Name: f.Text("name"), Type: f.Text("type"), Size: f.Integer("size"),
		IdempotencyKey: f.OptionalText("idempotencyKey"), Website: string(site.Slug)}
	if f.Err != nil {
		return f.Err
	}
	b, err := s.Uploads.Create(r.Context(), me, req)
	if err != nil {
		return err
	}
	if b.Existing != nil {
		return httpx.WriteJSON(w, map[string]deployed{"existing": s.deployed(site.Slug, b.Existing)})
	}
	return s.API.WriteBegun(w, b)
}

// EndDeploy does step 3 of a deploy.
func (s *WebsitePages) EndDeploy(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	site, f, err := s.readDeploy(w, r, me)
	if err != nil {
		return err
	}
	req := publish.CompleteRequest{Path: f.Text("path"), Name: f.Text("name"), Type: f.Text("type"),
		IdempotencyKey: f.OptionalText("idempotencyKey"), Website: string(site.Slug)}
	if f.Err != nil {
		return f.Err
	}
	l, err := s.Uploads.Complete(r.Context(), me, req)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, s.deployed(site.Slug, l))
}

// deployed is a version for the app's scripts.
type deployed struct {
	State vitrine.LinkState `json:"state"`
	Next  string            `json:"next"` // address of the page with the result
}

func (s *WebsitePages) deployed(slug vitrine.Slug, l *vitrine.Link) deployed {
	saying := "deployed"
	if l.State != vitrine.StateLive {
		saying = "deploy-held"
	}
	return deployed{l.State, Said(WebsiteAddress(slug), saying)}
}
