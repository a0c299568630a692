package api

import (
	"context"
	"net/http"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/collections"
	"vitrine/internal/filetype/inspect"
	"vitrine/internal/web/httpx"
)

// mayDeploy returns CodeForbidden if a key that limits how long its links are
// public asks to deploy a website, which does not expire. slug is "" for a
// request about a link.
func mayDeploy(c *auth.Caller, slug string) error {
	if slug == "" || c.Key == nil || c.Key.LinkLife == 0 {
		return nil
	}
	return vitrine.Errorf(vitrine.CodeForbidden,
		"This API key limits how long its links are public, and a website does not expire. Use another key.")
}

// websiteItem is a website of the account.
type websiteItem struct {
	Slug       vitrine.Slug      `json:"slug"`
	Title      string            `json:"title"`
	URL        string            `json:"url"`
	Status     vitrine.LinkState `json:"status"`
	Pending    bool              `json:"pending,omitempty"` // a newer version is not shown yet
	Versions   int               `json:"versions"`
	SizeBytes  int64             `json:"size_bytes"` // of all versions
	CreatedAt  string            `json:"created_at"`
	DeployedAt string            `json:"deployed_at,omitempty"` // the newest version
}

// siteEmpty is the status of a website to which nothing was deployed yet.
const siteEmpty vitrine.LinkState = "empty"

// ListWebsites lists the websites of the account, newest first.
func (s *Handler) ListWebsites(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	all, err := s.Sites.List(r.Context(), c.Account)
	if err != nil {
		return err
	}
	list := make([]websiteItem, len(all))
	for i, f := range all {
		list[i] = s.website(f)
	}
	return httpx.WriteJSON(w, map[string][]websiteItem{"websites": list})
}

func (s *Handler) website(f *collections.SiteFacts) websiteItem {
	i := websiteItem{Slug: f.Slug, Title: f.Title, URL: s.Server.SiteURL(f.Slug), Status: siteEmpty,
		Versions: len(f.Versions), SizeBytes: f.Bytes(), CreatedAt: stamp(f.CreatedAt)}
	switch {
	case f.Shown != nil:
		i.Status, i.Pending = f.Shown.State, f.Waiting != nil
	case f.Waiting != nil:
		i.Status = f.Waiting.State
	}
	if len(f.Versions) > 0 {
		i.DeployedAt = stamp(f.Versions[0].CreatedAt)
	}
	return i
}

// leftOut is a file of a deployed ZIP that the website does not serve.
type leftOut struct {
	Path    string `json:"path"`
	Reason  string `json:"reason"`  // an Entry constant of package inspect
	Meaning string `json:"meaning"` // of Reason, in words
}

// mostLeftOut is how many of them an answer lists.
const mostLeftOut = 200

// leftOut returns the first files that a version of a website does not serve,
// and the number of all.
func (s *Handler) leftOut(ctx context.Context, version *vitrine.Link) (list []leftOut, total int, err error) {
	if !version.HasBytes {
		return nil, 0, nil
	}
	site, blob, err := s.Content.OpenSite(ctx, version)
	if err != nil {
		return nil, 0, err
	}
	if err := blob.Close(); err != nil {
		return nil, 0, vitrine.Unavailable(err)
	}
	for _, e := range site.Refused[:min(len(site.Refused), mostLeftOut)] {
		list = append(list, leftOut{e.Path, e.Reason, inspect.EntryMeaning(e.Reason)})
	}
	return list, site.RefusedTotal, nil
}
