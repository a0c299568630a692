package sqldb

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// trackedConns are the connections to a PostgreSQL server, except the
// listener's. A frozen server (stopped, waiting for its disk, or cut off by the
// network) accepts data, or the system does, and never answers. A statement
// cannot distinguish that from being slow, and no time limit would be right.
// The listener can, because its queries are never slow. If its connection gets
// no answer, a new one gets none either, and nothing was read on any connection
// meanwhile, the server counts as frozen. Then all connections are closed,
// which fails their statements, and none is opened until the listener gets an
// answer again.
type trackedConns struct {
	dialer *net.Dialer
	silent time.Duration // waits.silence
	began  time.Time
	heard  atomic.Int64 // when something last came from the server: nanoseconds since began

	mu  sync.Mutex
	up  context.Context // each line ends with it
	cut context.CancelFunc
}

// ErrFrozen is the error of connecting to a server that has stopped answering,
// so that requests fail at once instead of waiting.
var ErrFrozen = errors.New("the server does not respond and is treated as frozen until it does")

func newLines(dialer *net.Dialer, silent time.Duration) *trackedConns {
	l := &trackedConns{dialer: dialer, silent: silent, began: time.Now()}
	l.up, l.cut = context.WithCancel(context.Background())
	return l
}

func (l *trackedConns) now() int64 { return int64(time.Since(l.began)) }

// trackedConn is a tracked connection.
type trackedConn struct {
	net.Conn
	of   *trackedConns
	stop func() bool // it no longer has to be cut
}

// dial opens a connection.
func (l *trackedConns) dial(ctx context.Context, network, address string) (net.Conn, error) {
	l.mu.Lock()
	up := l.up
	l.mu.Unlock()
	if up.Err() != nil {
		return nil, ErrFrozen
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(up, cancel)()
	c, err := l.dialer.DialContext(ctx, network, address)
	if err != nil {
		if up.Err() != nil {
			err = ErrFrozen
		}
		return nil, err
	}
	return &trackedConn{Conn: c, of: l, stop: context.AfterFunc(up, func() { _ = c.Close() })}, nil
}

func (c *trackedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.of.heard.Store(c.of.now())
	}
	return n, err
}

func (c *trackedConn) Close() error {
	c.stop()
	return c.Conn.Close()
}

// answered records an answer to the listener.
func (l *trackedConns) answered() {
	l.heard.Store(l.now())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.up.Err() != nil {
		l.up, l.cut = context.WithCancel(context.Background())
	}
}

// Frozen reports whether the server is taken for it.
func (l *trackedConns) Frozen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up.Err() != nil
}

// recordConnect records the result of the listener's attempt to connect. A
// server that refuses is alive. If nobody listens at the address, other
// connections fail in the same way.
func (l *trackedConns) recordConnect(err error) {
	var no *pgconn.PgError
	switch {
	case err == nil || errors.As(err, &no):
		l.answered()
	case unanswered(err) && l.now()-l.heard.Load() >= int64(l.silent):
		l.mu.Lock()
		defer l.mu.Unlock()
		l.cut()
	}
}

// unanswered reports whether an error means that the server did not respond.
func unanswered(err error) bool {
	var name *net.DNSError
	return !errors.As(err, &name) &&
		(pgconn.Timeout(err) || errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH) ||
			errors.Is(err, syscall.ETIMEDOUT))
}
