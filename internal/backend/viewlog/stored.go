package viewlog

import (
	"cmp"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// Tallies are stored for 1, 8 and 64 days, aligned to multiples of their width,
// so that a long window needs few tallies. A link has no tally of a day with
// few views: reading the views is as fast. An account has a tally of every day
// on which something happened, so that a report need not check each link.
const (
	levels     = 3
	levelShift = 3
)

// width returns the number of days in a tally of a level.
func width(level int) report.Day { return 1 << (levelShift * level) }

// minViews holds, for each level, how many views a link's tally must have to be
// stored.
type minViews [levels]int64

var defaultMinViews = minViews{128, 256, 1024}

// stores reports whether a tally is worth storing.
func (l minViews) stores(s vitrine.Scope, level int, t *report.Tally) bool {
	if s.Link == 0 {
		return !t.Empty()
	}
	return t.AllViews() >= l[level]
}

// alignDown returns the first day of the tally of a level that includes d.
func alignDown(d report.Day, level int) report.Day { return d &^ (width(level) - 1) }

// span is the days [from, to).
type span struct{ from, to report.Day }

// usedTally is a stored tally that was used.
type usedTally struct {
	level int
	span
}

// stored collects the stored tallies of a window: the largest ones that fit,
// then smaller ones.
type stored struct {
	tx    logTx
	words *tables.Dict
	scope vitrine.Scope
	brief bool       // heads only
	since report.Day // first day of the window; NoDay: the tally is shared by several windows
	tally *report.Tally
	parts []usedTally
	// damaged lists the days whose tally is damaged.
	damaged []span
	gone    report.Day // before this day, views have expired
}

// take adds the stored tallies of days. It returns, in order, the days whose
// views must be read.
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
	at := days.from // days before this one are either used or missing
	err = s.tx.Each(func(row sqldb.Scanner) error {
		var day report.Day
		var head, body sql.RawBytes
		if err := row.Scan(&day, &head, &body); err != nil {
			return s.tx.Failed(err)
		}
		body = segment.Inflate(body)
		if report.CheckPiece(head) != nil || !s.brief && report.CheckPiece(body) != nil {
			if level == 0 && day < s.gone {
				return fmt.Errorf("the tally of %v, whose views have expired, of account %d, link %d: %w", day,
					s.scope.Account, s.scope.Link, segment.ErrDamaged)
			}
			if level == 0 {
				s.damaged = append(s.damaged, span{day, day + 1})
			}
			return nil // treat it as missing
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
		s.parts = append(s.parts, usedTally{level, span{day, at}})
		return nil
	}, "SELECT day, head, "+body+" FROM tallies WHERE account = $1 AND link = $2 AND level = $3 AND day >= $4 AND day <= $5 ORDER BY day",
		int64(s.scope.Account), int64(s.scope.Link), level, from, days.to-width(level))
	if at < days.to {
		missing = append(missing, span{at, days.to})
	}
	return missing, err
}

// times adds the engaged times from which the median is calculated. They are
// stored with the first tally that covered the day: the used one, or one of a
// lower level within it.
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
		return report.ErrPiece // some times are lost
	}
	return nil
}

// joined merges adjacent parts of a level.
func joined(parts []usedTally) (runs []usedTally) {
	slices.SortFunc(parts, func(a, b usedTally) int { return cmp.Compare(a.from, b.from) })
	for _, p := range parts {
		if n := len(runs); n > 0 && runs[n-1].level == p.level && runs[n-1].to == p.from {
			runs[n-1].to = p.to
			continue
		}
		runs = append(runs, p)
	}
	return runs
}

func (s *stored) partTimes(t *report.Tally, p usedTally, of report.MedianTimes) error {
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

// wholeTimes is the most engaged times that are stored in one piece. More are
// stored in groups.
const wholeTimes = 2048

// Bodies of links of these lengths are stored compressed, and those of days of
// an account up to twice as long. There are many of them, and SQLite stores
// what does not fit into a quarter of a page on another page, most of which
// stays empty. Longer ones would take longer to read.
const leastSmall, mostSmall = 200, 4096

// putTally stores a tally, and its engaged times that are in memory. It
// replaces a tally that another process may have stored for the same days.
func (t logTx) putTally(words *tables.LabelWriter, s vitrine.Scope, level int, day report.Day,
	tally *report.Tally) error {
	head := tally.AppendHead(nil)
	body, err := tally.AppendBody(nil, words.Label)
	if err != nil {
		return err
	}
	most := mostSmall
	if s.Link == 0 {
		most = []int{2 * mostSmall, 0, 0}[level]
	}
	if len(body) >= leastSmall && len(body) <= most {
		body = segment.Deflate(body)
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

// damaged reports whether an error is about damaged tallies. They can be built
// again from the views.
func damaged(err error) bool { return errors.Is(err, report.ErrPiece) }
