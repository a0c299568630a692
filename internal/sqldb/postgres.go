package sqldb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3/database"
)

// postgresSchemas are where the Store and the ViewLog, whose tables have the
// same names, stand in one database.
var postgresSchemas = map[string]string{"store": "vitrine", "viewlog": "vitrine_views"}

// ChangesChannel is where a transaction says that it has changed the store.
const ChangesChannel = "vitrine_changes"

// PostgresStore runs transactions that write side by side, and those again that
// the database finds in each other's way. Each holds the table of turns,
// shared, but for one that was in others' way again and again: nobody else
// writes while it does. LOCK TABLE takes no snapshot, so that what is read is
// newer than the lock.
var PostgresStore = postgresDialect(Dialect{
	beginWrite: "BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE turns IN ROW SHARE MODE",
	beginAlone: "BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE turns IN EXCLUSIVE MODE",
	commit: "SELECT pg_notify('" + ChangesChannel +
		"', '') WHERE pg_current_xact_id_if_assigned() IS NOT NULL; COMMIT",
	tries: 8, // PostgreSQL lets go of a lock a moment before it takes a transaction for ended: even one that is alone may meet the one before
})

// PostgresViewLog has one transaction write at a time, of all instances
// together: what decides how opens are counted relies on it.
var PostgresViewLog = postgresDialect(Dialect{
	beginWrite: "BEGIN ISOLATION LEVEL READ COMMITTED; LOCK TABLE turns IN EXCLUSIVE MODE",
	beginAlone: "BEGIN ISOLATION LEVEL READ COMMITTED; LOCK TABLE turns IN EXCLUSIVE MODE",
	commit:     "COMMIT",
	tries:      3,
})

func postgresDialect(d Dialect) *Dialect {
	d.goose = database.DialectPostgres
	d.beginRead = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	d.command = PostgresCommand
	d.Busy = func(err error) bool { return postgresCode(err) == "40001" || postgresCode(err) == "40P01" }
	d.exists = func(err error) bool { return postgresCode(err) == "23505" }
	d.unknown = postgresLost
	d.guard = postgresGuard
	d.text = postgresText
	d.many = postgresMany
	d.Visit = postgresVisit
	return &d
}

// postgresCode is the SQLSTATE of an error by which a statement was refused.
func postgresCode(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// postgresLost reports that an error is of the connection: none by the server,
// or one after which it hangs up.
func postgresLost(err error) bool {
	var e *pgconn.PgError
	return !errors.As(err, &e) || e.SeverityUnlocalized != "ERROR"
}

// PostgresCommand sends statements together, in one turn.
func PostgresCommand(c *conn, statements string) error {
	_, err := c.Postgres.Exec(context.Background(), statements, pgx.QueryExecModeSimpleProtocol)
	return err
}

// postgresGuard runs a statement inside a savepoint: without one, PostgreSQL
// ends the transaction with the statement that it refuses.
func postgresGuard(t *Tx, statement func() error) error {
	if t.Err != nil {
		return t.Err
	}
	if err := PostgresCommand(t.Conn, "SAVEPOINT guard"); err != nil {
		return t.Fail(err)
	}
	t.guarded = true
	err := statement()
	t.guarded = false
	end := "RELEASE SAVEPOINT guard"
	switch {
	case t.Err != nil:
		return err
	case err != nil:
		end = "ROLLBACK TO SAVEPOINT guard; " + end
	}
	if err := PostgresCommand(t.Conn, end); err != nil {
		return t.Fail(err)
	}
	return err
}

// postgresText puts U+FFFD in the place of what no text in PostgreSQL has: NUL,
// and bytes that are not UTF-8.
func postgresText(args []any) []any {
	for i, a := range args {
		if s, ok := a.(string); ok && (strings.IndexByte(s, 0) >= 0 || !utf8.ValidString(s)) {
			args[i] = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
		}
	}
	return args
}

// IsPostgres reports whether a place is the address of a PostgreSQL database;
// else it is the path of a file.
func IsPostgres(place string) bool {
	return strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://")
}

// Numbers of connections for transactions.
const (
	PostgresConnections = 16
	PostgresWriters     = 4 // that run side by side, where they may
)

// connectTimeout bounds how long a connection takes to open, unless the address
// says otherwise.
const connectTimeout = 10 * time.Second

// postgresSettings are what every connection is set to. Commits wait for the
// disk. A client that vanished in the middle of a transaction must not keep the
// others waiting. Plans go by indexes also while tables are small: they are
// kept when the tables have grown, and a transaction that reads a whole table
// is in everybody's way.
const postgresSettings = `SET search_path = %s; SET client_encoding = 'UTF8'; SET jit = off; SET enable_seqscan = off; SET statement_timeout = 0;
	SET lock_timeout = 0; SET idle_session_timeout = 0; SET idle_in_transaction_session_timeout = '1min'; SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5;
	SET tcp_keepalives_count = 3; SET tcp_user_timeout = '30s'; SET client_connection_check_interval = '5s';
	SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`

// OpenPostgres opens the store or the viewlog of a PostgreSQL database, making
// it if there is none, and brings its schema up to date. place is the address;
// its parameter pool_max_conns is the most connections for transactions. Up to
// writers of them write.
func OpenPostgres(place, what string, d *Dialect, writers int) (*DB, error) {
	if u, err := url.Parse(place); err != nil || strings.Contains(u.Path+u.RawQuery+u.Fragment, "@") {
		// Where it was cut short, a piece of the password would stand in what
		// is told of it.
		return nil, errors.New("an address of PostgreSQL is postgres://USER:PASSWORD@HOST:PORT/NAME; in a password, / is written %2F, @ %40, : %3A, # %23, ? %3F and % %25")
	}
	config, err := pgx.ParseConfig(place)
	if err != nil {
		return nil, err
	}
	size := PostgresConnections
	if n, ok := config.RuntimeParams["pool_max_conns"]; ok {
		delete(config.RuntimeParams, "pool_max_conns")
		if size, err = strconv.Atoi(n); err != nil || size < 2 {
			return nil, fmt.Errorf("pool_max_conns of a PostgreSQL address is %q, want a number from 2 up", n)
		}
	}
	if _, ok := config.RuntimeParams["application_name"]; !ok {
		config.RuntimeParams["application_name"] = "vitrine"
	}
	if !strings.Contains(place, "connect_timeout=") {
		config.ConnectTimeout = connectTimeout
	}
	dialer := &net.Dialer{Control: giveUp, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second,
		Interval: 5 * time.Second, Count: 3}}
	config.DialFunc = dialer.DialContext
	lines, channel := newLines(dialer), ""
	if d == PostgresStore {
		channel = ChangesChannel
	}
	listener := newListener(config.Copy(), channel, lines)
	config.DialFunc = lines.dial
	schema := postgresSchemas[what]
	path := fmt.Sprintf("%s of PostgreSQL at %s:%d, schema %s", config.Database, config.Host, config.Port, schema)
	handle := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, fmt.Sprintf(postgresSettings, schema), pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			_ = c.Close(ctx)
		}
		return err
	}))
	if err := preparePostgres(handle, listener, d, path, what); err != nil {
		return nil, errors.Join(err, handle.Close(), listener.Close())
	}
	writers = min(writers, size/2)
	db := newDB(d, path, handle, writers, handle, size-writers)
	db.locks = &postgresLocks{handle: handle}
	db.Background, db.Changes = listener, listener
	return db, nil
}

// preparePostgres sees to it that the server is one that serves, and brings the
// schema up to date. One process does so at a time.
func preparePostgres(handle *sql.DB, l *Listener, d *Dialect, path, what string) error {
	schema := postgresSchemas[what]
	ctx := context.Background()
	c, err := handle.Conn(ctx)
	if err != nil {
		return fmt.Errorf("open the database %s: %w", path, err)
	}
	defer c.Close()
	shared, err := postgresShared(ctx, c, handle)
	if err != nil {
		return fmt.Errorf("open the database %s: %w", path, err)
	}
	if shared {
		return fmt.Errorf("the database %s is reached through a pooler that gives each transaction another connection: %s", path, sessionMode)
	}
	var number int
	var ms int64
	var version, encoding string
	asked := time.Now()
	err = c.QueryRowContext(ctx, `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, current_setting('server_version_num')::int,
		current_setting('server_version'), current_setting('server_encoding')`).Scan(&ms, &number, &version, &encoding)
	switch {
	case err != nil:
		return fmt.Errorf("open the database %s: %w", path, err)
	case number < 150000:
		return fmt.Errorf("the database %s is PostgreSQL %s: version 15 or later is needed", path, version)
	case encoding != "UTF8":
		return fmt.Errorf("the database %s has the encoding %s: UTF8 is needed (CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0)", path, encoding)
	}
	l.saidTime(asked, ms)
	key := lockKey("migrate " + schema)
	if _, err := c.ExecContext(ctx, "SELECT pg_advisory_lock($1)", key); err != nil {
		return fmt.Errorf("open the database %s: %w", path, err)
	}
	defer func() { _, _ = c.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", key) }()
	// Who may not make schemas may still be given one that is there.
	var there bool
	err = c.QueryRowContext(ctx, "SELECT to_regnamespace($1) IS NOT NULL", schema).Scan(&there)
	if err == nil && !there {
		_, err = c.ExecContext(ctx, "CREATE SCHEMA "+schema)
	}
	if err != nil {
		return fmt.Errorf("make the schema %s in the database %s: %w", schema, path, err)
	}
	return migrate(d, handle, path, what)
}

// sessionMode is what to do about a pooler that hands out connections by
// transactions.
const sessionMode = "set it to session mode (PgBouncer: pool_mode = session), or name the server itself"

// postgresShared reports whether there is a pooler in between that gives a
// connection to a client for only one transaction. Then two clients may meet on
// one server process, or one client may change its process. A busy pooler may
// give each client its own for a while, so it is asked several times, in an
// order that neither taking turns nor reusing the last process passes. (No
// statement is kept on the connections: it would be in the way of the next
// client.)
func postgresShared(ctx context.Context, c *sql.Conn, handle *sql.DB) (bool, error) {
	other, err := handle.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer other.Close()
	clients := [2]*sql.Conn{c, other}
	var process [2]int64
	for _, i := range [...]int{0, 1, 1, 0, 1, 0, 0, 1} {
		var id int64
		err := clients[i].QueryRowContext(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&id)
		if err != nil {
			return false, err
		}
		if id == process[1-i] || process[i] != 0 && id != process[i] {
			return true, nil
		}
		process[i] = id
	}
	return false, nil
}

// lockKey is the number of a named lock.
func lockKey(name string) int64 {
	sum := sha256.Sum256([]byte("vitrine " + name))
	return int64(binary.BigEndian.Uint64(sum[:]))
}
