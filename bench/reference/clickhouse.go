package reference

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"vitrine/bench/dataset"
)

var clickhouseDialect = dialect{
	div:    func(expr string, by int64) string { return fmt.Sprintf("intDiv(%s, %d)", expr, by) },
	median: "quantileExactInclusive(0.5)(engaged)",
	among:  oneOf,
	distinct: func(key, table, where string) string {
		if key == "" {
			return "SELECT uniqExact(viewer) FROM " + table + " WHERE " + where
		}
		return "SELECT " + key + " AS k, uniqExact(viewer) FROM " + table + " WHERE " + where + " GROUP BY k"
	},
	labels: func(table, where string) []string {
		columns := strings.Join(labelColumns[:], "), (")
		return []string{`SELECT label, k, n, total FROM (
				SELECT *, sum(n) OVER (PARTITION BY label) AS total FROM (
					SELECT indexOf([grouping(` + strings.Join(labelColumns[:], "), grouping(") + `)], 0) - 1 AS label,
						[` + strings.Join(labelColumns[:], ", ") + `][label + 1] AS k, count() AS n
					FROM ` + table + ` WHERE ` + where + ` GROUP BY GROUPING SETS ((` + columns + `)))
				WHERE k <> '')
			ORDER BY n DESC, k LIMIT 8 BY label SETTINGS force_grouping_standard_compatibility = 1`}
	},
}

var clickhouseTables = []string{
	"CREATE TABLE links (account UInt32, link UInt32, slug String, kind String, created Int64, downloads Int64) ENGINE = MergeTree ORDER BY account",
	`CREATE TABLE opens (account UInt32, link UInt32, opened Int64, viewer UInt64, country LowCardinality(String), city LowCardinality(String),
		referrer LowCardinality(String), source LowCardinality(String), device LowCardinality(String), browser LowCardinality(String), os LowCardinality(String),
		screen LowCardinality(String), bot Bool, qr Bool, came_back Bool, session Bool, counted Bool, atypical Bool, downloaded Bool, engaged UInt32,
		present UInt32, completion Float64, played UInt8, reached UInt8, depth UInt8) ENGINE = MergeTree ORDER BY (account, opened)`,
	`CREATE TABLE pages (account UInt32, link UInt32, opened Int64, page UInt16, ms UInt32, counted Bool, furthest Bool) ENGINE = MergeTree ORDER BY (account, link, opened)`,
}

// ClickHouse runs ClickHouse's engine in a child process (tools/chdbserver).
type ClickHouse struct {
	cmd   *exec.Cmd
	input io.WriteCloser // closing it ends the process
	url   string
	name  string
}

// OpenClickHouse opens the database of a dataset with the runner and the
// library. If dir has none, it loads the dataset first.
func OpenClickHouse(ctx context.Context, runner, lib string, p dataset.Params, dir string) (*ClickHouse, error) {
	path := filepath.Join(dir, p.Key()+"."+schema+".clickhouse")
	if _, err := os.Stat(path); err != nil {
		unfinished := path + ".unfinished"
		if err := os.RemoveAll(unfinished); err != nil {
			return nil, err
		}
		c, err := startClickHouse(ctx, runner, lib, unfinished)
		if err != nil {
			return nil, err
		}
		err = c.load(ctx, p)
		if closed := c.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return nil, fmt.Errorf("load ClickHouse: %w", err)
		}
		if err := os.Rename(unfinished, path); err != nil {
			return nil, err
		}
	}
	return startClickHouse(ctx, runner, lib, path)
}

func startClickHouse(ctx context.Context, runner, lib, dir string) (*ClickHouse, error) {
	cmd := exec.Command(runner, lib, dir, "127.0.0.1:0", "fast")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &ClickHouse{cmd: cmd, input: in}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.url = "http://" + strings.TrimPrefix(strings.TrimSpace(line), "listening on ")
	rows, err := c.query(ctx, "SELECT version()")
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.name = "ClickHouse " + rows[0][0]
	return c, nil
}

// Name implements [Engine].
func (c *ClickHouse) Name() string { return c.name }

// Close implements [Engine]. The server keeps its files.
func (c *ClickHouse) Close() error {
	_, err := io.WriteString(c.input, "keep")
	return errors.Join(err, c.input.Close(), c.cmd.Wait())
}

// query runs a statement and returns its rows. It does not unescape values,
// because the datasets need no escaping.
func (c *ClickHouse) query(ctx context.Context, text string) ([][]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", text, b)
	}
	var rows [][]string
	for line := range strings.Lines(string(b)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows, nil
}

// Report implements [Engine].
func (c *ClickHouse) Report(ctx context.Context, s Scope) (*Figures, error) {
	return clickhouseDialect.report(s, func(texts []string, values map[string]any) ([][][]string, error) {
		answers := make([][][]string, len(texts))
		for i, text := range texts {
			text, settings, found := strings.Cut(inline(text, values), " SETTINGS ")
			if found {
				settings = ", " + settings
			}
			var err error
			if answers[i], err = c.query(ctx, fmt.Sprintf("%s SETTINGS max_threads = %d%s", text, threads,
				settings)); err != nil {
				return nil, err
			}
		}
		return answers, nil
	})
}

func (c *ClickHouse) load(ctx context.Context, p dataset.Params) error {
	for _, text := range clickhouseTables {
		if _, err := c.query(ctx, text); err != nil {
			return err
		}
	}
	opens, pages, links := c.into(ctx, "opens"), c.into(ctx, "pages"), c.into(ctx, "links")
	defer opens.remove()
	defer pages.remove()
	defer links.remove()
	down := downloads{}
	err := p.Each(func(o *dataset.Open) error {
		r := rowOf(o)
		down.add(&r)
		for _, page := range o.Pages {
			pages.u32(r.account, r.link)
			pages.u64(uint64(r.at))
			pages.u16(uint16(page.Page))
			pages.u32(uint32(page.Ms))
			pages.flags(r.counted, page.Page == o.LastPage())
			if err := pages.end(); err != nil {
				return err
			}
		}
		opens.u32(r.account, r.link)
		opens.u64(uint64(r.at), r.viewer)
		opens.text(r.labels[:]...)
		opens.flags(r.bot, r.qr, r.cameBack, r.session, r.counted, r.atypical, r.downloaded)
		opens.u32(r.engaged, r.present)
		opens.u64(math.Float64bits(r.completion))
		opens.row = append(opens.row, r.played, r.reached, r.depth)
		return opens.end()
	})
	if err != nil {
		return err
	}
	for account := range p.Accounts {
		for _, l := range p.LinksOf(account) {
			links.u32(uint32(l.Account), uint32(l.Number))
			links.text(l.Slug, l.Kind)
			links.u64(uint64(l.Created.UnixMilli()), uint64(down[uint32(l.Number)]))
			if err := links.end(); err != nil {
				return err
			}
		}
	}
	for _, t := range []*binaryRows{opens, pages, links} {
		if err := t.insert(); err != nil {
			return err
		}
		if _, err := c.query(ctx, "OPTIMIZE TABLE "+t.table+" FINAL"); err != nil {
			return err
		}
	}
	return nil
}

// insertAtOnce is the number of rows per INSERT.
const insertAtOnce = 1_000_000

// binaryRows buffers rows of a table in a file (RowBinary) and inserts them in
// batches.
type binaryRows struct {
	ctx   context.Context
	c     *ClickHouse
	table string
	row   []byte
	n     int
	f     *os.File
	w     *bufio.Writer
}

func (c *ClickHouse) into(ctx context.Context, table string) *binaryRows {
	return &binaryRows{ctx: ctx, c: c, table: table}
}

func (b *binaryRows) u16(v uint16) { b.row = binary.LittleEndian.AppendUint16(b.row, v) }

func (b *binaryRows) u32(vs ...uint32) {
	for _, v := range vs {
		b.row = binary.LittleEndian.AppendUint32(b.row, v)
	}
}

func (b *binaryRows) u64(vs ...uint64) {
	for _, v := range vs {
		b.row = binary.LittleEndian.AppendUint64(b.row, v)
	}
}

func (b *binaryRows) text(vs ...string) {
	for _, v := range vs {
		b.row = append(binary.AppendUvarint(b.row, uint64(len(v))), v...)
	}
}

func (b *binaryRows) flags(vs ...bool) {
	for _, v := range vs {
		n := byte(0)
		if v {
			n = 1
		}
		b.row = append(b.row, n)
	}
}

// end ends a row.
func (b *binaryRows) end() (err error) {
	if b.f == nil {
		if b.f, err = os.CreateTemp("", "vitrine-bench-*.rows"); err != nil {
			return err
		}
		b.w = bufio.NewWriterSize(b.f, 1<<20)
	}
	_, err = b.w.Write(b.row)
	b.row = b.row[:0]
	if b.n++; err == nil && b.n == insertAtOnce {
		err = b.insert()
	}
	return err
}

func (b *binaryRows) insert() error {
	if b.f == nil {
		return nil
	}
	defer b.remove()
	if err := b.w.Flush(); err != nil {
		return err
	}
	_, err := b.c.query(b.ctx, fmt.Sprintf("INSERT INTO %s FROM INFILE '%s' FORMAT RowBinary", b.table, b.f.Name()))
	return err
}

func (b *binaryRows) remove() {
	if b.f != nil {
		b.f.Close()
		os.Remove(b.f.Name())
		b.f, b.n = nil, 0
	}
}
