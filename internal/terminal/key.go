package terminal

import "time"

// KeyColumns are the headers of a table of API keys.
var KeyColumns = []string{"ID", "KEY", "CREATED", "LAST USED", "SCOPE", "STATE", "NAME"}

// KeyState returns the state of an API key for a table of keys.
func (t *Terminal) KeyState(revoked, expires, now time.Time) string {
	switch {
	case !revoked.IsZero():
		return "revoked " + t.When(revoked)
	case expires.IsZero():
		return "active"
	case !now.Before(expires):
		return "expired " + t.When(expires)
	}
	return "expires " + t.When(expires)
}
