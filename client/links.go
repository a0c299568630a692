package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"
	"time"
)

// ListedLink is a link in a list.
type ListedLink struct {
	Slug      string    `json:"slug"`
	Title     string    `json:"title"`
	URL       string    `json:"url"`
	Kind      string    `json:"kind"` // pdf, image, video, audio, document, text, html, archive
	SizeBytes int64     `json:"size_bytes"`
	CreatedAt time.Time `json:"created_at"`
	Status    string    `json:"status"`             // live, review, processing, disabled
	Reason    string    `json:"reason,omitempty"`   // why it is in review or disabled: a reason code
	Detail    string    `json:"detail,omitempty"`   // what exactly was found
	ExpiresAt time.Time `json:"expiresAt,omitzero"` // when it is disabled; zero means never
	Views     *int64    `json:"views,omitempty"`    // of the last 30 days, if requested and if the plan has analytics
}

// Page is a part of the list of links, newest first.
type Page struct {
	Links      []ListedLink `json:"links"`
	NextCursor string       `json:"nextCursor"` // where the next page begins; "" at the end
}

// Query selects links. Zero members select all.
type Query struct {
	Text   string // words of the title, the file's name or the slug
	Kind   string
	Status string
	Views  bool // with the views of each link
	// Limit is the page size, 1 to 100; 0 is the instance's default, 20.
	Limit int
}

// Links lists the links of the account that match a query, newest first. It
// starts after cursor, or at the beginning if cursor is "".
func (c *Client) Links(ctx context.Context, cursor string, query Query) (Page, error) {
	q := url.Values{}
	for name, value := range map[string]string{"q": query.Text, "kind": query.Kind, "status": query.Status,
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

// AllLinks iterates over all links that match a query, newest first, page by
// page. It ends after the first error.
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
