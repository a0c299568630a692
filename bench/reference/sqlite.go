package reference

import (
	"context"
	"database/sql"
	"encoding/json"
	"os"

	"vitrine/bench/dataset"

	_ "modernc.org/sqlite" // the same driver as Vitrine's
)

const sqliteTables = `
	CREATE TABLE opens (id INTEGER PRIMARY KEY, account INTEGER, link INTEGER, opened INTEGER, viewer INTEGER,
		country TEXT, city TEXT, referrer TEXT, source TEXT, device TEXT, browser TEXT, os TEXT, screen TEXT, bot BOOLEAN, qr BOOLEAN, came_back BOOLEAN,
		engaged INTEGER, present INTEGER, downloaded BOOLEAN, played INTEGER, reached INTEGER, depth INTEGER, pages TEXT);
	CREATE INDEX opens_of_link ON opens (link, opened)`

// SQLiteSize returns the size in bytes of a dataset as plain rows in SQLite
// with one index, and the name and version of SQLite. It deletes the file at
// path afterwards.
func SQLiteSize(ctx context.Context, p dataset.Params, path string) (n int64, name string, err error) {
	defer os.Remove(path)
	db, err := sql.Open("sqlite", path+"?_pragma=journal_mode(off)&_pragma=synchronous(off)")
	if err != nil {
		return 0, "", err
	}
	defer db.Close()
	if err := db.QueryRowContext(ctx, "SELECT 'SQLite ' || sqlite_version()").Scan(&name); err != nil {
		return 0, "", err
	}
	if err := fillSQLite(ctx, db, p); err != nil {
		return 0, "", err
	}
	s, err := os.Stat(path)
	if err != nil {
		return 0, "", err
	}
	return s.Size(), name, nil
}

func fillSQLite(ctx context.Context, db *sql.DB, p dataset.Params) error {
	if _, err := db.ExecContext(ctx, sqliteTables); err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	insert, err := tx.PrepareContext(ctx, "INSERT INTO opens VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	err = p.Each(func(o *dataset.Open) error {
		r := rowOf(o)
		l := &r.labels
		row := []any{r.account, r.link, r.at, int64(r.viewer), l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7], r.bot,
			r.qr, r.cameBack,
			nil, nil, nil, nil, nil, nil, nil}
		if o.Session {
			row[15], row[16], row[17] = r.engaged, r.present, r.downloaded
			switch o.Link.Content() {
			case "pages":
				pages, err := json.Marshal(o.Pages)
				if err != nil {
					return err
				}
				row[21] = string(pages)
			case "media":
				row[18], row[19] = r.played, r.reached
			case "scroll":
				row[20] = r.depth
			}
		}
		_, err := insert.ExecContext(ctx, row...)
		return err
	})
	if err != nil {
		return err
	}
	return tx.Commit()
}
