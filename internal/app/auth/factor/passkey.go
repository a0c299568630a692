package factor

import (
	"bytes"
	"slices"
	"time"
)

// MaxPasskeys bounds the passkeys of an account, which are read with it.
const MaxPasskeys = 20

// Passkey is the public half of a key that a device or a password manager of
// the person holds (WebAuthn). Nothing of it is secret.
type Passkey struct {
	ID     []byte    `json:"id"`
	Key    []byte    `json:"key"`    // public, as COSE
	Domain string    `json:"domain"` // the only one at which it works
	Name   string    `json:"name"`
	Since  time.Time `json:"since"`
	Used   time.Time `json:"used,omitzero"`
	// Count is how often it has signed, if it counts. Copied: the count went
	// back once, so that two devices may have the key. It is refused then.
	Count  uint32 `json:"count,omitempty"`
	Copied bool   `json:"copied,omitempty"`
	// Synced: it can leave its device, as in a password manager. BackedUp: it
	// did when it was last used.
	Synced     bool     `json:"synced,omitempty"`
	BackedUp   bool     `json:"backedUp,omitempty"`
	Transports []string `json:"transports,omitempty"` // how a browser reaches it
}

// HasApp reports whether an authenticator app makes codes.
func (s State) HasApp() bool { return len(s.Sealed) > 0 }

// At returns the passkeys that work at a domain.
func (s State) At(domain string) (list []Passkey) {
	for _, p := range s.Passkeys {
		if p.Domain == domain && domain != "" {
			list = append(list, p)
		}
	}
	return list
}

// Passkey returns the passkey with an ID, to be changed in place; nil if there
// is none.
func (s *State) Passkey(id []byte) *Passkey {
	for i := range s.Passkeys {
		if bytes.Equal(s.Passkeys[i].ID, id) {
			return &s.Passkeys[i]
		}
	}
	return nil
}

// Remove removes a passkey, or the app if id is nil. It returns its name, and
// reports whether it was there.
func (s *State) Remove(id []byte) (name string, was bool) {
	if id == nil {
		was = s.HasApp()
		s.Sealed, s.Last = nil, 0
		return "Authenticator app", was
	}
	p := s.Passkey(id)
	if p == nil {
		return "", false
	}
	name = p.Name
	s.Passkeys = slices.DeleteFunc(s.Passkeys, func(p Passkey) bool { return bytes.Equal(p.ID, id) })
	return name, true
}

// Any reports whether anything is left that shows the factor, besides recovery
// codes.
func (s State) Any() bool { return s.HasApp() || len(s.Passkeys) > 0 }
