package sqldb

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Listener has a connection that must show each second that it is alive, which
// says of the server, too, that it is (lines). By it the listener of a store
// knows of changes by anyone: each transaction that changes something says so
// (NOTIFY), and that connection listens. As long as it is known to be alive the
// number means what is in the store; while it is not, each number is
// another one.
type Listener struct {
	config  *pgx.ConnConfig
	channel string // "" listens to nothing
	Lines   *trackedConns
	waits   Waits
	end     context.CancelFunc
	ended   chan struct{}

	mu     sync.Mutex
	number int64
	heard  time.Time // everything that was said before is in the number; zero: nobody listens
	told   time.Time // when the server last said what time it is
	said   time.Time // what it said
	shared bool      // a pooler was found between that does not leave the connection to its client: what is told may reach nobody
	closed bool
}

// Waits say how long a server is waited for.
type Waits struct {
	// beat is how often the connection has to show that it is alive, and answer
	// how long it may take to.
	Beat, Answer time.Duration
	// heard is how long after it last did the number is still good. A change by
	// another process is seen within this time and a beat.
	Heard time.Duration
	// again is how long after a failure another connection is opened, and open
	// how long one may take to open. A server that was taken for frozen is
	// given as long as any connection to it.
	Again, Open time.Duration
	// silence is how long a server has to be silent to be taken for frozen.
	Silence time.Duration
}

// PostgresWaits are those of databases that are opened from now on. Tests make
// them shorter.
var PostgresWaits = Waits{Beat: time.Second, Answer: 2 * time.Second, Heard: 3 * time.Second,
	Again: 500 * time.Millisecond, Open: 4 * time.Second, Silence: 6 * time.Second}

const (
	// heartbeatQuery is what it is asked: the process that answers, and what
	// time it is, in UTC ms.
	HeartbeatQuery = "SELECT pg_backend_pid(), (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
	// timeGood is how long after the server said what time it is that is relied
	// on, and timeTold how long it may have taken to.
	timeGood = 10 * time.Second
	timeTold = time.Second
)

var errShared = errors.New("another process of the server answers than did before")

func newListener(config *pgx.ConnConfig, channel string, lines *trackedConns) *Listener {
	ctx, end := context.WithCancel(context.Background())
	l := &Listener{config: config, channel: channel, Lines: lines, waits: PostgresWaits, end: end, ended: make(chan struct{})}
	go l.run(ctx)
	return l
}

// version is another number whenever something may have changed.
func (l *Listener) version() (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, errClosed
	}
	if l.shared || time.Since(l.heard) > l.waits.Heard {
		l.number++
	}
	return l.number, nil
}

// committed notes a change by this process, which listeners learn
// next, before the news of it come.
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
		l.heard = time.Time{}
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
		l.Lines.tried(err)
	}
	for err == nil {
		l.hear(ctx, c)
		if err = l.beat(ctx, c, &process); err == nil {
			l.Lines.answered()
		}
	}
}

// open opens a connection that listens and is alive, and tells by which process
// of the server. One that is given along with an error is not.
func (l *Listener) open(ctx context.Context) (c *pgx.Conn, process int64, err error) {
	config := l.config.Copy()
	config.OnNotification = func(*pgconn.PgConn, *pgconn.Notification) { l.committed() }
	if !l.Lines.Frozen() {
		config.ConnectTimeout = l.waits.Open
	}
	c, err = pgx.ConnectConfig(ctx, config)
	if err == nil && l.channel != "" {
		err = l.ask(ctx, c, "LISTEN "+l.channel)
		l.committed() // what happened before was not told
	}
	if err == nil {
		err = l.beat(ctx, c, &process)
	}
	return c, process, err
}

// hear takes notifications until the next heartbeat.
func (l *Listener) hear(ctx context.Context, c *pgx.Conn) {
	until, cancel := context.WithTimeout(ctx, l.waits.Beat)
	defer cancel()
	for c.PgConn().WaitForNotification(until) == nil {
	}
}

// beat has the connection answer, by the process that it had before; 0: by any.
// Whatever was said before it was asked comes before the answer.
func (l *Listener) beat(ctx context.Context, c *pgx.Conn, process *int64) error {
	until, cancel := context.WithTimeout(ctx, l.waits.Answer)
	defer cancel()
	asked := time.Now()
	var answers, ms int64
	if err := c.QueryRow(until, HeartbeatQuery, pgx.QueryExecModeSimpleProtocol).Scan(&answers, &ms); err != nil {
		return err
	}
	l.saidTime(asked, ms)
	l.mu.Lock()
	defer l.mu.Unlock()
	if *process != 0 && answers != *process {
		l.shared = true
		return errShared
	}
	*process, l.heard = answers, asked
	return nil
}

// saidTime notes what the server said the time is, in UTC ms, when it was asked
// at a time of ours.
func (l *Listener) saidTime(asked time.Time, ms int64) {
	now := time.Now()
	took := now.Sub(asked)
	if took > timeTold {
		return // nobody knows when that was
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told, l.said = now.Round(0), time.UnixMilli(ms).Add(took/2)
}

// time is what time the server says it is; false: it has not said so lately.
// Between two heartbeats it follows the wall, as what it is compared with.
func (l *Listener) time() (now time.Time, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	since := time.Now().Round(0).Sub(l.told)
	return l.said.Add(since), since.Abs() < timeGood
}

func (l *Listener) ask(ctx context.Context, c *pgx.Conn, statement string) error {
	until, cancel := context.WithTimeout(ctx, l.waits.Answer)
	defer cancel()
	_, err := c.Exec(until, statement, pgx.QueryExecModeSimpleProtocol)
	return err
}

// Close ends listening. Whatever is asked of the server after it waits for its
// answer for ever.
func (l *Listener) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.end()
	<-l.ended
	return nil
}
