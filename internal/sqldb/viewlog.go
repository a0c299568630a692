package sqldb

import (
	"context"
	"errors"

	"vitrine"
)

// ViewLog is a vitrine.ViewLog.
type ViewLog struct {
	db    *db
	words *words
}

var _ vitrine.ViewLog = (*ViewLog)(nil)

// OpenViewLog opens the log in a SQLite file, which it makes where there is none, and upgrades its schema. It refuses a file
// that a newer version has used. Several processes may have the same file open.
func OpenViewLog(path string) (*ViewLog, error) {
	db, err := openSQLite(path, "viewlog")
	if err != nil {
		return nil, err
	}
	return &ViewLog{db: db, words: newWords(db, firstWords, otherWords, writeWords)}, nil
}

// Close waits for running transactions and closes the file.
func (l *ViewLog) Close() error { return l.db.close() }

// countsAtOnce is how many links one query asks for.
const countsAtOnce = 50

var countsQuery = "SELECT link, views, downloads FROM links WHERE link IN (" + placeholders(1, countsAtOnce) + ")"

// Counts is vitrine.ViewLog's.
func (l *ViewLog) Counts(ctx context.Context, links []vitrine.LinkID) (map[vitrine.LinkID]vitrine.LinkCounts, error) {
	counts := make(map[vitrine.LinkID]vitrine.LinkCounts, len(links))
	err := l.db.read(ctx, func(t *tx) error {
		for rest := links; len(rest) > 0; {
			args := make([]any, countsAtOnce)
			for i := range args {
				args[i] = int64(rest[min(i, len(rest)-1)])
			}
			rest = rest[min(countsAtOnce, len(rest)):]
			err := t.each(func(s scanner) error {
				var link vitrine.LinkID
				var c vitrine.LinkCounts
				if err := s.Scan(&link, &c.Views, &c.Downloads); err != nil {
					return err
				}
				counts[link] = c
				return nil
			}, countsQuery, args...)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return counts, err
}

// Imported is vitrine.ViewLog's.
func (l *ViewLog) Imported(ctx context.Context, file [32]byte) (lines int64, err error) {
	err = l.db.read(ctx, func(t *tx) error {
		lines, err = imported(t, file)
		return err
	})
	return lines, err
}

func imported(t *tx, file [32]byte) (lines int64, err error) {
	err = t.get([]any{&lines}, "SELECT lines FROM imports WHERE file = $1", file[:])
	if errors.Is(err, vitrine.ErrNotFound) {
		return 0, nil
	}
	return lines, err
}

// erasedAtOnce bounds the rows of a table that one transaction removes, so that a large link does not stop the others' opens.
const erasedAtOnce = 10_000

// Erase is vitrine.ViewLog's. It goes in steps: from the first on the link counts for nothing, and the last takes what is
// left, so that an erasure that was cut off is finished by the next one.
func (l *ViewLog) Erase(ctx context.Context, link vitrine.LinkID) error {
	for {
		more := false
		err := l.db.update(ctx, func(t *tx) (err error) {
			more, err = erase(t, int64(link))
			return err
		})
		if err != nil || !more {
			return err
		}
	}
}

// erased are the tables with rows of links, and what tells a link's rows apart.
var erased = []struct{ table, key string }{{"opens", "id"}, {"viewers", "viewer"}, {"downloads", "id"}}

func erase(t *tx, link int64) (more bool, err error) {
	if _, err := t.exec("UPDATE links SET account = 0, views = 0, downloads = 0 WHERE link = $1", link); err != nil {
		return false, err
	}
	for _, e := range erased {
		var last int64
		err := t.get([]any{&last}, "SELECT "+e.key+" FROM "+e.table+" WHERE link = $1 ORDER BY "+e.key+" LIMIT 1 OFFSET $2", link, erasedAtOnce)
		if errors.Is(err, vitrine.ErrNotFound) {
			continue
		}
		if err != nil {
			return false, err
		}
		if _, err := t.exec("DELETE FROM "+e.table+" WHERE link = $1 AND "+e.key+" < $2", link, last); err != nil {
			return false, err
		}
		more = true
	}
	if more {
		return true, nil
	}
	for _, table := range []string{"opens", "viewers", "downloads", "links"} {
		if _, err := t.exec("DELETE FROM "+table+" WHERE link = $1", link); err != nil {
			return false, err
		}
	}
	return false, nil
}
