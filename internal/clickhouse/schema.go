package clickhouse

import (
	"fmt"
	"slices"
	"strings"
)

// table is a table of the database.
type table struct {
	name    string
	columns string
	// engine is the table's engine behind Replicated, with what it keeps of
	// rows with one key.
	engine    string
	version   string // its arguments
	partition string
	order     string
	granule   int
	// everywhere says that every server of a cluster has all of it: it is
	// small, or its order is that of the whole log. Other tables are spread by
	// link.
	everywhere bool
}

// Months, as partitions: an ID begins with its millisecond.
const (
	idMonth  = "toYYYYMM(fromUnixTimestamp64Milli(bitShiftRight(id, 21), 'UTC'))"
	dayMonth = "toYYYYMM(day)"
)

// tables are those of schema version 1. Rows with one key are versions of one
// thing, and the one that was written by the last batch counts.
var tables = []table{
	{
		name: "journal", everywhere: true,
		columns: `number UInt64, done UInt8, writer UInt64, at DateTime64(3, 'UTC') DEFAULT now64(3), effect String CODEC(ZSTD(1))`,
		engine:  "ReplacingMergeTree", version: "done", order: "number",
		partition: fmt.Sprintf("intDiv(number, %d)", journalPart), granule: 256,
	},
	{
		name: "state", everywhere: true,
		columns: `name LowCardinality(String), value Int64, version UInt64`,
		engine:  "ReplacingMergeTree", version: "version", order: "name", granule: 256,
	},
	{
		name: "imports", everywhere: true,
		columns: `file FixedString(32), lines Int64, at DateTime64(3, 'UTC'), version UInt64`,
		engine:  "ReplacingMergeTree", version: "version", order: "file", granule: 256,
	},
	{
		name: "opens",
		columns: `account Int64, link Int64, id Int64 CODEC(Delta, ZSTD(1)), version UInt64 CODEC(Delta, ZSTD(1)), viewer UInt64,
	country LowCardinality(String), city LowCardinality(String), referrer LowCardinality(String), source LowCardinality(String),
	device LowCardinality(String), browser LowCardinality(String), os LowCardinality(String), bot LowCardinality(String),
	qr Bool, returning Bool, told Bool, imported Bool, session Bool,
	engaged Int64 CODEC(T64, ZSTD(1)), present Int64 CODEC(T64, ZSTD(1)), start Int64 CODEC(Delta, ZSTD(1)), screen LowCardinality(String), downloaded Bool,
	pages Array(Int64) CODEC(T64, ZSTD(1)), page_ms Array(Int64) CODEC(T64, ZSTD(1)),
	played Int64 CODEC(T64, ZSTD(1)), reached Int64 CODEC(T64, ZSTD(1)), depth Int64 CODEC(T64, ZSTD(1)),
	at DateTime64(3, 'UTC') ALIAS fromUnixTimestamp64Milli(bitShiftRight(id, 21), 'UTC'),
	day Date ALIAS toDate(fromUnixTimestamp64Milli(bitShiftRight(id, 21), 'UTC'))`,
		engine: "ReplacingMergeTree", version: "version", order: "account, link, id", partition: idMonth, granule: 1024,
	},
	{
		name: "downloads",
		columns: `account Int64, link Int64, id Int64 CODEC(Delta, ZSTD(1)), open Int64 CODEC(Delta, ZSTD(1)), deleted UInt8, version UInt64 CODEC(Delta, ZSTD(1)),
	day Date ALIAS toDate(fromUnixTimestamp64Milli(bitShiftRight(id, 21), 'UTC'))`,
		engine: "ReplacingMergeTree", version: "version, deleted", order: "account, link, id", partition: idMonth,
		granule: 1024,
	},
	{
		name:    "links",
		columns: `link Int64, account Int64, views Int64 CODEC(T64, ZSTD(1)), downloads Int64 CODEC(T64, ZSTD(1)), version UInt64`,
		engine:  "ReplacingMergeTree", version: "version", order: "link", granule: 256,
	},
	{
		name:    "viewers",
		columns: `link Int64, viewer UInt64, account Int64, opens Int64 CODEC(T64, ZSTD(1)), version UInt64`,
		engine:  "ReplacingMergeTree", version: "version", order: "link, viewer", granule: 256,
	},
	{
		name:    "tallies",
		columns: `account Int64, link Int64, day Date, attempt UInt64, version UInt64, labels Array(String), head String CODEC(NONE), body String CODEC(NONE), times String CODEC(NONE)`,
		engine:  "ReplacingMergeTree", version: "version", order: "account, link, day, attempt", partition: dayMonth,
		granule: 256,
	},
	{
		name:    "daily",
		columns: `account Int64, link Int64, day Date, attempt UInt64, version UInt64, labels Array(String), head String CODEC(NONE), body String CODEC(NONE), times String CODEC(NONE)`,
		engine:  "ReplacingMergeTree", version: "version", order: "account, link, day", partition: dayMonth,
		granule: 256,
	},
	{
		name: "late", everywhere: true,
		columns: `account Int64, day Date, version UInt64`,
		engine:  "ReplacingMergeTree", version: "version", order: "account, version", granule: 256,
	},
	{
		name: "built", everywhere: true,
		columns: `account Int64, until Date, since UInt64`,
		engine:  "ReplacingMergeTree", version: "since", order: "account", granule: 256,
	},
	{
		name:    "seen",
		columns: `account Int64, link Int64, viewer UInt64, day Date, attempt UInt64, version UInt64`,
		engine:  "ReplacingMergeTree", version: "version", order: "account, link, viewer, day, attempt", granule: 1024,
	},
}

// journalPart is how many batches a partition of the journal has.
const journalPart = 10_000

// tokens is how many inserts a table remembers, so that the same one, again,
// changes nothing.
const tokens = 10_000

// local is the name of a server's own part of a table.
func (t *table) local(a address) string {
	if a.cluster == "" || t.everywhere {
		return t.name
	}
	return t.name + "_local"
}

// create are the statements that make a table where it is not there.
func (t *table) create(a address) []string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE IF NOT EXISTS %s%s (%s)\nENGINE = ", t.local(a), a.onCluster(), t.columns)
	window := "non_replicated_deduplication_window"
	if a.cluster == "" {
		fmt.Fprintf(&b, "%s(%s)", t.engine, t.version)
	} else {
		path, replica := "/clickhouse/tables/{shard}/{database}/{table}", "{replica}"
		if t.everywhere {
			path, replica = "/clickhouse/tables/all/{database}/{table}", "{shard}-{replica}"
		}
		fmt.Fprintf(&b, "Replicated%s('%s', '%s', %s)", t.engine, path, replica, t.version)
		window = "replicated_deduplication_window"
	}
	if t.partition != "" {
		fmt.Fprintf(&b, "\nPARTITION BY %s", t.partition)
	}
	fmt.Fprintf(&b, "\nORDER BY (%s)\nSETTINGS index_granularity = %d, %s = %d", t.order, t.granule, window, tokens)
	b.WriteString(", fsync_after_insert = 1, fsync_part_directory = 1") // what was taken is on the disk
	switch {
	case t.name == "journal":
		// What a batch did is dropped by the merge with the row that says that
		// it is done.
		b.WriteString(", min_age_to_force_merge_seconds = 3600")
	case t.partition != "":
		// Months that are past become one part each, and need no merging when
		// they are read.
		b.WriteString(", min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1")
	}
	statements := []string{b.String()}
	if t.local(a) != t.name {
		statements = append(statements, fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s%s AS %s\nENGINE = Distributed('%s', '%s', '%s', cityHash64(account, link))",
			t.name, a.onCluster(), t.local(a), a.cluster, a.database, t.local(a)))
	}
	return statements
}

// add are the statements that add columns where they are not there, first to
// the parts of servers.
func (t *table) add(a address, columns []string) (statements []string) {
	change := "ADD COLUMN IF NOT EXISTS " + strings.Join(columns, ", ADD COLUMN IF NOT EXISTS ")
	for _, name := range slices.Compact([]string{t.local(a), t.name}) {
		statements = append(statements, fmt.Sprintf("ALTER TABLE %s%s %s", name, a.onCluster(), change))
	}
	return statements
}

// onCluster is the clause that has a statement run on every server.
func (a address) onCluster() string {
	if a.cluster == "" {
		return ""
	}
	return " ON CLUSTER '" + a.cluster + "'"
}

// tableOf finds a table by its name.
func tableOf(name string) *table {
	for i := range tables {
		if tables[i].name == name {
			return &tables[i]
		}
	}
	panic("clickhouse: no table " + name)
}
