package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/collections"
	"vitrine/internal/filetype/inspect"
	"vitrine/internal/publish"
)

var (
	websitesTemplate = parseApp("website_drop.html", "websites.html")
	websiteTemplate  = parseApp("website_drop.html", "website.html")
)

// websitesRoot is where an account's websites are listed.
const websitesRoot = "/websites"

// maxWebsiteForm bounds the forms of websites and albums, in bytes: a title of
// 200 characters, each up to 12 bytes of the form's encoding.
const maxWebsiteForm = 8 << 10

func websiteAddress(slug vitrine.Slug) string { return websitesRoot + "/" + string(slug) }

// dropZone is where a website's files are dropped.
type dropZone struct {
	Name      string // of the website; "" for one that is made by dropping
	Begin     string // address that takes the first step, and with /complete the last; "" as long as there is no website
	FileLimit int64  // bytes; 0: none
	Storage   int64  // bytes that the plan has left; -1 without a limit
	Upgrade   bool   // a higher plan takes more
}

func (s *websitesH) dropZone(ctx context.Context, me *vitrine.Account) (dropZone, publish.Usage, error) {
	usage, err := s.Uploads.Usage(ctx, me)
	z := dropZone{FileLimit: usage.Limits.FileBytes, Storage: -1, Upgrade: s.sold() && !me.Plan.Pro()}
	if most := usage.Limits.StorageBytes; most > 0 {
		z.Storage = max(most-usage.Bytes, 0)
	}
	return z, usage, err
}

// websitesPage lists the websites of an account.
type websitesPage struct {
	appPage
	Rows     []websiteRow
	Drop     dropZone
	Full     string // that all links of the plan are in use; "" as long as they are not
	Prefix   string // what is before a slug in an address, and what behind it, as people read them
	Suffix   string
	NewTitle string
	NewSlug  string
}

// websiteRow is a website as the list shows it.
type websiteRow struct {
	*collections.SiteFacts
	URL, Address, Manage string
	State, Status        string // of a chip: its class, and in words
}

// Last is the newest version; nil: there is none.
func (r websiteRow) Last() *vitrine.Link {
	if len(r.Versions) == 0 {
		return nil
	}
	return r.Versions[0]
}

// websiteState is where a website stands: the class of a chip, and in words.
func websiteState(f *collections.SiteFacts) (class, words string) {
	switch {
	case f.Live() && f.Waiting != nil:
		return "live", "Live, a newer version waits"
	case f.Live():
		return "live", "Live"
	case f.Shown != nil:
		return string(f.Shown.State), stateName(f.Shown.State)
	case f.Waiting != nil:
		return string(f.Waiting.State), stateName(f.Waiting.State)
	}
	return "empty", "Nothing deployed yet"
}

func (s *appH) websiteRow(f *collections.SiteFacts) websiteRow {
	r := websiteRow{SiteFacts: f, URL: s.siteURL(f.Slug), Manage: websiteAddress(f.Slug)}
	_, r.Address, _ = strings.Cut(strings.TrimSuffix(r.URL, "/"), "://")
	r.State, r.Status = websiteState(f)
	return r
}

// affixes are what is before and behind a slug in the address of a website.
func (s *websitesH) affixes() (prefix, suffix string) {
	_, address, _ := strings.Cut(s.siteURL("*"), "://")
	prefix, suffix, _ = strings.Cut(strings.TrimSuffix(address, "/"), "*")
	return prefix, suffix
}

func (s *websitesH) listWebsites(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	return s.writeWebsites(w, r, me, http.StatusOK, func(*websitesPage) {})
}

func (s *websitesH) writeWebsites(w http.ResponseWriter, r *http.Request, me *vitrine.Account, status int, change func(*websitesPage)) error {
	p := websitesPage{appPage: s.newAppPage(r, me, "Websites", "websites")}
	list, err := s.Sites.List(r.Context(), me)
	if err != nil {
		return err
	}
	for _, f := range list {
		p.Rows = append(p.Rows, s.websiteRow(f))
	}
	var usage publish.Usage
	if p.Drop, usage, err = s.dropZone(r.Context(), me); err != nil {
		return err
	}
	if most := usage.Limits.Links; most > 0 && usage.Links >= most {
		p.Full = linksInUse(most)
	}
	p.Prefix, p.Suffix = s.affixes()
	change(&p)
	return s.writeApp(w, r, status, websitesTemplate, p.Nonce, &p)
}

func (s *websitesH) createWebsite(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := readForm(w, r, maxWebsiteForm); err != nil {
		return err
	}
	title, slug := strings.TrimSpace(r.PostForm.Get("title")), strings.TrimSpace(r.PostForm.Get("slug"))
	site, err := s.Sites.Create(r.Context(), me, title, slug)
	if wrong := wrongWith(err); wrong != nil {
		return s.writeWebsites(w, r, me, statusOf[vitrine.CodeOf(err)], func(p *websitesPage) {
			p.Wrong, p.NewTitle, p.NewSlug = wrong, title, slug
		})
	}
	if err != nil {
		return err
	}
	return redirect(w, r, said(websiteAddress(site.Slug), "website-made"))
}

// createFromPage makes a website for the files that were dropped.
func (s *websitesH) createFromPage(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	o, err := readObject(w, r)
	if err != nil {
		return err
	}
	f := fields{object: o}
	title, slug := strings.TrimSpace(f.text("title")), f.optionalText("slug")
	if f.err != nil {
		return f.err
	}
	if slug == nil {
		slug = new(string)
	}
	site, err := s.Sites.Create(r.Context(), me, title, strings.TrimSpace(*slug))
	if err != nil {
		return err
	}
	return writeJSON(w, map[string]string{"begin": websiteAddress(site.Slug) + "/uploads", "manage": websiteAddress(site.Slug)})
}

// discardWebsite takes a website back whose first deploy came to nothing.
func (s *websitesH) discardWebsite(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := s.Sites.Discard(r.Context(), me, r.PathValue("slug")); err != nil {
		return err
	}
	return writeJSON(w, struct{}{})
}

func (s *websitesH) checkWebsiteSlug(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	slug := r.URL.Query().Get("slug")
	return writeSlugAnswer(w, slug, s.Sites.SlugFree(r.Context(), me, slug))
}

// writeSlugAnswer tells someone who types a slug whether it can be had.
func writeSlugAnswer(w http.ResponseWriter, slug string, err error) error {
	var e *vitrine.Error
	switch {
	case err == nil:
		return writeJSON(w, slugAnswer{Free: true, Slug: strings.ToLower(slug), Message: "This address is free."})
	case errors.As(err, &e) && (e.Code == vitrine.CodeInvalidSlug || e.Code == vitrine.CodeSlugTaken):
		return writeJSON(w, slugAnswer{Code: e.Code, Message: inSiteWords(e.Message)})
	}
	return err
}

// websitePage is the page of one website for its owner.
type websitePage struct {
	appPage
	Site     websiteRow
	Drop     dropZone
	Here     string
	Versions []versionRow
	Left     *leftOut // of the newest version
	Shared   bool     // the website has no origin of its own
	Root     string   // where its addresses begin then
	NewTitle string
}

// versionRow is a version as the table shows it.
type versionRow struct {
	*vitrine.Link
	Number  int // as many versions were there before it, of those that are kept
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

// leftOut are the entries of a version that it does not serve.
type leftOut struct {
	List []leftOutEntry
	More int // beyond those of the list
}

type leftOutEntry struct{ Path, Why string }

// shownLeftOut is how many of them a page lists.
const shownLeftOut = 200

func (s *websitesH) manageWebsite(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	f, err := s.Sites.BySlug(r.Context(), me, r.PathValue("slug"))
	if err != nil {
		return err
	}
	return s.writeWebsite(w, r, me, f, http.StatusOK, func(*websitePage) {})
}

func (s *websitesH) writeWebsite(w http.ResponseWriter, r *http.Request, me *vitrine.Account, f *collections.SiteFacts, status int, change func(*websitePage)) error {
	p := websitePage{appPage: s.newAppPage(r, me, f.Title, "websites"), Site: s.websiteRow(f), Here: websiteAddress(f.Slug), NewTitle: f.Title,
		Shared: s.SitesURL == nil, Root: siteRoot + string(f.Slug) + "/"}
	var err error
	if p.Drop, _, err = s.dropZone(r.Context(), me); err != nil {
		return err
	}
	p.Drop.Name, p.Drop.Begin = f.Title, p.Here+"/uploads"
	for i, l := range f.Versions {
		p.Versions = append(p.Versions, versionRow{Link: l, Number: len(f.Versions) - i, Shown: f.Shown != nil && l.ID == f.Shown.ID,
			Waiting: f.Waiting != nil && l.ID == f.Waiting.ID})
	}
	if last := p.Site.Last(); last != nil && last.HasBytes {
		if p.Left, err = s.leftOut(r.Context(), last); err != nil {
			return err
		}
	}
	change(&p)
	return s.writeApp(w, r, status, websiteTemplate, p.Nonce, &p)
}

// leftOut reads what a version leaves out; nil: nothing.
func (s *websitesH) leftOut(ctx context.Context, version *vitrine.Link) (*leftOut, error) {
	site, blob, err := s.Content.openSite(ctx, version)
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

// websiteDeed is what a form does with a website; it returns what is said of
// it, and where.
type websiteDeed func(s *websitesH, ctx context.Context, me *vitrine.Account, slug string, f url.Values) (saying, back string, err error)

// websiteForms are the forms of a website's page, by the end of the address
// that takes them.
var websiteForms = map[string]websiteDeed{
	"title": func(s *websitesH, ctx context.Context, me *vitrine.Account, slug string, f url.Values) (string, string, error) {
		return "renamed", websitesRoot + "/" + slug, s.Sites.SetTitle(ctx, me, slug, strings.TrimSpace(f.Get("title")))
	},
	"restore": func(s *websitesH, ctx context.Context, me *vitrine.Account, slug string, f url.Values) (string, string, error) {
		return "restored", websitesRoot + "/" + slug, s.Sites.Rollback(ctx, me, slug, linkIDOf(f.Get("version")))
	},
	"remove": func(s *websitesH, ctx context.Context, me *vitrine.Account, slug string, f url.Values) (string, string, error) {
		return "version-gone", websitesRoot + "/" + slug, s.Sites.DeleteVersion(ctx, me, slug, linkIDOf(f.Get("version")))
	},
	"delete": func(s *websitesH, ctx context.Context, me *vitrine.Account, slug string, _ url.Values) (string, string, error) {
		return "site-deleted", websitesRoot, s.Sites.Delete(ctx, me, slug)
	},
}

// linkIDOf reads an ID; 0, which is nobody's, of what is none.
func linkIDOf(text string) vitrine.LinkID {
	n, _ := strconv.ParseInt(text, 10, 64)
	return vitrine.LinkID(n)
}

// form takes a form about a website of who is signed in. One that cannot
// be carried out is shown again.
func (s *websitesH) form(action string) memberHandler {
	does, ok := websiteForms[action]
	if !ok {
		panic("no form " + action)
	}
	return func(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
		if err := readForm(w, r, maxWebsiteForm); err != nil {
			return err
		}
		f, err := s.Sites.BySlug(r.Context(), me, r.PathValue("slug"))
		if err != nil {
			return err
		}
		saying, back, err := does(s, r.Context(), me, string(f.Slug), r.PostForm)
		if wrong := wrongWith(err); wrong != nil {
			return s.writeWebsite(w, r, me, f, statusOf[vitrine.CodeOf(err)], func(p *websitePage) {
				p.Wrong = wrong
				if r.PostForm.Has("title") {
					p.NewTitle = r.PostForm.Get("title")
				}
			})
		}
		if err != nil {
			return err
		}
		return redirect(w, r, said(back, saying))
	}
}

// readDeploy reads a step of a deploy: the website, and what was sent.
func (s *websitesH) readDeploy(w http.ResponseWriter, r *http.Request, me *vitrine.Account) (*collections.SiteFacts, fields, error) {
	site, err := s.Sites.BySlug(r.Context(), me, r.PathValue("slug"))
	if err != nil {
		return nil, fields{}, err
	}
	o, err := readObject(w, r)
	return site, fields{object: o}, err
}

// beginDeploy is the first of the three steps of a version.
func (s *websitesH) beginDeploy(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	site, f, err := s.readDeploy(w, r, me)
	if err != nil {
		return err
	}
	req := publish.UploadRequest{Name: f.text("name"), Type: f.text("type"), Size: f.integer("size"), IdempotencyKey: f.optionalText("idempotencyKey"), Site: site.ID}
	if f.err != nil {
		return f.err
	}
	b, err := s.Uploads.Create(r.Context(), me, req)
	if err != nil {
		return err
	}
	if b.Existing != nil {
		return writeJSON(w, map[string]deployed{"existing": s.deployed(site.Slug, b.Existing)})
	}
	return writeBegun(w, b)
}

// endDeploy is the third.
func (s *websitesH) endDeploy(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	site, f, err := s.readDeploy(w, r, me)
	if err != nil {
		return err
	}
	req := publish.CompleteRequest{Path: f.text("path"), Name: f.text("name"), Type: f.text("type"), IdempotencyKey: f.optionalText("idempotencyKey"), Site: site.ID}
	if f.err != nil {
		return f.err
	}
	l, err := s.Uploads.Complete(r.Context(), me, req)
	if err != nil {
		return err
	}
	return writeJSON(w, s.deployed(site.Slug, l))
}

// deployed is a version as the site's scripts know it.
type deployed struct {
	State vitrine.LinkState `json:"state"`
	Next  string            `json:"next"` // address of the page that tells what came of it
}

func (s *websitesH) deployed(slug vitrine.Slug, l *vitrine.Link) deployed {
	saying := "deployed"
	if l.State != vitrine.StateLive {
		saying = "deploy-held"
	}
	return deployed{l.State, said(websiteAddress(slug), saying)}
}
