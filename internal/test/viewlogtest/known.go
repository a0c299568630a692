package viewlogtest

import (
	"fmt"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// known tests which links and accounts a log knows: after their first view,
// after days are rolled up and deleted, and after a link is deleted.
func (t logTest) known() {
	is := func(when string, account vitrine.AccountID, link vitrine.LinkID, want ...vitrine.Scope) {
		t.Helper()
		a, l, err := t.log.HighestIDs(ctx)
		if err != nil || a != account || l != link {
			t.Errorf("%s: HighestIDs = %d, %d, %v, want %d and %d", when, a, l, err, account, link)
		}
		left := map[vitrine.Scope]bool{}
		for _, s := range want {
			left[s] = true
			left[vitrine.Scope{Account: s.Account}] = true
		}
		seen := map[vitrine.Scope]bool{}
		err = t.log.EachScope(ctx, func(s vitrine.Scope) error {
			if !left[s] {
				return fmt.Errorf("%+v is listed, want it unknown", s)
			}
			seen[s] = true
			return nil
		})
		if err != nil {
			t.Errorf("%s: EachScope = %v, want nil", when, err)
		}
		for _, s := range want {
			if !seen[s] {
				t.Errorf("%s: %+v is not listed", when, s)
			}
		}
	}
	of := func(account vitrine.AccountID, link vitrine.LinkID, after time.Duration) vitrine.ViewRecord {
		v := view(link, after, uint64(link))
		v.Account = account
		return v
	}
	is("when nothing came", 0, 0)
	t.append(vitrine.Batch{Views: []vitrine.ViewRecord{of(3, 20, 0), of(2, 31, time.Hour)}})
	both := []vitrine.Scope{{Account: 3, Link: 20}, {Account: 2, Link: 31}}
	is("after two views", 3, 31, both...)
	receipt := vitrine.ImportReceipt{File: [32]byte{1}, Lines: 1, At: vitrinetest.Epoch}
	if err := t.log.Import(ctx, receipt, []vitrine.ViewRecord{of(7, 5, -time.Hour)}); err != nil {
		t.Fatal(err)
	}
	all := append(both, vitrine.Scope{Account: 7, Link: 5})
	is("after an import", 7, 31, all...)
	t.append(vitrine.Batch{Views: []vitrine.ViewRecord{of(vitrine.FirstSitePage+9, vitrine.FirstSitePage+7, 0)}})
	all = append(all, vitrine.Scope{Account: vitrine.FirstSitePage + 9, Link: vitrine.FirstSitePage + 7})
	is("after a page load of a website", 7, 31, all...)
	later := report.DayOf(vitrinetest.Epoch.UnixMilli()) + 400
	for _, work := range []func() error{
		func() error { return t.log.RollUp(ctx, later) },
		func() error { return t.log.Expire(ctx, later-10) },
	} {
		if err := work(); err != nil {
			t.Fatal(err)
		}
		is("once days are past", 7, 31, all...)
	}
	if err := t.log.DeleteLink(ctx, 31); err != nil {
		t.Fatal(err)
	}
	is("after a link is deleted", 7, 20, all[0], all[2], all[3], vitrine.Scope{Account: 2})
	err := t.log.EachScope(ctx, func(vitrine.Scope) error { return vitrinetest.ErrAbandoned })
	if err != vitrinetest.ErrAbandoned {
		t.Errorf("EachScope whose function fails = %v, want ErrAbandoned", err)
	}
}
