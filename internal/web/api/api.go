package api

import (
	"bytes"
	_ "embed"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/publish"
	"vitrine/internal/web/httpx"
)

// sampleOrigin is the address of the instance in the description of the API.
const sampleOrigin = "https://share.example"

// OpenAPI is the description of the API, written by hand. It is served with the
// instance's own address instead of sampleOrigin.
//
//go:embed openapi.json
var OpenAPI []byte

// NoOperation answers requests for unknown addresses of the API.
func (s *Handler) NoOperation(http.ResponseWriter, *http.Request) error {
	return vitrine.Errorf(vitrine.CodeNotFound, "No such endpoint. The API is described at %s/openapi.json.",
		s.Server.PublicURL.String()+httpx.APIRoot)
}

// Health reports that the process answers.
func (s *Handler) Health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, "ok")
}

// Readiness reports whether the components that the server needs answer.
func (s *Handler) Readiness(w http.ResponseWriter, r *http.Request) error {
	if err := s.Ready(r.Context()); err != nil {
		s.Log.Debug("not ready", "error", err) // probes come every few seconds; failed requests are logged anyway
		return vitrine.Unavailable(nil)
	}
	return httpx.WriteJSON(w, map[string]string{"status": "ready"})
}

// KeyHandler serves a request that comes with an API key.
type KeyHandler func(w http.ResponseWriter, r *http.Request, c *auth.Caller) error

// WithKey admits the bearer of an API key with a scope.
func (s *Handler) WithKey(scope vitrine.KeyScope, h KeyHandler) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		c, err := s.Keys.Authenticate(r.Context(), httpx.Bearer(r))
		if err == nil {
			err = c.Need(scope)
		}
		if vitrine.CodeOf(err) == vitrine.CodeUnauthorized && httpx.Bearer(r) != "" {
			s.Server.LogSeldom("API key refused")
		}
		if err != nil {
			return err
		}
		return h(w, r, c)
	}
}

// WithPro admits keys of accounts whose plan has analytics.
func (s *Handler) WithPro(scope vitrine.KeyScope, h KeyHandler) httpx.HandlerFunc {
	return s.WithKey(scope, func(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
		if err := NeedPro(c.Account); err != nil {
			return err
		}
		return h(w, r, c)
	})
}

// NeedPro returns an error for accounts whose plan has no analytics.
func NeedPro(a *vitrine.Account) error {
	if a.Plan.Pro() {
		return nil
	}
	return &vitrine.Error{Code: vitrine.CodeProRequired, Upgrade: true, Message: "Analytics are part of the Pro plan."}
}

type Link struct {
	Slug       vitrine.Slug `json:"slug"`
	Title      string       `json:"title"`
	URL        string       `json:"url"`
	Review     bool         `json:"review,omitempty"`
	Processing bool         `json:"processing,omitempty"`
	why
	ExpiresAt string `json:"expiresAt,omitempty"`
	// Only for a link whose file was replaced.
	Version     int          `json:"version,omitempty"` // the current one
	Replacement *replacement `json:"replacement,omitempty"`
	// Only for a website.
	LeftOut      []leftOut `json:"leftOut,omitempty"`
	LeftOutTotal int       `json:"leftOutTotal,omitempty"`
}

// why is the reason why a link is held or disabled. It extends the contract's
// fields.
type why struct {
	Reason string `json:"reason,omitempty"` // a reason code
	Detail string `json:"detail,omitempty"` // what exactly was found
}

func (s *Handler) Link(l *vitrine.Link) Link {
	return Link{Slug: l.Slug, Title: l.Title, URL: s.Server.LinkURL(l.Slug),
		Review: l.State == vitrine.StateReview, Processing: l.State == vitrine.StateProcessing,
		why: why{l.Reason, l.Detail}, ExpiresAt: stamp(l.ExpiresAt)}
}

func (s *Handler) CreateUpload(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	b, err := s.BeginUpload(w, r, c)
	if err != nil {
		return err
	}
	if b.Existing == nil {
		return s.WriteBegun(w, b)
	}
	made, err := s.Made(w, r, b.Existing, b.Path)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, map[string]Link{"existing": made})
}

// BeginUpload does step 1 of an upload. A request without a key comes from a
// signed-in browser.
func (s *Handler) BeginUpload(w http.ResponseWriter, r *http.Request,
	c *auth.Caller) (publish.CreatedUpload, error) {
	o, err := httpx.ReadObject(w, r)
	if err != nil {
		return publish.CreatedUpload{}, err
	}
	f := httpx.Fields{Object: o}
	req := publish.UploadRequest{Name: f.Text("name"), Type: f.Text("type"), Size: f.Integer("size"),
		Slug: f.FilledText("slug"), IdempotencyKey: f.OptionalText("idempotencyKey"),
		Replaces: target(&f, "replace"), Website: target(&f, "website"), Precondition: condition(r, c)}
	if err := s.wrong(c.Account, f); err != nil {
		return publish.CreatedUpload{}, err
	}
	if err := mayDeploy(c, req.Website); err != nil {
		return publish.CreatedUpload{}, err
	}
	b, err := s.Uploads.Create(r.Context(), c.Account, req)
	return b, s.notAsExpected(w, r, c.Account, req.Replaces, err)
}

// target reads the slug of what an upload changes, or "" if it was not sent. An
// empty one is an error: it must not make a new public link.
func target(f *httpx.Fields, name string) string {
	text := f.OptionalText(name)
	if text == nil {
		return ""
	}
	if *text == "" {
		f.Wrong(name, "The field \""+name+"\" is empty. Leave it out, or send a slug.")
	}
	return *text
}

// WriteBegun writes the answer of step 1 for an upload without a link.
func (s *Handler) WriteBegun(w http.ResponseWriter, b publish.CreatedUpload) error {
	return httpx.WriteJSON(w, struct {
		Path         vitrine.UploadID `json:"path"`
		SignedURL    string           `json:"signedUrl"`
		ResumableURL string           `json:"resumableUrl,omitempty"`
	}{b.Path, b.SignedURL, s.ChunkURL(b.Path)})
}

// wrong returns the error of an upload's fields. A plan without custom slugs
// takes precedence (contract, Order of checks).
func (s *Handler) wrong(a *vitrine.Account, f httpx.Fields) error {
	if s := f.Object["slug"]; s != nil && string(s) != `""` {
		if err := a.MayChooseSlug(); err != nil {
			return err
		}
	}
	return f.Err
}

func (s *Handler) CompleteUpload(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	l, id, err := s.EndUpload(w, r, c)
	if err != nil {
		return err
	}
	made, err := s.Made(w, r, l, id)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, made)
}

// EndUpload does step 3 of an upload. A request without a key comes from a
// signed-in browser. If the upload replaced the file of a link, the answer has
// the version.
func (s *Handler) EndUpload(w http.ResponseWriter, r *http.Request,
	c *auth.Caller) (l *vitrine.Link, replaced vitrine.UploadID, err error) {
	o, err := httpx.ReadLarge(w, r)
	if err != nil {
		return nil, "", err
	}
	f := httpx.Fields{Object: o}
	req := publish.CompleteRequest{Path: f.Text("path"), Name: f.Text("name"), Type: f.Text("type"),
		LinkName: f.FilledText("linkName"), Slug: f.FilledText("slug"), AllowDownload: f.OptionalBool("allowDownload"),
		IdempotencyKey: f.OptionalText("idempotencyKey"), Replaces: target(&f, "replace"),
		Website: target(&f, "website"), Precondition: condition(r, c)}
	req.ExpiresAt, req.Access = expiry(&f), readAccess(&f)
	if c.Key != nil {
		req.Key, req.Client, req.LinkLife = c.Key.ID, program(r), c.Key.LinkLife
	}
	if err := s.wrong(c.Account, f); err != nil {
		return nil, "", err
	}
	if err := mayDeploy(c, req.Website); err != nil {
		return nil, "", err
	}
	if req.Replaces != "" {
		replaced = vitrine.UploadID(req.Path)
	}
	l, err = s.Uploads.Complete(r.Context(), c.Account, req)
	return l, replaced, s.notAsExpected(w, r, c.Account, req.Replaces, err)
}

func (s *Handler) CancelUpload(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	return s.GiveUpUpload(w, r, c.Account)
}

// GiveUpUpload ends an unfinished upload, for a browser or any other program.
func (s *Handler) GiveUpUpload(w http.ResponseWriter, r *http.Request, a *vitrine.Account) error {
	o, err := httpx.ReadObject(w, r)
	if err != nil {
		return err
	}
	f := httpx.Fields{Object: o}
	path := f.Text("path")
	if f.Err != nil {
		return f.Err
	}
	if err := s.Uploads.Cancel(r.Context(), a, path); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// programRunes bounds the stored name of a program.
const programRunes = 60

// program returns the first product of a request's User-Agent, or "".
func program(r *http.Request) string {
	first, _, _ := strings.Cut(r.UserAgent(), " ")
	if len(first) > programRunes || strings.ContainsFunc(first, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return ""
	}
	return first
}

// listLimit clamps a number to the valid range and returns the default for
// anything else (contract, Other decisions).
func listLimit(s string) int {
	n, err := strconv.Atoi(s)
	switch {
	case err == nil:
		return min(max(n, 1), 100)
	case isInteger(s) && strings.HasPrefix(s, "-"):
		return 1
	case isInteger(s):
		return 100
	}
	return 20
}

// isInteger reports whether s is an integer, of any size.
func isInteger(s string) bool {
	d := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	return d != "" && strings.Trim(d, "0123456789") == ""
}

// selection reads the query of a list or report that has no other parameters. A
// misspelt one would select other views than those that the caller means.
func selection(r *http.Request, parameters []string) (url.Values, error) {
	values, err := httpx.Query(r)
	if err == nil {
		err = httpx.OnlyParameters(values, parameters)
	}
	return values, err
}

// pageQuery returns the parameters of a list that has only pages. It ignores
// others.
func pageQuery(r *http.Request) (url.Values, error) {
	values, err := httpx.Query(r)
	for _, name := range []string{"limit", "cursor"} {
		if len(values[name]) > 1 && err == nil {
			err = invalid(name, "Send only one "+name+".")
		}
	}
	return values, err
}

func (s *Handler) Status(w http.ResponseWriter, _ *http.Request) error {
	return httpx.WriteJSON(w, map[string]string{"status": "ok", "version": s.Version})
}

func (s *Handler) OpenAPI(w http.ResponseWriter, _ *http.Request) error {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Access-Control-Allow-Origin", "*")
	_, _ = w.Write(bytes.ReplaceAll(OpenAPI, []byte(sampleOrigin), []byte(s.Server.PublicURL.String())))
	return nil
}
