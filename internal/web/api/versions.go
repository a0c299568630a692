package api

import (
	"net/http"
	"strconv"

	"vitrine"
	"vitrine/internal/auth"
	"vitrine/internal/versions"
	"vitrine/internal/web/httpx"
)

// replacement is what an upload has made of the link that it replaces.
type replacement struct {
	Version   int    `json:"version"`
	Status    string `json:"status"`
	Unchanged bool   `json:"unchanged,omitempty"` // the bytes were those of the link already
	why
}

// Made is a link as the answer of an upload tells it, with the version that the
// upload has made, if it replaces the file of a link; "" if it does not.
func (s *Handler) Made(w http.ResponseWriter, r *http.Request, l *vitrine.Link,
	replaced vitrine.UploadID) (Link, error) {
	made := s.Link(l)
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

// versionItem is a version of the file of a link.
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

// versionOf is the number of the version that a request is about. What is none
// is a version that the link does not have.
func versionOf(r *http.Request) int {
	n, err := strconv.Atoi(r.PathValue("version"))
	if err != nil || strconv.Itoa(n) != r.PathValue("version") {
		return 0
	}
	return n
}

func (s *Handler) RestoreVersion(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	l, err := s.Versions.Restore(r.Context(), c.Account, r.PathValue("slug"), versionOf(r), condition(r))
	if err != nil {
		return s.notAsExpected(w, r, c.Account, r.PathValue("slug"), err)
	}
	w.Header().Set("ETag", etag(l))
	made := s.Link(l)
	made.Version = l.Version
	return httpx.WriteJSON(w, made)
}

func (s *Handler) DeleteVersion(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	if err := s.Versions.Delete(r.Context(), c.Account, r.PathValue("slug"), versionOf(r), condition(r)); err != nil {
		return s.notAsExpected(w, r, c.Account, r.PathValue("slug"), err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// condition is what a request expects of the link that it changes; nil:
// nothing.
func condition(r *http.Request) versions.Condition {
	m := match(r)
	if m == nil {
		return nil
	}
	return m.Check
}

// notAsExpected adds to a failed precondition what the link is.
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
