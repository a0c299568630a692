package reference

import (
	"context"
	"fmt"
	"strings"

	"vitrine/bench/dataset"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

var postgresDialect = dialect{div: divide("/"), median: "percentile_cont(0.5) WITHIN GROUP (ORDER BY engaged)",
	distinct: distinctByGroups,
	among:    "link = ANY({top})", labels: labelsTogether}

// labelsTogether returns one query that computes all breakdowns in one pass
// over the views.
func labelsTogether(table, where string) []string {
	columns := strings.Join(labelColumns[:], "), (")
	var which, key strings.Builder
	for i, c := range labelColumns {
		fmt.Fprintf(&which, " WHEN grouping(%s) = 0 THEN %d", c, i)
		fmt.Fprintf(&key, " WHEN grouping(%[1]s) = 0 THEN %[1]s", c)
	}
	return []string{`SELECT label, k, n, CAST(total AS BIGINT) FROM (
			SELECT *, sum(n) OVER (PARTITION BY label) AS total, row_number() OVER (PARTITION BY label ORDER BY n DESC, k COLLATE "C") AS place FROM (
				SELECT CASE` + which.String() + ` END AS label, CASE` + key.String() + ` END AS k, count(*) AS n
				FROM ` + table + ` WHERE ` + where + ` GROUP BY GROUPING SETS ((` + columns + `))) AS counts
			WHERE k <> '') AS ranked WHERE place <= 8 ORDER BY label, place`}
}

const postgresTables = `
	CREATE TABLE links (account int, link int PRIMARY KEY, slug text, kind text, created bigint, downloads bigint);
	CREATE TABLE opens (account int NOT NULL, link int NOT NULL, opened bigint NOT NULL, viewer bigint NOT NULL,
		country text, city text, referrer text, source text, device text, browser text, os text, screen text,
		bot boolean NOT NULL, qr boolean NOT NULL, came_back boolean NOT NULL, session boolean NOT NULL, counted boolean NOT NULL, atypical boolean NOT NULL,
		downloaded boolean NOT NULL, engaged int NOT NULL, present int NOT NULL, completion double precision NOT NULL,
		played smallint NOT NULL, reached smallint NOT NULL, depth smallint NOT NULL);
	CREATE TABLE pages (account int, link int, opened bigint, page int, ms int, counted boolean, furthest boolean)`

// Indexes by account and time, and by link and time.
const postgresIndexes = `
	CREATE INDEX ON opens (account, opened);
	CREATE INDEX ON opens (link, opened);
	CREATE INDEX ON pages (link, opened);
	CREATE INDEX ON links (account);
	ANALYZE`

// Postgres is a PostgreSQL server.
type Postgres struct {
	pool *pgxpool.Pool
	name string
}

// LoadPostgres loads a dataset into an empty database. connections limits the
// number of concurrent queries.
func LoadPostgres(ctx context.Context, dsn string, p dataset.Params, connections int) (*Postgres, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	config.MaxConns = int32(connections)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	db := &Postgres{pool: pool}
	if err := pool.QueryRow(ctx, "SHOW server_version").Scan(&db.name); err != nil {
		return nil, err
	}
	db.name = "PostgreSQL " + strings.Fields(db.name)[0]
	if err := db.load(ctx, p); err != nil {
		pool.Close()
		return nil, fmt.Errorf("load PostgreSQL: %w", err)
	}
	return db, nil
}

// Name implements [Engine].
func (db *Postgres) Name() string { return db.name }

// Close implements [Engine].
func (db *Postgres) Close() error {
	db.pool.Close()
	return nil
}

func (db *Postgres) load(ctx context.Context, p dataset.Params) error {
	if _, err := db.pool.Exec(ctx, postgresTables); err != nil {
		return err
	}
	down := downloads{}
	err := db.copy(ctx, "opens", func(add func(...any) error) error {
		return p.Each(func(o *dataset.Open) error {
			r := rowOf(o)
			down.add(&r)
			l := &r.labels
			return add(int32(r.account), int32(r.link), r.at, int64(r.viewer), l[0], l[1], l[2], l[3], l[4], l[5], l[6],
				l[7], r.bot, r.qr, r.cameBack,
				r.session, r.counted, r.atypical, r.downloaded, int32(r.engaged), int32(r.present), r.completion,
				int16(r.played), int16(r.reached), int16(r.depth))
		})
	})
	if err != nil {
		return err
	}
	err = db.copy(ctx, "pages", func(add func(...any) error) error {
		return p.Each(func(o *dataset.Open) error {
			for _, page := range o.Pages {
				if err := add(int32(o.Link.Account), int32(o.Link.Number), o.At, int32(page.Page), int32(page.Ms),
					o.Counted(), page.Page == o.LastPage()); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	err = db.copy(ctx, "links", func(add func(...any) error) error {
		for account := range p.Accounts {
			for _, l := range p.LinksOf(account) {
				if err := add(int32(l.Account), int32(l.Number), l.Slug, l.Kind, l.Created.UnixMilli(),
					down[uint32(l.Number)]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for index := range strings.SplitSeq(postgresIndexes, ";") {
		if _, err := db.pool.Exec(ctx, index); err != nil {
			return err
		}
	}
	return nil
}

// copy streams rows into a table with COPY.
func (db *Postgres) copy(ctx context.Context, table string, rows func(add func(...any) error) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var columns []string
	fields, err := db.pool.Query(ctx, "SELECT * FROM "+table+" LIMIT 0")
	if err != nil {
		return err
	}
	for _, f := range fields.FieldDescriptions() {
		columns = append(columns, f.Name)
	}
	fields.Close()
	next := make(chan [][]any, 4)
	made := make(chan error, 1)
	go func() {
		defer close(next)
		var batch [][]any
		send := func() error {
			select {
			case next <- batch:
				batch = nil
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		err := rows(func(row ...any) error {
			if batch = append(batch, row); len(batch) < 1000 {
				return nil
			}
			return send()
		})
		if err == nil {
			err = send()
		}
		made <- err
	}()
	var batch [][]any
	_, err = db.pool.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(func() ([]any, error) {
		for len(batch) == 0 {
			var ok bool
			if batch, ok = <-next; !ok {
				return nil, nil
			}
		}
		row := batch[0]
		batch = batch[1:]
		return row, nil
	}))
	cancel()
	for range next { // until the generator has stopped
	}
	if failed := <-made; err == nil && failed != context.Canceled {
		err = failed
	}
	return err
}

// Report implements [Engine]. It pipelines independent queries and prepares
// them once per connection.
func (db *Postgres) Report(ctx context.Context, s Scope) (*Figures, error) {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	return postgresDialect.report(s, func(texts []string, vals map[string]any) ([][][]string, error) {
		var b pgx.Batch
		for _, text := range texts {
			text, args := numbered(text, vals)
			b.Queue(text, args...)
		}
		res := conn.SendBatch(ctx, &b)
		defer res.Close()
		answers := make([][][]string, len(texts))
		for i := range texts {
			rows, err := res.Query()
			if err == nil {
				answers[i], err = values(rows)
			}
			if err != nil {
				return nil, fmt.Errorf("%w: %s", err, texts[i])
			}
		}
		return answers, res.Close()
	})
}

func values(rows pgx.Rows) ([][]string, error) {
	defer rows.Close()
	var all [][]string
	for rows.Next() {
		vs, err := rows.Values()
		if err != nil {
			return nil, err
		}
		row := make([]string, len(vs))
		for i, v := range vs {
			if v != nil {
				row[i] = fmt.Sprint(v)
			}
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// numbered replaces the named parameters of a query by $1, $2 and so on.
func numbered(text string, values map[string]any) (string, []any) {
	places, args := map[string]int{}, []any(nil)
	text = parameter.ReplaceAllStringFunc(text, func(name string) string {
		name = name[1 : len(name)-1]
		if places[name] == 0 {
			args = append(args, values[name])
			places[name] = len(args)
		}
		return fmt.Sprintf("$%d", places[name])
	})
	return text, args
}
