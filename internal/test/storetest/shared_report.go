package storetest

import (
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// sharedReports tests that a shared report is found by its unique hash, listed
// by link, and deleted only by its account.
func (t storeTest) sharedReports() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	report := func(a *vitrine.Account, l vitrine.LinkID, hash byte, after time.Duration) *vitrine.SharedReport {
		return &vitrine.SharedReport{Account: a.ID, Link: l, Hash: [32]byte{hash, 31: 255}, Label: "Für den Vorstand ✓",
			Password: "$argon2id$x", Query: "range=7d", CreatedAt: vitrinetest.Epoch.Add(after)}
	}
	one, two, all, other := report(ann, 7, 1, 0), report(ann, 7, 2, time.Second), report(ann, 0, 3, 0),
		report(bob, 7, 4, 0)
	two.ExpiresAt, all.Password = vitrinetest.Epoch.Add(time.Hour), ""
	t.update(func(tx vitrine.Tx) error {
		for _, r := range []*vitrine.SharedReport{one, two, all, other} {
			if err := tx.AddSharedReport(r); err != nil {
				return err
			}
		}
		t.is("a hash again", tx.AddSharedReport(report(bob, 1, 1, 0)), vitrine.ErrExists)
		return nil
	})
	check := func(a *vitrine.Account, l vitrine.LinkID, want ...*vitrine.SharedReport) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			list, err := tx.SharedReports(a.ID, l)
			vitrinetest.Equal(t, "shared reports", len(list), len(want))
			for i, w := range want[:min(len(want), len(list))] {
				vitrinetest.Equal(t, "listed", list[i], w)
				got, err := tx.SharedReportByHash(w.Hash)
				t.is("by hash", err, nil)
				vitrinetest.Equal(t, "by hash", got, w)
			}
			return err
		})
	}
	check(ann, 7, two, one)
	check(ann, 0, all)
	check(bob, 7, other)
	t.update(func(tx vitrine.Tx) error {
		t.is("of another account", tx.DeleteSharedReport(bob.ID, one.ID), vitrine.ErrNotFound)
		n, err := tx.ExpireSharedReports(vitrinetest.Epoch.Add(time.Hour + time.Millisecond))
		vitrinetest.Equal(t, "expired", n, 1)
		return err
	})
	check(ann, 7, one)
	t.update(func(tx vitrine.Tx) error { return tx.DeleteSharedReport(ann.ID, one.ID) })
	check(ann, 7)
	t.read(func(tx vitrine.Tx) error {
		_, err := tx.SharedReportByHash(one.Hash)
		t.is("deleted", err, vitrine.ErrNotFound)
		return nil
	})
	t.update(func(tx vitrine.Tx) error { return tx.DeleteSharedReport(ann.ID, 0) })
	check(ann, 0)
	check(bob, 7, other)
}
