package sqlstore

import (
	"context"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

// Leases returns all leases, including those of servers that were killed.
func (s *Store) Leases(ctx context.Context) (all []vitrine.Lease, err error) {
	err = s.DB.Read(ctx, func(t *sqldb.Tx) error {
		all = nil
		return t.Each(func(row sqldb.Scanner) error {
			l, err := readLease(row)
			if err == nil {
				all = append(all, *l)
			}
			return err
		}, "SELECT name, holder, until_time FROM leases ORDER BY name")
	})
	return all, err
}

func readLease(s sqldb.Scanner) (*vitrine.Lease, error) {
	l := new(vitrine.Lease)
	err := s.Scan(&l.Name, &l.Holder, sqldb.Instant{Time: &l.Until})
	return l, err
}

func (t Tx) Lease(name string) (*vitrine.Lease, error) {
	return sqldb.One(t.Tx, readLease, "SELECT name, holder, until_time FROM leases WHERE name = $1", name)
}

func (t Tx) PutLease(l *vitrine.Lease) error {
	_, err := t.Exec("INSERT INTO leases (name, holder, until_time) VALUES ($1, $2, $3) "+
		"ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until_time = excluded.until_time", l.Name, l.Holder,
		sqldb.Ms(l.Until))
	return err
}

func (t Tx) DeleteLease(name string) error {
	return t.Put("DELETE FROM leases WHERE name = $1", name)
}

func (t Tx) ExpireLeases(before time.Time) (int64, error) {
	return t.Exec("DELETE FROM leases WHERE until_time < $1", sqldb.Ms(before))
}
