package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/links"
	"vitrine/internal/filetype"
	"vitrine/internal/web/httpx"
)

// LinkItem is an entry of a list of links.
type LinkItem struct {
	Slug      vitrine.Slug `json:"slug"`
	Title     string       `json:"title"`
	URL       string       `json:"url"`
	Kind      string       `json:"kind"`
	SizeBytes int64        `json:"size_bytes"`
	CreatedAt string       `json:"created_at"`
	Status    string       `json:"status"`
	Labels    []string     `json:"labels,omitempty"`
	Views     *int64       `json:"views,omitempty"` // of the last links.ViewDays, if they were asked for
	ExpiresAt *string      `json:"expiresAt,omitempty"`
	why
}

// LinkList is a page of the list of links.
type LinkList struct {
	Links      []LinkItem `json:"links"`
	NextCursor *string    `json:"nextCursor"`
}

func (s *Handler) item(l *vitrine.Link) LinkItem {
	i := LinkItem{Slug: l.Slug, Title: l.Title, URL: s.Server.LinkURL(l.Slug), Kind: string(l.Kind), SizeBytes: l.Size,
		CreatedAt: l.CreatedAt.UTC().Format(httpx.TimeFormat), Status: string(l.State), Labels: l.Labels.All(),
		why: why{l.Reason, l.Detail}}
	if !l.ExpiresAt.IsZero() {
		at := l.ExpiresAt.UTC().Format(httpx.TimeFormat)
		i.ExpiresAt = &at
	}
	return i
}

// ListQuery is the query for a list of links, as text, or "" if not given.
type ListQuery struct {
	Limit, Cursor, Text, Kind, Status, Label string
	Views                                    bool
}

// List returns a page of the account's links.
func (s *Handler) List(r *http.Request, a *vitrine.Account, q ListQuery) (*LinkList, error) {
	cursor, err := httpx.ParseCursor(q.Cursor)
	if err != nil {
		return nil, err
	}
	search := links.LinkSearch{Text: q.Text, Kind: filetype.Kind(q.Kind), State: vitrine.LinkState(q.Status),
		Label: q.Label, Limit: listLimit(q.Limit)}
	if q.Kind != "" && !slices.Contains(filetype.Kinds(), search.Kind) {
		return nil, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "kind",
			Message: fmt.Sprintf("There is no kind %q. The kinds are %s.", q.Kind, words(filetype.Kinds()))}
	}
	if q.Status != "" && !slices.Contains(states, search.State) {
		return nil, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "status",
			Message: fmt.Sprintf("There is no status %q. It is one of %s.", q.Status, words(states))}
	}
	found, next, err := s.Links.List(r.Context(), a.ID, search, cursor)
	if err != nil {
		return nil, err
	}
	list := &LinkList{Links: make([]LinkItem, len(found))}
	for i, l := range found {
		list.Links[i] = s.item(l)
	}
	if q.Views && a.Plan.Pro() {
		viewed, err := s.Links.WithViews(r.Context(), found)
		if err != nil {
			return nil, err
		}
		for i, l := range viewed {
			n := l.Views()
			list.Links[i].Views = &n
		}
	}
	if next != nil {
		cursor := httpx.FormatCursor(*next)
		list.NextCursor = &cursor
	}
	return list, nil
}

var states = []vitrine.LinkState{vitrine.StateLive, vitrine.StateReview, vitrine.StateProcessing, vitrine.StateDisabled}

func words[T ~string](list []T) string {
	text := make([]string, len(list))
	for i, w := range list {
		text[i] = string(w)
	}
	return strings.Join(text, ", ")
}

func (s *Handler) ListLinks(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	q, err := httpx.Query(r)
	if err != nil {
		return err
	}
	for _, name := range []string{"q", "cursor", "kind", "status", "label", "views"} {
		if len(q[name]) > 1 {
			return invalid(name, "Send only one "+name+".")
		}
	}
	if views := q.Get("views"); !slices.Contains([]string{"", "true", "false"}, views) {
		return invalid("views", "views is true or false.")
	}
	list, err := s.List(r, c.Account, ListQuery{Limit: q.Get("limit"), Cursor: q.Get("cursor"), Text: q.Get("q"),
		Kind:   q.Get("kind"),
		Status: q.Get("status"), Label: q.Get("label"), Views: q.Get("views") == "true"})
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, list)
}

// LinkDetail is a link with the details for its owner.
type LinkDetail struct {
	LinkItem
	Name          string  `json:"name"`
	Type          string  `json:"type"`
	SHA256        string  `json:"sha256,omitempty"`
	Pages         int     `json:"pages,omitempty"`
	Version       int     `json:"version"`
	AllowDownload bool    `json:"allowDownload"`
	Disabled      bool    `json:"disabled"`              // by its owner
	Notify        string  `json:"notify"`                // when its owner gets mails about it
	PublishedBy   string  `json:"publishedBy,omitempty"` // the program
	Access        *Access `json:"access,omitempty"`      // nil if readers need nothing
}

// Detail returns a link with the details for its owner.
func (s *Handler) Detail(l *vitrine.Link) LinkDetail {
	return LinkDetail{LinkItem: s.item(l), Name: l.Name, Type: l.Type, SHA256: l.SHA256, Pages: l.Pages,
		Version: l.Version, AllowDownload: l.AllowDownload,
		Disabled:    l.State == vitrine.StateDisabled && l.Reason == vitrine.ReasonOwner,
		Notify:      links.BellName(l.Bell),
		PublishedBy: l.Client, Access: accessOf(l)}
}

func etag(l *vitrine.Link) string { return `"` + l.Tag() + `"` }

// match parses If-Match, or nil if none. A weak tag matches nothing.
func match(r *http.Request) (m links.Match) {
	for _, line := range r.Header.Values("If-Match") {
		for tag := range strings.SplitSeq(line, ",") {
			tag = strings.TrimSpace(tag)
			if len(tag) > 2 && tag[0] == '"' && tag[len(tag)-1] == '"' && tag != `"*"` {
				tag = tag[1 : len(tag)-1]
			} else if tag != "*" {
				tag = ""
			}
			m = append(m, tag)
		}
	}
	return m
}

// outdated adds the current link to a failed precondition.
func (s *Handler) outdated(w http.ResponseWriter, l *vitrine.Link, err error) error {
	if vitrine.CodeOf(err) != vitrine.CodePreconditionFailed {
		return err
	}
	w.Header().Set("ETag", etag(l))
	return httpx.WithCurrent(err, s.Detail(l))
}

func (s *Handler) writeLink(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	d, err := s.detail(r, l)
	if err != nil {
		return err
	}
	w.Header().Set("ETag", etag(l))
	return httpx.WriteJSON(w, d)
}

func (s *Handler) GetLink(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	l, err := s.Links.Of(r.Context(), c.Account, r.PathValue("slug"))
	if err != nil {
		return err
	}
	if httpx.Matches(r, etag(l)) {
		w.Header().Set("ETag", etag(l))
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return s.writeLink(w, r, l)
}

// editable lists the fields of a link that may be changed.
var editable = []string{"title", "slug", "allowDownload", "disabled", "expiresAt", "labels", "access", "notify"}

// never is the value of expiresAt that removes it.
const never = "never"

// ReadEdit parses a change of a link.
func (s *Handler) ReadEdit(c *auth.Caller, o httpx.Object) (e links.Edit, err error) {
	f := httpx.Fields{Object: o}
	e = links.Edit{Title: f.OptionalText("title"), Slug: f.FilledText("slug"),
		Download: f.OptionalBool("allowDownload"), Disabled: f.OptionalBool("disabled"),
		ExpiresAt: expiry(&f), Labels: labels(&f), Access: readAccess(&f), Fills: c.MayChange, LinkLife: c.Key.LinkLife}
	bell := f.OptionalText("notify")
	if err := s.wrong(c.Account, f); err != nil {
		return e, err
	}
	if bell != nil {
		b, err := links.ParseBell(*bell)
		if err != nil {
			return e, err
		}
		e.Bell = &b
	}
	for name := range o {
		if !slices.Contains(editable, name) {
			return e, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: name,
				Message: fmt.Sprintf("A link has no member %q that can be changed. These can: %s.", name,
					strings.Join(editable, ", "))}
		}
	}
	return e, nil
}

// labels parses labels, or nil if not given.
func labels(f *httpx.Fields) *vitrine.Labels {
	list := f.Texts("labels")
	if list == nil {
		return nil
	}
	l, err := links.ParseLabels(list)
	if err != nil {
		f.Wrong("labels", err.(*vitrine.Error).Message)
	}
	return &l
}

// expiry parses expiresAt, or nil if not given.
func expiry(f *httpx.Fields) *time.Time {
	text := f.OptionalText("expiresAt") // an empty one is no time: it must not mean never
	if text == nil {
		return nil
	}
	if *text == never {
		return &time.Time{}
	}
	at, err := time.Parse(time.RFC3339, *text)
	at = at.UTC().Truncate(time.Millisecond) // in the stored precision
	if err != nil || at.IsZero() || at.Year() > 9999 {
		f.Wrong("expiresAt", "The field \"expiresAt\" must be a date-time such as 2027-01-31T09:00:00Z, or \"never\".")
		return nil
	}
	return &at
}

func (s *Handler) UpdateLink(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	o, err := httpx.ReadLarge(w, r)
	if err != nil {
		return err
	}
	e, err := s.ReadEdit(c, o)
	if err != nil {
		return err
	}
	e.Match = match(r)
	l, err := s.Links.Edit(r.Context(), c.Account, r.PathValue("slug"), e)
	if err != nil {
		return s.outdated(w, l, err)
	}
	return s.writeLink(w, r, l)
}

// GetFile answers with an address of the file of a link that anyone can open,
// and with the file itself of any other link: an address can be passed on, a
// key is kept.
func (s *Handler) GetFile(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	l, err := s.Links.Of(r.Context(), c.Account, r.PathValue("slug"))
	if err != nil {
		return err
	}
	switch _, err := s.Links.Owned(r.Context(), l.ID, c.Key.ID, true); vitrine.CodeOf(err) {
	case vitrine.CodeDisabled, vitrine.CodeNotAvailable, vitrine.CodeAccessRequired:
		return s.Content.SendOwned(w, r, l.ID, c.Key.ID)
	case "":
	default:
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", "private, no-store")
	h.Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, httpx.Origin(s.Server.ContentURL)+httpx.ContentRoot+s.Signer.OwnerToken(l.ID, c.Key.ID,
		s.Now())+
		"/original", http.StatusFound)
	return nil
}
