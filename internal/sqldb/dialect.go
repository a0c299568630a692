package sqldb

import "github.com/pressly/goose/v3/database"

// dialect is what differs between databases, beside the migrations.
type dialect struct {
	goose database.Dialect
	// beginWrite begins a serializable transaction that may write, beginRead one that reads one snapshot.
	beginWrite, beginRead string
	// busy tells an error after which the same transaction may be tried again from the start.
	busy func(error) bool
	// exists tells that a row was refused because it is not unique, and the transaction may go on.
	exists func(error) bool
	// visit calls f with link, id, open and session of every row of opens that a FROM clause selects under the name o. The
	// blobs are f's until it returns.
	visit func(t *tx, f visitor, from string, args []any) error
}

type visitor func(link, id int64, open, session []byte) error
