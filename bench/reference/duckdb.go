package reference

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vitrine/bench/dataset"

	"github.com/duckdb/duckdb-go/v2"
)

var duckDialect = dialect{div: divide("//"), median: "median(engaged)", distinct: distinctByGroups, among: oneOf,
	labels: labelsOneByOne}

// Labels are enumerations, the fastest tested type for grouping.
const duckTables = `
	CREATE TABLE links (account UINTEGER, link UINTEGER, slug VARCHAR, kind VARCHAR, created BIGINT, downloads BIGINT);
	CREATE TABLE opens (account UINTEGER, link UINTEGER, opened BIGINT, viewer UBIGINT,
		country country, city city, referrer referrer, source source, device device, browser browser, os os, screen screen,
		bot BOOLEAN, qr BOOLEAN, came_back BOOLEAN, session BOOLEAN, counted BOOLEAN, atypical BOOLEAN, downloaded BOOLEAN,
		engaged UINTEGER, present UINTEGER, completion DOUBLE, played UTINYINT, reached UTINYINT, depth UTINYINT);
	CREATE TABLE pages (account UINTEGER, link UINTEGER, opened BIGINT, page USMALLINT, ms UINTEGER, counted BOOLEAN, furthest BOOLEAN)`

// DuckDB runs DuckDB in this process.
type DuckDB struct {
	db   *sql.DB
	name string
	path string
}

// OpenDuckDB opens the database of a dataset. If dir has none, it loads the
// dataset first.
func OpenDuckDB(ctx context.Context, p dataset.Params, dir string) (*DuckDB, error) {
	path := filepath.Join(dir, p.Key()+"."+schema+".duckdb")
	if _, err := os.Stat(path); err != nil {
		unfinished := path + ".unfinished"
		_ = os.Remove(unfinished)
		d, err := openDuckDB(ctx, unfinished)
		if err != nil {
			return nil, err
		}
		err = d.load(ctx, p)
		if closed := d.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return nil, fmt.Errorf("load DuckDB: %w", err)
		}
		if err := os.Rename(unfinished, path); err != nil {
			return nil, err
		}
	}
	return openDuckDB(ctx, path)
}

func openDuckDB(ctx context.Context, path string) (*DuckDB, error) {
	db, err := sql.Open("duckdb", fmt.Sprintf("%s?threads=%d", path, threads))
	if err != nil {
		return nil, err
	}
	d := &DuckDB{db: db, path: path}
	if err := db.QueryRowContext(ctx, "SELECT version()").Scan(&d.name); err != nil {
		return nil, err
	}
	d.name = "DuckDB " + strings.TrimPrefix(d.name, "v")
	return d, nil
}

// Name implements [Engine].
func (d *DuckDB) Name() string { return d.name }

// Close implements [Engine].
func (d *DuckDB) Close() error { return d.db.Close() }

// Size returns the size of the database after a checkpoint, in bytes.
func (d *DuckDB) Size(ctx context.Context) (int64, error) {
	if _, err := d.db.ExecContext(ctx, "CHECKPOINT"); err != nil {
		return 0, err
	}
	s, err := os.Stat(d.path)
	if err != nil {
		return 0, err
	}
	return s.Size(), nil
}

func (d *DuckDB) load(ctx context.Context, p dataset.Params) error {
	for i, words := range [...][]string{dataset.Countries, dataset.CityKeys, dataset.Referrers, dataset.Sources,
		dataset.Devices,
		dataset.Browsers, dataset.Systems, dataset.Screens} {
		words = append(slices.Clone(words), "")
		slices.Sort(words) // an enumeration sorts in definition order
		text := "CREATE TYPE " + labelColumns[i] + " AS ENUM ('" + strings.Join(slices.Compact(words), "', '") + "')"
		if _, err := d.db.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	if _, err := d.db.ExecContext(ctx, duckTables); err != nil {
		return err
	}
	down := downloads{}
	err := d.fill(ctx, "opens", func(a *duckdb.Appender) error {
		return p.Each(func(o *dataset.Open) error {
			r := rowOf(o)
			down.add(&r)
			l := &r.labels
			return a.AppendRow(r.account, r.link, r.at, r.viewer, l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7], r.bot,
				r.qr, r.cameBack, r.session,
				r.counted, r.atypical, r.downloaded, r.engaged, r.present, r.completion, r.played, r.reached, r.depth)
		})
	})
	if err != nil {
		return err
	}
	err = d.fill(ctx, "pages", func(a *duckdb.Appender) error {
		return p.Each(func(o *dataset.Open) error {
			for _, page := range o.Pages {
				if err := a.AppendRow(uint32(o.Link.Account), uint32(o.Link.Number), o.At, uint16(page.Page),
					uint32(page.Ms), o.Counted(), page.Page == o.LastPage()); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return d.fill(ctx, "links", func(a *duckdb.Appender) error {
		for account := range p.Accounts {
			for _, l := range p.LinksOf(account) {
				if err := a.AppendRow(uint32(l.Account), uint32(l.Number), l.Slug, l.Kind, l.Created.UnixMilli(),
					down[uint32(l.Number)]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (d *DuckDB) fill(ctx context.Context, table string, rows func(*duckdb.Appender) error) error {
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(c any) error {
		a, err := duckdb.NewAppenderFromConn(c.(driver.Conn), "", table)
		if err != nil {
			return err
		}
		err = rows(a)
		if closed := a.Close(); err == nil {
			err = closed
		}
		return err
	})
}

// Report implements [Engine].
func (d *DuckDB) Report(ctx context.Context, s Scope) (*Figures, error) {
	return duckDialect.report(s, func(texts []string, values map[string]any) ([][][]string, error) {
		answers := make([][][]string, len(texts))
		for i, text := range texts {
			rows, err := d.db.QueryContext(ctx, inline(text, values))
			if err == nil {
				answers[i], err = cells(rows)
			}
			if err != nil {
				return nil, fmt.Errorf("%w: %s", err, text)
			}
		}
		return answers, nil
	})
}

// cells reads all rows as text.
func cells(rows *sql.Rows) ([][]string, error) {
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	raw, into := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
	for i := range raw {
		into[i] = &raw[i]
	}
	var all [][]string
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row := make([]string, len(raw))
		for i, b := range raw {
			row[i] = string(b)
		}
		all = append(all, row)
	}
	return all, rows.Err()
}
