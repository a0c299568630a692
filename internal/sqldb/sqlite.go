package sqldb

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pressly/goose/v3/database"
	"modernc.org/sqlite"
	"modernc.org/sqlite/lib"
)

var SqliteDialect = &Dialect{
	goose:          database.DialectSQLite3,
	beginWrite:     "BEGIN IMMEDIATE",
	beginExclusive: "BEGIN IMMEDIATE",
	beginRead:      "BEGIN",
	commit:         "COMMIT",
	command:        (*conn).exec,
	Busy:           func(err error) bool { return sqliteCode(err)&0xff == sqlite3.SQLITE_BUSY },
	tries:          3, // each after the waiting of busy_timeout
	unknown:        func(error) bool { return false },
	exists: func(err error) bool {
		code := sqliteCode(err)
		return code == sqlite3.SQLITE_CONSTRAINT_UNIQUE || code == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
	},
	UseEngaged: " INDEXED BY opens_engaged",
	changes:    "PRAGMA data_version",
	Visit:      sqliteVisit,
}

func sqliteCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return sqlite3.SQLITE_OK
}

// Sizes of a connection's page cache, in KiB. Writers access many parts of the
// trees; readers mostly scan them.
const (
	writerCache = 32 << 10
	ReaderCache = 4 << 10
)

// SqliteReaders bounds the transactions that read at once.
const SqliteReaders = 4

// OpenSQLite opens a database file and upgrades its schema. It creates a
// missing file, for its owner only.
func OpenSQLite(path, schema string) (*DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// The file is closed before SQLite opens it, because closing it later would
	// release SQLite's locks.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("make database: %w", err)
	}
	writer := sql.OpenDB(SqliteFile(SqliteName(path, writerCache, "")))
	if err := migrate(SqliteDialect, writer, path, schema); err != nil {
		return nil, errors.Join(explainDamage(path, err), writer.Close())
	}
	reader := sql.OpenDB(SqliteFile(SqliteName(path, ReaderCache, "query_only(1)")))
	d := newDB(SqliteDialect, path, writer, 1, reader, SqliteReaders)
	d.locks = &fileLocks{path: path}
	d.Background = newCheckpointer(path)
	return d, nil
}

// SqliteName returns the driver's name for a file, with the settings of every
// connection. synchronous=FULL makes each commit wait for the disk; a writer
// waits for another process's transaction up to busy_timeout.
func SqliteName(path string, cacheKiB int, more string) string {
	pragmas := url.Values{
		"_txlock": {"immediate"}, // for migrations, which begin their own transactions
		"_pragma": {"busy_timeout(10000)", "journal_mode(wal)", "synchronous(full)", "foreign_keys(1)",
			fmt.Sprintf("wal_autocheckpoint(%d)", walPages),
			fmt.Sprintf("journal_size_limit(%d)", keptPages*pageBytes), fmt.Sprintf("cache_size(-%d)", cacheKiB)},
	}
	if more != "" {
		pragmas["_pragma"] = append(pragmas["_pragma"], more)
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: pragmas.Encode()}
	return u.String()
}

// walPages is the length of the write-ahead log, in pages of 4 KiB, from which
// a commit runs a checkpoint itself. It bounds the log, and is rarely reached.
const walPages = 65536

// checkpointEvery is how often the checkpointer moves committed pages into the
// database, while others write. A page that many commits change is moved once,
// and no commit waits for it.
const checkpointEvery = 5 * time.Second

// checkpointer moves the write-ahead log into the database in the background.
type checkpointer struct {
	db      *sql.DB
	written chan struct{} // holds one element when something was committed
	once    sync.Once
	ended   chan struct{}
	done    chan struct{}
}

func newCheckpointer(path string) *checkpointer {
	c := &checkpointer{db: sql.OpenDB(SqliteFile(SqliteName(path, ReaderCache, ""))), written: make(chan struct{}, 1),
		ended: make(chan struct{}), done: make(chan struct{})}
	c.db.SetMaxOpenConns(1)
	go c.run()
	return c
}

// committed notifies the checkpointer of a commit.
func (c *checkpointer) committed() {
	select {
	case c.written <- struct{}{}:
	default:
	}
}

func (c *checkpointer) run() {
	defer close(c.done)
	for {
		select {
		case <-c.ended:
			return
		case <-c.written:
		}
		select {
		case <-c.ended:
			return
		case <-time.After(checkpointEvery):
		}
		c.checkpoint()
	}
}

// keptPages is the length of the write-ahead log, in pages, that is kept for
// the next commits. A longer one is cut when everything in it is in the
// database.
const keptPages = 4096

// checkpoint moves the log into the database. If it fails, because the disk is
// full or another one is running, the next one has more to do.
func (c *checkpointer) checkpoint() {
	var busy, pages, moved int
	err := c.db.QueryRow("PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &pages, &moved)
	if err == nil && pages > keptPages && moved == pages {
		// It waits for nobody: if the log is being read or written, a later one
		// cuts it.
		_, _ = c.db.Exec("PRAGMA busy_timeout(0); PRAGMA wal_checkpoint(TRUNCATE)")
	}
}

func (c *checkpointer) Close() error {
	c.once.Do(func() { close(c.ended) })
	<-c.done
	return c.db.Close()
}
