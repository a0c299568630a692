package clickhouse

import (
	"fmt"
	"slices"
	"strings"
)

// table describes a table of the database.
type table struct {
	name    string
	columns string
	// engine is the name of the engine without Replicated. It decides which row
	// with a key is kept.
	engine    string
	version   string // arguments of the engine
	partition string
	order     string
	granule   int
	// everywhere puts the whole table on each server of a cluster, because it
	// is small or needs one order for the whole log. Other tables are
	// distributed by link.
	everywhere bool
}

// Partitions by month: an ID begins with its milliseconds.
const (
	idMonth  = "toYYYYMM(fromUnixTimestamp64Milli(bitShiftRight(id, 21), 'UTC'))"
	dayMonth = "toYYYYMM(day)"
)

// tables is schema version 1. Rows with the same key are versions of one thing.
// The version of the last batch counts.
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

// journalPart is the number of batches in a partition of the journal.
const journalPart = 10_000

// tokens is the number of inserts that a table remembers, so that repeating one
// of them has no effect.
const tokens = 10_000

// local returns the name of a server's own part of the table.
func (t *table) local(a address) string {
	if a.cluster == "" || t.everywhere {
		return t.name
	}
	return t.name + "_local"
}

// create returns the statements that create the table if it does not exist.
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
	b.WriteString(", fsync_after_insert = 1, fsync_part_directory = 1") // accepted inserts are on disk
	switch {
	case t.name == "journal":
		// Merging with the row that marks a batch as done removes the steps of
		// the batch.
		b.WriteString(", min_age_to_force_merge_seconds = 3600")
	case t.partition != "":
		// Past months become one part each, so that reading them needs no
		// merging.
		b.WriteString(", min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1")
	}
	statements := []string{b.String()}
	if t.local(a) != t.name {
		statements = append(statements, fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s%s AS %s\nENGINE = Distributed('%s', '%s', '%s', cityHash64(account, link))",
			t.name, a.onCluster(), t.local(a), a.cluster, a.database, t.local(a)))
	}
	return statements
}

// add returns the statements that add missing columns, first to the servers'
// addLink parts.
func (t *table) add(a address, columns []string) (statements []string) {
	change := "ADD COLUMN IF NOT EXISTS " + strings.Join(columns, ", ADD COLUMN IF NOT EXISTS ")
	for _, name := range slices.Compact([]string{t.local(a), t.name}) {
		statements = append(statements, fmt.Sprintf("ALTER TABLE %s%s %s", name, a.onCluster(), change))
	}
	return statements
}

// onCluster returns the clause that runs a statement on every server.
func (a address) onCluster() string {
	if a.cluster == "" {
		return ""
	}
	return " ON CLUSTER '" + a.cluster + "'"
}

// tableOf finds a table by name.
func tableOf(name string) *table {
	for i := range tables {
		if tables[i].name == name {
			return &tables[i]
		}
	}
	panic("clickhouse: no table " + name)
}
