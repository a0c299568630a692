package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"
	"time"
)

// ListedLink is a link in a listing.
type ListedLink struct {
	Slug      string    `json:"slug"`
	Title     string    `json:"title"`
	URL       string    `json:"url"`
	Kind      string    `json:"kind"` // pdf, image, video, audio, document, text, html, archive
	SizeBytes int64     `json:"size_bytes"`
	CreatedAt time.Time `json:"created_at"`
	Status    string    `json:"status"`             // live, review, processing, disabled
	Reason    string    `json:"reason,omitempty"`   // reason code of review or disabled
	Detail    string    `json:"detail,omitempty"`   // details of Reason
	ExpiresAt time.Time `json:"expiresAt,omitzero"` // zero means never
	Labels    []string  `json:"labels,omitempty"`   // for its owner
	Views     *int64    `json:"views,omitempty"`    // in the last 30 days, if requested and included in the plan
}

// Page is a page of links, newest first.
type Page struct {
	Links      []ListedLink `json:"links"`
	NextCursor string       `json:"nextCursor"` // where the next page begins; "" at the end
}

// Query selects links. Zero fields select all.
type Query struct {
	Text   string // words in the title, file name or slug
	Kind   string
	Status string
	Label  string // in any case
	Views  bool   // include the views of each link
	// Limit is the page size from 1 to 100. 0 means the default of the
	// instance, 20.
	Limit int
}

// Links returns a page of the links that match a query, newest first. It starts
// after cursor, or with the newest link if cursor is "".
func (c *Client) Links(ctx context.Context, cursor string, query Query) (Page, error) {
	q := url.Values{}
	for name, value := range map[string]string{"q": query.Text, "kind": query.Kind, "status": query.Status,
		"label":  query.Label,
		"cursor": cursor} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if query.Views {
		q.Set("views", "true")
	}
	if query.Limit != 0 {
		q.Set("limit", strconv.Itoa(query.Limit))
	}
	var p Page
	err := c.get(ctx, "/links", q, &p)
	return p, err
}

// AllLinks iterates over all links that match a query, newest first. It stops
// after the first error.
func (c *Client) AllLinks(ctx context.Context, query Query) iter.Seq2[ListedLink, error] {
	return func(yield func(ListedLink, error) bool) {
		cursor := ""
		for {
			p, err := c.Links(ctx, cursor, query)
			if err != nil {
				yield(ListedLink{}, err)
				return
			}
			for _, l := range p.Links {
				if !yield(l, nil) {
					return
				}
			}
			if cursor = p.NextCursor; cursor == "" {
				return
			}
		}
	}
}
