package sqldb

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// listener knows of changes of the store by anyone: each transaction that changes something says so (NOTIFY), and one connection listens. As
// long as that connection is known to be alive the number stands for what is in the store; while it is not, each number is another one.
type listener struct {
	config *pgx.ConnConfig
	end    context.CancelFunc
	ended  chan struct{}

	mu     sync.Mutex
	number int64
	heard  time.Time // everything that was said before is in the number; zero: nobody listens
	closed bool
}

const (
	// heartbeat is how often the connection has to show that it is alive, and heartbeatWait how long it may take to.
	heartbeat     = time.Second
	heartbeatWait = 2 * time.Second
	// heardFor is how long after it last did the number is still good. A change by another process is seen within this time and a heartbeat.
	heardFor = 3 * time.Second
	// listenAgain is how long after a failure another connection is opened.
	listenAgain = 500 * time.Millisecond
)

func newListener(config *pgx.ConnConfig) *listener {
	ctx, end := context.WithCancel(context.Background())
	l := &listener{config: config, end: end, ended: make(chan struct{})}
	go l.run(ctx)
	return l
}

// version is another number whenever something may have changed.
func (l *listener) version() (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, errClosed
	}
	if time.Since(l.heard) > heardFor {
		l.number++
	}
	return l.number, nil
}

// committed notes a change by this process, which is told to whoever asks next, before the news of it come.
func (l *listener) committed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.number++
}

func (l *listener) run(ctx context.Context) {
	defer close(l.ended)
	for ctx.Err() == nil {
		l.listen(ctx)
		l.mu.Lock()
		l.heard = time.Time{}
		l.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(listenAgain):
		}
	}
}

// listen opens a connection and listens until it fails or ctx ends.
func (l *listener) listen(ctx context.Context) {
	config := l.config.Copy()
	config.OnNotification = func(*pgconn.PgConn, *pgconn.Notification) { l.committed() }
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), heartbeatWait)
		defer cancel()
		_ = c.Close(ctx)
	}()
	if ask(ctx, c, "LISTEN "+changesChannel) != nil {
		return
	}
	l.committed() // what happened before was not told
	for l.beat(ctx, c) == nil {
		hear(ctx, c)
	}
}

// hear takes notifications until the next heartbeat.
func hear(ctx context.Context, c *pgx.Conn) {
	until, cancel := context.WithTimeout(ctx, heartbeat)
	defer cancel()
	for c.PgConn().WaitForNotification(until) == nil {
	}
}

// beat has the connection answer. Whatever was said before it was asked comes before the answer.
func (l *listener) beat(ctx context.Context, c *pgx.Conn) error {
	asked := time.Now()
	if err := ask(ctx, c, "SELECT 1"); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard = asked
	return nil
}

func ask(ctx context.Context, c *pgx.Conn, statement string) error {
	until, cancel := context.WithTimeout(ctx, heartbeatWait)
	defer cancel()
	_, err := c.Exec(until, statement, pgx.QueryExecModeSimpleProtocol)
	return err
}

// close ends listening.
func (l *listener) close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.end()
	<-l.ended
	return nil
}
