package api

import (
	"net/http"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/web/httpx"
)

// startedLogin is what a program shows, and the secret with which it asks for
// its key.
type startedLogin struct {
	Code      string `json:"code"`
	Secret    string `json:"secret"`
	URL       string `json:"url"`
	URLFilled string `json:"urlWithCode"`
	ExpiresIn int64  `json:"expiresIn"`
	Interval  int64  `json:"interval"`
}

func (s *Handler) StartLogin(w http.ResponseWriter, r *http.Request) error {
	o, err := httpx.ReadFilled(w, r)
	if err != nil {
		return err
	}
	f := httpx.Fields{Object: o}
	program, machine, asked := f.Text("program"), f.Text("machine"), auth.AnyKey
	if scope := f.OptionalText("scope"); scope != nil {
		asked.Scope = vitrine.KeyScope(*scope)
	}
	if at := expiry(&f); at != nil {
		asked.ExpiresAt, asked.EndChosen = *at, true
	}
	if f.Err != nil {
		return f.Err
	}
	l, secret, err := s.Logins.Begin(r.Context(), program, machine, asked, s.Server.Client(r))
	if err != nil {
		return err
	}
	page, code := s.Server.PublicURL.String()+httpx.LoginRoot, auth.ShownLoginCode(l.Code)
	return httpx.WriteJSON(w, startedLogin{Code: code, Secret: string(secret), URL: page,
		URLFilled: page + "?code=" + code,
		ExpiresIn: int64(vitrine.LoginLife / time.Second), Interval: int64(vitrine.LoginPause / time.Second)})
}

// takenLogin is the answer to a program that asks for its key.
type takenLogin struct {
	State  vitrine.LoginState `json:"state"`
	APIKey string             `json:"apiKey,omitempty"`
	Name   string             `json:"name,omitempty"`
	Email  string             `json:"email,omitempty"`
}

func (s *Handler) TakeLogin(w http.ResponseWriter, r *http.Request) error {
	o, err := httpx.ReadObject(w, r)
	if err != nil {
		return err
	}
	f := httpx.Fields{Object: o}
	secret := f.Text("secret")
	if f.Err != nil {
		return f.Err
	}
	taken, err := s.Logins.Take(r.Context(), secret)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, takenLogin{taken.State, string(taken.Key), taken.Name, taken.Email})
}

// ownKey describes the key of a request.
type ownKey struct {
	ID        vitrine.KeyID    `json:"id"`
	Account   string           `json:"account"`
	Name      string           `json:"name"`
	Last4     string           `json:"last4"`
	Scope     vitrine.KeyScope `json:"scope"`
	CreatedAt string           `json:"createdAt"`
	ExpiresAt string           `json:"expiresAt,omitempty"`
	Plan      vitrine.Plan     `json:"plan,omitempty"` // where plans are sold
	Limits    ownLimits        `json:"limits"`
	Used      ownUse           `json:"used"`
}

// ownLimits are the limits of the account of a key. Zero means no limit.
type ownLimits struct {
	Links         int64 `json:"links"`
	FileBytes     int64 `json:"fileBytes"`
	StorageBytes  int64 `json:"storageBytes"`
	HourlyUploads int64 `json:"hourlyUploads"`
	Versions      int64 `json:"versions"`
	Recipients    int64 `json:"recipients"`
}

// ownUse is what the account of a key uses of its limits.
type ownUse struct {
	Links        int64 `json:"links"`
	StorageBytes int64 `json:"storageBytes"`
	Uploads      int64 `json:"uploads"`
}

// OwnKey returns the key of the request, and its account with what it uses.
func (s *Handler) OwnKey(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	use, err := s.Uploads.Usage(r.Context(), c.Account)
	if err != nil {
		return err
	}
	k := ownKey{ID: c.Key.ID, Account: c.Email, Name: c.Key.Name, Last4: c.Key.Last4, Scope: c.Key.Scope,
		CreatedAt: c.Key.CreatedAt.UTC().Format(httpx.TimeFormat), Limits: ownLimits(use.Limits),
		Used: ownUse{use.Links, use.Bytes, use.Uploads}}
	if s.Server.Sold() {
		k.Plan = c.Plan
	}
	if at := c.Key.ExpiresAt; !at.IsZero() {
		k.ExpiresAt = at.UTC().Format(httpx.TimeFormat)
	}
	return httpx.WriteJSON(w, k)
}

// RevokeOwnKey revokes the key of the request.
func (s *Handler) RevokeOwnKey(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	if err := s.Keys.RevokeOwn(r.Context(), c); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
