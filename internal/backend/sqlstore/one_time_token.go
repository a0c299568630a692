package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

var tokens = newTable("one_time_tokens", func(v *vitrine.OneTimeToken) []field {
	return []field{{"id", &v.ID}, {"purpose", &v.Purpose}, {"hash", digest(v.Hash[:])}, {"account", &v.Account},
		{"email", &v.Email}, {"plan", &v.Plan}, {"invited_by", &v.By}, {"created_at", at(&v.CreatedAt)},
		{"expires_at", orNone(&v.ExpiresAt)}}
})

func (t Tx) AddOneTimeToken(v *vitrine.OneTimeToken) error {
	if _, err := t.OneTimeTokenByHash(v.Hash); err != vitrine.ErrNotFound {
		if err == nil {
			err = vitrine.ErrExists
		}
		return err
	}
	if _, err := t.Exec("DELETE FROM one_time_tokens WHERE purpose = $1 AND email = $2", string(v.Purpose),
		v.Email); err != nil {
		return err
	}
	return tokens.add(t, v)
}

func (t Tx) OneTimeTokenByHash(hash [32]byte) (*vitrine.OneTimeToken, error) {
	return tokens.one(t, "hash = $1", hash[:])
}

func (t Tx) OneTimeTokens(p vitrine.TokenPurpose) ([]*vitrine.OneTimeToken, error) {
	return tokens.list(t, " WHERE purpose = $1 ORDER BY created_at DESC, id DESC", string(p))
}

func (t Tx) DeleteOneTimeToken(id vitrine.OneTimeTokenID) error {
	return t.Put("DELETE FROM one_time_tokens WHERE id = $1", int64(id))
}

func (t Tx) DeleteOneTimeTokens(a vitrine.AccountID, email string) error {
	_, err := t.Exec("DELETE FROM one_time_tokens WHERE account = $1 AND account <> 0 OR email = $2", int64(a), email)
	return err
}

func (t Tx) ExpireOneTimeTokens(before time.Time) (int64, error) {
	return t.Exec("DELETE FROM one_time_tokens WHERE expires_at < $1", sqldb.Ms(before))
}
