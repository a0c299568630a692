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

// postgresSchemas maps Store and ViewLog to schemas, because their tables have
// the same names.
var postgresSchemas = map[string]string{"store": "vitrine", "viewlog": "vitrine_views"}

// ChangesChannel is the channel on which transactions announce changes of the
// store.
const ChangesChannel = "vitrine_changes"

// PostgresStore runs write transactions concurrently, and repeats those that
// conflict. Each holds the table of turns in shared mode, except one that has
// conflicted several times: it excludes all other writers. LOCK TABLE takes no
// snapshot, so reads are newer than the lock.
var PostgresStore = postgresDialect(Dialect{
	beginWrite:     "BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE turns IN ROW SHARE MODE",
	beginExclusive: "BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE turns IN EXCLUSIVE MODE",
	commit: "SELECT pg_notify('" + ChangesChannel +
		"', '') WHERE pg_current_xact_id_if_assigned() IS NOT NULL; COMMIT",
	tries: 8, // PostgreSQL lets go of a lock a moment before it takes a transaction for ended: even one that is alone may meet the one before
})

// PostgresViewLog runs one write transaction at a time, over all processes. The
// counting of views depends on it.
var PostgresViewLog = postgresDialect(Dialect{
	beginWrite:     "BEGIN ISOLATION LEVEL READ COMMITTED; LOCK TABLE turns IN EXCLUSIVE MODE",
	beginExclusive: "BEGIN ISOLATION LEVEL READ COMMITTED; LOCK TABLE turns IN EXCLUSIVE MODE",
	commit:         "COMMIT",
	tries:          3,
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

// postgresCode returns the SQLSTATE of an error, or "".
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
		return t.Failed(err)
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
		return t.Failed(err)
	}
	return err
}

// postgresText replaces what PostgreSQL cannot store in texts, NUL and invalid
// UTF-8, by U+FFFD.
func postgresText(args []any) []any {
	for i, a := range args {
		if s, ok := a.(string); ok && (strings.IndexByte(s, 0) >= 0 || !utf8.ValidString(s)) {
			args[i] = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
		}
	}
	return args
}

// IsPostgres reports whether a location is the address of a PostgreSQL
// database; otherwise it is the path of a file.
func IsPostgres(place string) bool {
	return strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://")
}

// Numbers of connections for transactions.
const (
	PostgresConnections = 16
	PostgresWriters     = 4 // that run side by side, where they may
)

// connectTimeout is how long a connection may take to open, unless the address
// says otherwise.
const connectTimeout = 10 * time.Second

// postgresSettings are the settings of every connection. Commits wait for the
// disk. A client that disappears during a transaction must not block others.
// Plans use indexes even for small tables: plans are reused when the tables
// have grown, and a transaction that reads a whole table conflicts with all
// others.
const postgresSettings = `SET search_path = %s; SET client_encoding = 'UTF8'; SET jit = off; SET enable_seqscan = off; SET statement_timeout = 0;
	SET lock_timeout = 0; SET idle_session_timeout = 0; SET idle_in_transaction_session_timeout = '1min'; SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5;
	SET tcp_keepalives_count = 3; SET tcp_user_timeout = '30s'; SET client_connection_check_interval = '5s';
	SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`

// Open opens the store or the view log: a SQLite file, or a PostgreSQL database
// (postgres://…). It creates the schema or upgrades it. It returns an error if
// a newer version of the program has used it. Several processes can use it.
func Open(place, schema string, w Waits) (*DB, error) {
	switch {
	case !IsPostgres(place):
		return OpenSQLite(place, schema, w)
	case schema == StoreSchema:
		return OpenPostgres(place, schema, PostgresStore, PostgresWriters, w)
	}
	return OpenPostgres(place, schema, PostgresViewLog, 1, w)
}

// OpenPostgres opens the store or the view log of a PostgreSQL database. It
// creates it if there is none, and upgrades its schema. place is the address;
// its parameter pool_max_conns is the most connections for transactions. Up to
// writers of them write.
func OpenPostgres(place, what string, d *Dialect, writers int, w Waits) (*DB, error) {
	if u, err := url.Parse(place); err != nil || strings.Contains(u.Path+u.RawQuery+u.Fragment, "@") {
		// A truncated address could contain part of the password.
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
	dialer := &net.Dialer{Control: setUserTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second,
			Interval: 5 * time.Second, Count: 3}}
	config.DialFunc = dialer.DialContext
	lines, channel := newLines(dialer, w.Silence), ""
	if d == PostgresStore {
		channel = ChangesChannel
	}
	listener := newListener(config.Copy(), channel, lines, w)
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
	if err := preparePostgres(handle, listener, d, path, what, w); err != nil {
		return nil, errors.Join(explainRefused(config, err), handle.Close(), listener.Close())
	}
	writers = min(writers, size/2)
	db := newDB(d, path, handle, writers, handle, size-writers)
	db.locks = &postgresLocks{handle: handle}
	db.Background, db.Changes = listener, listener
	return db, nil
}

// preparePostgres checks that the server is usable and migrates the schema. One
// process does so at a time.
func preparePostgres(handle *sql.DB, l *Listener, d *Dialect, path, what string, w Waits) error {
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
		return fmt.Errorf("the database %s is behind a pooler that uses another connection for each transaction: %s",
			path, sessionMode)
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
	l.recordServerTime(asked, ms)
	key := lockKey("migrate " + schema)
	if _, err := c.ExecContext(ctx, "SELECT pg_advisory_lock($1)", key); err != nil {
		return fmt.Errorf("open the database %s: %w", path, err)
	}
	defer func() { _, _ = c.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", key) }()
	// A role that cannot create schemas can still use an existing one.
	var there bool
	err = c.QueryRowContext(ctx, "SELECT to_regnamespace($1) IS NOT NULL", schema).Scan(&there)
	if err == nil && !there {
		_, err = c.ExecContext(ctx, "CREATE SCHEMA "+schema)
	}
	if err != nil {
		return fmt.Errorf("create the schema %s in the database %s: %w", schema, path, err)
	}
	return migrate(d, handle, path, what, w)
}

// sessionMode is the remedy for a pooler that assigns connections to
// transactions.
const sessionMode = "set it to session mode (PgBouncer: pool_mode = session), or connect to the server directly"

// postgresShared reports whether a pooler gives a connection to a client for
// only one transaction. Then two clients may use one server process, or one
// client several. A busy pooler may give each client its own process for a
// while, so the check is repeated, in an order that detects both round robin
// and reuse of the last process. (No statement is prepared, because it would
// disturb the next client.)
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

// lockKey returns the number of a named lock.
func lockKey(name string) int64 {
	sum := sha256.Sum256([]byte("vitrine " + name))
	return int64(binary.BigEndian.Uint64(sum[:]))
}
