package sqldb

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Listener has a connection that must answer each second, and thereby shows
// that the server is alive (Lines). The listener of a store also learns of
// changes by every process: each transaction that changes something sends
// NOTIFY, and the connection listens. While the connection is alive, an
// unchanged number means an unchanged store; while it is not, each call of
// version returns a new number.
type Listener struct {
	config  *pgx.ConnConfig
	channel string // "" listens to nothing
	Lines   *trackedConns
	waits   Waits
	end     context.CancelFunc
	ended   chan struct{}

	mu         sync.Mutex
	number     int64
	validFrom  time.Time // earlier notifications are included in the number; zero if not listening
	answeredAt time.Time // when the server last returned its time
	serverTime time.Time // the time that it returned
	shared     bool      // a pooler gave the connection to other clients: notifications may be lost
	closed     bool
}

// Waits are the time limits for a server.
type Waits struct {
	// Beat is how often the connection must answer, and Answer how long an
	// answer may take.
	Beat, Answer time.Duration
	// Heard is how long after the last answer the number is still valid. A
	// change by another process is seen within Heard plus Beat.
	Heard time.Duration
	// Again is how long after a failure another connection is opened, and Open
	// how long opening may take. While the server counts as frozen, the time
	// limit of any other connection applies instead.
	Again, Open time.Duration
	// Silence is how long a server must be silent to count as frozen.
	Silence time.Duration
	// Version is by how much longer each try waits to ask for the version of a
	// new database, while others begin it.
	Version time.Duration
}

// UsualWaits returns the limits of a server that serves. Tests shorten them.
func UsualWaits() Waits {
	return Waits{Beat: time.Second, Answer: 2 * time.Second, Heard: 3 * time.Second, Again: 500 * time.Millisecond,
		Open: 4 * time.Second, Silence: 6 * time.Second, Version: 20 * time.Millisecond}
}

const (
	// HeartbeatQuery asks the server which of its processes answers, and what
	// time it is, in UTC ms.
	HeartbeatQuery = "SELECT pg_backend_pid(), (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
	// timeGood is how long the time that the server returned is used, and
	// timeTold how long that answer may have taken.
	timeGood = 10 * time.Second
	timeTold = time.Second
)

var errShared = errors.New("another server process responds than before")

func newListener(config *pgx.ConnConfig, channel string, lines *trackedConns, w Waits) *Listener {
	ctx, end := context.WithCancel(context.Background())
	l := &Listener{config: config, channel: channel, Lines: lines, waits: w, end: end,
		ended: make(chan struct{})}
	go l.run(ctx)
	return l
}

// version returns a new number whenever something may have changed.
func (l *Listener) version() (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, errClosed
	}
	if l.shared || time.Since(l.validFrom) > l.waits.Heard {
		l.number++
	}
	return l.number, nil
}

// committed counts a change: a commit of this process, before its notification
// arrives, or a notification.
func (l *Listener) committed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.number++
}

func (l *Listener) run(ctx context.Context) {
	defer close(l.ended)
	for ctx.Err() == nil {
		l.listen(ctx)
		l.mu.Lock()
		l.validFrom = time.Time{}
		l.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(l.waits.Again):
		}
	}
}

// listen opens a connection and listens until it fails or ctx ends.
func (l *Listener) listen(ctx context.Context) {
	c, process, err := l.open(ctx)
	if c != nil {
		defer func() {
			ctx, cancel := context.WithTimeout(context.Background(), l.waits.Answer)
			defer cancel()
			_ = c.Close(ctx)
		}()
	}
	if ctx.Err() == nil {
		l.Lines.recordConnect(err)
	}
	for err == nil {
		l.hear(ctx, c)
		if err = l.beat(ctx, c, &process); err == nil {
			l.Lines.answered()
		}
	}
}

// open opens a connection that listens and has answered, and returns the
// process of the server that answered. With an error, the connection may be
// open but is not usable.
func (l *Listener) open(ctx context.Context) (c *pgx.Conn, process int64, err error) {
	config := l.config.Copy()
	config.OnNotification = func(*pgconn.PgConn, *pgconn.Notification) { l.committed() }
	if !l.Lines.Frozen() {
		config.ConnectTimeout = l.waits.Open
	}
	c, err = pgx.ConnectConfig(ctx, config)
	if err == nil && l.channel != "" {
		err = l.ask(ctx, c, "LISTEN "+l.channel)
		l.committed() // earlier changes were not notified
	}
	if err == nil {
		err = l.beat(ctx, c, &process)
	}
	return c, process, err
}

// hear reads notifications until the next heartbeat is due.
func (l *Listener) hear(ctx context.Context, c *pgx.Conn) {
	until, cancel := context.WithTimeout(ctx, l.waits.Beat)
	defer cancel()
	for c.PgConn().WaitForNotification(until) == nil {
	}
}

// beat queries the connection. The same process as before must answer; 0 means
// any process. Notifications sent before the query arrive before the answer.
func (l *Listener) beat(ctx context.Context, c *pgx.Conn, process *int64) error {
	until, cancel := context.WithTimeout(ctx, l.waits.Answer)
	defer cancel()
	asked := time.Now()
	var answers, ms int64
	if err := c.QueryRow(until, HeartbeatQuery, pgx.QueryExecModeSimpleProtocol).Scan(&answers, &ms); err != nil {
		return err
	}
	l.recordServerTime(asked, ms)
	l.mu.Lock()
	defer l.mu.Unlock()
	if *process != 0 && answers != *process {
		l.shared = true
		return errShared
	}
	*process, l.validFrom = answers, asked
	return nil
}

// recordServerTime records the server's time, ms in UTC, which was asked for at
// the local time asked.
func (l *Listener) recordServerTime(asked time.Time, ms int64) {
	now := time.Now()
	took := now.Sub(asked)
	if took > timeTold {
		return // the answer took too long to be precise
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answeredAt, l.serverTime = now.Round(0), time.UnixMilli(ms).Add(took/2)
}

// time returns the server's time; known is false if the last answer is too old.
// Between two heartbeats the time advances with the wall clock, with which it
// is compared.
func (l *Listener) time() (now time.Time, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	since := time.Now().Round(0).Sub(l.answeredAt)
	return l.serverTime.Add(since), since.Abs() < timeGood
}

func (l *Listener) ask(ctx context.Context, c *pgx.Conn, statement string) error {
	until, cancel := context.WithTimeout(ctx, l.waits.Answer)
	defer cancel()
	_, err := c.Exec(until, statement, pgx.QueryExecModeSimpleProtocol)
	return err
}

// Close ends listening. After it nothing notices a frozen server: queries wait
// without a time limit.
func (l *Listener) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.end()
	<-l.ended
	return nil
}
