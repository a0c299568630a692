package sqldb

import (
	"context"
	"time"

	"vitrine"
)

// Leases are all leases: of servers that run, and of those that were killed.
func (s *Store) Leases(ctx context.Context) (all []vitrine.Lease, err error) {
	err = s.db.read(ctx, func(t *tx) error {
		all = nil
		return t.each(func(row scanner) error {
			l, err := readLease(row)
			if err == nil {
				all = append(all, *l)
			}
			return err
		}, "SELECT name, holder, until_time FROM leases ORDER BY name")
	})
	return all, err
}

func readLease(s scanner) (*vitrine.Lease, error) {
	l := new(vitrine.Lease)
	err := s.Scan(&l.Name, &l.Holder, instant{Time: &l.Until})
	return l, err
}

func (t storeTx) Lease(name string) (*vitrine.Lease, error) {
	return one(t.tx, readLease, "SELECT name, holder, until_time FROM leases WHERE name = $1", name)
}

func (t storeTx) PutLease(l *vitrine.Lease) error {
	_, err := t.exec("INSERT INTO leases (name, holder, until_time) VALUES ($1, $2, $3) "+
		"ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until_time = excluded.until_time", l.Name, l.Holder, ms(l.Until))
	return err
}

func (t storeTx) DeleteLease(name string) error {
	return t.put("DELETE FROM leases WHERE name = $1", name)
}

func (t storeTx) ExpireLeases(before time.Time) (int64, error) {
	return t.exec("DELETE FROM leases WHERE until_time < $1", ms(before))
}
