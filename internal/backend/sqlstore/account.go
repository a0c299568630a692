package sqlstore

import (
	"strings"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

const accountColumns = "email, password, plan, limits, role, banned, viewer_key, viewer_key_at, created_at, closed_at, closing, time_zone, count_own, own_changed_at, dismissed"

func accountValues(a *vitrine.Account) []any {
	return []any{a.Email, a.Password, string(a.Plan), sqldb.InJSON[vitrine.Limits]{V: &a.Limits}, string(a.Role),
		a.Banned, a.ViewerKey,
		sqldb.MsOrNull(a.ViewerKeyAt), sqldb.Ms(a.CreatedAt), sqldb.MsOrNull(a.ClosedAt), a.Closing, a.TimeZone,
		a.CountOwn, sqldb.MsOrNull(a.OwnChangedAt), a.Dismissed}
}

func readAccount(s sqldb.Scanner) (*vitrine.Account, error) {
	a := new(vitrine.Account)
	return a, s.Scan(&a.ID, &a.Email, &a.Password, &a.Plan, sqldb.InJSON[vitrine.Limits]{V: &a.Limits}, &a.Role,
		&a.Banned, &a.ViewerKey,
		sqldb.Instant{Time: &a.ViewerKeyAt}, sqldb.Instant{Time: &a.CreatedAt}, sqldb.Instant{Time: &a.ClosedAt},
		&a.Closing, &a.TimeZone,
		&a.CountOwn, sqldb.Instant{Time: &a.OwnChangedAt}, &a.Dismissed)
}

func (t Tx) AddAccount(a *vitrine.Account) error {
	return t.add(&a.ID, "INSERT INTO accounts ("+accountColumns+
		") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)", accountValues(a)...)
}

func (t Tx) Account(id vitrine.AccountID) (*vitrine.Account, error) {
	return sqldb.One(t.Tx, readAccount, "SELECT id, "+accountColumns+" FROM accounts WHERE id = $1", int64(id))
}

func (t Tx) AccountByEmail(email string) (*vitrine.Account, error) {
	return sqldb.One(t.Tx, readAccount, "SELECT id, "+accountColumns+" FROM accounts WHERE email = $1", email)
}

func (t Tx) PutAccount(a *vitrine.Account) error {
	return t.Put(`UPDATE accounts SET email = $1, password = $2, plan = $3, limits = $4, role = $5, banned = $6, viewer_key = $7,
		viewer_key_at = $8, created_at = $9, closed_at = $10, closing = $11, time_zone = $12,
		count_own = $13, own_changed_at = $14, dismissed = $15 WHERE id = $16`, append(accountValues(a), int64(a.ID))...)
}

func (t Tx) CountAccounts() (n int64, err error) {
	err = t.Get([]any{&n}, "SELECT count(*) FROM accounts WHERE closed_at IS NULL")
	return n, err
}

func (t Tx) Accounts(q vitrine.AccountQuery) ([]*vitrine.Account, error) {
	w := sqldb.Selection{}
	if q.Closing {
		w.Where("closing")
	} else {
		w.Where("closed_at IS NULL")
	}
	if q.Search != "" {
		w.Where(`lower(email) LIKE $%d ESCAPE '\'`, "%"+likeText.Replace(strings.ToLower(q.Search))+"%")
	}
	if q.Role != "" {
		w.Where("role = $%d", string(q.Role))
	}
	if q.OwnChanged {
		w.Where("own_changed_at IS NOT NULL")
	}
	if q.Banned {
		w.Where("banned")
	}
	if q.After != 0 {
		w.Where("id > $%d", int64(q.After))
	}
	return sqldb.List(t.Tx, readAccount, "SELECT id, "+accountColumns+" FROM accounts"+w.End(" ORDER BY id", q.Limit),
		w.Args...)
}
