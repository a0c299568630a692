package sqldb

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/pressly/goose/v3/database"
	"modernc.org/sqlite"
	"modernc.org/sqlite/lib"
)

// SqliteDialect is what is particular to SQLite.
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
	UseEngaged: " INDEXED BY views_engaged",
	changes:    "PRAGMA data_version",
	Visit:      sqliteVisit,
}

// sqliteLimits makes the limit of a query a sum. SQLite plans with the value of
// a limit that is a parameter alone, so it would compile the statement again
// for each value.
var sqliteLimits = strings.NewReplacer("LIMIT $", "LIMIT 0 + $")

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
func OpenSQLite(path, schema string, w Waits) (*DB, error) {
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
	if err := migrate(SqliteDialect, writer, path, schema, w); err != nil {
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
			fmt.Sprintf("wal_autocheckpoint(%d)", walPages), fmt.Sprintf("cache_size(-%d)", cacheKiB)},
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
	log     string        // path of the write-ahead log
	written chan struct{} // holds one element when something was committed
	once    sync.Once
	ended   chan struct{}
	done    chan struct{}
}

func newCheckpointer(path string) *checkpointer {
	c := &checkpointer{db: sql.OpenDB(SqliteFile(SqliteName(path, ReaderCache, ""))), log: path + "-wal",
		written: make(chan struct{}, 1), ended: make(chan struct{}), done: make(chan struct{})}
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
	for long := false; ; {
		quiet := false
		var later <-chan time.Time // a long log is looked at again, also when nothing is committed
		if long {
			later = time.After(checkpointEvery)
		}
		select {
		case <-c.ended:
			return
		case <-later:
			quiet = true
		case <-c.written:
			select {
			case <-c.ended:
				return
			case <-time.After(checkpointEvery):
			}
		}
		long = c.checkpoint(quiet)
	}
}

// keptPages is the length of the write-ahead log, in pages, that is always kept
// for the next commits.
const keptPages = 4096

// checkpoint moves the log into the database. If it fails, because the disk is
// full or another one is running, the next one has more to do.
//
// A log of more than keptPages is cut when everything in it is in the database
// and less was written since the checkpoint before: nothing, if it was quiet.
// While as much is written, it stays, because commits that write over a log
// cost less than those that make the file longer. checkpoint reports whether
// the log is still long.
func (c *checkpointer) checkpoint(quiet bool) (long bool) {
	var busy, pages, moved int
	err := c.db.QueryRow("PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &pages, &moved)
	if !c.long() {
		return false
	}
	if err == nil && moved == pages && (quiet || pages <= keptPages) {
		// It waits for nobody: if the log is being read or written, a later one
		// cuts it.
		_, _ = c.db.Exec("PRAGMA busy_timeout(0); PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return c.long()
}

// long reports whether the log has more than keptPages, each with its head.
func (c *checkpointer) long() bool {
	st, err := os.Stat(c.log)
	return err == nil && st.Size() > keptPages*(pageBytes+24)
}

func (c *checkpointer) Close() error {
	c.once.Do(func() { close(c.ended) })
	<-c.done
	return c.db.Close()
}
