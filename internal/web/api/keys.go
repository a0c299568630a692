package api

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/web/httpx"
)

// keyItem is a key of the account, without its secret.
type keyItem struct {
	ID        vitrine.KeyID    `json:"id"`
	Name      string           `json:"name"`
	Last4     string           `json:"last4"`
	Scope     vitrine.KeyScope `json:"scope"`
	CreatedAt string           `json:"createdAt"`
	UsedAt    string           `json:"usedAt,omitempty"`
	ExpiresAt string           `json:"expiresAt,omitempty"`
	RevokedAt string           `json:"revokedAt,omitempty"`
	LinkLife  int64            `json:"linkLifeSeconds,omitempty"`
	Current   bool             `json:"current"` // it is the key of the request
}

func newKeyItem(c *auth.Caller, k *vitrine.APIKey) keyItem {
	return keyItem{ID: k.ID, Name: k.Name, Last4: k.Last4, Scope: k.Scope, CreatedAt: stamp(k.CreatedAt),
		UsedAt: stamp(k.UsedAt), ExpiresAt: stamp(k.ExpiresAt), RevokedAt: stamp(k.RevokedAt),
		LinkLife: int64(k.LinkLife / time.Second), Current: k.ID == c.Key.ID}
}

// stamp formats a time, or returns "" for the zero time.
func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(httpx.TimeFormat)
}

// ListKeys lists the keys of the account that are in force, newest first.
func (s *Handler) ListKeys(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	all, err := s.Keys.List(r.Context(), c.Email)
	if err != nil {
		return err
	}
	list, now := []keyItem{}, s.Now()
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].InForce(now) {
			list = append(list, newKeyItem(c, all[i]))
		}
	}
	return httpx.WriteJSON(w, map[string][]keyItem{"keys": list})
}

// createdKey is a new key. Only this answer has the key itself.
type createdKey struct {
	keyItem
	APIKey string `json:"apiKey"`
}

// minLinkLife and maxLinkLife bound linkLifeSeconds: a minute, and about thirty
// years.
const minLinkLife, maxLinkLife = 60, 1_000_000_000

// CreateKey creates a key with at most the rights of the key of the request.
func (s *Handler) CreateKey(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	o, err := httpx.ReadFilled(w, r)
	if err != nil {
		return err
	}
	f := httpx.Fields{Object: o}
	req := auth.KeyRequest{Name: f.Text("name"), Scope: vitrine.KeyScope(f.Text("scope")), ExpiresAt: c.Key.ExpiresAt}
	if at := expiry(&f); at != nil {
		req.ExpiresAt = *at
	}
	if o["linkLifeSeconds"] != nil {
		seconds := f.Integer("linkLifeSeconds")
		if seconds < minLinkLife || seconds > maxLinkLife {
			f.Wrong("linkLifeSeconds",
				"The field \"linkLifeSeconds\" must be a whole number of seconds, from 60 to 1000000000.")
		}
		req.LinkLife = time.Duration(seconds) * time.Second
	}
	if f.Err != nil {
		return f.Err
	}
	key, err := s.Keys.CreateBy(r.Context(), c, req)
	if e := new(vitrine.Error); errors.As(err, &e) && e.Field == "linkLife" {
		named := *e
		named.Field = "linkLifeSeconds"
		return &named
	}
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, createdKey{newKeyItem(c, key.APIKey), string(key.Text)})
}

// RevokeKey revokes a key of the account. It may be the key of the request.
func (s *Handler) RevokeKey(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return vitrine.Errorf(vitrine.CodeNotFound, "Your account has no key %q.", r.PathValue("id"))
	}
	k, err := s.Keys.Revoke(r.Context(), c.Email, vitrine.KeyID(id))
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, newKeyItem(c, k))
}
