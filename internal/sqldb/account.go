package sqldb

import (
	"strings"

	"vitrine"
)

const accountColumns = "email, password, plan, limits, role, banned, viewer_key, viewer_key_at, created_at, closed_at, closing"

func accountValues(a *vitrine.Account) []any {
	return []any{a.Email, a.Password, string(a.Plan), inJSON[vitrine.Limits]{V: &a.Limits}, string(a.Role), a.Banned, a.ViewerKey,
		msOrNull(a.ViewerKeyAt), ms(a.CreatedAt), msOrNull(a.ClosedAt), a.Closing}
}

func readAccount(s scanner) (*vitrine.Account, error) {
	a := new(vitrine.Account)
	return a, s.Scan(&a.ID, &a.Email, &a.Password, &a.Plan, inJSON[vitrine.Limits]{V: &a.Limits}, &a.Role, &a.Banned, &a.ViewerKey,
		instant{Time: &a.ViewerKeyAt}, instant{Time: &a.CreatedAt}, instant{Time: &a.ClosedAt}, &a.Closing)
}

func (t storeTx) AddAccount(a *vitrine.Account) error {
	return t.add(&a.ID, "INSERT INTO accounts ("+accountColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)", accountValues(a)...)
}

func (t storeTx) Account(id vitrine.AccountID) (*vitrine.Account, error) {
	return one(t.tx, readAccount, "SELECT id, "+accountColumns+" FROM accounts WHERE id = $1", int64(id))
}

func (t storeTx) AccountByEmail(email string) (*vitrine.Account, error) {
	return one(t.tx, readAccount, "SELECT id, "+accountColumns+" FROM accounts WHERE email = $1", email)
}

func (t storeTx) PutAccount(a *vitrine.Account) error {
	return t.put(`UPDATE accounts SET email = $1, password = $2, plan = $3, limits = $4, role = $5, banned = $6, viewer_key = $7,
		viewer_key_at = $8, created_at = $9, closed_at = $10, closing = $11 WHERE id = $12`, append(accountValues(a), int64(a.ID))...)
}

func (t storeTx) CountAccounts() (n int64, err error) {
	err = t.get([]any{&n}, "SELECT count(*) FROM accounts WHERE closed_at IS NULL")
	return n, err
}

func (t storeTx) Accounts(q vitrine.AccountQuery) ([]*vitrine.Account, error) {
	w := selection{}
	if q.Closing {
		w.where("closing")
	} else {
		w.where("closed_at IS NULL")
	}
	if q.Search != "" {
		w.where(`lower(email) LIKE $%d ESCAPE '\'`, "%"+likeText.Replace(strings.ToLower(q.Search))+"%")
	}
	if q.Role != "" {
		w.where("role = $%d", string(q.Role))
	}
	if q.Banned {
		w.where("banned")
	}
	if q.After != 0 {
		w.where("id > $%d", int64(q.After))
	}
	return list(t.tx, readAccount, "SELECT id, "+accountColumns+" FROM accounts"+w.end(" ORDER BY id", q.Limit), w.args...)
}
