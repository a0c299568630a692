package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

var identities = newTable("identities", func(i *vitrine.Identity) []field {
	return []field{{"id", &i.ID}, {"account", &i.Account}, {"issuer", &i.Issuer}, {"subject", &i.Subject},
		{"email", &i.Email}, {"tokens", &i.Tokens}, {"created_at", at(&i.CreatedAt)}, {"checked_at", at(&i.CheckedAt)},
		{"check_at", orNone(&i.CheckAt)}}
})

func (t Tx) AddIdentity(i *vitrine.Identity) error { return identities.add(t, i) }
func (t Tx) PutIdentity(i *vitrine.Identity) error { return identities.put(t, i) }

func (t Tx) Identity(issuer, subject string) (*vitrine.Identity, error) {
	return identities.one(t, "issuer = $1 AND subject = $2", issuer, subject)
}

func (t Tx) Identities(a vitrine.AccountID) ([]*vitrine.Identity, error) {
	return identities.list(t, " WHERE account = $1 ORDER BY id", int64(a))
}

func (t Tx) IdentitiesDue(now time.Time, n int) ([]*vitrine.Identity, error) {
	return identities.list(t, " WHERE check_at <= $1 ORDER BY check_at, id LIMIT $2", sqldb.Ms(now), n)
}

func (t Tx) DeleteIdentity(id vitrine.IdentityID) error {
	return t.Put("DELETE FROM identities WHERE id = $1", int64(id))
}
