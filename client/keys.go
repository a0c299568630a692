package client

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// ListedKey is an API key of the account, without its secret.
type ListedKey struct {
	ID        int64     `json:"id"`
	Name      string    `json:"name"`
	Last4     string    `json:"last4"` // the last characters of the key
	Scope     string    `json:"scope"` // read, publish or full
	CreatedAt time.Time `json:"createdAt"`
	UsedAt    time.Time `json:"usedAt,omitzero"`           // to the minute; zero means never
	ExpiresAt time.Time `json:"expiresAt,omitzero"`        // zero means never
	RevokedAt time.Time `json:"revokedAt,omitzero"`        // zero means not revoked
	LinkLife  int64     `json:"linkLifeSeconds,omitempty"` // how long its links are public; 0 means no limit
	Current   bool      `json:"current"`                   // it is the client's own key
}

// CreatedKey is a new API key. The instance does not store the key itself.
type CreatedKey struct {
	ListedKey
	APIKey string `json:"apiKey"`
}

// KeyRequest describes a new API key.
type KeyRequest struct {
	Name  string
	Scope string // read, publish or full
	// ExpiresAt is when the key expires. The zero time means the expiry of the
	// client's own key, which no key that it creates may exceed.
	ExpiresAt time.Time
	// LinkLife limits how long the links of a key with the scope publish are
	// public, in whole seconds. 0 means no limit.
	LinkLife time.Duration
}

// Keys returns the valid API keys of the account, newest first. The client's
// key needs the scope full, as for CreateKey and RevokeKeyByID.
func (c *Client) Keys(ctx context.Context) ([]ListedKey, error) {
	var list struct {
		Keys []ListedKey `json:"keys"`
	}
	err := c.get(ctx, "/keys", nil, &list)
	return list.Keys, err
}

// CreateKey creates an API key and returns it with its secret, which cannot be
// read again. If the connection breaks, it does not try again: the answer with
// the secret may be lost, and the key be in Keys.
func (c *Client) CreateKey(ctx context.Context, r KeyRequest) (k CreatedKey, err error) {
	var expires string
	if !r.ExpiresAt.IsZero() {
		expires = expiry(&r.ExpiresAt)
	}
	b, err := json.Marshal(struct {
		Name      string `json:"name"`
		Scope     string `json:"scope"`
		ExpiresAt string `json:"expiresAt,omitempty"`
		LinkLife  int64  `json:"linkLifeSeconds,omitempty"`
	}{r.Name, r.Scope, expires, int64(r.LinkLife / time.Second)})
	if err != nil {
		return k, err
	}
	err = c.postOnce(ctx, "/keys", b, &k)
	return k, err
}

// postOnce posts an object whose answer has a secret. It tries again only after
// an answer that says that nothing was done.
func (c *Client) postOnce(ctx context.Context, path string, body []byte, answer any) error {
	return c.retry(ctx, func(ctx context.Context) error {
		err := c.once(ctx, http.MethodPost, c.base.String()+path,
			payload{contentType: "application/json", bytes: body}, answer)
		if err != nil {
			err = permanent(err) // but a refusal that says "try again" had no effect
		}
		return err
	})
}

// RevokeKeyByID revokes an API key of the account and returns it. If it is the
// client's own key, Current is true and later calls fail.
func (c *Client) RevokeKeyByID(ctx context.Context, id int64) (k ListedKey, err error) {
	err = c.call(ctx, http.MethodDelete, "/keys/"+strconv.FormatInt(id, 10), nil, payload{}, &k)
	return k, err
}
