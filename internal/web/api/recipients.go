package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/recipients"
	"vitrine/internal/web/httpx"
	"vitrine/report"
)

// recipientItem is a named address of a link.
type recipientItem struct {
	ID            vitrine.RecipientID `json:"id,string"`
	Label         string              `json:"label"`
	URL           string              `json:"url"`
	CreatedAt     string              `json:"createdAt"`
	ExpiresAt     string              `json:"expiresAt,omitempty"`
	RevokedAt     string              `json:"revokedAt,omitempty"`
	AllowDownload *bool               `json:"allowDownload,omitempty"` // missing: as the link says
	Access        any                 `json:"access,omitempty"`        // *Access, or false for nothing; missing: as the link says
	*reading
}

// reading is how far a link was read through an address, in lists for accounts
// with analytics.
type reading struct {
	Opened    bool   `json:"opened"`
	FirstAt   string `json:"firstAt,omitempty"`
	LastAt    string `json:"lastAt,omitempty"`
	Views     int64  `json:"views"`
	EngagedMs int64  `json:"engagedMs"`
	Progress  string `json:"progress"`
	Downloads int64  `json:"downloads"`
}

func newReading(r *report.Reading) *reading {
	if r == nil {
		return &reading{}
	}
	return &reading{r.Views > 0, stamp(r.First), stamp(r.Last), r.Views, r.EngagedMs, r.Progress, r.Downloads}
}

func (s *Handler) recipient(ctx context.Context, l *vitrine.Link, r *vitrine.Recipient) (recipientItem, error) {
	item := recipientItem{ID: r.ID, Label: r.Label, URL: s.Server.AddressOf(l.For(r)), CreatedAt: stamp(r.CreatedAt),
		ExpiresAt: stamp(r.ExpiresAt), RevokedAt: stamp(r.RevokedAt), AllowDownload: r.Download}
	if r.Access == nil {
		return item, nil
	}
	own := l.For(r)
	item.Access = false
	if a := accessOf(own); a != nil {
		item.Access = a
		return item, s.addLeft(ctx, own, a)
	}
	return item, nil
}

// recipients returns recipients of a link, as many as there are.
func (s *Handler) recipients(ctx context.Context, l *vitrine.Link,
	list []*vitrine.Recipient) (items []recipientItem, err error) {
	items = make([]recipientItem, len(list))
	for i, one := range list {
		if items[i], err = s.recipient(ctx, l, one); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// recipientList is a page of the recipients of a link.
type recipientList struct {
	Recipients []recipientItem `json:"recipients"`
	NextCursor *string         `json:"nextCursor"`
}

// recipientFields lists the fields of a recipient that may be sent.
var recipientFields = []string{"label", "expiresAt", "allowDownload", "access"}

// unknownField returns an error for a field of a recipient that does not exist.
// A misspelt one would give more rights than the caller means.
func unknownField(o httpx.Object, at string) error {
	for name := range o {
		if !slices.Contains(recipientFields, name) {
			return invalid(at+name, fmt.Sprintf("A recipient has no member %q. It has %s.", name,
				strings.Join(recipientFields, ", ")))
		}
	}
	return nil
}

// AddRecipients adds recipients to a link.
func (s *Handler) AddRecipients(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	o, err := httpx.ReadLarge(w, r)
	if err != nil {
		return err
	}
	f := httpx.Fields{Object: o}
	add := recipients.Addition{IdempotencyKey: f.OptionalText("idempotencyKey"), Fills: c.MayChange}
	for i, row := range f.Objects("recipients", recipients.MaxCall) {
		at := fmt.Sprintf("recipients[%d].", i)
		if err := unknownField(row, at); err != nil {
			return err
		}
		one := httpx.Fields{Object: row, At: at}
		asks := recipients.Request{Label: one.Text("label"), Download: one.OptionalBool("allowDownload")}
		if at := expiry(&one); at != nil {
			asks.ExpiresAt = *at
		}
		asks.Access = ownAccess(&one)
		if one.Err != nil {
			return one.Err
		}
		add.Recipients = append(add.Recipients, asks)
	}
	if f.Err != nil {
		return f.Err
	}
	l, list, err := s.Recipients.Add(r.Context(), c.Account, r.PathValue("slug"), add)
	if err != nil {
		return err
	}
	rows, err := s.recipients(r.Context(), l, list)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, map[string][]recipientItem{"recipients": rows})
}

// ListRecipients lists the recipients of a link, revoked ones included, in the
// order in which they were added.
func (s *Handler) ListRecipients(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	q, err := pageQuery(r)
	if err != nil {
		return err
	}
	after, err := httpx.ParseRecipientCursor(q.Get("cursor"))
	if err != nil {
		return err
	}
	l, list, next, err := s.Recipients.List(r.Context(), c.Account, r.PathValue("slug"), after,
		listLimit(q.Get("limit")))
	if err != nil {
		return err
	}
	var body recipientList
	if body.Recipients, err = s.recipients(r.Context(), l, list); err != nil {
		return err
	}
	if c.Account.Plan.Pro() && len(list) > 0 {
		read, err := s.Analytics.Readings(r.Context(), l, nil)
		if err != nil {
			return err
		}
		for i := range list {
			body.Recipients[i].reading = newReading(read[list[i].ID])
		}
	}
	if next != 0 {
		cursor := httpx.FormatRecipientCursor(next)
		body.NextCursor = &cursor
	}
	return httpx.WriteJSON(w, body)
}

// recipientID returns the recipient in the path, or 0, which no recipient has.
func recipientID(r *http.Request) vitrine.RecipientID {
	id, err := strconv.ParseInt(r.PathValue("recipient"), 10, 64)
	if err != nil || strconv.FormatInt(id, 10) != r.PathValue("recipient") {
		return 0
	}
	return vitrine.RecipientID(id)
}

// UpdateRecipient changes a recipient.
func (s *Handler) UpdateRecipient(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	o, err := httpx.ReadLarge(w, r)
	if err != nil {
		return err
	}
	if err := unknownField(o, ""); err != nil {
		return err
	}
	f := httpx.Fields{Object: o}
	change := recipients.Change{Label: f.OptionalText("label"), Download: f.OptionalBool("allowDownload"),
		ExpiresAt: expiry(&f), Fills: c.MayChange}
	if v := f.Object["access"]; v.Kind() == '"' && string(v) == `"link"` {
		change.AsLink = true
	} else {
		change.Access = ownAccess(&f)
	}
	if f.Err != nil {
		return f.Err
	}
	l, changed, err := s.Recipients.Edit(r.Context(), c.Account, r.PathValue("slug"), recipientID(r), change)
	if err != nil {
		return err
	}
	item, err := s.recipient(r.Context(), l, changed)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, item)
}

// RevokeRecipient revokes a recipient's address.
func (s *Handler) RevokeRecipient(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	if _, _, err := s.Recipients.Revoke(r.Context(), c.Account, r.PathValue("slug"), recipientID(r)); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
