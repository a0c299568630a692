package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

var changes = newTable("changes", func(c *vitrine.Change) []field {
	return []field{{"id", &c.ID}, {"at", at(&c.At)}, {"actor", &c.By.Kind}, {"actor_account", &c.By.Account},
		{"action", &c.Action}, {"account", &c.Account}, {"link", &c.Link}, {"state_from", &c.From},
		{"state_to", &c.To}, {"reason", &c.Reason}, {"detail", &c.Detail}, {"note", &c.Note}}
})

func (t Tx) AddChange(c *vitrine.Change) error { return changes.add(t, c) }

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
		w.Where("actor IN ('owner', 'moderator', 'administrator')")
	}
	if q.Before != 0 {
		w.Where("id < $%d", int64(q.Before))
	}
	return changes.list(t, w.End(" ORDER BY id DESC", q.Limit), w.Args...)
}

// activity selects the actions of ChangeQuery.Activity, in the words of their
// indexes.
const activity = "IN ('key', 'rotate', 'sign-in', 'password', 'factor', 'provider')"

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
