package clickhouse

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"vitrine"
	"vitrine/report"
)

// Options are what a log is opened with.
type Options struct {
	// Lock waits until nobody else writes, in the whole fleet, and gives what
	// lets others write again. nil: only this process writes, or several do and
	// now and then decide a batch twice; nothing is lost or counted twice in
	// any case.
	Lock func(ctx context.Context) (release func(), err error)
}

// ViewLog is a vitrine.ViewLog.
type ViewLog struct {
	c    *client
	lock func(ctx context.Context) (release func(), err error)

	turn chan struct{} // held by the writer; it guards the rest
	// applied is the last batch that is known to be carried out.
	applied uint64
	known   *state // as of applied; nil: not read yet

	lastState atomic.Pointer[state] // as a reader found it last
}

var _ vitrine.ViewLog = (*ViewLog)(nil)

// Open opens the log in a database, which must be there, and upgrades its
// schema. It refuses one that a newer version has used. Several processes may
// have the same database open. The address is
// clickhouse://USER:PASSWORD@HOST:PORT/DATABASE, with the parameters
// secure=true for TLS and cluster=NAME for tables that are spread over a
// cluster.
func Open(ctx context.Context, address string, o Options) (*ViewLog, error) {
	a, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	l := &ViewLog{c: newClient(a), lock: o.Lock, turn: make(chan struct{}, 1)}
	if l.lock == nil {
		l.lock = func(context.Context) (func(), error) { return func() {}, nil }
	}
	if err := l.c.migrate(ctx); err != nil {
		return nil, l.c.explain(ctx, err)
	}
	return l, nil
}

// Close waits for the batch that is being written.
func (l *ViewLog) Close() error {
	l.turn <- struct{}{}
	l.c.http.CloseIdleConnections()
	return nil
}

// attemptPrefix begins the name by which the state knows an attempt.
const attemptPrefix = "attempt "

// state is what is known of the whole log.
type state struct {
	settled   report.Day // days before are settled
	forgotten report.Day // views of days before are gone, and their tallies are all there is: the first of a month, but for a log that was moved here
	erased    uint64     // the last batch that erased a link
	built     report.Day // of days before, every account has been looked at (daily.go)
	// attempts are the attempts to forget that came to their end: rows of other
	// attempts in tallies and seen are ignored.
	attempts []uint64
}

// state reads the state as it is.
func (c *client) state(ctx context.Context) (s state, err error) {
	err = c.query(ctx, "SELECT name, value FROM state FINAL", func(r *reader) error {
		name, value := r.string(), r.int64()
		switch name {
		case "settled":
			s.settled = report.Day(value)
		case "forgotten":
			s.forgotten = report.Day(value)
		case "erased":
			s.erased = uint64(value)
		case "built":
			s.built = report.Day(value)
		default:
			if attempt, ok := strings.CutPrefix(name, attemptPrefix); ok {
				n, err := strconv.ParseUint(attempt, 10, 64)
				if err != nil {
					return errAnswer
				}
				s.attempts = append(s.attempts, n)
			}
		}
		return nil
	})
	return s, err
}

// stateNow is the state for the holder of the turn.
func (l *ViewLog) stateNow(ctx context.Context) (state, error) {
	if l.known == nil {
		s, err := l.c.state(ctx)
		if err != nil {
			return s, err
		}
		l.known = &s
	}
	return *l.known, nil
}

// putState is the step that changes a value of the state.
func putState(name string, value int64, number uint64) step {
	var w rows
	w.string(name)
	w.int64(value)
	w.uint64(number)
	return step{stepInsert, "state (name, value, version)", w.b}
}

// Counts implements [vitrine.ViewLog].
func (l *ViewLog) Counts(ctx context.Context, links []vitrine.LinkID) (map[vitrine.LinkID]vitrine.LinkCounts, error) {
	if len(links) == 0 {
		return map[vitrine.LinkID]vitrine.LinkCounts{}, nil
	}
	return l.c.counts(ctx, "link IN ("+list(links)+")")
}

// AccountCounts implements [vitrine.ViewLog].
func (l *ViewLog) AccountCounts(ctx context.Context,
	a vitrine.AccountID) (map[vitrine.LinkID]vitrine.LinkCounts, error) {
	return l.c.counts(ctx, fmt.Sprintf("account = %d", a))
}

func (c *client) counts(ctx context.Context, where string) (map[vitrine.LinkID]vitrine.LinkCounts, error) {
	counts := map[vitrine.LinkID]vitrine.LinkCounts{}
	err := c.query(ctx, "SELECT link, views, downloads FROM links FINAL WHERE "+where, func(r *reader) error {
		counts[vitrine.LinkID(r.int64())] = vitrine.LinkCounts{Views: r.int64(), Downloads: r.int64()}
		return nil
	})
	return counts, err
}

// owner is the account of a link; 0: the log knows nothing of the link.
func (c *client) owner(ctx context.Context, link vitrine.LinkID) (account vitrine.AccountID, err error) {
	_, err = c.one(ctx, fmt.Sprintf("SELECT account FROM links FINAL WHERE link = %d", link),
		func(r *reader) { account = vitrine.AccountID(r.int64()) })
	return account, err
}

// RetainedFrom implements [vitrine.ViewLog]. It is the same of all accounts.
func (l *ViewLog) RetainedFrom(ctx context.Context, _ vitrine.AccountID) (report.Day, error) {
	s, err := l.c.state(ctx)
	return s.forgotten, err
}

// Imported implements [vitrine.ViewLog].
func (l *ViewLog) Imported(ctx context.Context, file [32]byte) (lines int64, err error) {
	_, err = l.c.one(ctx, fmt.Sprintf("SELECT lines FROM imports FINAL WHERE file = unhex('%x')", file),
		func(r *reader) { lines = r.int64() })
	return lines, err
}

// list writes numbers as SQL takes them.
func list[N ~int64](numbers []N) string {
	var b strings.Builder
	for i, n := range numbers {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(int64(n), 10))
	}
	return b.String()
}
