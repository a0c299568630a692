package viewdb

import (
	"cmp"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"

	"vitrine"
	"vitrine/internal/sqldb"
	"vitrine/internal/viewdb/labels"
	"vitrine/internal/viewdb/segment"
	"vitrine/report"
)

// Tallies are stored for days, for 8 days and for 64 days, each beginning where
// its width divides the day; so a long window is put together from few. A
// link's day with few views has none: its opens are as fast to read. An
// account's has one unless nothing happened, so that nobody has to go along its
// links to see that.
const (
	levels     = 3
	levelShift = 3
)

// width is how many days a tally of a level is of.
func width(level int) report.Day { return 1 << (levelShift * level) }

// least is how many opens a link's tally of each level must be of to be stored.
type least [levels]int64

var leastViews = least{16, 64, 512}

// stores reports whether a tally is worth storing.
func (l least) stores(s vitrine.Scope, level int, t *report.Tally) bool {
	if s.Link == 0 {
		return !t.Empty()
	}
	return t.AllViews() >= l[level]
}

// alignDown is the first day of the tally of a level that has d.
func alignDown(d report.Day, level int) report.Day { return d &^ (width(level) - 1) }

// span is days [from, to).
type span struct{ from, to report.Day }

// part is a stored tally that was taken.
type part struct {
	level int
	span
}

// stored takes together what is stored of a window: the largest tallies that
// lie in it, then smaller ones.
type stored struct {
	tx    logTx
	words *labels.Dict
	scope vitrine.Scope
	brief bool       // heads alone
	since report.Day // where the window begins; NoDay: what is taken is for more than one
	tally *report.Tally
	parts []part
	// damaged are days whose tally is.
	damaged []span
	gone    report.Day // views of earlier days are
}

// take adds what is stored of days and returns those whose views have to be
// read, in order.
func (s *stored) take(days span) (missing []span, err error) {
	missing = []span{days}
	for level := levels - 1; level >= 0; level-- {
		var still []span
		for _, m := range missing {
			left, err := s.takeLevel(m, level)
			if err != nil {
				return nil, err
			}
			still = append(still, left...)
		}
		missing = still
	}
	if s.scope.Link == 0 {
		return s.damaged, nil
	}
	return missing, nil
}

func (s *stored) takeLevel(days span, level int) (missing []span, err error) {
	from := alignDown(days.from+width(level)-1, level)
	if from+width(level) > days.to {
		return []span{days}, nil
	}
	body := "body"
	if s.brief {
		body = "NULL"
	}
	at := days.from // up to where days are taken or known to be missing
	err = s.tx.Each(func(row sqldb.Scanner) error {
		var day report.Day
		var head, body sql.RawBytes
		if err := row.Scan(&day, &head, &body); err != nil {
			return s.tx.Fail(err)
		}
		if report.CheckPiece(head) != nil || !s.brief && report.CheckPiece(body) != nil {
			if level == 0 && day < s.gone {
				return fmt.Errorf("the tally of %v, whose views are gone, of account %d, link %d: %w", day,
					s.scope.Account, s.scope.Link, segment.ErrDamaged)
			}
			if level == 0 {
				s.damaged = append(s.damaged, span{day, day + 1})
			}
			return nil // as if there were none
		}
		if err := s.tally.AddHead(head, s.since); err != nil {
			return err
		}
		if !s.brief {
			if err := s.tally.AddBody(body, s.since, s.words.Label); err != nil {
				return err
			}
		}
		if at < day {
			missing = append(missing, span{at, day})
		}
		at = day + width(level)
		s.parts = append(s.parts, part{level, span{day, at}})
		return nil
	}, "SELECT day, head, "+body+" FROM tallies WHERE account = $1 AND link = $2 AND level = $3 AND day >= $4 AND day <= $5 ORDER BY day",
		int64(s.scope.Account), int64(s.scope.Link), level, from, days.to-width(level))
	if at < days.to {
		missing = append(missing, span{at, days.to})
	}
	return missing, err
}

// times adds the engaged times that the median is of. They are where the day
// was first stored: with the taken part, or with one of a lower level inside.
func (s *stored) times(t *report.Tally) error {
	of := t.MedianTimes()
	if len(of.Groups()) == 0 {
		return nil
	}
	for _, p := range joined(s.parts) {
		if err := s.partTimes(t, p, of); err != nil {
			return err
		}
	}
	if len(t.MedianTimes().Groups()) > 0 {
		return report.ErrPiece // some are lost
	}
	return nil
}

// joined makes one part of those of a level that follow each other.
func joined(parts []part) (runs []part) {
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.from, b.from) })
	for _, p := range parts {
		if n := len(runs); n > 0 && runs[n-1].level == p.level && runs[n-1].to == p.from {
			runs[n-1].to = p.to
			continue
		}
		runs = append(runs, p)
	}
	return runs
}

func (s *stored) partTimes(t *report.Tally, p part, of report.MedianTimes) error {
	for level := 0; level <= p.level; level++ {
		for _, part := range append([]report.TimesGroup{report.AllTimes}, of.Groups()...) {
			err := s.tx.Visit("data", " FROM times WHERE account = $1 AND link = $2 AND part = $3 AND level = $4 AND day >= $5 AND day < $6",
				[]any{int64(s.scope.Account), int64(s.scope.Link), int64(part), level, p.from, p.to},
				func(row []driver.Value) error {
					return t.AddTimes(row[0].([]byte), &of)
				})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// wholeTimes is how many engaged times are stored in one piece; more are stored
// by groups.
const wholeTimes = 2048

// putTally stores a tally, and of its engaged times those that it has in
// memory, in the place of what another process may have made of the same.
func (t logTx) putTally(words *labels.Writer, s vitrine.Scope, level int, day report.Day, tally *report.Tally) error {
	head := tally.AppendHead(nil)
	body, err := tally.AppendBody(nil, words.Label)
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO tallies (account, link, level, day, head, body) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (account, link, level, day) DO UPDATE SET head = excluded.head, body = excluded.body`,
		int64(s.Account), int64(s.Link), level, day, head, body)
	if err != nil {
		return err
	}
	groups := []report.TimesGroup{report.AllTimes}
	switch n := tally.Times(); {
	case n == 0:
		return nil
	case n > wholeTimes:
		groups = tally.TimesGroups()
	}
	for _, g := range groups {
		_, err := t.Exec(`INSERT INTO times (account, link, part, level, day, data) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (account, link, part, level, day) DO UPDATE SET data = excluded.data`,
			int64(s.Account), int64(s.Link), int64(g), level, day, tally.AppendTimes(nil, g))
		if err != nil {
			return err
		}
	}
	return nil
}

// damaged reports that an error is about what is stored of tallies, which can
// be made again from the views.
func damaged(err error) bool { return errors.Is(err, report.ErrPiece) }
