package web

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/publish"
	"vitrine/report"
)

// apiRoot is where the API of version 1 is below the public address
// (contract, Other decisions).
const apiRoot = "/api/v1"

// sampleOrigin is the address of the instance in the description of the API.
const sampleOrigin = "https://share.example"

// openAPI is the description of the API, written by hand. It is served with the
// instance's own address in the place of sampleOrigin.
//
//go:embed openapi.json
var openAPI []byte

// noOperation answers for an address of the API that has none.
func (s *apiH) noOperation(http.ResponseWriter, *http.Request) error {
	return vitrine.Errorf(vitrine.CodeNotFound, "There is no such operation. The API is described at %s/openapi.json.", s.PublicURL.String()+apiRoot)
}

// health reports that the process answers.
func (s *apiH) health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, "ok")
}

// ready reports whether the parts that the server is on answer.
func (s *apiH) ready(w http.ResponseWriter, r *http.Request) error {
	if err := s.Ready(r.Context()); err != nil {
		s.Log.Debug("not ready", "error", err) // a probe comes every few seconds, and what people ask says it, too
		return vitrine.Unavailable(nil)
	}
	return writeJSON(w, map[string]string{"status": "ready"})
}

func crossOrigin(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Expose-Headers", "ETag, Retry-After, X-Request-Id")
		return h(w, r)
	}
}

// sentHeaders are the headers that client libraries send by themselves.
const sentHeaders = "Content-Type, Accept, X-Requested-With"

// preflight answers OPTIONS for an operation open to other origins; any other
// method is not allowed.
func preflight(w http.ResponseWriter, r *http.Request, method, header string) error {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	if r.Method != http.MethodOptions {
		return methodNotAllowed(w, method+", OPTIONS")
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", method)
	h.Set("Access-Control-Allow-Headers", header)
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func methodNotAllowed(w http.ResponseWriter, allow string) error {
	w.Header().Set("Allow", allow)
	return vitrine.Errorf(vitrine.CodeMethodNotAllowed, "This address takes %s.", allow)
}

// json renders an operation of the API: its headers, and its failure as JSON.
func (s *httpxH) json(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		if err := h(w, r); err != nil {
			s.writeError(w, r, err)
		}
	})
}

type accountHandler func(w http.ResponseWriter, r *http.Request, a *vitrine.Account) error

// withAccount admits the bearer of an API key.
func (s *apiH) withAccount(h accountHandler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		a, err := s.Keys.Authenticate(r.Context(), bearer(r))
		if err != nil {
			return err
		}
		return h(w, r, a)
	}
}

// withPro admits the bearer of a key whose plan has analytics.
func (s *apiH) withPro(h accountHandler) handler {
	return s.withAccount(func(w http.ResponseWriter, r *http.Request, a *vitrine.Account) error {
		if !a.Plan.Pro() {
			return &vitrine.Error{Code: vitrine.CodeProRequired, Upgrade: true, Message: "Analytics are part of the Pro plan."}
		}
		return h(w, r, a)
	})
}

// bearer is the key of a request; "" without exactly one Authorization header
// of that scheme.
func bearer(r *http.Request) string {
	v := r.Header.Values("Authorization")
	if len(v) != 1 {
		return ""
	}
	scheme, key, _ := strings.Cut(v[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimLeft(key, " ")
}

type link struct {
	Slug       vitrine.Slug `json:"slug"`
	Title      string       `json:"title"`
	URL        string       `json:"url"`
	Review     bool         `json:"review,omitempty"`
	Processing bool         `json:"processing,omitempty"`
	why
}

// why says why a link is held, or off. It is an addition to the members of the
// contract.
type why struct {
	Reason string `json:"reason,omitempty"` // a reason code
	Detail string `json:"detail,omitempty"` // what exactly was found
}

func (s *apiH) link(l *vitrine.Link) link {
	return link{Slug: l.Slug, Title: l.Title, URL: s.linkURL(l.Slug),
		Review: l.State == vitrine.StateReview, Processing: l.State == vitrine.StateProcessing, why: why{l.Reason, l.Detail}}
}

func (s *apiH) createUpload(w http.ResponseWriter, r *http.Request, a *vitrine.Account) error {
	b, err := s.beginUpload(w, r, a)
	if err != nil {
		return err
	}
	if b.Existing != nil {
		return writeJSON(w, map[string]link{"existing": s.link(b.Existing)})
	}
	return writeBegun(w, b)
}

// beginUpload is step 1, whoever's browser or program it is that asks.
func (s *apiH) beginUpload(w http.ResponseWriter, r *http.Request, a *vitrine.Account) (publish.CreatedUpload, error) {
	o, err := readObject(w, r)
	if err != nil {
		return publish.CreatedUpload{}, err
	}
	f := fields{object: o}
	req := publish.UploadRequest{Name: f.text("name"), Type: f.text("type"), Size: f.integer("size"),
		Slug: f.filledText("slug"), IdempotencyKey: f.optionalText("idempotencyKey")}
	if err := s.wrong(a, f); err != nil {
		return publish.CreatedUpload{}, err
	}
	return s.Uploads.Create(r.Context(), a, req)
}

func writeBegun(w http.ResponseWriter, b publish.CreatedUpload) error {
	return writeJSON(w, map[string]string{"path": string(b.Path), "signedUrl": b.SignedURL})
}

// wrong is what is wrong with an upload's members; a plan without custom slugs
// comes before all of it (contract, Order of checks).
func (s *apiH) wrong(a *vitrine.Account, f fields) error {
	if s := f.object["slug"]; s != nil && string(s) != `""` {
		if err := a.MayChooseSlug(); err != nil {
			return err
		}
	}
	return f.err
}

func (s *apiH) completeUpload(w http.ResponseWriter, r *http.Request, a *vitrine.Account) error {
	l, err := s.endUpload(w, r, a)
	if err != nil {
		return err
	}
	return writeJSON(w, s.link(l))
}

// endUpload is step 3.
func (s *apiH) endUpload(w http.ResponseWriter, r *http.Request, a *vitrine.Account) (*vitrine.Link, error) {
	o, err := readObject(w, r)
	if err != nil {
		return nil, err
	}
	f := fields{object: o}
	req := publish.CompleteRequest{Path: f.text("path"), Name: f.text("name"), Type: f.text("type"),
		LinkName: f.filledText("linkName"), Slug: f.filledText("slug"), AllowDownload: f.optionalBool("allowDownload"),
		IdempotencyKey: f.optionalText("idempotencyKey")}
	if err := s.wrong(a, f); err != nil {
		return nil, err
	}
	return s.Uploads.Complete(r.Context(), a, req)
}

type listItem struct {
	Slug      vitrine.Slug `json:"slug"`
	Title     string       `json:"title"`
	URL       string       `json:"url"`
	Kind      string       `json:"kind"`
	SizeBytes int64        `json:"size_bytes"`
	CreatedAt string       `json:"created_at"`
	Status    string       `json:"status"`
	Views     *int64       `json:"views,omitempty"` // of the last links.ViewDays, if they were asked for
	why
}

// timeFormat is RFC 3339 in UTC with milliseconds.
const timeFormat = "2006-01-02T15:04:05.000Z"

func (s *apiH) listLinks(w http.ResponseWriter, r *http.Request, a *vitrine.Account) error {
	q := r.URL.Query()
	cursor, err := parseCursor(q.Get("cursor"))
	if err != nil {
		return err
	}
	links, next, err := s.Links.List(r.Context(), a.ID, listLimit(q.Get("limit")), cursor)
	if err != nil {
		return err
	}
	body := struct {
		Links      []listItem `json:"links"`
		NextCursor *string    `json:"nextCursor"`
	}{Links: make([]listItem, len(links))}
	for i, l := range links {
		body.Links[i] = listItem{Slug: l.Slug, Title: l.Title, URL: s.linkURL(l.Slug), Kind: string(l.Kind), SizeBytes: l.Size,
			CreatedAt: l.CreatedAt.UTC().Format(timeFormat), Status: string(l.State), why: why{l.Reason, l.Detail}}
	}
	if q.Get("views") == "true" && a.Plan.Pro() {
		found, err := s.Links.WithViews(r.Context(), links)
		if err != nil {
			return err
		}
		for i, l := range found {
			n := l.Views()
			body.Links[i].Views = &n
		}
	}
	if next != nil {
		c := formatCursor(*next)
		body.NextCursor = &c
	}
	return writeJSON(w, body)
}

// listLimit: out of range is clamped, what is no number means the default
// (contract, Other decisions).
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

// isInteger tells an integer beyond the machine's range from what is no number.
func isInteger(s string) bool {
	d := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	return d != "" && strings.Trim(d, "0123456789") == ""
}

func formatCursor(c vitrine.LinkCursor) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%d", c.CreatedAt.UnixMilli(), c.ID))
}

func parseCursor(text string) (c vitrine.LinkCursor, err error) {
	if text == "" {
		return c, nil
	}
	bad := &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "cursor", Message: "The cursor is not one that this list gave out."}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return c, bad
	}
	at, id, ok := strings.Cut(string(b), ".")
	ms, err1 := strconv.ParseInt(at, 10, 64)
	n, err2 := strconv.ParseInt(id, 10, 64)
	if !ok || err1 != nil || err2 != nil || n < 1 || ms < 1 {
		return c, bad
	}
	return vitrine.LinkCursor{CreatedAt: time.UnixMilli(ms).UTC(), ID: vitrine.LinkID(n)}, nil
}

// reportRange reads the range of a report. One that is repeated, unknown or in
// a query that cannot be read is bad_range.
func reportRange(r *http.Request) (report.Range, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	v, ok := q["range"]
	switch {
	case err != nil: // a part that cannot be read may have been the range
	case !ok:
		return report.ParseRange("30d")
	case len(v) == 1 && v[0] != "":
		if rg, err := report.ParseRange(v[0]); err == nil {
			return rg, nil
		}
	}
	return "", &vitrine.Error{Code: vitrine.CodeBadRange, Field: "range", Message: "The range is one of 7d, 14d, 30d, 90d, all."}
}

func (s *apiH) linkAnalytics(w http.ResponseWriter, r *http.Request, a *vitrine.Account) error {
	rg, err := reportRange(r)
	if err != nil {
		return err
	}
	rep, err := s.Analytics.Link(r.Context(), a, r.PathValue("slug"), rg)
	if err != nil {
		return err
	}
	return writeJSON(w, rep)
}

func (s *apiH) accountAnalytics(w http.ResponseWriter, r *http.Request, a *vitrine.Account) error {
	rg, err := reportRange(r)
	if err != nil {
		return err
	}
	rep, err := s.Analytics.Account(r.Context(), a, rg)
	if err != nil {
		return err
	}
	return writeJSON(w, rep)
}

func (s *apiH) status(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, map[string]string{"status": "ok", "version": s.Version})
}

func (s *apiH) openAPI(w http.ResponseWriter, _ *http.Request) error {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Access-Control-Allow-Origin", "*")
	_, _ = w.Write(bytes.ReplaceAll(openAPI, []byte(sampleOrigin), []byte(s.PublicURL.String())))
	return nil
}
