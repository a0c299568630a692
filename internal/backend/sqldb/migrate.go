package sqldb

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"
)

//go:embed migrations
var Migrations embed.FS

// migrateTries bounds how often other processes may interrupt the steps of a
// migration.
const migrateTries = 5

// versionTries bounds how often the version is asked for while others begin a
// new database (Waits.Version): for some four seconds in all.
const versionTries = 20

// migrate brings a database to the newest schema, each step in a transaction of
// its own. If the database has a newer schema than this program, migrate fails
// and changes nothing.
func migrate(d *Dialect, handle *sql.DB, path, schema string, w Waits) error {
	steps, err := fs.Sub(Migrations, fmt.Sprintf("migrations/%s/%s", d.goose, schema))
	if err != nil {
		return err
	}
	return MigrateTo(d, handle, path, steps, w)
}

// versions returns the schema version of a database, and the newest known
// version. In a new database it creates the table of versions. That fails if
// another process is creating the table, which then exists a moment later.
func versions(ctx context.Context, p *goose.Provider, w Waits) (now, known int64, err error) {
	for try := range versionTries {
		if now, known, err = p.GetVersions(ctx); err == nil {
			break
		}
		time.Sleep(time.Duration(try) * w.Version)
	}
	return now, known, err
}

// MigrateTo makes the steps that a schema lacks. Several processes may do so at
// once. It refuses a schema of a newer program.
func MigrateTo(d *Dialect, handle *sql.DB, path string, steps fs.FS, w Waits) error {
	ctx := context.Background()
	for try := 1; ; try++ {
		p, err := goose.NewProvider(d.goose, handle, steps, goose.WithLogger(goose.NopLogger()),
			goose.WithAllowOutofOrder(true))
		if err != nil {
			return err
		}
		before, known, err := versions(ctx, p, w)
		if err != nil {
			return fmt.Errorf("read the schema version of %s: %w", path, err)
		}
		if before > known {
			return fmt.Errorf("the database %s has schema version %d, and this program knows versions up to %d only: it was used by a newer "+
				"version. Install that version, or restore a backup from before the upgrade", path, before, known)
		}
		// A pending step may have a smaller number than a step that has already
		// run.
		if pending, err := p.HasPending(ctx); err != nil {
			return fmt.Errorf("read the schema version of %s: %w", path, err)
		} else if !pending {
			return nil
		}
		if _, err = p.Up(ctx); err == nil {
			continue // and see that it is so
		}
		// Another process that opens the same database may have made the step
		// that failed here.
		now, _, again := versions(ctx, p, w)
		pending, unknown := p.HasPending(ctx)
		if again != nil || unknown != nil || now == before && pending || try == migrateTries {
			return fmt.Errorf("upgrade the database %s from schema version %d: %w", path, before, err)
		}
	}
}
