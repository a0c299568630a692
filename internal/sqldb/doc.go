// Package sqldb keeps the Store and the ViewLog in SQL databases: SQLite files, each of which several processes of one
// machine may use at once.
//
// Queries are written once, with $1 … $n for what varies and in the SQL that SQLite and PostgreSQL have in common; a dialect
// holds the rest. A transaction runs on one connection, which keeps its prepared statements. A failure of the database ends the
// transaction that met it and comes back as vitrine.Unavailable; the next one finds the database as it was before.
package sqldb
