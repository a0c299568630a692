// Package sqldb runs transactions on SQL databases: SQLite files, each of which
// several processes of one machine may use at once, and PostgreSQL (15 or
// later), which instances on several machines may use at once. Package sqlstore
// keeps the store in it, package viewlog the view log.
//
// Queries are written once, with $1 … $n for arguments and in the SQL that
// SQLite and PostgreSQL have in common. A dialect holds the rest. A transaction
// runs on one connection, which keeps its prepared statements. A failure of the
// database ends its transaction and is returned as [vitrine.Unavailable]. The
// next transaction finds the database as it was before.
//
//	db.go pool.go tx.go      connections, transactions, queries
//	migrate.go migrations/   schemas of the store and of the view log
//	exclusive.go             named locks
//	copy.go backup.go        copies of whole databases
//	sqlite.go                SQLite: opening, settings, many rows
//	postgres.go              PostgreSQL: the same
//	many.go                  many statements in one round trip
//	postgres_listen.go       a connection that listens: changes by others, and the server's clock
//	postgres_lines.go        the other connections, which are cut when the server does not answer
//
// # PostgreSQL
//
// The store and the view log have a schema each, vitrine and vitrine_views, and
// may share a database. Its encoding is UTF8. Text that it cannot hold (NUL,
// bytes that are not UTF-8) is stored with U+FFFD instead. In an address,
// pool_max_conns is the number of connections for transactions, of the store
// and of the view log each (16 by default). Each also has one connection that
// listens for changes, and one for each lock that is held.
//
// Statements are prepared on the connection, and locks and notifications belong
// to it, so a pooler in between (PgBouncer) must give each client a connection
// of its own (session mode). What a transaction has committed is on the
// server's disk, also where synchronous_commit is off for others.
//
// Transactions of the store run side by side (SERIALIZABLE). After a conflict
// one runs again, in the end alone. The view log has one writer at a time among
// all instances, as a SQLite file has.
package sqldb
