// Package sqldb keeps the Store and the ViewLog in SQL databases: SQLite files, each of which several processes of one
// machine may use at once, or a PostgreSQL (15 or later), which instances on several machines may use at once.
//
// Queries are written once, with $1 … $n for what varies and in the SQL that SQLite and PostgreSQL have in common; a dialect
// holds the rest. A transaction runs on one connection, which keeps its prepared statements. A failure of the database ends the
// transaction that met it and comes back as vitrine.Unavailable; the next one finds the database as it was before.
//
// # PostgreSQL
//
// The Store and the ViewLog have a schema each, vitrine and vitrine_views, and may share a database. Its encoding is UTF8; text that it cannot
// hold (NUL, bytes that are not UTF-8) is kept with U+FFFD in its place. Of an address pool_max_conns is the most connections for
// transactions, of the Store and of the ViewLog each (16, unless it says otherwise); one that listens for changes, or only to the server's heart, comes on top, and one for
// each lock that is held. Statements are prepared on the connection, and locks and news live with it: a pooler in between (PgBouncer) has to
// give each client a connection of its own (session mode), not one a transaction. What a transaction has committed is on the server's disk,
// also where synchronous_commit is off for others.
//
//	postgres.go              the dialect: transactions, settings, opening
//	postgres_visit.go        many rows
//	many.go                  many statements without waiting for each
//	postgres_listen.go       the connection that is always alive: changes by others, for Store.Version, and the server's clock
//	postgres_lines.go        the other connections, which are cut when the server is frozen
//	exclusive.go             named locks
//
// Transactions of the Store run side by side (SERIALIZABLE); those that are in each other's way are run again, in the end alone. The ViewLog
// has one writer at a time, of all instances, as a SQLite file has.
//
// # The view log
//
// Opens come into a table, a row each; opens of past days lie in packs, with an index of who came when, and with tallies of
// what happened. Where both may hold a day, what is true is both together.
//
//	append.go written.go import.go erase.go   what changes opens
//	record.go words.go                        their rows
//	settle.go pack.go packs.go                past days: opens into packs, and back when they change
//	visits.go merge.go                        the index of visits, in sorted runs
//	build.go build_long.go stored.go          tallies of 1, 8 and 64 days
//	forget.go                                 opens that are too old: their tallies stay
//	state.go                                  how far an account is put away, and what may be trusted
//	tally.go gather.go                        answers: what is stored, and what has to be read
//	kept.go                                   tallies of settled days, in memory
//	live.go feed.go                           running days, in memory, and how they are kept up to date
//	opens.go newest.go                        single opens
//	audit.go audit_tally.go                   everything counted again
//	export.go                                 everything, for a log of another kind
package sqldb
