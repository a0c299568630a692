package sqlstore

import (
	"vitrine"
	"vitrine/internal/backend/sqldb"
)

const selectPlaces = "SELECT id, link, round, machine, at, bytes_at, counted_at FROM places"

func readPlace(s sqldb.Scanner) (*vitrine.Place, error) {
	p := new(vitrine.Place)
	return p, s.Scan(&p.ID, &p.Link, &p.Round, &p.Machine, sqldb.Instant{Time: &p.At}, sqldb.Instant{Time: &p.BytesAt},
		sqldb.Instant{Time: &p.CountedAt})
}

func (t Tx) AddPlace(p *vitrine.Place) error {
	return t.add(&p.ID, `INSERT INTO places (link, round, machine, at, bytes_at, counted_at)
		VALUES ($1, $2, $3, $4, $5, $6)`, int64(p.Link), p.Round, p.Machine, sqldb.Ms(p.At), sqldb.MsOrNull(p.BytesAt),
		sqldb.MsOrNull(p.CountedAt))
}

func (t Tx) Place(id int64) (*vitrine.Place, error) {
	return sqldb.One(t.Tx, readPlace, selectPlaces+" WHERE id = $1", id)
}

func (t Tx) PutPlace(p *vitrine.Place) error {
	return t.Put("UPDATE places SET machine = $1, bytes_at = $2, counted_at = $3 WHERE id = $4", p.Machine,
		sqldb.MsOrNull(p.BytesAt), sqldb.MsOrNull(p.CountedAt), p.ID)
}

func (t Tx) DeletePlace(id int64) error { return t.Put("DELETE FROM places WHERE id = $1", id) }

func (t Tx) OpenPlaces(l vitrine.LinkID, round string) ([]*vitrine.Place, error) {
	return sqldb.List(t.Tx, readPlace, selectPlaces+
		" WHERE link = $1 AND round = $2 AND counted_at IS NULL ORDER BY at, id", int64(l), round)
}

func (t Tx) CountPlaces(l vitrine.LinkID, round string) (n int64, err error) {
	err = t.Get([]any{&n}, "SELECT count(*) FROM places WHERE link = $1 AND round = $2 AND counted_at IS NOT NULL",
		int64(l), round)
	return n, err
}

func (t Tx) DeletePlaces(l vitrine.LinkID, round string) error {
	_, err := t.Exec("DELETE FROM places WHERE link = $1 AND ($2 = '' OR round = $2)", int64(l), round)
	return err
}
