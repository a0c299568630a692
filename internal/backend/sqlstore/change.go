package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

const changeColumns = "at, actor, actor_account, action, account, link, state_from, state_to, reason, detail, note"

func readChange(s sqldb.Scanner) (*vitrine.Change, error) {
	c := new(vitrine.Change)
	return c, s.Scan(&c.ID, sqldb.Instant{Time: &c.At}, &c.By.Kind, &c.By.Account, &c.Action, &c.Account, &c.Link,
		&c.From, &c.To, &c.Reason, &c.Detail, &c.Note)
}

func (t Tx) AddChange(c *vitrine.Change) error {
	return t.add(&c.ID, "INSERT INTO changes ("+changeColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
		sqldb.Ms(c.At), string(c.By.Kind), int64(c.By.Account), string(c.Action), int64(c.Account), int64(c.Link),
		string(c.From), string(c.To),
		c.Reason, c.Detail, c.Note)
}

func (t Tx) Changes(q vitrine.ChangeQuery) ([]*vitrine.Change, error) {
	w := sqldb.Selection{}
	if q.Account != 0 {
		w.Where("account = $%d", int64(q.Account))
	}
	if q.Link != 0 {
		w.Where("link = $%d AND link <> 0", int64(q.Link))
	} else {
		w.Where("action <> 'create'")
	}
	if not := map[bool]string{false: "NOT "}[q.Activity]; q.Link == 0 {
		w.Where("action " + not + activity)
	}
	if q.People {
		w.Where("actor IN ('owner', 'moderator', 'operator')")
	}
	if q.Before != 0 {
		w.Where("id < $%d", int64(q.Before))
	}
	return sqldb.List(t.Tx, readChange, "SELECT id, "+changeColumns+" FROM changes"+w.End(" ORDER BY id DESC", q.Limit),
		w.Args...)
}

// activity selects the actions of ChangeQuery.Activity, in the words of their
// indexes.
const activity = "IN ('key', 'rotate', 'sign-in', 'password')"

func (t Tx) DeleteActivity(a vitrine.AccountID, before time.Time) error {
	w := sqldb.Selection{}
	w.Where("action " + activity)
	w.Where("at < $%d", sqldb.Ms(before))
	if a != 0 {
		w.Where("account = $%d", int64(a))
	}
	_, err := t.Exec("DELETE FROM changes"+w.End("", 0), w.Args...)
	return err
}
