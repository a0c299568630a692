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
	Current   bool      `json:"current"` // readers see this version
	Status    string    `json:"status"`  // of the file: live, review, processing, disabled
	Name      string    `json:"name"`
	Type      string    `json:"type"`
	Kind      string    `json:"kind"`
	SizeBytes int64     `json:"size_bytes"`
	SHA256    string    `json:"sha256"`          // lower-case hex
	Pages     int       `json:"pages,omitempty"` // of a PDF
	CreatedAt time.Time `json:"created_at"`
	Key       string    `json:"key,omitempty"`    // the name of the API key that it was sent with
	Client    string    `json:"client,omitempty"` // the program that sent it
	Reason    string    `json:"reason,omitempty"` // why it is in review or disabled: a reason code
	Detail    string    `json:"detail,omitempty"` // what exactly was found
}

// Replacement describes what an upload did to the link whose file it replaces.
type Replacement struct {
	Version   int    `json:"version"`
	Status    string `json:"status"`              // live, review, processing, disabled; readers see it once it is live
	Unchanged bool   `json:"unchanged,omitempty"` // the link already has these bytes: there is no new version
	Reason    string `json:"reason,omitempty"`
	Detail    string `json:"detail,omitempty"`
}

// Versions lists the versions of the file of a link, newest first.
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
