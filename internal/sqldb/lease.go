package sqldb

import (
	"time"

	"vitrine"
)

func readLease(s scanner) (*vitrine.Lease, error) {
	l := new(vitrine.Lease)
	err := s.Scan(&l.Name, &l.Holder, instant{&l.Until})
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

func (t storeTx) ForgetLeases(before time.Time) (int64, error) {
	return t.exec("DELETE FROM leases WHERE until_time < $1", ms(before))
}
