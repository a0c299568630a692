package sqlstore

import (
	"math"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

var knownReaders = newTable("known_readers", func(r *vitrine.KnownReader) []field {
	return []field{{"id", &r.ID}, {"link", &r.Link}, {"round", &r.Round}, {"email", &r.Email},
		{"consent", &r.Consent}, {"at", at(&r.At)}}
})

func (t Tx) AddKnownReader(r *vitrine.KnownReader) error {
	_, err := t.Exec(knownReaders.adds+" ON CONFLICT DO NOTHING", stored(knownReaders.fields(r)[1:])...)
	return err
}

func (t Tx) KnownReaders(l vitrine.LinkID, before int64, n int) ([]*vitrine.KnownReader, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	return knownReaders.list(t, " WHERE link = $1 AND id < $2 ORDER BY id DESC LIMIT $3", int64(l), before, n)
}

func (t Tx) DeleteKnownReader(l vitrine.LinkID, id int64) error {
	return t.Put("DELETE FROM known_readers WHERE link = $1 AND id = $2", int64(l), id)
}

func (t Tx) DeleteKnownReaders(l vitrine.LinkID) error {
	_, err := t.Exec("DELETE FROM known_readers WHERE link = $1", int64(l))
	return err
}

func (t Tx) ExpireKnownReaders(before time.Time) error {
	_, err := t.Exec("DELETE FROM known_readers WHERE at < $1", sqldb.Ms(before))
	return err
}

func (t Tx) EachKnownReader(f func(*vitrine.KnownReader) error) error {
	all, err := knownReaders.list(t, " ORDER BY id")
	for _, r := range all {
		if err == nil {
			err = f(r)
		}
	}
	return err
}
