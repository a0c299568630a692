package client

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Recipient is a named address of a link.
type Recipient struct {
	ID            string    `json:"id"`
	Label         string    `json:"label"` // "" if it was deleted
	URL           string    `json:"url"`
	CreatedAt     time.Time `json:"createdAt"`
	ExpiresAt     time.Time `json:"expiresAt,omitzero"`      // zero means with the link
	RevokedAt     time.Time `json:"revokedAt,omitzero"`      // zero means not revoked
	AllowDownload *bool     `json:"allowDownload,omitempty"` // nil means as the link says
	// Access is what readers need; nil means as the link says, and the zero
	// Access nothing.
	Access *Access `json:"access,omitempty"`

	// How far the link was read through the address, of all views that are
	// kept; only in lists, and only of accounts with analytics.
	Opened    bool      `json:"opened,omitempty"`
	FirstAt   time.Time `json:"firstAt,omitzero"`
	LastAt    time.Time `json:"lastAt,omitzero"`
	Views     int64     `json:"views,omitempty"`
	EngagedMs int64     `json:"engagedMs,omitempty"`
	Progress  string    `json:"progress,omitempty"` // of the visit that saw most of the file
	Downloads int64     `json:"downloads,omitempty"`
}

// NewRecipient is a recipient to add.
type NewRecipient struct {
	Label         string    `json:"label"`
	ExpiresAt     time.Time `json:"expiresAt,omitzero"`
	AllowDownload *bool     `json:"allowDownload,omitempty"`
	// Access replaces that of the link. One call may set one password.
	Access *AccessChange `json:"access,omitempty"`
}

// MaxRecipients is how many recipients one call may add.
const MaxRecipients = 500

// AddRecipients adds recipients to a link, all or none. Retries of the client
// add none twice; with an idempotency key, a UUID, those of the caller do
// neither.
func (c *Client) AddRecipients(ctx context.Context, slug string, list []NewRecipient,
	idempotencyKey string) ([]Recipient, error) {
	key := cmp.Or(idempotencyKey, newKey())
	var answer struct {
		Recipients []Recipient `json:"recipients"`
	}
	err := c.post(ctx, recipientsPath(slug), map[string]any{"recipients": list, "idempotencyKey": key}, &answer)
	return answer.Recipients, err
}

// Recipients returns the recipients of a link, revoked ones included, in the
// order in which they were added. It reads as many pages as the caller needs.
func (c *Client) Recipients(ctx context.Context, slug string) iter.Seq2[Recipient, error] {
	return func(yield func(Recipient, error) bool) {
		for cursor := ""; ; {
			page, err := c.RecipientPage(ctx, slug, cursor, 100)
			if err != nil {
				yield(Recipient{}, err)
				return
			}
			for _, r := range page.Recipients {
				if !yield(r, nil) {
					return
				}
			}
			if cursor = page.NextCursor; cursor == "" {
				return
			}
		}
	}
}

// RecipientPage is a page of the recipients of a link.
type RecipientPage struct {
	Recipients []Recipient `json:"recipients"`
	NextCursor string      `json:"nextCursor"` // "" on the last page
}

// RecipientPage returns up to limit recipients of a link, 1 to 100, from a
// cursor; "" is the first page.
func (c *Client) RecipientPage(ctx context.Context, slug, cursor string, limit int) (p RecipientPage, err error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	return p, c.get(ctx, recipientsPath(slug), query, &p)
}

// RecipientChange is a change of a recipient. Nil fields stay unchanged.
type RecipientChange struct {
	Label         *string    // "" deletes it; the numbers stay
	ExpiresAt     *time.Time // the zero time: with the link
	AllowDownload *bool
	Access        *AccessChange // of its own access, or the first one
}

// UpdateRecipient changes a recipient.
func (c *Client) UpdateRecipient(ctx context.Context, slug, id string,
	change RecipientChange) (r Recipient, err error) {
	b, err := json.Marshal(struct {
		Label         *string       `json:"label,omitempty"`
		ExpiresAt     string        `json:"expiresAt,omitempty"`
		AllowDownload *bool         `json:"allowDownload,omitempty"`
		Access        *AccessChange `json:"access,omitempty"`
	}{change.Label, expiry(change.ExpiresAt), change.AllowDownload, change.Access})
	if err != nil {
		return r, err
	}
	err = c.call(ctx, http.MethodPatch, recipientsPath(slug)+"/"+url.PathEscape(id), nil,
		payload{contentType: "application/json", bytes: b}, &r)
	return r, err
}

// RevokeRecipient revokes the address of a recipient.
func (c *Client) RevokeRecipient(ctx context.Context, slug, id string) error {
	return c.call(ctx, http.MethodDelete, recipientsPath(slug)+"/"+url.PathEscape(id), nil, payload{}, nil)
}

func recipientsPath(slug string) string { return "/links/" + url.PathEscape(slug) + "/recipients" }
