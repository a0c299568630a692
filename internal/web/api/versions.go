package api

import (
	"cmp"
	"net/http"
	"strconv"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/links"
	"vitrine/internal/web/httpx"
)

// replacement describes the version that an upload added to a link.
type replacement struct {
	Version   int    `json:"version"`
	Status    string `json:"status"`
	Unchanged bool   `json:"unchanged,omitempty"` // the bytes were those of the current version
	why
}

// Made returns the link of a completed upload, or the website of a deployed
// version. If the upload replaced the file of the link, replaced is the upload,
// and the link has the new version.
func (s *Handler) Made(w http.ResponseWriter, r *http.Request, l *vitrine.Link,
	replaced vitrine.UploadID) (Link, error) {
	made := s.Link(l)
	if l.OfSite() {
		site, err := s.Sites.OfVersion(r.Context(), l)
		if err != nil {
			return made, err
		}
		made.Slug, made.Title, made.URL = site.Slug, site.Title, s.Server.SiteURL(site.Slug)
		made.LeftOut, made.LeftOutTotal, err = s.leftOut(r.Context(), l)
		return made, err
	}
	if replaced == "" {
		return made, nil
	}
	w.Header().Set("ETag", etag(l))
	made.Version = l.Version
	v, err := s.Versions.OfUpload(r.Context(), l, replaced)
	switch {
	case err != nil:
		return made, err
	case v == nil:
		made.Replacement = &replacement{Version: l.Version, Status: string(vitrine.StateLive), Unchanged: true}
	default:
		made.Replacement = &replacement{Version: v.Version, Status: string(v.State), why: why{v.Reason, v.Detail}}
	}
	return made, nil
}

// versionItem is a version of a link's file.
type versionItem struct {
	Version   int    `json:"version"`
	Current   bool   `json:"current"`
	Status    string `json:"status"`
	Name      string `json:"name"`
	Type      string `json:"type"`
	Kind      string `json:"kind"`
	SizeBytes int64  `json:"size_bytes"`
	SHA256    string `json:"sha256"`
	Pages     int    `json:"pages,omitempty"`
	CreatedAt string `json:"created_at"`
	Key       string `json:"key,omitempty"`    // the name of the API key that it was sent with
	Client    string `json:"client,omitempty"` // the program that sent it
	why
}

func (s *Handler) ListVersions(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	l, list, err := s.Versions.List(r.Context(), c.Account, r.PathValue("slug"))
	if err != nil {
		return err
	}
	body := struct {
		Versions []versionItem `json:"versions"`
	}{[]versionItem{}}
	for _, v := range list {
		body.Versions = append(body.Versions, versionItem{Version: v.Version, Current: v.Current,
			Status: string(v.State), Name: v.Name, Type: v.Type,
			Kind: string(v.Kind), SizeBytes: v.Size, SHA256: v.SHA256, Pages: v.Pages,
			CreatedAt: v.CreatedAt.UTC().Format(httpx.TimeFormat),
			Key:       v.KeyName, Client: v.Client, why: why{v.Reason, v.Detail}})
	}
	w.Header().Set("ETag", etag(l))
	return httpx.WriteJSON(w, body)
}

// versionOf returns the number of the version in the path, or 0, which no
// version has.
func versionOf(r *http.Request) int {
	n, err := strconv.Atoi(r.PathValue("version"))
	if err != nil || strconv.Itoa(n) != r.PathValue("version") {
		return 0
	}
	return n
}

func (s *Handler) RestoreVersion(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	l, err := s.Versions.Restore(r.Context(), c.Account, r.PathValue("slug"), versionOf(r), condition(r, c))
	if err != nil {
		return s.notAsExpected(w, r, c.Account, r.PathValue("slug"), err)
	}
	w.Header().Set("ETag", etag(l))
	made := s.Link(l)
	made.Version = l.Version
	return httpx.WriteJSON(w, made)
}

func (s *Handler) DeleteVersion(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	if err := s.Versions.Delete(r.Context(), c.Account, r.PathValue("slug"), versionOf(r),
		condition(r, c)); err != nil {
		return s.notAsExpected(w, r, c.Account, r.PathValue("slug"), err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// condition returns what must hold for the link whose file a request changes:
// the limit of its key, and its precondition.
func condition(r *http.Request, c *auth.Caller) links.Condition {
	m := match(r)
	return func(l *vitrine.Link) error { return cmp.Or(c.MayChange(l), m.Check(l)) }
}

// notAsExpected adds the current link to a failed precondition.
func (s *Handler) notAsExpected(w http.ResponseWriter, r *http.Request, a *vitrine.Account, slug string,
	err error) error {
	if vitrine.CodeOf(err) != vitrine.CodePreconditionFailed {
		return err
	}
	l, missing := s.Links.Of(r.Context(), a, slug)
	if missing != nil {
		return missing
	}
	return s.outdated(w, l, err)
}
