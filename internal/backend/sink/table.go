package sink

import (
	"context"
	"fmt"
	"strings"
)

// Table is the table of the copy. Its columns have the names of the JSON of
// report.VisitRow. The columns before id say whose visit it is, and change
// grows with each state of a visit.
const Table = `CREATE TABLE IF NOT EXISTS visits (
	account    UInt64,
	link       UInt64,
	linkId     String,
	slug       LowCardinality(String),
	change     UInt64,
	id         String,
	viewer     String,
	at         DateTime64(3, 'UTC'),
	country    LowCardinality(String),
	city       LowCardinality(String),
	device     LowCardinality(String),
	browser    LowCardinality(String),
	os         LowCardinality(String),
	source     LowCardinality(String),
	engagedMs  UInt64,
	progress   String,
	downloaded Bool,
	returning  Bool,
	atypical   Bool,
	referrer   LowCardinality(String),
	campaign   LowCardinality(String),
	medium     LowCardinality(String),
	content    LowCardinality(String),
	term       LowCardinality(String),
	screen     LowCardinality(String),
	version    UInt32,
	recipient  String,
	album      String,
	qr         Bool,
	excluded   LowCardinality(String),
	product    LowCardinality(String),
	engaged    Bool,
	presentMs  UInt64,
	pages      Array(Tuple(page UInt32, ms UInt64, bands Array(UInt64))),
	parts      Array(Tuple(part UInt32, ms UInt64, bands Array(UInt64))),
	clicks     Array(Tuple(part UInt32, target String, count UInt32)),
	playedPct  Nullable(Decimal(4, 1)),
	reachedPct Nullable(Decimal(4, 1)),
	playedIn   Array(Array(UInt8)),
	depthPct   Nullable(Decimal(4, 1))
) ENGINE = ReplacingMergeTree(change)
PARTITION BY toYYYYMM(at)
ORDER BY (account, link, at, id)`

// mark returns the comment by which a table is known as a copy of a view log.
func mark(log, number int64) string {
	return fmt.Sprintf("Vitrine: copy %d of view log %d", number, log)
}

// number returns the number of the copy in a table, 0 if the table is new, or
// -1 if there is none.
func (c *client) number(ctx context.Context, log int64) (number int64, err error) {
	answer, err := c.text(ctx, "SELECT ifNull(total_rows, 0), comment FROM system.tables WHERE database = currentDatabase() AND name = 'visits'")
	if err != nil || answer == "" {
		return -1, err
	}
	rows, comment, _ := strings.Cut(answer, "\t")
	var of int64
	if n, _ := fmt.Sscanf(comment, "Vitrine: copy %d of view log %d", &number, &of); n == 2 && of == log {
		return number, nil
	}
	if comment == "" && rows == "0" {
		return 0, nil
	}
	return 0, &awayError{fmt.Errorf("the table visits in the database %s belongs to something else, or to another view log. Drop it, or name another database", c.database)}
}
