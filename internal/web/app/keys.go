package app

import (
	"net/http"
	"strconv"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// KeyPages serves the page of API keys.
type KeyPages struct {
	Server *httpx.Server
	Shell  *Shell
	Now    func() time.Time
	Keys   *auth.Keys
}

const keysRoot = "/keys"

// maxEndedKeys is how many expired and revoked keys are listed.
const maxEndedKeys = 20

// keysPage lists API keys.
type keysPage struct {
	Page
	Keys    []keyRow // in force, newest first
	Ended   []keyRow // newest first, at most maxEndedKeys
	More    int      // ended keys that are not listed
	New     string   // a key that was just made, which is shown this once
	NewName string
	Base    string // address of the API
	Site    string // address of the instance
	// NeedsCode is how a new key asks for the second factor; nil: it need not.
	NeedsCode *factorAsk
	Typed     typedKey
}

// keyRow is a key and the number of links it created.
type keyRow struct {
	*vitrine.APIKey
	Links int64
}

// typedKey is the content of the form for a key.
type typedKey struct{ Name, Scope, Expires, LinkLife string }

// keyScope is a scope of keys with its label.
type keyScope struct{ Value, Name, Note string }

// Scopes returns the scopes of keys.
func (p *keysPage) Scopes() []keyScope {
	return []keyScope{
		{string(vitrine.ScopeRead), "Read", "Lists links and reads analytics. Changes nothing."},
		{string(vitrine.ScopePublish), "Publish", "Also uploads files and edits links. Deletes nothing."},
		{string(vitrine.ScopeFull), "Full", "Also deletes links, and creates and revokes keys."},
	}
}

// Spans returns the lifetimes of keys and links.
func (p *keysPage) Spans(chosen string) []ui.Option { return AllLifetimes.Options(chosen) }

// Life returns how long the links of a key are public, in words.
func (k keyRow) Life() string {
	for _, l := range AllLifetimes {
		if l.Span == k.LinkLife {
			return l.Name
		}
	}
	return k.LinkLife.String()
}

// request reads the form.
func (t typedKey) request(now time.Time) (auth.KeyRequest, error) {
	r := auth.KeyRequest{Name: t.Name, Scope: vitrine.KeyScope(t.Scope)}
	var err error
	if r.LinkLife, err = AllLifetimes.Parse("linkLife", t.LinkLife); err != nil {
		return r, err
	}
	d, err := AllLifetimes.Parse("expiresAt", t.Expires)
	if d > 0 {
		r.ExpiresAt = now.Add(d)
	}
	return r, err
}

// EndedInAll returns the number of expired and revoked keys.
func (p *keysPage) EndedInAll() int { return len(p.Ended) + p.More }

// End returns when a key was revoked or expires.
func (k keyRow) End() time.Time {
	if !k.RevokedAt.IsZero() {
		return k.RevokedAt
	}
	return k.ExpiresAt
}

func (s *KeyPages) Show(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	return s.writeKeys(w, r, http.StatusOK, me, nil)
}

func (s *KeyPages) writeKeys(w http.ResponseWriter, r *http.Request, status int, me *vitrine.Account,
	change func(*keysPage)) error {
	all, err := s.Keys.List(r.Context(), me.Email)
	if err != nil {
		return err
	}
	made, err := s.Keys.LinkCounts(r.Context(), me)
	if err != nil {
		return err
	}
	p := keysPage{Page: s.Shell.NewAppPage(r, me, "API keys", "keys"),
		Typed: typedKey{Scope: string(vitrine.ScopePublish)}, Base: s.Server.PublicURL.String() + httpx.APIRoot,
		Site: s.Server.PublicURL.String()}
	p.NeedsCode = needsCode(r, s.Server, s.Shell.Sessions, me)
	now := s.Now()
	for i := len(all) - 1; i >= 0; i-- {
		row := keyRow{all[i], made[all[i].ID]}
		if row.InForce(now) {
			p.Keys = append(p.Keys, row)
		} else if len(p.Ended) < maxEndedKeys {
			p.Ended = append(p.Ended, row)
		} else {
			p.More++
		}
	}
	if change != nil {
		change(&p)
	}
	return s.Shell.WriteApp(w, r, status, "keys.html", p.Nonce, &p)
}

// reveal shows a new key. The key is only in this answer, which must not be
// cached.
func (s *KeyPages) reveal(w http.ResponseWriter, r *http.Request, me *vitrine.Account, key auth.KeyText) error {
	return s.writeKeys(w, r, http.StatusOK, me, func(p *keysPage) {
		p.New, p.Said = string(key), ""
		if len(p.Keys) > 0 {
			p.NewName = p.Keys[0].Name
		}
	})
}

func (s *KeyPages) Create(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	f := r.PostForm
	t := typedKey{f.Get("name"), f.Get("scope"), f.Get("expires"), f.Get("linkLife")}
	req, err := t.request(s.Now())
	var session *vitrine.Session
	if err == nil {
		session, err = giveFactor(r, s.Server, s.Shell.Sessions)
	}
	var key auth.NewKey
	if err == nil {
		key, err = s.Keys.Create(r.Context(), session, req)
	}
	if err != nil {
		return s.renderWrong(w, r, me, err, t)
	}
	return s.reveal(w, r, me, key.Text)
}

// renderWrong shows the page again with an error that the person can correct.
func (s *KeyPages) renderWrong(w http.ResponseWriter, r *http.Request, me *vitrine.Account, err error,
	t typedKey) error {
	wrong := httpx.FieldErrorsOf(err)
	if wrong == nil {
		return err
	}
	e, status := s.Server.Known(w, r, err)
	if e.Code == vitrine.CodeRateLimited {
		httpx.RetryAfter(w, e)
		wrong[e.Field] = httpx.AdviceOn(e)
	}
	return s.writeKeys(w, r, status, me, func(p *keysPage) { p.Wrong, p.Typed = wrong, t })
}

// graces maps choices to how long a replaced key stays valid.
var graces = map[string]time.Duration{"now": 0, "hour": time.Hour, "day": 24 * time.Hour}

func (s *KeyPages) Rotate(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
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
	session, err := giveFactor(r, s.Server, s.Shell.Sessions)
	if err != nil {
		return s.renderWrong(w, r, me, err, typedKey{Scope: string(vitrine.ScopePublish)})
	}
	key, err := s.Keys.Rotate(r.Context(), session, id, grace)
	if err != nil {
		return err
	}
	return s.reveal(w, r, me, key.Text)
}

func (s *KeyPages) Revoke(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	id, err := keyID(r)
	if err != nil {
		return err
	}
	if _, err := s.Keys.Revoke(r.Context(), me.Email, id); err != nil {
		return err
	}
	return httpx.Redirect(w, r, Said(keysRoot, "key-revoked"))
}

func keyID(r *http.Request) (vitrine.KeyID, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return 0, httpx.ErrNoPage
	}
	return vitrine.KeyID(id), nil
}
