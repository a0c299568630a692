package app

import (
	"context"
	"net/http"
	"strings"

	"vitrine"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// PublishWebsite makes a website of the ZIP of a link. If that fails, there is
// none, and the overview of the link says why.
func (s *LinkPages) PublishWebsite(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, maxLinkForm); err != nil {
		return err
	}
	o, err := s.Links.Own(r.Context(), me, r.PathValue("slug"))
	if err != nil {
		return err
	}
	ctx := context.WithoutCancel(r.Context()) // all of it, or nothing
	slug := strings.TrimSpace(r.PostForm.Get("slug"))
	site, err := s.Sites.Create(ctx, me, ui.Title(o.Link), slug)
	var version *vitrine.Link
	if err == nil {
		if version, err = s.Uploads.Deploy(ctx, me, o.Link, site.Slug); err != nil {
			_ = s.Sites.Discard(ctx, me, string(site.Slug)) // its page has a button for it, too
		}
	}
	if err != nil {
		e, status := s.Server.Known(w, r, err)
		httpx.RetryAfter(w, e)
		p := s.linkPage(r, me, o, LinkOverview)
		if e.Field == "slug" {
			p.Website = s.Shell.websiteOffer(me, slug)
			p.Website.Wrong = e.Message
		} else {
			p.Wrong = httpx.FieldErrors{"": httpx.AdviceOn(e)}
		}
		return s.writeLink(w, r, status, me, p)
	}
	saying := "deployed"
	if version.State != vitrine.StateLive {
		saying = "deploy-held"
	}
	return httpx.Redirect(w, r, Said(WebsiteAddress(site.Slug), saying))
}
