package sqlstore

import (
	"strings"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

var accounts = newTable("accounts", func(a *vitrine.Account) []field {
	return []field{{"id", &a.ID}, {"email", &a.Email}, {"password", &a.Password}, {"factor", &a.Factor},
		{"plan", &a.Plan}, {"limits", sqldb.InJSON[vitrine.Limits]{V: &a.Limits}}, {"role", &a.Role},
		{"banned", &a.Banned}, {"viewer_key", &a.ViewerKey}, {"viewer_key_at", orNone(&a.ViewerKeyAt)},
		{"created_at", at(&a.CreatedAt)}, {"closed_at", orNone(&a.ClosedAt)}, {"closing", &a.Closing},
		{"time_zone", &a.TimeZone}, {"count_own", &a.CountOwn}, {"own_changed_at", orNone(&a.OwnChangedAt)},
		{"dismissed", &a.Dismissed},
		{"no_mail", &a.NoMail}, {"weekly", &a.Weekly}, {"mailed", &a.Mailed}}
})

func (t Tx) AddAccount(a *vitrine.Account) error { return accounts.add(t, a) }
func (t Tx) PutAccount(a *vitrine.Account) error { return accounts.put(t, a) }

func (t Tx) Account(id vitrine.AccountID) (*vitrine.Account, error) {
	return accounts.one(t, "id = $1", int64(id))
}

func (t Tx) AccountByEmail(email string) (*vitrine.Account, error) {
	return accounts.one(t, "email = $1", email)
}

func (t Tx) HasAccounts() (has bool, err error) {
	err = t.Get([]any{&has}, "SELECT EXISTS (SELECT 1 FROM accounts WHERE closed_at IS NULL)")
	return has, err
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
		w.Where("role = $%d AND role <> ''", string(q.Role))
	}
	if q.OwnChanged {
		w.Where("own_changed_at IS NOT NULL")
	}
	if q.WeeklyDue != 0 {
		w.Where("weekly < $%d", int64(q.WeeklyDue))
	}
	if q.Banned {
		w.Where("banned")
	}
	if q.After != 0 {
		w.Where("id > $%d", int64(q.After))
	}
	order := " ORDER BY id"
	if q.WeeklyDue != 0 {
		order = " ORDER BY weekly, id"
	}
	return accounts.list(t, w.End(order, q.Limit), w.Args...)
}
