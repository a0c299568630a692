package keypage

import (
	"net/http"
	"strconv"
	"time"

	"vitrine"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
)

var keysTemplate = app.Parse("keys.html")

const keysRoot = "/keys"

// mostEndedKeys is how many keys that are no longer in force are listed.
const mostEndedKeys = 20

// keysPage lists API keys.
type keysPage struct {
	app.Page
	Keys    []*vitrine.APIKey // in force, newest first
	Ended   []*vitrine.APIKey // newest first, at most mostEndedKeys
	More    int               // ended keys that are not listed
	New     string            // a key that was just made, which is shown this once
	NewName string
	Rolled  time.Time // until when the key holds that it takes the place of; zero: there is none
	Base    string    // address of the API
	Site    string    // address of the instance
	Name    string    // typed
}

// EndedInAll is how many keys are no longer in force.
func (p *keysPage) EndedInAll() int { return len(p.Ended) + p.More }

// Over reports whether a key was revoked, or has ended.
func (p *keysPage) End(k *vitrine.APIKey) time.Time {
	if !k.RevokedAt.IsZero() {
		return k.RevokedAt
	}
	return k.ExpiresAt
}

func (s *Handler) Show(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	return s.writeKeys(w, r, http.StatusOK, me, nil)
}

func (s *Handler) writeKeys(w http.ResponseWriter, r *http.Request, status int, me *vitrine.Account, change func(*keysPage)) error {
	all, err := s.Keys.List(r.Context(), me.Email)
	if err != nil {
		return err
	}
	p := keysPage{Page: s.NewAppPage(r, me, "API keys", "keys"), Base: s.PublicURL.String() + httpx.APIRoot, Site: s.PublicURL.String()}
	now := s.Now()
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].InForce(now) {
			p.Keys = append(p.Keys, all[i])
		} else if len(p.Ended) < mostEndedKeys {
			p.Ended = append(p.Ended, all[i])
		} else {
			p.More++
		}
	}
	if change != nil {
		change(&p)
	}
	return s.WriteApp(w, r, status, keysTemplate, p.Nonce, &p)
}

// reveal shows a key that was just made. It is in this one answer, which nobody
// keeps, and nowhere else.
func (s *Handler) reveal(w http.ResponseWriter, r *http.Request, me *vitrine.Account, key vitrine.KeyText) error {
	return s.writeKeys(w, r, http.StatusOK, me, func(p *keysPage) {
		p.New, p.Said = string(key), ""
		if len(p.Keys) > 0 {
			p.NewName = p.Keys[0].Name
		}
	})
}

func (s *Handler) Create(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	name := r.PostForm.Get("name")
	key, err := s.Keys.Create(r.Context(), me.Email, name)
	if err != nil {
		if wrong := httpx.WrongWith(err); wrong != nil {
			_, status := s.Known(w, r, err)
			return s.writeKeys(w, r, status, me, func(p *keysPage) { p.Wrong, p.Name = wrong, name })
		}
		return err
	}
	return s.reveal(w, r, me, key)
}

// graces are how long a key may hold beside the one that takes its place.
var graces = map[string]time.Duration{"now": 0, "hour": time.Hour, "day": 24 * time.Hour}

func (s *Handler) Rotate(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	id, err := keyID(r)
	if err != nil {
		return err
	}
	grace, ok := graces[r.PostForm.Get("grace")]
	if !ok {
		return vitrine.Errorf(vitrine.CodeInvalidRequest, "Choose when the old key ends: now, in an hour, or in a day.")
	}
	key, err := s.Keys.Rotate(r.Context(), me.Email, id, grace)
	if err != nil {
		return err
	}
	return s.reveal(w, r, me, key)
}

func (s *Handler) Revoke(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	id, err := keyID(r)
	if err != nil {
		return err
	}
	if err := s.Keys.Revoke(r.Context(), me.Email, id); err != nil {
		return err
	}
	return httpx.Redirect(w, r, app.Said(keysRoot, "key-revoked"))
}

func keyID(r *http.Request) (vitrine.KeyID, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return 0, httpx.ErrNoPage
	}
	return vitrine.KeyID(id), nil
}
