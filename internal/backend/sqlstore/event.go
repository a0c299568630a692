package sqlstore

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

var events = newTable("events", func(e *vitrine.Event) []field {
	return []field{{"id", &e.ID}, {"account", &e.Account}, {"at", at(&e.At)}, {"kind", &e.Kind}, {"link", &e.Link},
		{"ref", &e.Ref}, {"data", &e.Data}}
})

// AddEvent implements [vitrine.EventTx].
func (t Tx) AddEvent(e *vitrine.Event) error {
	if err := t.AddEvents([]*vitrine.Event{e}); err != nil || e.ID != 0 {
		return err
	}
	return vitrine.ErrExists
}

// AddEvents implements [vitrine.EventTx]. Until the transaction ends, the row
// with the last ID keeps others from adding events to the account.
func (t Tx) AddEvents(list []*vitrine.Event) error {
	for _, e := range list {
		e.ID = 0
	}
	for _, of := range byAccount(list) {
		last, err := t.takeEventIDs(of[0].Account, len(of))
		if err != nil {
			return err
		}
		err = t.insertEvents(of, last)
		if !errors.Is(err, vitrine.ErrExists) {
			if err != nil {
				return err
			}
			continue
		}
		// Rarely, there are some of them: a process was killed, or was late.
		_, err = t.Exec("DELETE FROM events WHERE account = $1 AND id > $2", int64(of[0].Account), last-int64(len(of)))
		if err != nil {
			return err
		}
		fresh, err := t.newEvents(of)
		if err == nil {
			last, err = t.takeEventIDs(of[0].Account, len(fresh)-len(of))
		}
		if err == nil {
			err = t.insertEvents(fresh, last)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeEventIDs takes the next n IDs of an account, or gives the last ones back
// (below 0), and returns the last one that is taken.
func (t Tx) takeEventIDs(a vitrine.AccountID, n int) (last int64, err error) {
	return last, t.Get([]any{&last}, `INSERT INTO event_ids (account, last) VALUES ($1, $2)
		ON CONFLICT (account) DO UPDATE SET last = event_ids.last + excluded.last RETURNING last`, int64(a), int64(n))
}

// insertEvents inserts events of an account with the IDs up to last.
func (t Tx) insertEvents(of []*vitrine.Event, last int64) error {
	for i, e := range of {
		e.ID = last - int64(len(of)-1-i)
	}
	for _, size := range []int{eventsBatch, 1} {
		for ; len(of) >= size; of = of[size:] {
			var args []any
			for _, e := range of[:size] {
				args = append(args, stored(events.fields(e))...)
			}
			if err := t.Put(insertEvents[size], args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// eventsBatch is how many events one statement adds, if there are as many.
const eventsBatch = 16

// insertEvents has the statements that add some events, by their number.
var insertEvents = map[int]string{1: events.insert, eventsBatch: manyEvents(eventsBatch)}

func manyEvents(n int) string {
	columns := len(events.fields(new(vitrine.Event)))
	text := events.insert
	for i := 1; i < n; i++ {
		text += ", (" + sqldb.Placeholders(1+i*columns, columns) + ")"
	}
	return text
}

// byAccount divides events, each once.
func byAccount(list []*vitrine.Event) (all [][]*vitrine.Event) {
	type key struct {
		account vitrine.AccountID
		link    vitrine.LinkID
		kind    vitrine.EventKind
		ref     int64
	}
	seen, at := map[key]bool{}, map[vitrine.AccountID]int{}
	for _, e := range list {
		k := key{e.Account, e.Link, e.Kind, e.Ref}
		if seen[k] {
			continue
		}
		seen[k] = true
		if _, is := at[e.Account]; !is {
			at[e.Account] = len(all)
			all = append(all, nil)
		}
		all[at[e.Account]] = append(all[at[e.Account]], e)
	}
	return all
}

// newEvents returns the events that there are not yet, and sets the ID of the
// others to 0.
func (t Tx) newEvents(list []*vitrine.Event) (fresh []*vitrine.Event, err error) {
	is := make([]bool, len(list))
	err = t.GetMany("SELECT 1 FROM events WHERE account = $1 AND link = $2 AND kind = $3 AND ref = $4", len(list),
		func(i int) []any {
			e := list[i]
			return []any{int64(e.Account), int64(e.Link), string(e.Kind), e.Ref}
		},
		func(i int, _ sqldb.Scanner) error { is[i] = true; return nil })
	for i, e := range list {
		if e.ID = 0; !is[i] {
			fresh = append(fresh, e)
		}
	}
	return fresh, err
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
	list, err := events.list(t, w.End(order, q.Limit), w.Args...)
	if err != nil || len(q.Kinds) > 0 && !slices.Contains(q.Kinds, vitrine.EventView) {
		return list, err
	}
	views, err := t.endedViews(q)
	if len(views) == 0 {
		return list, err
	}
	list = append(list, views...)
	slices.SortFunc(list, func(a, b *vitrine.Event) int {
		if q.Newest {
			a, b = b, a
		}
		return cmp.Compare(a.ID, b.ID)
	})
	if q.Limit > 0 {
		list = list[:min(q.Limit, len(list))]
	}
	return list, err
}

func (t Tx) LastEvent(a vitrine.AccountID) (last int64, err error) {
	err = t.Get([]any{&last}, "SELECT coalesce((SELECT last FROM event_ids WHERE account = $1), 0)", int64(a))
	return last, err
}

func (t Tx) DeleteEvents(a vitrine.AccountID, before time.Time) (err error) {
	for _, table := range []string{"events", "ended_views"} {
		w := sqldb.Selection{}
		w.Where("at < $%d", sqldb.Ms(before))
		if a != 0 {
			w.Where("account = $%d", int64(a))
		}
		if _, err = t.Exec("DELETE FROM "+table+w.End("", 0), w.Args...); err != nil {
			return err
		}
	}
	return nil
}
