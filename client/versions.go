package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Version is a version of the file of a link.
type Version struct {
	Version   int       `json:"version"`
	Current   bool      `json:"current"` // the public page shows this version
	Status    string    `json:"status"`  // of the file: live, review, processing, disabled
	Name      string    `json:"name"`
	Type      string    `json:"type"`
	Kind      string    `json:"kind"`
	SizeBytes int64     `json:"size_bytes"`
	SHA256    string    `json:"sha256"`          // lower-case hex
	Pages     int       `json:"pages,omitempty"` // of a PDF
	CreatedAt time.Time `json:"created_at"`
	Key       string    `json:"key,omitempty"`    // name of the API key that sent it
	Client    string    `json:"client,omitempty"` // program that sent it
	Reason    string    `json:"reason,omitempty"` // reason code of review or disabled
	Detail    string    `json:"detail,omitempty"` // details of Reason
}

// Replacement is the result of a replacement for the link.
type Replacement struct {
	Version   int    `json:"version"`
	Status    string `json:"status"`              // live, review, processing, disabled; public once it is live
	Unchanged bool   `json:"unchanged,omitempty"` // the link already had these bytes, so there is no new version
	Reason    string `json:"reason,omitempty"`
	Detail    string `json:"detail,omitempty"`
}

// Versions returns the versions of the file of a link, newest first.
func (c *Client) Versions(ctx context.Context, slug string) ([]Version, error) {
	var l struct {
		Versions []Version `json:"versions"`
	}
	err := c.get(ctx, versionsPath(slug), nil, &l)
	return l.Versions, err
}

// RestoreVersion makes an earlier version of the file of a link the current
// one.
func (c *Client) RestoreVersion(ctx context.Context, slug string, version int) (Link, error) {
	var l Link
	err := c.call(ctx, http.MethodPost, versionsPath(slug)+"/"+strconv.Itoa(version)+"/restore", nil, payload{}, &l)
	return l, err
}

// DeleteVersion deletes an earlier version of the file of a link.
func (c *Client) DeleteVersion(ctx context.Context, slug string, version int) error {
	return c.call(ctx, http.MethodDelete, versionsPath(slug)+"/"+strconv.Itoa(version), nil, payload{}, nil)
}

func versionsPath(slug string) string { return "/links/" + url.PathEscape(slug) + "/versions" }
