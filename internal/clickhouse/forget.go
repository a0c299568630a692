package clickhouse

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/report"
)

// Expire implements [vitrine.ViewLog]. It works on a month at a time, which is
// a partition. It stores a tally for each day of each link and account, and the
// last day on which each of them saw each viewer. Then it drops the partition.
// This work does not block writers: at the end, one batch makes the result
// valid, unless something of that month has changed in the meantime.
func (l *ViewLog) Expire(ctx context.Context, before report.Day) error {
	for tries := 0; tries < 5; {
		s, err := l.c.state(ctx)
		if err != nil {
			return err
		}
		end := min(monthOf(before), monthOf(s.settled-settledFor))
		if end <= s.forgotten {
			return nil
		}
		first, err := l.c.firstDay(ctx, end)
		if err != nil {
			return err
		}
		if first < end {
			end = min(end, monthOf(monthOf(first)+31))
		}
		switch err := l.expireMonth(ctx, s, end); {
		case errors.Is(err, errChanged):
			tries++ // if it keeps changing, the next round of background work tries again
		case err != nil:
			return err
		}
	}
	return nil
}

// settledFor is the number of days for which days must be settled before they
// expire. A tally cannot be rebuilt once its views have expired, so late
// changes have 31 days to arrive.
const settledFor = 31

// errChanged is returned if days changed while their tallies were built.
var errChanged = errors.New("the days to expire have changed")

// monthOf returns the first day of a day's month.
func monthOf(d report.Day) report.Day {
	t := max(d, 0).Time()
	return report.DayOf(time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC).UnixMilli())
}

// firstDay returns the first day before end that has views or downloads, or end
// if there is none.
func (c *client) firstDay(ctx context.Context, end report.Day) (first report.Day, err error) {
	first = end
	for _, table := range []string{"opens", "downloads"} {
		_, err := c.one(ctx, fmt.Sprintf("SELECT min(id) FROM %s WHERE id < %d HAVING count() > 0", table,
			idsOf(0, end).to), func(r *reader) {
			first = min(first, report.DayOf(vitrine.ViewID(r.int64()).Ms()))
		})
		if err != nil {
			return end, err
		}
	}
	return first, nil
}

// expireMonth expires the days before end. It returns errChanged if they
// changed concurrently.
func (l *ViewLog) expireMonth(ctx context.Context, s state, end report.Day) error {
	var since uint64
	err := l.write(ctx, func(_ context.Context, number uint64) ([]step, error) {
		since = number - 1 // the rows are those of the batches up to this one
		return nil, nil
	})
	if err != nil {
		return err
	}
	f := forgetting{c: l.c, state: s, end: end, from: s.forgotten, ids: idsOf(s.forgotten, end), since: since,
		attempt: nonce(), table: "tallies"}
	if err := f.run(ctx); err != nil {
		return err
	}
	return l.write(ctx, func(ctx context.Context, number uint64) ([]step, error) {
		current, err := l.stateNow(ctx)
		if err != nil {
			return nil, err
		}
		changed := current.forgotten != s.forgotten || current.erased > since
		for _, table := range []string{"opens", "downloads"} {
			_, err := l.c.one(ctx, fmt.Sprintf("SELECT count() > 0 FROM %s WHERE %s AND version > %d", table,
				f.ids.where(), since), func(r *reader) {
				changed = r.bool() || changed
			})
			if err != nil {
				return nil, err
			}
		}
		if changed {
			return nil, errChanged
		}
		return []step{
			putState(fmt.Sprint(attemptPrefix, f.attempt), int64(end), number),
			putState("forgotten", int64(end), number),
			{kind: stepForget, data: numbers(int64(end), 0)},
		}, nil
	})
}

// nonce returns a random number.
func nonce() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:]) >> 1
}

// dropMonths deletes the views and downloads before a day, and the rows of
// failed attempts.
func (l *ViewLog) dropMonths(ctx context.Context, end int64, number uint64) error {
	for _, name := range []string{"opens", "downloads"} {
		var months []int32
		sql := fmt.Sprintf("SELECT DISTINCT toInt32(%s) FROM %s WHERE id < %d", idMonth, name,
			idsOf(0, report.Day(end)).to)
		err := l.c.query(ctx, sql, func(r *reader) error {
			months = append(months, r.int32())
			return nil
		})
		if err != nil {
			return err
		}
		for _, month := range months {
			if err := l.c.work(ctx, fmt.Sprintf("ALTER TABLE %s%s DROP PARTITION %d", tableOf(name).local(l.c.address),
				l.c.onCluster(), month)); err != nil {
				return err
			}
		}
	}
	var months []int32
	err := l.c.query(ctx, fmt.Sprintf("SELECT DISTINCT toInt32(%s) FROM daily WHERE toInt32(day) < %d", dayMonth, end),
		func(r *reader) error {
			months = append(months, r.int32())
			return nil
		})
	for _, month := range months {
		if err == nil {
			err = l.c.work(ctx, fmt.Sprintf("ALTER TABLE %s%s DROP PARTITION %d", tableOf("daily").local(l.c.address),
				l.c.onCluster(), month))
		}
	}
	if err != nil {
		return err
	}
	s, err := l.c.state(ctx)
	if err != nil {
		return err
	}
	for _, name := range []string{"tallies", "seen"} {
		// Rows of later batches belong to an attempt in progress.
		useless := fmt.Sprintf("NOT (%s) AND version < %d", s.counted(), number)
		left := false
		_, err := l.c.one(ctx, fmt.Sprintf("SELECT count() > 0 FROM %s WHERE %s", name, useless),
			func(r *reader) { left = r.bool() })
		if err != nil {
			return err
		}
		if left {
			if err := l.c.deleteRows(ctx, name, useless); err != nil {
				return err
			}
		}
	}
	return nil
}

// counted returns the condition that a row of tallies or seen belongs to a
// completed attempt.
func (s *state) counted() string {
	if len(s.attempts) == 0 {
		return "attempt = 0" // no row has attempt 0
	}
	var b strings.Builder
	for i, a := range s.attempts {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, a)
	}
	return "attempt IN (" + b.String() + ")"
}

// forgetting is an attempt to build the tallies of the days [from, end), to
// expire the days or to answer reports faster.
type forgetting struct {
	c       *client
	state   state
	from    report.Day
	end     report.Day
	ids     ids
	table   string
	made    map[linkDay]bool
	since   uint64
	attempt uint64
	out     rows
	n       int
}

// run stores the tallies and the last visits of the days.
func (f *forgetting) run(ctx context.Context) error {
	var accounts []vitrine.AccountID
	sql := fmt.Sprintf("SELECT DISTINCT account FROM (SELECT account FROM opens WHERE %s UNION ALL SELECT account FROM downloads WHERE %s) ORDER BY account",
		f.ids.where(), f.ids.where())
	err := f.c.query(ctx, sql, func(r *reader) error {
		accounts = append(accounts, vitrine.AccountID(r.int64()))
		return nil
	})
	if err != nil {
		return err
	}
	for _, account := range accounts {
		if err := f.account(ctx, account); err != nil {
			return err
		}
	}
	if err := f.flush(ctx); err != nil {
		return err
	}
	for _, scope := range []string{"0", "link"} {
		err := f.c.work(ctx, fmt.Sprintf(`INSERT INTO seen (account, link, viewer, day, attempt, version)
			SELECT account, %s AS scope, viewer, max(day) AS last, %d, %d FROM opens FINAL WHERE %s AND bot = '' GROUP BY account, scope, viewer`,
			scope, f.attempt, f.since, f.ids.where()))
		if err != nil {
			return err
		}
	}
	return nil
}

// linkDay identifies a day of a link.
type linkDay struct {
	link int64
	day  report.Day
}

// account stores the tallies of an account and its links.
func (f *forgetting) account(ctx context.Context, account vitrine.AccountID) error {
	w := window{TallyQuery: vitrine.TallyQuery{Scope: vitrine.Scope{Account: account}, From: f.from, To: f.end},
		ids: f.ids, reach: idsOf(f.state.forgotten, f.end), state: f.state}
	f.made = map[linkDay]bool{}
	days, downloads := map[report.Day]*report.Tally{}, map[linkDay]int64{}
	day := func(d report.Day) *report.Tally {
		if days[d] == nil {
			days[d] = new(report.Tally)
		}
		return days[d]
	}
	visits := map[linkDay][]prevViewers{}
	err := f.c.linkVisits(ctx, w, true, func(d linkDay, v prevViewers) {
		visits[d] = append(visits[d], v)
		day(d.day).AddLinkVisits(d.link, v.prev, v.viewers)
	})
	if err != nil {
		return err
	}
	err = f.c.visits(ctx, w, true, func(d report.Day, v prevViewers) {
		day(d).AddVisits(report.Visit{Day: d, Prev: v.prev}, v.viewers)
	})
	if err != nil {
		return err
	}
	sql := "SELECT link, toInt32(day), toInt64(count()) FROM downloads FINAL WHERE " + w.where() + " GROUP BY link, day"
	err = f.c.query(ctx, sql, func(r *reader) error {
		downloads[linkDay{r.int64(), report.Day(r.int32())}] = r.int64()
		return nil
	})
	if err != nil {
		return err
	}
	store := func(d linkDay, t *report.Tally) error {
		if n := downloads[d]; n > 0 {
			t.AddDownloads(d.day, n)
			delete(downloads, d)
		}
		day(d.day).Merge(t)
		for _, v := range visits[d] {
			t.AddVisits(report.Visit{Day: d.day, Prev: v.prev}, v.viewers)
		}
		delete(visits, d)
		return f.put(ctx, account, d, t.OfLink())
	}
	if err := f.eachDay(ctx, w, store); err != nil {
		return err
	}
	for d := range downloads {
		if err := store(d, new(report.Tally)); err != nil {
			return err
		}
	}
	for d, t := range days {
		if err := f.put(ctx, account, linkDay{0, d}, t.OfAccount()); err != nil {
			return err
		}
	}
	return nil
}

// eachDay calls f with the tally of the views of each day and link of an
// account.
func (f *forgetting) eachDay(ctx context.Context, w window, each func(linkDay, *report.Tally) error) error {
	var o viewRow
	var now linkDay
	var t *report.Tally
	err := f.c.read(ctx, backgroundTime, "SELECT "+viewColumns+" FROM opens FINAL WHERE "+w.where()+
		" ORDER BY link, id", func(r *reader) error {
		if o.read(r); r.err != nil {
			return r.err
		}
		if d := (linkDay{o.Link, report.DayOf(o.At)}); t == nil || d != now {
			if t != nil {
				if err := each(now, t); err != nil {
					return err
				}
			}
			now, t = d, new(report.Tally)
		}
		t.Add(&o.View)
		return nil
	})
	if err == nil && t != nil {
		err = each(now, t)
	}
	return err
}

// flushAt is the number of bytes of tallies that one insert writes.
const flushAt = 4 << 20

// put queues a tally and writes the queue if it is long.
func (f *forgetting) put(ctx context.Context, account vitrine.AccountID, d linkDay, t *report.Tally) error {
	labels, pieces, err := piecesOf(t)
	if err != nil {
		return err
	}
	f.made[d] = true
	f.out.int64(int64(account))
	f.out.int64(d.link)
	f.out.day(d.day)
	f.out.uint64(f.attempt)
	f.out.uint64(f.since)
	f.out.strings(labels)
	for _, piece := range pieces {
		f.out.bytes(piece)
	}
	if len(f.out.b) < flushAt {
		return nil
	}
	return f.flush(ctx)
}

func (f *forgetting) flush(ctx context.Context) error {
	if len(f.out.b) == 0 {
		return nil
	}
	f.n++
	err := f.c.insert(ctx, f.table+" (account, link, day, attempt, version, labels, head, body, times)", f.out.b,
		fmt.Sprintf("attempt %d part %d", f.attempt, f.n))
	f.out.b = nil
	return err
}

// stored adds the tallies of expired days of a window.
func (c *client) stored(ctx context.Context, w window, t *report.Tally) error {
	body, times := "body", "times"
	if w.Brief {
		body, times = "''", "''"
	}
	sql := fmt.Sprintf("SELECT toInt32(day), labels, head, %s, %s FROM tallies FINAL WHERE account = %d AND link = %d AND toInt32(day) >= %d AND toInt32(day) < %d AND %s",
		body, times, w.Account, w.Link, w.From, w.gone, w.state.counted())
	return c.eachStored(ctx, sql, w, t)
}

// eachStored adds the tallies that a query returns: day, labels, head, body and
// times.
func (c *client) eachStored(ctx context.Context, sql string, w window, t *report.Tally) error {
	return c.query(ctx, sql, func(r *reader) error {
		day := report.Day(r.int32())
		labels := r.strings()
		pieces := [3][]byte{}
		for i := range pieces {
			pieces[i] = append([]byte(nil), r.bytes()...)
		}
		if r.err != nil {
			return r.err
		}
		if err := addPieces(t, w, labels, pieces); err != nil {
			return vitrine.Unavailable(fmt.Errorf("account %d, link %d, the tally of %v: %w", w.Account, w.Link, day,
				err))
		}
		return nil
	})
}

// piecesOf returns the head, body and times of a tally, and the labels to which
// the numbers in the body refer.
func piecesOf(t *report.Tally) (labels []string, pieces [3][]byte, err error) {
	pieces[0] = t.AppendHead(nil)
	pieces[1], err = t.AppendBody(nil, func(label string) (uint64, error) {
		i := slices.Index(labels, label)
		if i < 0 {
			i = len(labels)
			labels = append(labels, label)
		}
		return uint64(i), nil
	})
	pieces[2] = t.AppendTimes(nil, report.AllTimes)
	return labels, pieces, err
}

// addPieces adds a stored tally. For a brief window it adds only the head.
func addPieces(t *report.Tally, w window, labels []string, pieces [3][]byte) error {
	if err := report.CheckPiece(pieces[0]); err != nil {
		return err
	}
	if err := t.AddHead(pieces[0], w.From); err != nil || w.Brief {
		return err
	}
	if err := report.CheckPiece(pieces[1]); err != nil {
		return err
	}
	err := t.AddBody(pieces[1], w.From, func(id uint64) (string, error) {
		if id >= uint64(len(labels)) {
			return "", report.ErrPiece
		}
		return labels[id], nil
	})
	if err != nil {
		return err
	}
	return t.AddTimes(pieces[2], nil)
}
