package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// TrashedLink is a deleted link that can be restored. Its status is the one
// that it has again then.
type TrashedLink struct {
	ListedLink
	DeletedAt time.Time `json:"deleted_at"`
	PurgeAt   time.Time `json:"purge_at"` // at the latest
}

// Deletion is how a link is deleted.
type Deletion struct {
	IfMatch   string // expected ETag of the link, or "" for any
	Permanent bool   // instead of moving it to the trash; also what is in the trash
}

// DeleteLink deletes a link. It returns the link in the trash, or nil if the
// link, its file and its analytics are deleted for good: on request, or because
// its file is withheld.
func (c *Client) DeleteLink(ctx context.Context, slug string, how Deletion) (*TrashedLink, error) {
	address := c.base.String() + linkPath(slug)
	if how.Permanent {
		address += "?permanent=true"
	}
	tries := 0
	var l TrashedLink
	err := c.retry(ctx, func(ctx context.Context) error {
		tries++
		l = TrashedLink{}
		err := c.once(ctx, http.MethodDelete, address, payload{ifMatch: how.IfMatch}, &l)
		if tries > 1 && codeOf(err) == "not_found" {
			return nil // an earlier attempt deleted it, but its response was lost
		}
		return err
	})
	if err != nil || l.Slug == "" {
		return nil, err
	}
	return &l, nil
}

// TrashPage is a page of the trash.
type TrashPage struct {
	Links      []TrashedLink
	NextCursor string // "" at the end
}

// TrashPage returns up to limit links in the trash, 1 to 100, from a cursor; ""
// is the one that was deleted last. 0 means the default of the instance.
func (c *Client) TrashPage(ctx context.Context, cursor string, limit int) (p TrashPage, err error) {
	q := url.Values{}
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	if limit > 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	return p, c.get(ctx, "/trash", q, &p)
}

// Trash iterates over the links in the trash, the last deleted first. It stops
// after the first error.
func (c *Client) Trash(ctx context.Context) iter.Seq2[TrashedLink, error] {
	return func(yield func(TrashedLink, error) bool) {
		for cursor := ""; ; {
			p, err := c.TrashPage(ctx, cursor, 100)
			if err != nil {
				yield(TrashedLink{}, err)
				return
			}
			for _, l := range p.Links {
				if !yield(l, nil) {
					return
				}
			}
			if p.NextCursor == "" {
				return
			}
			cursor = p.NextCursor
		}
	}
}

// RestoreLink restores a link from the trash with its address, file and
// analytics.
func (c *Client) RestoreLink(ctx context.Context, slug string) (l LinkDetail, err error) {
	err = c.call(ctx, http.MethodPost, "/trash/"+url.PathEscape(slug)+"/restore", nil, payload{}, &l)
	return l, err
}
