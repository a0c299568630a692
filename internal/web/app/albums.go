package app

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/links"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
	"vitrine/report"
)

// AlbumPages serves the pages on which albums are managed.
type AlbumPages struct {
	Server    *httpx.Server
	Viewers   *viewer.Viewers
	Shell     *Shell
	Albums    *collections.Albums
	Links     *links.Service
	Analytics *analytics.Service
}

// albumsRoot is the path of an account's albums.
const albumsRoot = "/albums"

// pickedPage is how many links an album's picker offers; a search finds the
// others.
const pickedPage = 30

// maxAlbumForm bounds the forms of an album, in bytes: links that are added are
// named by their slugs.
const maxAlbumForm = 64 << 10

func albumAddress(slug vitrine.Slug) string { return albumsRoot + "/" + string(slug) }

// albumsPage lists the albums of an account.
type albumsPage struct {
	Page
	Rows     []albumRow
	Prefix   string // the part of an address before the slug, for display
	NewTitle string
	NewSlug  string
}

// albumRow is an album in the list.
type albumRow struct {
	collections.AlbumRow
	URL, Address, Manage string
	Covers               []viewer.Cover
}

func (s *AlbumPages) List(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	return s.writeAlbums(w, r, me, http.StatusOK, func(*albumsPage) {})
}

func (s *AlbumPages) writeAlbums(w http.ResponseWriter, r *http.Request, me *vitrine.Account, status int,
	change func(*albumsPage)) error {
	p := albumsPage{Page: s.Shell.NewAppPage(r, me, "Albums", "albums"),
		Prefix: s.Server.PublicURL.Host + httpx.AlbumRoot}
	list, err := s.Albums.List(r.Context(), me)
	if err != nil {
		return err
	}
	for _, a := range list {
		row := albumRow{AlbumRow: a, URL: s.Server.AlbumURL(a.Slug), Address: p.Prefix + string(a.Slug),
			Manage: albumAddress(a.Slug)}
		for _, l := range a.First {
			row.Covers = append(row.Covers, s.Viewers.Cover(l))
		}
		p.Rows = append(p.Rows, row)
	}
	change(&p)
	return s.Shell.WriteApp(w, r, status, "albums.html", p.Nonce, &p)
}

func (s *AlbumPages) Create(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, maxAlbumForm); err != nil {
		return err
	}
	title, slug := strings.TrimSpace(r.PostForm.Get("title")), strings.TrimSpace(r.PostForm.Get("slug"))
	album, err := s.Albums.Create(r.Context(), me, title, slug)
	if wrong := httpx.FieldErrorsOf(err); wrong != nil {
		return s.writeAlbums(w, r, me, httpx.StatusOf[vitrine.CodeOf(err)], func(p *albumsPage) {
			p.Wrong, p.NewTitle, p.NewSlug = wrong, title, slug
		})
	}
	if err != nil {
		return err
	}
	for _, link := range r.PostForm["link"] { // one that was deleted concurrently is left out
		if err := s.Albums.Add(r.Context(), me, string(album.Slug), []string{link}); err != nil &&
			vitrine.CodeOf(err) != vitrine.CodeNotFound {
			return err
		}
	}
	return httpx.Redirect(w, r, Said(albumAddress(album.Slug), "album-made"))
}

func (s *AlbumPages) CheckSlug(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	slug := r.URL.Query().Get("slug")
	return writeSlugAnswer(w, slug, s.Albums.SlugFree(r.Context(), me, slug))
}

// albumPage is the page of an album for its owner.
type albumPage struct {
	Page
	Album    *collections.AlbumFacts
	URL      string // public address
	Here     string // address of this page
	Members  []memberRow
	Seen     int // of the members, by the public
	Own      int // of these, how many anybody with their own address may open
	Text     string
	Found    []linkRow // not in the album
	More     bool      // links match that are not in Found
	Most     int
	AllIn    bool // links match, and without Found all of them are in the album
	NewTitle string
	NewText  string
	Opened   *report.Totals // of the views from the album; nil on plans without reports
	Report   string         // address of the report of these views

	Protection *protection
}

// Time returns the engaged time of all views from the album.
func (p *albumPage) Time() string { return ui.TimeOf(p.Opened.TotalEngagedMs, p.Opened.Sessions) }

// Full reports whether no other link can be added.
func (p *albumPage) Full() bool { return len(p.Members) >= p.Most }

// memberRow is a link in an album.
type memberRow struct {
	linkRow
	Cover       viewer.Cover
	First, Last bool
	At          int                 // index, from 0
	Opened      *report.LinkSummary // of the views from the album; nil: none
}

// Time returns the average engaged time of the views from the album.
func (m memberRow) Time() string { return ui.TimeOf(m.Opened.AvgEngagedMs, m.Opened.Sessions) }

// Before returns the previous position.
func (m memberRow) Before() int { return m.At - 1 }

// After returns the next position.
func (m memberRow) After() int { return m.At + 1 }

func (s *AlbumPages) Show(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	album, err := s.Albums.BySlug(r.Context(), me, r.PathValue("slug"))
	if err != nil {
		return err
	}
	return s.writeAlbum(w, r, me, album, http.StatusOK, func(*albumPage) {})
}

func (s *AlbumPages) writeAlbum(w http.ResponseWriter, r *http.Request, me *vitrine.Account,
	album *collections.AlbumFacts, status int, change func(*albumPage)) error {
	p := albumPage{Page: s.Shell.NewAppPage(r, me, album.Title, "albums"), Album: album,
		URL: s.Server.AlbumURL(album.Slug), Here: albumAddress(album.Slug),
		Text: strings.TrimSpace(r.URL.Query().Get("q")), Most: vitrine.MaxAlbumLinks, NewTitle: album.Title,
		NewText: album.Text}
	for i, l := range album.Links {
		row := memberRow{linkRow: s.Shell.linkRows([]links.FoundLink{{Link: l}})[0], Cover: s.Viewers.Cover(l),
			First: i == 0, Last: i == len(album.Links)-1, At: i}
		p.Members = append(p.Members, row)
		if l.Live() {
			p.Seen++
			if !l.Access.Gated() {
				p.Own++
			}
		}
	}
	if err := s.addOpened(r.Context(), me, &p); err != nil {
		return err
	}
	found, more, err := s.Links.Search(r.Context(), me,
		links.LinkSearch{Text: searchedText(p.Text), Limit: pickedPage})
	if err != nil {
		return err
	}
	p.More = more
	p.AllIn = len(found) > 0
	found = slices.DeleteFunc(found, func(f links.FoundLink) bool { return album.Has(f.ID) })
	p.Found = s.Shell.linkRows(found)
	if p.Protection, err = protectionOf(r.Context(), s.Viewers.Gates, album.Door(), p.Here); err != nil {
		return err
	}
	change(&p)
	return s.Shell.WriteApp(w, r, status, "album.html", p.Nonce, &p)
}

// addOpened adds how the album is read, on plans with reports.
func (s *AlbumPages) addOpened(ctx context.Context, me *vitrine.Account, p *albumPage) error {
	if !me.Plan.Pro() {
		return nil
	}
	opened, err := s.Analytics.Album(ctx, me, p.Album.ID)
	if err != nil {
		return err
	}
	p.Opened = &opened.Totals
	only := report.Condition{Dimension: report.OnAlbum, Value: report.IDText(int64(p.Album.ID))}
	p.Report = "/analytics?" + url.Values{"range": {"all"}, "filter": {only.String()}}.Encode()
	for i := range opened.TopLinks {
		of := &opened.TopLinks[i]
		for j := range p.Members {
			if string(p.Members[j].Slug) == of.Slug {
				p.Members[j].Opened = of
			}
		}
	}
	return nil
}

// Form handles a form about an album: action is the last part of its address.
// If it fails, the form is shown again.
func (s *AlbumPages) Form(action string) MemberHandler {
	most := int64(maxAlbumForm)
	if action == "access" {
		most = maxAccessForm
	}
	return form[*collections.AlbumFacts]{Most: most, Find: s.Albums.BySlug, Again: s.wrongForm,
		Do: func(ctx context.Context, me *vitrine.Account, album *collections.AlbumFacts, f url.Values) (string, string,
			error) {
			slug, here := string(album.Slug), albumAddress(album.Slug)
			switch action {
			case "title":
				return "saved", here, s.Albums.Describe(ctx, me, slug, strings.TrimSpace(f.Get("title")), f.Get("text"))
			case "access":
				c, err := accessChange(f)
				if err != nil {
					return "", "", err
				}
				return "access-saved", here, s.Albums.SetAccess(ctx, me, slug, c)
			case "add":
				here = httpx.WithQuery(here, url.Values{}, "q", f.Get("q"))
				return "added", here, s.Albums.Add(ctx, me, slug, f["link"])
			case "remove":
				return "removed", here, s.Albums.Remove(ctx, me, slug, f.Get("link"))
			case "move":
				to, err := strconv.Atoi(f.Get("to"))
				if err != nil {
					to = vitrine.MaxAlbumLinks
				}
				return "arranged", here, s.Albums.Move(ctx, me, slug, f.Get("link"), to)
			case "delete":
				return "album-gone", albumsRoot, s.Albums.Delete(ctx, me, slug)
			}
			panic("no form " + action)
		}}.Handle
}

func (s *AlbumPages) wrongForm(w http.ResponseWriter, r *http.Request, me *vitrine.Account,
	album *collections.AlbumFacts, status int, wrong httpx.FieldErrors, title *string) error {
	return s.writeAlbum(w, r, me, album, status, func(p *albumPage) {
		p.Wrong = wrong
		p.Protection.typed(r.PostForm, wrong)
		if title != nil {
			p.NewTitle, p.NewText = *title, r.PostForm.Get("text")
		}
	})
}

// ShowReaders serves the list of who confirmed an address at the gate of an
// album.
func (s *AlbumPages) ShowReaders(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	album, err := s.Albums.BySlug(r.Context(), me, r.PathValue("slug"))
	if err != nil {
		return err
	}
	here := albumAddress(album.Slug)
	p := &readersPage{Page: s.Shell.NewAppPage(r, me, album.Title, "albums"), Here: here, Access: here + "#access",
		Album: album.Title}
	if err := p.fill(r, s.Viewers.Gates, album.Door()); err != nil {
		return err
	}
	return s.Shell.WriteApp(w, r, http.StatusOK, "readers.html", p.Nonce, p)
}

// DeleteReader takes the form that deletes one of them.
func (s *AlbumPages) DeleteReader(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, maxAlbumForm); err != nil {
		return err
	}
	album, err := s.Albums.BySlug(r.Context(), me, r.PathValue("slug"))
	if err != nil {
		return err
	}
	return deleteReader(w, r, s.Viewers.Gates, album.Door(), albumAddress(album.Slug))
}

// Order moves a link to another position, for the page's script.
func (s *AlbumPages) Order(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	o, err := httpx.ReadObject(w, r)
	if err != nil {
		return err
	}
	f := httpx.Fields{Object: o}
	link, to := f.Text("link"), f.Integer("to")
	if f.Err != nil {
		return f.Err
	}
	to = min(max(to, 0), vitrine.MaxAlbumLinks)
	if err := s.Albums.Move(r.Context(), me, r.PathValue("slug"), link, int(to)); err != nil {
		return err
	}
	return httpx.WriteJSON(w, map[string]bool{"moved": true})
}
