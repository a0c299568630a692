package clickhouse

import (
	"context"
	"fmt"
	"strings"
)

// migrations holds the statements that upgrade a database from each schema
// version to the next. Several processes may run them, more than once.
var migrations = []func(a address) []string{
	func(a address) (statements []string) {
		for i := range tables {
			statements = append(statements, tables[i].create(a)...)
		}
		return statements
	},
	func(a address) []string { return tableOf("opens").add(a, viewColumnsV2) },
	func(a address) []string { return tableOf("opens").add(a, viewColumnsV3) },
	rebuilt,
	func(a address) []string { return computed(a, joinedOfViews) },
	func(a address) []string { return computed(a, []string{spentOnViews}) },
}

// computed returns the statements that add columns that the server computes to
// the table of views. Rows that are there get them in the background.
func computed(a address, columns []string) []string {
	opens := tableOf("opens")
	var names []string
	for _, c := range columns {
		name, _, _ := strings.Cut(c, " ")
		names = append(names, name)
	}
	fill := fmt.Sprintf("ALTER TABLE %s%s MATERIALIZE COLUMN %s SETTINGS mutations_sync = 0", opens.local(a),
		a.onCluster(), strings.Join(names, ", MATERIALIZE COLUMN "))
	return append(opens.add(a, columns), fill)
}

// spentOnViews is the column that schema version 6 adds to the table of views:
// the engaged time plus 1 if the session counts, otherwise 0. Reading it costs
// half of computing it from three columns. It contains report.CountingRules, so
// new rules need a column of another name.
const spentOnViews = "spent UInt64 MATERIALIZED if(session AND (engaged >= 1000 OR present >= 2000), " +
	"toUInt64(least(greatest(engaged, 0), 4294967295)) + 1, 0) CODEC(T64, ZSTD(1))"

// joinedOfViews lists the columns that schema version 5 adds to the table of
// views. The server computes them. Tallies of single views count by them: one
// label costs less than several, and a number less than an array (inside.go).
var joinedOfViews = []string{
	"seen UInt32 MATERIALIZED arrayCount(p -> p >= 1, pages) CODEC(T64, ZSTD(1))",
	"place LowCardinality(String) MATERIALIZED " + joined("country", "city"),
	"origin LowCardinality(String) MATERIALIZED " + joined("referrer", "source"),
	"agent LowCardinality(String) MATERIALIZED " + joined("device", "browser", "os"),
	"utm LowCardinality(String) MATERIALIZED " + joined("campaign", "medium", "content", "term"),
	"reason LowCardinality(String) MATERIALIZED " + joined("bot", "product"),
}

// viewColumnsV2 lists the columns that schema version 2 adds to the table of
// views.
var viewColumnsV2 = []string{
	"file UInt32 CODEC(T64, ZSTD(1))", "campaign LowCardinality(String)", "medium LowCardinality(String)",
	"content LowCardinality(String)",
	"term LowCardinality(String)", "product LowCardinality(String)", "own Bool", "decided Bool", "waits Bool",
	"parts_low UInt64 CODEC(T64, ZSTD(1))", "parts_high UInt64 CODEC(T64, ZSTD(1))",
}

// viewColumnsV3 lists the columns that schema version 3 adds to the table of
// views.
var viewColumnsV3 = []string{"was_bot LowCardinality(String)", "was_product LowCardinality(String)"}

// rebuilt returns the statements that have all tallies of settled days built
// again: since schema version 4 they count views by the version of the file.
func rebuilt(a address) (statements []string) {
	for _, name := range []string{"daily", "built"} {
		statements = append(statements, fmt.Sprintf("TRUNCATE TABLE %s%s", tableOf(name).local(a), a.onCluster()))
	}
	return append(statements, fmt.Sprintf("DELETE FROM state%s WHERE name = 'built'", a.onCluster()))
}

// versions returns the statements that create the table of applied migrations.
func versions(a address) []string {
	t := table{name: "migrations", everywhere: true, columns: "number UInt32, at DateTime64(3, 'UTC') DEFAULT now64(3)",
		engine: "ReplacingMergeTree", version: "at", order: "number", granule: 256}
	return t.create(a)
}

// migrate upgrades the database to the newest schema. It returns an error, and
// changes nothing, if the schema is newer than this program.
func (c *client) migrate(ctx context.Context) error {
	for _, sql := range versions(c.address) {
		if err := c.exec(ctx, sql, nil); err != nil {
			return err
		}
	}
	now, err := c.schema(ctx)
	if err != nil {
		return err
	}
	if now > len(migrations) {
		return fmt.Errorf("the database %s has schema version %d, and this program knows versions up to %d only: it was used by a newer "+
			"version. Install that version, or restore a backup from before the upgrade", c.database, now,
			len(migrations))
	}
	for n := now; n < len(migrations); n++ {
		for _, sql := range migrations[n](c.address) {
			if err := c.exec(ctx, sql, nil); err != nil {
				return fmt.Errorf("upgrade the database %s to schema version %d: %w", c.database, n+1, err)
			}
		}
		if err := c.exec(ctx, fmt.Sprintf("INSERT INTO migrations (number) VALUES (%d)", n+1), nil); err != nil {
			return err
		}
	}
	return nil
}

// schema reads the schema version of the database.
func (c *client) schema(ctx context.Context) (version int, err error) {
	_, err = c.one(ctx, "SELECT toInt64(max(number)) FROM migrations", func(r *reader) { version = int(r.int64()) })
	return version, err
}
