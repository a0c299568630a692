package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"
)

// LinkDetail is a link with its settings.
type LinkDetail struct {
	ListedLink
	Name          string  `json:"name"` // name of the file
	Type          string  `json:"type"`
	SHA256        string  `json:"sha256,omitempty"` // lower-case hex
	Pages         int     `json:"pages,omitempty"`  // of a PDF
	Version       int     `json:"version"`          // current version
	AllowDownload bool    `json:"allowDownload"`
	Disabled      bool    `json:"disabled"` // by its owner
	Notify        string  `json:"notify"`   // when its owner gets mails about it: NotifyFirst and so on
	PublishedBy   string  `json:"publishedBy,omitempty"`
	Access        *Access `json:"access,omitempty"` // what readers need; nil for nothing

	ETag string `json:"-"` // version of the link's state, for Change.IfMatch
}

func (l *LinkDetail) head(h http.Header) { l.ETag = h.Get("ETag") }

// headed is implemented by results that also read response headers.
type headed interface{ head(http.Header) }

// Change is a change of a link. Nil fields stay unchanged.
type Change struct {
	Title         *string
	Slug          *string
	AllowDownload *bool
	Disabled      *bool
	ExpiresAt     *time.Time // the zero time removes the expiry
	Labels        *[]string  // all of them; an empty list removes them
	Access        *AccessChange
	Notify        string // "" leaves it unchanged
	// IfMatch is the expected ETag of the link, or "" for any. If the link has
	// another ETag, the error has the code precondition_failed and
	// Error.Current is the link.
	IfMatch string
}

// Link returns one link of the account.
func (c *Client) Link(ctx context.Context, slug string) (l LinkDetail, err error) {
	err = c.get(ctx, linkPath(slug), nil, &l)
	return l, err
}

// UpdateLink applies all changes or none.
func (c *Client) UpdateLink(ctx context.Context, slug string, change Change) (l LinkDetail, err error) {
	b, err := json.Marshal(struct {
		Title         *string       `json:"title,omitempty"`
		Slug          *string       `json:"slug,omitempty"`
		AllowDownload *bool         `json:"allowDownload,omitempty"`
		Disabled      *bool         `json:"disabled,omitempty"`
		ExpiresAt     string        `json:"expiresAt,omitempty"`
		Labels        *[]string     `json:"labels,omitempty"`
		Access        *AccessChange `json:"access,omitempty"`
		Notify        string        `json:"notify,omitempty"`
	}{change.Title, change.Slug, change.AllowDownload, change.Disabled, expiry(change.ExpiresAt), change.Labels,
		change.Access, change.Notify})
	if err != nil {
		return l, err
	}
	err = c.call(ctx, http.MethodPatch, linkPath(slug), nil,
		payload{contentType: "application/json", bytes: b, ifMatch: change.IfMatch}, &l)
	return l, err
}

// expiry formats a time for the API.
func expiry(at *time.Time) string {
	switch {
	case at == nil:
		return ""
	case at.IsZero():
		return "never"
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// FileAddress returns a temporary URL of the file of a live link. It needs no
// key, expires after some minutes, and ends with the link or the key.
func (c *Client) FileAddress(ctx context.Context, slug string) (string, error) {
	res, err := c.askFile(ctx, slug)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	if at, err := res.Location(); err == nil {
		return at.String(), nil
	}
	return "", errors.New("the link is not live, so its file has no address: download it with the key")
}

// OpenLinkFile starts a download of the file of a link. The caller must close
// the body.
func (c *Client) OpenLinkFile(ctx context.Context, slug string) (*http.Response, error) {
	res, err := c.askFile(ctx, slug)
	if err != nil {
		return nil, err
	}
	if at, err := res.Location(); err == nil {
		res.Body.Close()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
		if err != nil {
			return nil, withoutURL(err)
		}
		req.Header.Set("User-Agent", c.userAgent)
		req.Header.Set("Accept-Encoding", "identity")
		if res, err = c.http.Do(req); err != nil {
			return nil, withoutURL(err)
		}
		if res.StatusCode != http.StatusOK {
			defer res.Body.Close()
			return nil, refusal(res, nil)
		}
	}
	res.Body = networkBody{res.Body}
	return res, nil
}

// askFile asks for the file of a link. The answer is its address in Location,
// or the file. The caller must close the body.
func (c *Client) askFile(ctx context.Context, slug string) (res *http.Response, err error) {
	err = c.retry(ctx, func(context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base.String()+linkPath(slug)+"/file", nil)
		if err != nil {
			return permanent(err)
		}
		req.Header.Set("Authorization", "Bearer "+c.key)
		req.Header.Set("User-Agent", c.userAgent)
		req.Header.Set("Accept-Encoding", "identity")
		if res, err = c.answer(req); err != nil {
			return err
		}
		if res.StatusCode == http.StatusOK || res.StatusCode == http.StatusFound {
			return nil
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
		return refusal(res, body)
	})
	return res, err
}

func linkPath(slug string) string { return "/links/" + url.PathEscape(slug) }
