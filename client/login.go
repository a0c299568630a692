package client

import (
	"context"
	"net/http"
	"time"
)

// Login is a request for an API key that the user confirms in a browser.
type Login struct {
	Code        string `json:"code"`        // the user compares it
	Secret      string `json:"secret"`      // secret for TakeLogin; do not show it
	URL         string `json:"url"`         // page where the code is entered
	URLWithCode string `json:"urlWithCode"` // the same page with the code filled in
	ExpiresIn   int64  `json:"expiresIn"`   // seconds
	Interval    int64  `json:"interval"`    // minimum seconds between two calls of TakeLogin
}

// The states of a TakenLogin.
const (
	LoginPending = "pending" // not decided yet; call again after Login.Interval
	LoginAllowed = "allowed"
	LoginRefused = "refused"
)

// TakenLogin is the state of a Login. It includes the key only once.
type TakenLogin struct {
	State  string `json:"state"`
	APIKey string `json:"apiKey"` // with LoginAllowed
	Name   string `json:"name"`   // name of the key
	Email  string `json:"email"`  // email of the account
}

// LoginRequest describes the API key that a login asks for. The user who
// confirms it sees all of it, and may give the key less, but not more.
type LoginRequest struct {
	Program string // name and version
	Machine string // becomes the name of the key
	Scope   string // read, publish or full; "" means full
	// ExpiresAt is when the key expires. nil lets the user choose, and the zero
	// time asks for a key that never expires.
	ExpiresAt *time.Time
}

// StartLogin starts a login and returns its code. It needs no key.
func (c *Client) StartLogin(ctx context.Context, r LoginRequest) (l Login, err error) {
	err = c.post(ctx, "/logins", struct {
		Program   string `json:"program"`
		Machine   string `json:"machine"`
		Scope     string `json:"scope,omitempty"`
		ExpiresAt string `json:"expiresAt,omitempty"`
	}{r.Program, r.Machine, r.Scope, expiry(r.ExpiresAt)}, &l)
	return l, err
}

// TakeLogin returns the state of a Login. It returns the key only once. It
// needs no key.
func (c *Client) TakeLogin(ctx context.Context, secret string) (TakenLogin, error) {
	var t TakenLogin
	err := c.post(ctx, "/logins/take", map[string]string{"secret": secret}, &t)
	return t, err
}

// Key describes an API key, without its secret.
type Key struct {
	ID        int64     `json:"id"`
	Account   string    `json:"account"` // email address
	Name      string    `json:"name"`
	Last4     string    `json:"last4"` // the last characters of the key
	Scope     string    `json:"scope"` // read, publish or full
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"` // zero means never

	Plan   string `json:"plan,omitempty"` // of the account: free, pro or lifetime; "" where none are sold
	Limits Limits `json:"limits"`
	Used   Used   `json:"used"`
}

// Limits are the limits of an account. Zero means no limit.
type Limits struct {
	Links         int64 `json:"links"`
	FileBytes     int64 `json:"fileBytes"`     // of a file
	StorageBytes  int64 `json:"storageBytes"`  // of all files
	HourlyUploads int64 `json:"hourlyUploads"` // begun within 60 minutes
	Versions      int64 `json:"versions"`      // earlier ones of a file
	Recipients    int64 `json:"recipients"`    // of a link
}

// Used is what an account uses of its limits, unfinished uploads included.
type Used struct {
	Links        int64 `json:"links"`
	StorageBytes int64 `json:"storageBytes"`
	Uploads      int64 `json:"uploads"` // begun in the last 60 minutes
}

// Key returns the API key of the client.
func (c *Client) Key(ctx context.Context) (k Key, err error) {
	err = c.get(ctx, "/key", nil, &k)
	return k, err
}

// RevokeKey revokes the client's own key.
func (c *Client) RevokeKey(ctx context.Context) error {
	return c.call(ctx, http.MethodDelete, "/key", nil, payload{}, nil)
}
