package sqlstore

import (
	"database/sql"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

const recipientColumns = `id, link, account, number, token, label, allow_download, created_at, expires_at, revoked_at,
	call, asked, access, opened_at`

const selectRecipients = "SELECT " + recipientColumns + " FROM recipients"

func recipientValues(r *vitrine.Recipient) []any {
	download := sql.NullBool{Valid: r.Download != nil}
	if r.Download != nil {
		download.Bool = *r.Download
	}
	access := sql.NullString{Valid: r.Access != nil}
	if r.Access != nil {
		access.String = r.Access.String()
	}
	return []any{int64(r.ID), int64(r.Link), int64(r.Account), r.Number, string(r.Token), r.Label, download,
		sqldb.Ms(r.CreatedAt), sqldb.MsOrNull(r.ExpiresAt), sqldb.MsOrNull(r.RevokedAt), r.Call, r.Asked,
		access, sqldb.MsOrNull(r.OpenedAt)}
}

func readRecipient(s sqldb.Scanner) (*vitrine.Recipient, error) {
	r := new(vitrine.Recipient)
	var download sql.NullBool
	var access sql.Null[vitrine.Access]
	err := s.Scan(&r.ID, &r.Link, &r.Account, &r.Number, &r.Token, &r.Label, &download,
		sqldb.Instant{Time: &r.CreatedAt}, sqldb.Instant{Time: &r.ExpiresAt}, sqldb.Instant{Time: &r.RevokedAt},
		&r.Call, &r.Asked, &access, sqldb.Instant{Time: &r.OpenedAt})
	if access.Valid {
		r.Access = &access.V
	}
	if download.Valid {
		r.Download = &download.Bool
	}
	return r, err
}

func (t Tx) AddRecipients(list []*vitrine.Recipient) error {
	changed, err := t.ExecMany("INSERT INTO recipients ("+recipientColumns+
		") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING", len(list),
		func(i int) []any { return recipientValues(list[i]) })
	for _, n := range changed {
		if err == nil && n == 0 {
			err = vitrine.ErrExists
		}
	}
	return err
}

func (t Tx) Recipient(l vitrine.LinkID, id vitrine.RecipientID) (*vitrine.Recipient, error) {
	return sqldb.One(t.Tx, readRecipient, selectRecipients+" WHERE id = $1 AND link = $2", int64(id), int64(l))
}

func (t Tx) RecipientByToken(l vitrine.LinkID, token vitrine.RecipientToken) (*vitrine.Recipient, error) {
	return sqldb.One(t.Tx, readRecipient, selectRecipients+" WHERE link = $1 AND token = $2", int64(l), string(token))
}

func (t Tx) PutRecipient(r *vitrine.Recipient) error {
	return t.Put(`UPDATE recipients SET link = $2, account = $3, number = $4, token = $5, label = $6,
		allow_download = $7, created_at = $8, expires_at = $9, revoked_at = $10, call = $11, asked = $12, access = $13,
		opened_at = $14 WHERE id = $1`,
		recipientValues(r)...)
}

func (t Tx) Recipients(q vitrine.RecipientQuery) ([]*vitrine.Recipient, error) {
	w := sqldb.Selection{}
	w.Where("link = $%d", int64(q.Link))
	w.Where("number > $%d", q.After)
	if q.Call != "" {
		w.Where("call = $%d", q.Call)
	}
	return sqldb.List(t.Tx, readRecipient, selectRecipients+w.End(" ORDER BY number", q.Limit), w.Args...)
}

func (t Tx) RecipientsByID(ids []vitrine.RecipientID) (list []*vitrine.Recipient, err error) {
	err = sqldb.InBatches(ids, func(in string, args []any) error {
		some, err := sqldb.List(t.Tx, readRecipient, selectRecipients+" WHERE id "+in, args...)
		list = append(list, some...)
		return err
	})
	return list, err
}

func (t Tx) CountRecipients(l vitrine.LinkID) (open, highest int64, err error) {
	err = t.Get([]any{&open, &highest}, `SELECT count(CASE WHEN revoked_at IS NULL THEN 1 END), coalesce(max(number), 0)
		FROM recipients WHERE link = $1`, int64(l))
	return open, highest, err
}

func (t Tx) DeleteRecipients(l vitrine.LinkID) error {
	_, err := t.Exec("DELETE FROM recipients WHERE link = $1", int64(l))
	return err
}

func (t Tx) EachRecipient(f func(*vitrine.Recipient) error) error {
	return t.Each(func(s sqldb.Scanner) error {
		r, err := readRecipient(s)
		if err != nil {
			return t.Failed(err)
		}
		return f(r)
	}, selectRecipients+" ORDER BY id")
}
