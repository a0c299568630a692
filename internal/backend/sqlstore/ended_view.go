package sqlstore

import (
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

// endedMost is how many views a row of the table ended_views has at most.
const endedMost = 500

// endedView is a view that has ended.
type endedView struct {
	link vitrine.LinkID
	view vitrine.ViewID
}

// AddViews implements [vitrine.EventTx]. A view has its event after it began:
// so the rows since the first of them began have those that there are.
func (t Tx) AddViews(at time.Time, views map[vitrine.LinkID][]vitrine.ViewID) error {
	of, since, err := t.endedOf(views)
	if err != nil {
		return err
	}
	for _, account := range slices.Sorted(maps.Keys(of)) {
		list := of[account]
		last, err := t.takeEventIDs(account, len(list)) // which keeps others from adding
		if err != nil {
			return err
		}
		fresh, err := t.notEnded(account, list, since[account])
		if err == nil && len(fresh) < len(list) {
			last, err = t.takeEventIDs(account, len(fresh)-len(list))
		}
		if err != nil {
			return err
		}
		for first := last - int64(len(fresh)) + 1; len(fresh) > 0; {
			n := min(endedMost, len(fresh))
			var data []byte
			for _, v := range fresh[:n] {
				data = binary.AppendUvarint(binary.AppendUvarint(data, uint64(v.link)), uint64(v.view))
			}
			err := t.Put("INSERT INTO ended_views (account, last, first, at, views) VALUES ($1, $2, $3, $4, $5)",
				int64(account), first+int64(n)-1, first, sqldb.Ms(at), data)
			if err != nil {
				return err
			}
			first, fresh = first+int64(n), fresh[n:]
		}
	}
	return nil
}

// endedOf divides views by the accounts of their links, unless these are
// deleted or closed, and returns when the first of each account began.
func (t Tx) endedOf(views map[vitrine.LinkID][]vitrine.ViewID) (of map[vitrine.AccountID][]endedView,
	since map[vitrine.AccountID]int64, err error) {
	of, since = map[vitrine.AccountID][]endedView{}, map[vitrine.AccountID]int64{}
	err = sqldb.InBatches(slices.Sorted(maps.Keys(views)), func(in string, args []any) error {
		rest := " FROM links WHERE deleted_at IS NULL AND id " + in
		return t.Visit("id, account", rest, args, func(row []driver.Value) error {
			link, account := vitrine.LinkID(row[0].(int64)), vitrine.AccountID(row[1].(int64))
			for _, view := range views[link] {
				if first, is := since[account]; !is || view.Ms() < first {
					since[account] = view.Ms()
				}
				of[account] = append(of[account], endedView{link, view})
			}
			return nil
		})
	})
	for account := range of {
		var closed bool
		if err == nil {
			err = t.Get([]any{&closed}, "SELECT closed_at IS NOT NULL FROM accounts WHERE id = $1", int64(account))
		}
		if closed {
			delete(of, account)
		}
	}
	return of, since, err
}

// notEnded returns the views, each once, that rows since a time do not have.
func (t Tx) notEnded(a vitrine.AccountID, list []endedView, since int64) (fresh []endedView, err error) {
	told := make(map[endedView]bool, len(list))
	for _, v := range list {
		told[v] = false
	}
	err = t.eachEnded(" WHERE account = $1 ORDER BY last DESC", []any{int64(a)}, func(r endedRow) error {
		if r.at < since {
			return errEnough
		}
		return r.each(func(_ int64, v endedView) {
			if _, asked := told[v]; asked {
				told[v] = true
			}
		})
	})
	for _, v := range list {
		if !told[v] {
			told[v] = true
			fresh = append(fresh, v)
		}
	}
	return fresh, err
}

// endedViews lists the events that q selects by IDs and link.
func (t Tx) endedViews(q vitrine.EventQuery) (list []*vitrine.Event, err error) {
	order := " ORDER BY last"
	if q.Newest {
		order += " DESC"
	}
	where := " WHERE account = $1 AND last > $2 AND last < $3 AND first <= $4"
	until := min(q.Until, 1<<62)
	err = t.eachEnded(where+order, []any{int64(q.Account), q.After, until + endedMost, until}, func(r endedRow) error {
		if q.Limit > 0 && len(list) >= q.Limit {
			return errEnough
		}
		var some []*vitrine.Event
		err := r.each(func(id int64, v endedView) {
			if id > q.After && id <= q.Until && (q.Link == 0 || q.Link == v.link) {
				some = append(some, &vitrine.Event{ID: id, Account: q.Account, At: time.UnixMilli(r.at).UTC(),
					Kind: vitrine.EventView, Link: v.link, Ref: int64(v.view)})
			}
		})
		if q.Newest {
			slices.Reverse(some)
		}
		list = append(list, some...)
		return err
	})
	return list, err
}

// endedRow is a row of the table ended_views.
type endedRow struct {
	first, at int64
	views     []byte
}

// each calls f with the ID of each event and its view.
func (r *endedRow) each(f func(int64, endedView)) error {
	for id, data := r.first, r.views; len(data) > 0; id++ {
		link, a := binary.Uvarint(data)
		view, b := binary.Uvarint(data[max(a, 0):])
		if a <= 0 || b <= 0 {
			return fmt.Errorf("the ended views from event %d on: %w", r.first, vitrine.ErrDamaged)
		}
		f(id, endedView{vitrine.LinkID(link), vitrine.ViewID(view)})
		data = data[a+b:]
	}
	return nil
}

var errEnough = errors.New("enough was read")

// eachEnded calls f with rows until it returns errEnough.
func (t Tx) eachEnded(rest string, args []any, f func(endedRow) error) error {
	err := t.Each(func(s sqldb.Scanner) error {
		var r endedRow
		if err := s.Scan(&r.first, &r.at, &r.views); err != nil {
			return t.Failed(err)
		}
		return f(r)
	}, "SELECT first, at, views FROM ended_views"+rest, args...)
	if errors.Is(err, errEnough) {
		err = nil
	}
	return err
}
