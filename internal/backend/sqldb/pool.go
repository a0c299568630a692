package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// pool holds the connections of one kind. It keeps each connection with its
// prepared statements, which database/sql would look up again in every
// transaction.
type pool struct {
	DB       *sql.DB
	Idle     chan *conn
	unopened chan struct{} // one value for each connection that may still be opened
	closed   chan struct{}
}

// conn is one connection. It is used by one goroutine at a time.
type conn struct {
	*sql.Conn
	Statements map[string]*sql.Stmt
	used       bool      // released at least once
	Postgres   *pgx.Conn // the connection, if PostgreSQL's
}

var errClosed = errors.New("closed")

func newPool(db *sql.DB, n int) *pool {
	p := &pool{DB: db, Idle: make(chan *conn, n), unopened: make(chan struct{}, n), closed: make(chan struct{})}
	for range n {
		p.unopened <- struct{}{}
	}
	return p
}

// Acquire waits for a connection until ctx ends. None is opened while another
// is idle.
func (p *pool) Acquire(ctx context.Context) (*conn, error) {
	// After ctx has ended nothing begins, even if a connection is idle.
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-p.closed:
		return nil, errClosed
	default:
	}
	select {
	case c := <-p.Idle:
		return c, nil
	default:
	}
	select {
	case <-p.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	case c := <-p.Idle:
		return c, nil
	case <-p.unopened:
		c, err := p.open(context.WithoutCancel(ctx))
		if err != nil {
			p.unopened <- struct{}{}
		}
		return c, err
	}
}

func (p *pool) open(ctx context.Context) (*conn, error) {
	opened, err := p.DB.Conn(ctx)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: opened, Statements: map[string]*sql.Stmt{}}
	err = opened.Raw(func(of any) error {
		if of, ok := of.(*stdlib.Conn); ok {
			c.Postgres = of.Conn()
		}
		return nil
	})
	if err != nil {
		_ = opened.Close()
		return nil, err
	}
	return c, nil
}

// Release returns a connection to the pool. An unusable connection is closed;
// the pool opens another one when needed.
func (p *pool) Release(c *conn, usable bool) {
	if !usable {
		_ = c.Raw(func(any) error { return driver.ErrBadConn })
		_ = c.Close()
		p.unopened <- struct{}{}
		return
	}
	c.used = true
	p.Idle <- c
}

// close waits until every connection is released, and closes them.
func (p *pool) close() error {
	select {
	case <-p.closed:
		return nil
	default:
		close(p.closed)
	}
	for range cap(p.Idle) {
		select {
		case <-p.unopened:
		case c := <-p.Idle:
			for _, s := range c.Statements {
				if c.Postgres == nil { // PostgreSQL's end with the connection, without asking it about each
					_ = s.Close()
				}
			}
			_ = c.Close()
		}
	}
	return p.DB.Close()
}

func (c *conn) exec(query string) error {
	s, err := c.prepare(query)
	if err == nil {
		_, err = s.ExecContext(context.Background())
	}
	return err
}

func (c *conn) prepare(query string) (*sql.Stmt, error) {
	if s := c.Statements[query]; s != nil {
		return s, nil
	}
	text := query
	if c.Postgres == nil {
		text = sqliteLimits.Replace(query)
	}
	s, err := c.PrepareContext(context.Background(), text)
	if err == nil {
		c.Statements[query] = s
	}
	return s, err
}
