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

// Options configure a log.
type Options struct {
	// Lock waits until no process of the fleet writes, and returns a function
	// that releases the lock. It is nil if only this process writes, or if
	// conflicts are resolved by deciding about a batch again. Nothing is lost
	// or counted twice in either case.
	Lock func(ctx context.Context) (release func(), err error)
}

// ViewLog implements [vitrine.ViewLog] on ClickHouse.
type ViewLog struct {
	c    *client
	lock func(ctx context.Context) (release func(), err error)

	turn chan struct{} // held by the writer; guards the fields below
	// applied is the last batch that is known to be carried out.
	applied uint64
	known   *state // as of applied; nil if unknown

	lastState atomic.Pointer[state] // the state that a reader read last
}

var _ vitrine.ViewLog = (*ViewLog)(nil)

// Open opens the log in an existing database and upgrades its schema. It
// returns an error if a newer version of the program has used the database.
// Several processes can use the same one. The address is
// clickhouse://USER:PASSWORD@HOST:PORT/DATABASE, with the parameters
// secure=true for TLS and cluster=NAME to distribute tables over a cluster.
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

// Close waits for the current batch.
func (l *ViewLog) Close() error {
	l.turn <- struct{}{}
	l.c.http.CloseIdleConnections()
	return nil
}

// attemptPrefix is the prefix of the names of completed attempts in the state.
const attemptPrefix = "attempt "

// state is the state of the whole log.
type state struct {
	settled report.Day // earlier days are settled
	// forgotten is the day before which views have expired and only tallies
	// remain. It is the first of a month unless the log was filled.
	forgotten report.Day
	erased    uint64     // the last batch that deleted a link
	built     report.Day // every account has been checked up to this day (daily.go)
	// attempts lists the completed attempts to expire days. Rows of other
	// attempts in tallies and seen are ignored.
	attempts []uint64
}

// state reads the current state.
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

// stateNow returns the current state. The caller holds the turn.
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

// putState returns the step that sets a value of the state.
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

// owner returns the account of a link, or 0 if the log does not know the link.
func (c *client) owner(ctx context.Context, link vitrine.LinkID) (account vitrine.AccountID, err error) {
	_, err = c.one(ctx, fmt.Sprintf("SELECT account FROM links FINAL WHERE link = %d", link),
		func(r *reader) { account = vitrine.AccountID(r.int64()) })
	return account, err
}

// RetainedFrom implements [vitrine.ViewLog]. It is the same for all accounts.
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

// list formats numbers for SQL.
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
