package storetest

import (
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

func (t storeTest) excess() {
	day := report.DayOf(vitrinetest.Epoch.UnixMilli())
	at := func(d report.Day, hours int) time.Time {
		return time.UnixMilli(d.StartMs()).Add(time.Duration(hours) * time.Hour)
	}
	page := vitrine.Scope{Account: vitrine.FirstSitePage + 7, Link: vitrine.FirstSitePage + 8}
	for range 2 {
		t.update(func(tx vitrine.Tx) error {
			return errors.Join(tx.AddExcess(vitrine.Scope{Account: 1, Link: 1}, at(day, 0), 1),
				tx.AddExcess(vitrine.Scope{Account: 1, Link: 1}, at(day, 23), 10),
				tx.AddExcess(vitrine.Scope{Account: 1, Link: 2}, at(day, 23), 100),
				tx.AddExcess(vitrine.Scope{Account: 1, Link: 1}, at(day+1, 0), 1000),
				tx.AddExcess(page, at(day, 5), 5_000_000_000))
		})
	}
	want := func(of vitrine.Scope, from, to report.Day, n int64) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.Excess(of, report.Window{From: from, To: to})
			if got != n {
				t.Errorf("excess views of %+v on %v to %v = %d, want %d", of, from, to, got, n)
			}
			return err
		})
	}
	want(vitrine.Scope{Account: 1, Link: 1}, day, day+1, 22)
	want(vitrine.Scope{Account: 1, Link: 1}, day+1, day+2, 2000)
	want(vitrine.Scope{Account: 1}, day, day+1, 222)
	want(vitrine.Scope{Account: 1}, day-9, day+9, 2222)
	want(vitrine.Scope{Account: 1, Link: 2}, day+1, day+9, 0)
	want(vitrine.Scope{Account: 2}, day, day+1, 0)
	want(page, day, day+1, 10_000_000_000)
	t.update(func(tx vitrine.Tx) error { return errors.Join(tx.DeleteExcess(1), tx.DeleteExcess(99)) })
	want(vitrine.Scope{Account: 1}, day-9, day+9, 200)
}
