// Package sqldb keeps the Store and the ViewLog in SQL databases: SQLite files, each of which several processes of one
// machine may use at once.
//
// Queries are written once, with $1 … $n for what varies and in the SQL that SQLite and PostgreSQL have in common; a dialect
// holds the rest. A transaction runs on one connection, which keeps its prepared statements. A failure of the database ends the
// transaction that met it and comes back as vitrine.Unavailable; the next one finds the database as it was before.
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
package sqldb
