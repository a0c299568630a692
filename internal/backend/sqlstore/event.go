package sqlstore

import (
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

var events = newTable("events", func(e *vitrine.Event) []field {
	return []field{{"id", &e.ID}, {"account", &e.Account}, {"at", at(&e.At)}, {"kind", &e.Kind}, {"link", &e.Link},
		{"ref", &e.Ref}, {"data", &e.Data}}
})

// AddEvent implements [vitrine.EventTx]. Until the transaction ends, the row
// with the last ID keeps others from adding events to the account.
func (t Tx) AddEvent(e *vitrine.Event) error {
	var is bool
	err := t.Get([]any{&is}, "SELECT EXISTS (SELECT 1 FROM events WHERE account = $1 AND link = $2 AND kind = $3 AND ref = $4)",
		int64(e.Account), int64(e.Link), string(e.Kind), e.Ref)
	if err == nil && is {
		err = vitrine.ErrExists
	}
	if err == nil {
		err = t.Get([]any{&e.ID}, `INSERT INTO event_ids (account, last) VALUES ($1, 1)
			ON CONFLICT (account) DO UPDATE SET last = event_ids.last + 1 RETURNING last`, int64(e.Account))
	}
	if err != nil {
		return err
	}
	_, err = t.Exec(events.insert, stored(events.fields(e))...)
	return err
}

func (t Tx) Events(q vitrine.EventQuery) ([]*vitrine.Event, error) {
	w := sqldb.Selection{}
	w.Where("account = $%d", int64(q.Account))
	w.Where("id > $%d", q.After)
	w.Where("id <= $%d", q.Until)
	if q.Link != 0 {
		w.Where("link = $%d", int64(q.Link))
	}
	if len(q.Kinds) > 0 {
		places := make([]string, len(q.Kinds))
		for i, kind := range q.Kinds {
			places[i] = w.Place("$%d", string(kind))
		}
		w.Where("kind IN (" + strings.Join(places, ", ") + ")")
	}
	order := " ORDER BY id"
	if q.Newest {
		order += " DESC"
	}
	return events.list(t, w.End(order, q.Limit), w.Args...)
}

func (t Tx) LastEvent(a vitrine.AccountID) (last int64, err error) {
	err = t.Get([]any{&last}, "SELECT coalesce((SELECT last FROM event_ids WHERE account = $1), 0)", int64(a))
	return last, err
}

func (t Tx) DeleteEvents(a vitrine.AccountID, before time.Time) error {
	w := sqldb.Selection{}
	w.Where("at < $%d", sqldb.Ms(before))
	if a != 0 {
		w.Where("account = $%d", int64(a))
	}
	_, err := t.Exec("DELETE FROM events"+w.End("", 0), w.Args...)
	return err
}
