package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Access is what readers of a link need. It never has a secret.
type Access struct {
	Password    bool   `json:"password,omitempty"`    // there is one
	Email       *Email `json:"email,omitempty"`       // nil if readers need not confirm an address
	Readers     int    `json:"readers,omitempty"`     // how many people may open the link; 0 for any number
	ReadersLeft int    `json:"readersLeft,omitempty"` // of Readers, how many more
	Gate        *Gate  `json:"gate,omitempty"`        // of a link that asks for something
}

// Gate is how often the gate of a link, which is no view, was shown to browsers
// and passed, at all of its addresses.
type Gate struct {
	Shown  int64 `json:"shown"`
	Passed int64 `json:"passed"`
}

// MarshalJSON implements [json.Marshaler]. An access that needs nothing is
// false.
func (a Access) MarshalJSON() ([]byte, error) {
	if a == (Access{}) {
		return []byte("false"), nil
	}
	type plain Access
	return json.Marshal(plain(a))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (a *Access) UnmarshalJSON(b []byte) error {
	if *a = (Access{}); string(b) == "false" {
		return nil
	}
	type plain Access
	return json.Unmarshal(b, (*plain)(a))
}

// Email is whom a link admits that asks readers to confirm an email address.
type Email struct {
	Allow   []string `json:"allow"`             // addresses and domains; none admits all
	Deny    []string `json:"deny"`              // addresses and domains
	Consent string   `json:"consent,omitempty"` // what readers must agree to
}

// AccessChange is a change of what readers of a link need. Nil fields stay
// unchanged.
type AccessChange struct {
	Password *string // "" removes it
	Readers  *int    // 0 removes the limit
	Email    *Email  // replaces the one before
	NoEmail  bool    // readers need not confirm an address any more

	// Open and AsLink are of recipients, and alone: its readers need nothing,
	// or what those of the link need.
	Open, AsLink bool
}

// MarshalJSON implements [json.Marshaler].
func (c AccessChange) MarshalJSON() ([]byte, error) {
	switch {
	case c.Open:
		return []byte("false"), nil
	case c.AsLink:
		return []byte(`"link"`), nil
	}
	o := map[string]any{}
	if c.Password != nil {
		o["password"] = orFalse(*c.Password)
	}
	if c.Readers != nil {
		o["readers"] = orFalse(*c.Readers)
	}
	if c.Email != nil {
		o["email"] = c.Email
	}
	if c.NoEmail {
		o["email"] = false
	}
	return json.Marshal(o)
}

// orFalse returns a value, or false for the zero value, which removes what it
// would set.
func orFalse[T comparable](v T) any {
	var zero T
	if v == zero {
		return false
	}
	return v
}

// Reader is a reader who confirmed an address at the email gate of a link.
type Reader struct {
	ID      int64     `json:"id"`
	Email   string    `json:"email"`
	At      time.Time `json:"at"`                // when it was first confirmed, with the present lists
	Consent string    `json:"consent,omitempty"` // what the reader agreed to
}

// Readers returns who confirmed an address at a link, newest first: at most
// 100, and the cursor of the next ones. The cursor of the first ones is "", and
// so is next after the last ones.
func (c *Client) Readers(ctx context.Context, slug, cursor string) (list []Reader, next string, err error) {
	q := url.Values{"limit": {"100"}}
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	var l struct {
		Readers    []Reader `json:"readers"`
		NextCursor *string  `json:"nextCursor"`
	}
	err = c.get(ctx, "/links/"+url.PathEscape(slug)+"/readers", q, &l)
	if l.NextCursor != nil {
		next = *l.NextCursor
	}
	return l.Readers, next, err
}

// DeleteReader deletes a reader from the list of a link.
func (c *Client) DeleteReader(ctx context.Context, slug string, id int64) error {
	return c.call(ctx, http.MethodDelete, "/links/"+url.PathEscape(slug)+"/readers/"+strconv.FormatInt(id, 10), nil,
		payload{}, nil)
}
