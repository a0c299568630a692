package terminal

import (
	"cmp"
	"time"
)

// KeyColumns are the headers of a table of API keys.
var KeyColumns = []string{"ID", "KEY", "CREATED", "LAST USED", "SCOPE", "STATE", "ENDS", "NAME"}

// KeyState returns the state of an API key for a table of keys, and when it
// ends or has ended.
func (t *Terminal) KeyState(revoked, expires, now time.Time) (state, end string) {
	switch {
	case !revoked.IsZero():
		return "revoked", t.When(revoked)
	case !expires.IsZero() && !now.Before(expires):
		return "expired", t.When(expires)
	}
	return "active", cmp.Or(t.When(expires), "never")
}
