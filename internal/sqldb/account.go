package sqldb

import "vitrine"

const accountColumns = "email, plan, limits, role, banned, viewer_key, viewer_key_at, created_at"

func accountValues(a *vitrine.Account) []any {
	return []any{a.Email, string(a.Plan), inJSON[vitrine.Limits]{&a.Limits}, string(a.Role), a.Banned, a.ViewerKey, msOrNull(a.ViewerKeyAt), ms(a.CreatedAt)}
}

func readAccount(s scanner) (*vitrine.Account, error) {
	a := new(vitrine.Account)
	return a, s.Scan(&a.ID, &a.Email, &a.Plan, inJSON[vitrine.Limits]{&a.Limits}, &a.Role, &a.Banned, &a.ViewerKey,
		instant{&a.ViewerKeyAt}, instant{&a.CreatedAt})
}

func (t storeTx) AddAccount(a *vitrine.Account) error {
	return t.add(&a.ID, "INSERT INTO accounts ("+accountColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", accountValues(a)...)
}

func (t storeTx) Account(id vitrine.AccountID) (*vitrine.Account, error) {
	return one(t.tx, readAccount, "SELECT id, "+accountColumns+" FROM accounts WHERE id = $1", int64(id))
}

func (t storeTx) AccountByEmail(email string) (*vitrine.Account, error) {
	return one(t.tx, readAccount, "SELECT id, "+accountColumns+" FROM accounts WHERE email = $1", email)
}

func (t storeTx) PutAccount(a *vitrine.Account) error {
	return t.put(`UPDATE accounts SET email = $1, plan = $2, limits = $3, role = $4, banned = $5, viewer_key = $6,
		viewer_key_at = $7, created_at = $8 WHERE id = $9`, append(accountValues(a), int64(a.ID))...)
}

func (t storeTx) CountAccounts() (n int64, err error) {
	err = t.get([]any{&n}, "SELECT count(*) FROM accounts")
	return n, err
}

func (t storeTx) Accounts(q vitrine.AccountQuery) ([]*vitrine.Account, error) {
	w := selection{}
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
