package client

import (
	"context"
	"time"
)

// Website is a static website of the account. Websites are created in the app;
// an upload with Options.Website deploys a version.
type Website struct {
	Slug       string    `json:"slug"`
	Title      string    `json:"title"`
	URL        string    `json:"url"`
	Status     string    `json:"status"`            // live, review, processing, disabled, or empty before the first deploy
	Pending    bool      `json:"pending,omitempty"` // a newer version is held, and visitors see the previous one
	Versions   int       `json:"versions"`
	SizeBytes  int64     `json:"size_bytes"` // of all versions
	CreatedAt  time.Time `json:"created_at"`
	DeployedAt time.Time `json:"deployed_at,omitzero"` // zero means never
}

// LeftOut is a file that a website does not serve.
type LeftOut struct {
	Path    string `json:"path"`
	Reason  string `json:"reason"`  // a code, such as program or unlisted_type
	Meaning string `json:"meaning"` // of Reason, in words
}

// Websites returns the websites of the account, newest first.
func (c *Client) Websites(ctx context.Context) ([]Website, error) {
	var list struct {
		Websites []Website `json:"websites"`
	}
	err := c.get(ctx, "/websites", nil, &list)
	return list.Websites, err
}
