package throttle

import (
	"container/list"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// reservedDescriptors is how many descriptors are kept for databases, their
	// journals and what is opened now and then.
	reservedDescriptors = 64
	// descriptorsPerConnection is how many descriptors a connection needs: its
	// own, and that of the file that is sent over it.
	descriptorsPerConnection = 2
	// minConnections connections are taken regardless of the limit.
	minConnections = 8
	// maxRefusing is the maximum number of connections that are answered with
	// 503 at the same time. Further ones are only closed.
	maxRefusing = 16
	// refuseTime is how long one of them has to take the answer.
	refuseTime = time.Second
	// logEvery is the least time between two lines of the log.
	logEvery = time.Minute
)

// MaxConnections returns how many connections fit into a limit of descriptors.
func MaxConnections(limit uint64) int {
	if limit > 1<<30 { // unlimited
		limit = 1 << 30
	}
	return max(minConnections, (int(limit)-reservedDescriptors)/descriptorsPerConnection)
}

// Listener is a listener with a limited number of open connections, so that the
// server does not run out of file descriptors. When they are all in use, the
// connection that has been idle the longest is closed for a new one. When none
// is idle, the new one is answered with 503 and closed.
type Listener struct {
	net.Listener
	limit   uint64
	maxOpen int
	log     *slog.Logger

	refuse chan struct{} // holds one for each connection that is being refused

	mu      sync.Mutex
	open    map[*conn]*list.Element // of idle; nil while a connection is in use
	idle    *list.List              // of *conn, the longest first
	refused int                     // not logged yet
	logged  time.Time
	turned  int64 // refused since the start
}

// Stats counts connections.
type Stats struct {
	Open, Most int
	Refused    int64 // since the start
}

// Stats returns the present numbers.
func (l *Listener) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Stats{Open: len(l.open), Most: l.maxOpen, Refused: l.turned}
}

// Listen bounds a listener by the limit of file descriptors of this process.
// The program raises the soft limit to the hard one when it starts (package
// os).
func Listen(l net.Listener, log *slog.Logger) *Listener {
	limit := descriptors()
	return &Listener{Listener: l, limit: limit, maxOpen: MaxConnections(limit), log: log,
		refuse: make(chan struct{}, maxRefusing),
		open:   map[*conn]*list.Element{}, idle: list.New()}
}

// Serve makes a server accept the connections of l until it is shut down.
func (l *Listener) Serve(s *http.Server) error {
	s.ConnState, s.ConnContext = l.state, withConn
	return s.Serve(l)
}

// Accept implements [net.Listener].
func (l *Listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			l.logFailure(err)
			return nil, err
		}
		tcp, ok := c.(*net.TCPConn)
		if !ok {
			return c, nil
		}
		if mine := l.add(tcp); mine != nil {
			return mine, nil
		}
		l.turnAway(tcp)
	}
}

// conn embeds *net.TCPConn so that the kernel still copies files to it.
type conn struct {
	*net.TCPConn
	l *Listener
}

func (c *conn) Close() error {
	c.l.remove(c)
	return c.TCPConn.Close()
}

// add returns nil if all connections are in use.
func (l *Listener) add(tcp *net.TCPConn) *conn {
	l.mu.Lock()
	var oldest *conn
	if len(l.open) >= l.maxOpen {
		first := l.idle.Front()
		if first == nil {
			l.mu.Unlock()
			return nil
		}
		oldest = l.idle.Remove(first).(*conn)
		delete(l.open, oldest)
	}
	c := &conn{tcp, l}
	l.open[c] = nil
	l.mu.Unlock()
	if oldest != nil {
		_ = oldest.TCPConn.Close()
	}
	return c
}

func (l *Listener) remove(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.open[c]; e != nil {
		l.idle.Remove(e)
	}
	delete(l.open, c)
}

// state receives the state changes of connections (http.Server.ConnState).
func (l *Listener) state(nc net.Conn, s http.ConnState) {
	c, ok := nc.(*conn)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e, known := l.open[c]
	switch {
	case !known:
	case s == http.StateIdle && e == nil:
		l.open[c] = l.idle.PushBack(c)
	case s == http.StateActive && e != nil:
		l.idle.Remove(e)
		l.open[c] = nil
	}
}

// turnAway answers a connection for which there is no room.
func (l *Listener) turnAway(c *net.TCPConn) {
	l.warn(1, "too many connections: new ones are answered with 503", nil)
	select {
	case l.refuse <- struct{}{}:
	default:
		_ = c.Close()
		return
	}
	go func() {
		defer func() { <-l.refuse }()
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(refuseTime))
		var id [8]byte
		rand.Read(id[:])
		const body = `{"error":"The server has too many connections. Try again soon.","code":"unavailable"}` + "\n"
		_, err := fmt.Fprintf(c, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"+
			"Retry-After: 1\r\nX-Request-Id: %s\r\nConnection: close\r\n\r\n%s", len(body), hex.EncodeToString(id[:]),
			body)
		if err == nil && c.CloseWrite() == nil {
			// Closing while something is unread would discard the response.
			_, _ = io.CopyN(io.Discard, c, 64<<10)
		}
	}()
}

// logFailure logs why the system gives no connection. The server tries again.
func (l *Listener) logFailure(err error) {
	if temporary(err) {
		l.warn(0, "connections cannot be accepted", err)
	}
}

// warn logs at most once in logEvery.
func (l *Listener) warn(refused int, text string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused += refused
	l.turned += int64(refused)
	now := time.Now()
	if !l.logged.IsZero() && now.Sub(l.logged) < logEvery {
		return
	}
	attributes := []any{"open", len(l.open), "most", l.maxOpen, "refused", l.refused, "descriptor_limit", l.limit}
	if err != nil {
		attributes = append(attributes, "error", err)
	}
	l.log.Warn(text+": raise the limit of file descriptors (LimitNOFILE, ulimit -n), or add a server", attributes...)
	l.logged, l.refused = now, 0
}

type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// ClientGone reports whether the client of a request is known to have left: it
// has closed its side of the connection, or the connection is broken. A client
// that left before its request was read is found here, and not yet by the
// context.
func ClientGone(ctx context.Context) bool {
	if ctx.Err() != nil {
		return true
	}
	c, ok := ctx.Value(connKey{}).(*conn)
	return ok && closed(c.TCPConn)
}
