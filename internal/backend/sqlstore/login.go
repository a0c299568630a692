package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

var logins = newTable("logins", func(l *vitrine.Login) []field {
	return []field{{"id", &l.ID}, {"code", &l.Code}, {"hash", digest(l.Hash[:])}, {"program", &l.Program},
		{"machine", &l.Machine}, {"state", &l.State}, {"account", &l.Account}, {"scope", &l.Key.Scope},
		{"key_expires_at", orNone(&l.Key.ExpiresAt)}, {"key_end_chosen", &l.Key.EndChosen},
		{"created_at", at(&l.CreatedAt)}, {"expires_at", at(&l.ExpiresAt)}}
})

func (t Tx) AddLogin(l *vitrine.Login) error { return logins.add(t, l) }
func (t Tx) PutLogin(l *vitrine.Login) error { return logins.put(t, l) }

func (t Tx) LoginByCode(code string) (*vitrine.Login, error) { return logins.one(t, "code = $1", code) }

func (t Tx) LoginByHash(hash [32]byte) (*vitrine.Login, error) {
	return logins.one(t, "hash = $1", hash[:])
}

func (t Tx) DeleteLogin(id vitrine.LoginID) error {
	return t.Put("DELETE FROM logins WHERE id = $1", int64(id))
}

func (t Tx) ExpireLogins(before time.Time) (int64, error) {
	return t.Exec("DELETE FROM logins WHERE expires_at < $1", sqldb.Ms(before))
}
