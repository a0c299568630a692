package websitepage

import (
	"context"
	"net/http"
	"strings"

	"vitrine"
	"vitrine/internal/publish"
	"vitrine/internal/web/httpx"
)

// PublishLink creates a website from a link of the account whose file is a ZIP
// with an index.html, and deploys that file to it without another upload: POST
// /links/{slug}/website. All fields of the form may be left out: "title" is
// then that of the link, and "slug" is generated. The answer redirects to the
// page of the website, which says whether it is shown or held for review. If
// nothing is deployed, there is no website.
//
// publish.MayDeploy reports for which links a page may offer this.
func (s *Handler) PublishLink(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, maxWebsiteForm); err != nil {
		return err
	}
	l, err := s.Links.Of(r.Context(), me, r.PathValue("slug"))
	if err == nil {
		err = publish.MayDeploy(l)
	}
	if err != nil {
		return err
	}
	title, slug := strings.TrimSpace(r.PostForm.Get("title")), strings.TrimSpace(r.PostForm.Get("slug"))
	if title == "" {
		title = strings.TrimSuffix(l.Title, ".zip")
	}
	site, err := s.Sites.Create(r.Context(), me, title, slug)
	if wrong := httpx.FieldErrorsOf(err); wrong != nil {
		return s.writeWebsites(w, r, me, httpx.StatusOf[vitrine.CodeOf(err)], func(p *websitesPage) {
			p.Wrong, p.NewTitle, p.NewSlug = wrong, title, slug
		})
	}
	if err != nil {
		return err
	}
	version, err := s.Uploads.DeployLink(r.Context(), me, l, string(site.Slug))
	if err != nil {
		_ = s.Sites.Discard(context.WithoutCancel(r.Context()), me, string(site.Slug)) // its owner can still delete it
		return err
	}
	return httpx.Redirect(w, r, s.deployed(site.Slug, version).Next)
}
