package app

import (
	"net/http"

	"vitrine"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// trashRoot is the path of the trash. trashOnPage is the number of links on a
// page of it.
const (
	trashRoot   = "/trash"
	trashOnPage = 50
)

// trashPage lists the deleted links of an account that can be restored.
type trashPage struct {
	Page
	Rows    []trashRow
	Next    string // address of the next page; "" for none
	Problem string // why a link was not restored
}

// trashRow is a link in the trash.
type trashRow struct {
	*vitrine.Link
	Badge  string
	Manage string // where its forms are sent
}

// Title returns the title of the link as its public page showed it.
func (r trashRow) Title() string { return ui.Title(r.Link) }

func (s *LinkPages) ShowTrash(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	return s.writeTrash(w, r, me, http.StatusOK, "")
}

func (s *LinkPages) writeTrash(w http.ResponseWriter, r *http.Request, me *vitrine.Account, status int,
	problem string) error {
	after, err := httpx.ParseTrashCursor(r.URL.Query().Get("cursor"))
	if err != nil {
		return httpx.ErrPage("cursor")
	}
	list, next, err := s.Links.Trash(r.Context(), me, after, trashOnPage)
	if err != nil {
		return err
	}
	p := &trashPage{Page: s.Shell.NewAppPage(r, me, "Trash", "links"), Problem: problem}
	for _, l := range list {
		p.Rows = append(p.Rows, trashRow{l, ui.Badge(l), trashRoot + "/" + string(l.Slug)})
	}
	if next != nil {
		p.Next = trashRoot + "?cursor=" + httpx.FormatTrashCursor(*next)
	}
	return s.Shell.WriteApp(w, r, status, "trash.html", p.Nonce, p)
}

// RestoreLink takes the form that restores a link from the trash.
func (s *LinkPages) RestoreLink(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, maxLinkForm); err != nil {
		return err
	}
	l, err := s.Links.Revive(r.Context(), me, r.PathValue("slug"), nil)
	switch vitrine.CodeOf(err) {
	case "":
		return httpx.Redirect(w, r, Said(LinkAddress(l), "link-restored"))
	case vitrine.CodeLinkLimit, vitrine.CodeStorageLimit, vitrine.CodeForbidden, vitrine.CodeRateLimited:
		e, status := s.Server.Known(w, r, err)
		httpx.RetryAfter(w, e)
		return s.writeTrash(w, r, me, status, httpx.AdviceOn(e))
	}
	return err
}

// DeleteTrashed takes the form that deletes a link in the trash for good.
func (s *LinkPages) DeleteTrashed(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, maxLinkForm); err != nil {
		return err
	}
	if err := s.Links.DeleteTrashed(r.Context(), me, r.PathValue("slug")); err != nil {
		return err
	}
	return httpx.Redirect(w, r, Said(trashRoot, "link-purged"))
}
