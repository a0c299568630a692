package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

var uploads = newTable("uploads", func(u *vitrine.Upload) []field {
	return []field{{"id", &u.ID}, {"account", &u.Account}, {"idempotency_key", &u.IdempotencyKey},
		{"replaced", &u.Replaced}, {"name", &u.Name}, {"type", &u.Type}, {"size", &u.Size}, {"slug", &u.Slug},
		{"state", &u.State}, {"created_at", at(&u.CreatedAt)}, {"hold_until", orNone(&u.HoldUntil)},
		{"link", &u.Link}, {"failure", sqldb.InJSON[vitrine.Error]{V: &u.Failure}}, {"site", &u.Site},
		{"replaces", &u.Replaces}}
})

func (t Tx) AddUpload(u *vitrine.Upload) error {
	n, err := t.Exec(uploads.insert+" ON CONFLICT DO NOTHING", stored(uploads.fields(u))...)
	if err == nil && n == 0 {
		return vitrine.ErrExists
	}
	return err
}

func (t Tx) PutUpload(u *vitrine.Upload) error { return uploads.put(t, u) }

func (t Tx) Upload(id vitrine.UploadID) (*vitrine.Upload, error) {
	return uploads.one(t, "id = $1", string(id))
}

func (t Tx) UploadByKey(a vitrine.AccountID, key string) (*vitrine.Upload, error) {
	return uploads.one(t, "account = $1 AND idempotency_key = $2 AND NOT replaced AND idempotency_key <> ''",
		int64(a), key)
}

func (t Tx) DeleteUpload(id vitrine.UploadID) error {
	return t.Put("DELETE FROM uploads WHERE id = $1", string(id))
}

func (t Tx) CountUploads(a vitrine.AccountID, since time.Time) (n int64, oldest time.Time, err error) {
	err = t.Get([]any{&n, sqldb.Instant{Time: &oldest}},
		"SELECT count(*), min(created_at) FROM uploads WHERE account = $1 AND created_at >= $2",
		int64(a), sqldb.Ms(since))
	return n, oldest, err
}

func (t Tx) Held(a vitrine.AccountID, now time.Time, except vitrine.UploadID) (n, bytes int64, err error) {
	err = t.Get([]any{&n, &bytes}, `SELECT count(CASE WHEN site = 0 AND replaces = 0 THEN 1 END), CAST(coalesce(sum(size), 0) AS BIGINT) FROM uploads
		WHERE account = $1 AND state = 'open' AND hold_until > $2 AND id <> $3`, int64(a), sqldb.Ms(now), string(except))
	return n, bytes, err
}

func (t Tx) HeldUntil(a vitrine.AccountID, now time.Time, except vitrine.UploadID, what vitrine.Holding,
	n int64) (until time.Time, err error) {
	var released int64
	err = t.Each(func(row sqldb.Scanner) error {
		var at time.Time
		var size, site, replaces int64
		if err := row.Scan(sqldb.Instant{Time: &at}, &size, &site, &replaces); err != nil || released >= n {
			return err
		}
		switch {
		case what == vitrine.Bytes:
			released += size
		case site == 0 && replaces == 0:
			released++
		}
		if released >= n {
			until = at
		}
		return nil
	}, `SELECT hold_until, size, site, replaces FROM uploads
		WHERE account = $1 AND state = 'open' AND hold_until > $2 AND id <> $3 ORDER BY hold_until`, int64(a), sqldb.Ms(now), string(except))
	return until, err
}

func (t Tx) SlugHolder(s vitrine.Slug, now time.Time) (*vitrine.Upload, error) {
	return uploads.one(t, `slug = $1 AND state = 'open' AND slug <> '' AND hold_until > $2 ORDER BY hold_until DESC LIMIT 1`, string(s), sqldb.Ms(now))
}

func (t Tx) StaleUploads(s vitrine.UploadState, before time.Time, n int) ([]*vitrine.Upload, error) {
	return uploads.list(t, ` WHERE state = $1 AND created_at < $2 ORDER BY created_at, id LIMIT $3`, string(s), sqldb.Ms(before), n)
}
