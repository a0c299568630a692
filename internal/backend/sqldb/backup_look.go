package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// Look describes a database before it is opened.
type Look struct {
	There   bool // the schema exists
	Version int64
	Known   int64         // the newest version of a schema that this program knows
	Server  string        // such as "PostgreSQL 15.8" or "SQLite 3.50.4"
	Took    time.Duration // duration of one query
	Off     time.Duration // how far the server's clock is ahead of this machine's; SQLite has no clock
	// Wrong and Doubts are sentences for the administrator, with a remedy.
	Wrong, Doubts []string
}

// Schemas of LookAt.
const (
	StoreSchema   = "store"
	ViewLogSchema = "viewlog"
)

// LookAt examines a database as OpenStore or OpenViewLog would open it, and
// changes nothing. It returns an error if it cannot examine the database.
func LookAt(ctx context.Context, place, schema string) (*Look, error) {
	l := new(Look)
	dialect := "sqlite3"
	if IsPostgres(place) {
		dialect = "postgres"
	}
	steps, err := fs.ReadDir(Migrations, fmt.Sprintf("migrations/%s/%s", dialect, schema))
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		number, _, _ := strings.Cut(s.Name(), "_")
		n, _ := strconv.ParseInt(number, 10, 64)
		l.Known = max(l.Known, n)
	}
	if IsPostgres(place) {
		err = l.postgres(ctx, place, schema)
	} else {
		err = l.sqlite(ctx, place)
	}
	if err == nil && l.Version > l.Known {
		l.Wrong = append(l.Wrong, fmt.Sprintf("Its schema has version %d, but this program only knows versions up to %d: a newer version has used it. Install that version.", l.Version, l.Known))
	}
	return l, err
}

const appliedVersion = "SELECT coalesce(max(version_id), 0) FROM %sgoose_db_version WHERE is_applied"

func (l *Look) sqlite(ctx context.Context, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	handle := sql.OpenDB(SqliteFile(SqliteName(path, ReaderCache, "query_only(1)")))
	defer handle.Close()
	began := time.Now()
	if err := handle.QueryRowContext(ctx, "SELECT 'SQLite ' || sqlite_version()").Scan(&l.Server); err != nil {
		return explainDamage(path, err)
	}
	if err := handle.QueryRowContext(ctx, fmt.Sprintf(appliedVersion, "")).Scan(&l.Version); err != nil {
		return explainDamage(path, err)
	}
	l.There, l.Took = true, time.Since(began)
	return nil
}

func (l *Look) postgres(ctx context.Context, place, schema string) error {
	config, err := pgx.ParseConfig(place)
	if err != nil {
		return err
	}
	delete(config.RuntimeParams, "pool_max_conns")
	config.ConnectTimeout = connectTimeout
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol // prepares nothing: any pooler works
	handle := stdlib.OpenDB(*config)
	defer handle.Close()
	var now time.Time
	if err := handle.QueryRowContext(ctx, "SELECT clock_timestamp()").Scan(&now); err != nil { // connects
		return explainRefused(config, err)
	}
	began := time.Now()
	if err := handle.QueryRowContext(ctx, "SELECT clock_timestamp()").Scan(&now); err != nil {
		return err
	}
	l.Took = time.Since(began)
	l.Off = now.Sub(began.Add(l.Took / 2))
	c, err := handle.Conn(ctx)
	if err != nil {
		return err
	}
	shared, err := postgresShared(ctx, c, handle)
	if err = errors.Join(err, c.Close()); err != nil {
		return err
	}
	if shared {
		l.Server = "PostgreSQL"
		l.Wrong = append(l.Wrong, "The connection goes through a pooler that uses another connection for each transaction: "+
			sessionMode+".")
		return nil
	}
	name := postgresSchemas[schema]
	usable, err := l.settings(ctx, handle, config, name)
	if err != nil || !usable {
		return err
	}
	var versions bool
	if err := handle.QueryRowContext(ctx, "SELECT to_regclass($1) IS NOT NULL",
		name+".goose_db_version").Scan(&versions); err != nil || !versions {
		l.There = false
		return err
	}
	return handle.QueryRowContext(ctx, fmt.Sprintf(appliedVersion, name+".")).Scan(&l.Version)
}

// settings checks the version of a server and the rights of the user. usable
// reports whether the schema exists and is readable.
func (l *Look) settings(ctx context.Context, handle *sql.DB, config *pgx.ConnConfig,
	name string) (usable bool, err error) {
	var number, connections int
	var encoding string
	var standby, secure, create, usage bool
	err = handle.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::int, 'PostgreSQL ' || current_setting('server_version'), current_setting('server_encoding'),
		pg_is_in_recovery(), coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false), current_setting('max_connections')::int,
		to_regnamespace($1) IS NOT NULL, has_database_privilege(current_database(), 'CREATE'),
		coalesce(has_schema_privilege(to_regnamespace($1)::oid, 'CREATE') AND has_schema_privilege(to_regnamespace($1)::oid, 'USAGE'), false)`, name).
		Scan(&number, &l.Server, &encoding, &standby, &secure, &connections, &l.There, &create, &usage)
	if err != nil {
		return false, err
	}
	wrong := func(bad bool, format string, args ...any) {
		if bad {
			l.Wrong = append(l.Wrong, fmt.Sprintf(format, args...))
		}
	}
	wrong(number < 150000, "Version 15 or later is needed.")
	wrong(encoding != "UTF8", "Its encoding is %s, but UTF8 is needed: create the database with ENCODING 'UTF8' TEMPLATE template0.", encoding)
	wrong(standby, "It is a standby, which accepts no writes: use the primary server.")
	wrong(!l.There && !create, "The user %s may not make the schema %s: GRANT CREATE ON DATABASE %s TO %s.",
		config.User, name, config.Database, config.User)
	wrong(l.There && !usage, "The user %s may not use the schema %s: GRANT USAGE, CREATE ON SCHEMA %s TO %s.",
		config.User, name, name, config.User)
	if remote := !strings.HasPrefix(config.Host, "/") && config.Host != "localhost" && config.Host != "127.0.0.1" &&
		config.Host != "::1"; remote && !secure {
		l.Doubts = append(l.Doubts, "The connection to another machine is not encrypted: add sslmode=verify-full to its address.")
	}
	if connections < 2*(2*PostgresConnections+5) {
		l.Doubts = append(l.Doubts, fmt.Sprintf("It allows %d connections, and each server of the instance takes up to %d: raise max_connections, or put pool_max_conns into the address.", connections, 2*PostgresConnections+5))
	}
	return l.There && usage, nil
}
