package sqldb

import (
	"context"
	"errors"
	"fmt"

	"vitrine"
)

// Import is vitrine.ViewLog's. Viewers of imported opens are another system's: whether a viewer returns is never decided from
// them.
func (l *ViewLog) Import(ctx context.Context, receipt vitrine.ImportReceipt, opens []vitrine.NewOpen) error {
	return l.db.update(ctx, func(t *tx) error {
		lines, err := imported(t, receipt.File)
		if err != nil || receipt.Lines <= lines {
			return err
		}
		w := l.write(t)
		for i := range opens {
			if err := w.imported(&opens[i]); err != nil {
				return err
			}
		}
		if err := w.finish(); err != nil {
			return err
		}
		_, err = t.exec(`INSERT INTO imports (file, lines, at) VALUES ($1, $2, $3)
			ON CONFLICT (file) DO UPDATE SET lines = excluded.lines, at = excluded.at`, receipt.File[:], receipt.Lines, ms(receipt.At))
		return err
	})
}

func (w *writing) imported(o *vitrine.NewOpen) error {
	r, err := w.words.open(&o.Open)
	if err != nil {
		return err
	}
	r.flags |= openImported
	link, id := vitrine.LinkID(o.Link), vitrine.ViewID(o.ID)
	for {
		added, err := w.insert(link, id, &r, o)
		if err != nil {
			return err
		}
		if added {
			break
		}
		if id, err = w.free(link, id); err != nil {
			return err
		}
	}
	w.count(o, &r)
	if o.Session == nil || !o.Session.Downloaded || !r.human() {
		return nil
	}
	event := id
	for {
		n, err := w.tx.exec("INSERT INTO downloads (link, id, open) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", int64(link), int64(event), int64(id))
		if err != nil {
			return err
		}
		if n == 1 {
			w.change(link).downloads++
			return nil
		}
		if event = next(event); event == id {
			return errFull(link, id)
		}
	}
}

// span is a run of IDs, all of which a link has.
type span struct{ first, last vitrine.ViewID }

// free finds the first ID from one on that its link does not have, going round within its millisecond. It remembers the run that
// it went along, so that many opens of one millisecond do not each go along it again.
func (w *writing) free(link vitrine.LinkID, from vitrine.ViewID) (vitrine.ViewID, error) {
	key := openKey{link, vitrine.ViewIDAt(from.Ms(), 0)}
	run, ok := w.taken[key]
	if !ok || from < run.first || run.last < from {
		run = span{from, from}
	}
	start, end := key.open, vitrine.ViewIDAt(from.Ms()+1, 0)
	id, err := w.gap(link, run.last+1, end)
	if err == nil && id == end {
		run.first = start
		if id, err = w.gap(link, start, from); err == nil && id == from {
			err = errFull(link, from)
		}
	}
	run.last = id
	w.taken[key] = run
	return id, err
}

var errStop = errors.New("stop")

// gap finds the first ID in [from, to) that the link does not have; to: there is none.
func (w *writing) gap(link vitrine.LinkID, from, to vitrine.ViewID) (vitrine.ViewID, error) {
	id := from
	err := w.tx.each(func(s scanner) error {
		var has vitrine.ViewID
		if err := s.Scan(&has); err != nil {
			return err
		}
		if has != id {
			return errStop
		}
		id++
		return nil
	}, "SELECT id FROM opens WHERE link = $1 AND id >= $2 AND id < $3 ORDER BY id", int64(link), int64(from), int64(to))
	if errors.Is(err, errStop) {
		err = nil
	}
	return id, err
}

// next is the ID after id, going round within its millisecond.
func next(id vitrine.ViewID) vitrine.ViewID {
	if id+1 == vitrine.ViewIDAt(id.Ms()+1, 0) {
		return vitrine.ViewIDAt(id.Ms(), 0)
	}
	return id + 1
}

func errFull(link vitrine.LinkID, id vitrine.ViewID) error {
	return fmt.Errorf("link %d has no free ID left in the millisecond %s", link, id.Time().Format("2006-01-02T15:04:05.000Z"))
}
