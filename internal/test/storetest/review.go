package storetest

import (
	"errors"
	"fmt"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// accountLists tests the filters of the account list.
func (t storeTest) accountLists() {
	ann, bob, eve := t.account("ann@example.org"), t.account("bob@example.org"), t.account("eve@example.org")
	ann.Role, eve.Role, eve.Banned, bob.Banned = vitrine.RoleOwner, vitrine.RoleModerator, true, true
	t.update(func(tx vitrine.Tx) error {
		return errors.Join(tx.PutAccount(ann), tx.PutAccount(bob), tx.PutAccount(eve))
	})
	check := func(q vitrine.AccountQuery, want ...*vitrine.Account) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.Accounts(q)
			vitrinetest.Equal(t, fmt.Sprintf("accounts %+v", q), got, want)
			return err
		})
	}
	check(vitrine.AccountQuery{}, ann, bob, eve)
	check(vitrine.AccountQuery{Role: vitrine.RoleOwner}, ann)
	check(vitrine.AccountQuery{Role: vitrine.RoleModerator, Banned: true}, eve)
	check(vitrine.AccountQuery{Banned: true}, bob, eve)
	check(vitrine.AccountQuery{Banned: true, Limit: 1}, bob)
	check(vitrine.AccountQuery{After: ann.ID}, bob, eve)
	check(vitrine.AccountQuery{After: eve.ID})
}

// changes tests the history of decisions.
func (t storeTest) changes() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	l := link(ann, "one", 0)
	t.addLinks(l)
	made := &vitrine.Change{At: vitrinetest.Epoch, By: vitrine.Owner(ann.ID), Action: vitrine.ActionCreate,
		Account: ann.ID, Link: l.ID, To: vitrine.StateReview,
		Reason: "why", Detail: "what ✓"}
	cleared := &vitrine.Change{At: vitrinetest.Epoch.Add(time.Second), By: vitrine.Moderator(bob),
		Action: vitrine.ActionClear, Account: ann.ID, Link: l.ID,
		From: vitrine.StateReview, To: vitrine.StateLive, Note: "looks <fine>"}
	banned := &vitrine.Change{At: vitrinetest.Epoch, By: vitrine.Administrator, Action: vitrine.ActionBan,
		Account: bob.ID}
	hit := &vitrine.Change{At: vitrinetest.Epoch, By: vitrine.Actor{Kind: vitrine.ActorScanner},
		Action: vitrine.ActionScan, Account: ann.ID, Link: l.ID,
		From: vitrine.StateLive, To: vitrine.StateReview, Reason: vitrine.ReasonMalware, Detail: "Eicar"}
	for _, c := range []*vitrine.Change{made, cleared, banned, hit} {
		t.update(func(tx vitrine.Tx) error { return tx.AddChange(c) })
	}
	if !(0 < made.ID && made.ID < cleared.ID && cleared.ID < banned.ID && banned.ID < hit.ID) {
		t.Fatalf("IDs = %d, %d, %d, %d, want them to increase", made.ID, cleared.ID, banned.ID, hit.ID)
	}
	check := func(q vitrine.ChangeQuery, want ...*vitrine.Change) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.Changes(q)
			vitrinetest.Equal(t, fmt.Sprintf("changes %+v", q), got, want)
			return err
		})
	}
	check(vitrine.ChangeQuery{}, hit, banned, cleared)
	check(vitrine.ChangeQuery{Limit: 2}, hit, banned)
	check(vitrine.ChangeQuery{Before: banned.ID}, cleared)
	check(vitrine.ChangeQuery{Account: ann.ID}, hit, cleared)
	check(vitrine.ChangeQuery{Link: l.ID}, hit, cleared, made)
	check(vitrine.ChangeQuery{Link: l.ID, Limit: 1, Before: hit.ID}, cleared)
	check(vitrine.ChangeQuery{Account: bob.ID}, banned)
	check(vitrine.ChangeQuery{Account: ann.ID, People: true}, cleared)
	check(vitrine.ChangeQuery{People: true}, banned, cleared)
	check(vitrine.ChangeQuery{Link: 999})
	t.activity(check, ann, bob)
	check(vitrine.ChangeQuery{}, hit, banned, cleared)
}

// activity tests that what happened with keys, sign-ins and passwords is listed
// only for itself, and deleted by account and age.
func (t storeTest) activity(check func(vitrine.ChangeQuery, ...*vitrine.Change), ann, bob *vitrine.Account) {
	var all []*vitrine.Change
	for i, c := range []vitrine.Change{{Action: vitrine.ActionKey, Account: ann.ID, Detail: "nightly ✓"},
		{Action: vitrine.ActionSignIn, Account: bob.ID, Detail: "Firefox on Linux"},
		{Action: vitrine.ActionFactor, Account: ann.ID}, {Action: vitrine.ActionProvider, Account: ann.ID}} {
		c.At, c.By = vitrinetest.Epoch.Add(time.Duration(i)*time.Hour), vitrine.Owner(c.Account)
		t.update(func(tx vitrine.Tx) error { return tx.AddChange(&c) })
		all = append(all, &c)
	}
	check(vitrine.ChangeQuery{Activity: true}, all[3], all[2], all[1], all[0])
	check(vitrine.ChangeQuery{Activity: true, Account: ann.ID, Limit: 2}, all[3], all[2])
	check(vitrine.ChangeQuery{Activity: true, Account: ann.ID, Before: all[2].ID}, all[0])
	t.update(func(tx vitrine.Tx) error { return tx.DeleteActivity(bob.ID, vitrinetest.Epoch.Add(time.Hour)) })
	check(vitrine.ChangeQuery{Activity: true, Account: bob.ID}, all[1])
	t.update(func(tx vitrine.Tx) error { return tx.DeleteActivity(0, vitrinetest.Epoch.Add(2*time.Hour)) })
	check(vitrine.ChangeQuery{Activity: true}, all[3], all[2])
	t.update(func(tx vitrine.Tx) error { return tx.DeleteActivity(ann.ID, vitrinetest.Epoch.Add(24*time.Hour)) })
	check(vitrine.ChangeQuery{Activity: true})
}

// review tests the review queue, its counts, and links with the same bytes.
func (t storeTest) review() {
	ann := t.account("ann@example.org")
	add := func(slug vitrine.Slug, state vitrine.LinkState, reason, sum string, waits time.Duration) *vitrine.Link {
		l := link(ann, slug, time.Hour)
		l.State, l.Reason, l.SHA256, l.StateAt = state, reason, sum, vitrinetest.Epoch.Add(-waits)
		t.addLinks(l)
		return l
	}
	young := add("young", vitrine.StateReview, "macros", "aa", time.Second)
	old := add("old", vitrine.StateReview, "abuse_reports", "aa", time.Minute)
	same := add("same", vitrine.StateReview, "macros", "bb", time.Minute)
	live := add("live", vitrine.StateLive, "", "aa", time.Hour)
	gone := add("gone", vitrine.StateReview, "macros", "aa", time.Hour)
	add("bare", vitrine.StateLive, "", "", 0)
	gone.DeletedAt = vitrinetest.Epoch
	t.update(func(tx vitrine.Tx) error { return tx.PutLink(gone) })
	check := func(q vitrine.ReviewQuery, want ...*vitrine.Link) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.Review(q)
			vitrinetest.Equal(t, fmt.Sprintf("queue %+v", q), got, want)
			return err
		})
	}
	check(vitrine.ReviewQuery{}, old, same, young)
	check(vitrine.ReviewQuery{Limit: 1}, old)
	check(vitrine.ReviewQuery{Reason: "macros"}, same, young)
	check(vitrine.ReviewQuery{After: vitrine.ReviewCursor{Since: old.StateAt, ID: old.ID}}, same, young)
	check(vitrine.ReviewQuery{Reason: "macros", After: vitrine.ReviewCursor{Since: same.StateAt, ID: same.ID},
		Limit: 5}, young)
	check(vitrine.ReviewQuery{Reason: "none"})
	t.read(func(tx vitrine.Tx) error {
		counts, err1 := tx.CountReview()
		vitrinetest.Equal(t, "counts of the queue", counts, map[string]int64{"macros": 2, "abuse_reports": 1})
		twins, err2 := tx.LinksBySHA256("aa", 0)
		vitrinetest.Equal(t, "links with the same bytes", twins, []*vitrine.Link{gone, live, old, young})
		twins, err3 := tx.LinksBySHA256("aa", 2)
		vitrinetest.Equal(t, "two links with the same bytes", twins, []*vitrine.Link{gone, live})
		none, err4 := tx.LinksBySHA256("", 0)
		vitrinetest.Equal(t, "links without bytes", len(none), 0)
		return errors.Join(err1, err2, err3, err4)
	})
	refused := func(sum string, want bool) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.BytesRefused(sum)
			vitrinetest.Equal(t, "refused bytes "+sum, got, want)
			return err
		})
	}
	refused("aa", true) // reported
	refused("bb", false)
	refused("", false)
	same.State, same.Reason = vitrine.StateDisabled, vitrine.ReasonOwner
	t.update(func(tx vitrine.Tx) error { return tx.PutLink(same) })
	refused("bb", false)
	same.Reason, same.DeletedAt = vitrine.ReasonModerator, vitrinetest.Epoch
	t.update(func(tx vitrine.Tx) error { return tx.PutLink(same) })
	refused("bb", true)
}

// scans tests which links are due for a scan.
func (t storeTest) scans() {
	ann := t.account("ann@example.org")
	add := func(slug vitrine.Slug, state vitrine.LinkState, scanned string) *vitrine.Link {
		l := link(ann, slug, 0)
		l.State, l.Scanned = state, scanned
		t.addLinks(l)
		return l
	}
	never, older, current := add("never", vitrine.StateLive, ""), add("older", vitrine.StateLive, "v1"),
		add("current", vitrine.StateLive, "v2")
	held, video := add("held", vitrine.StateReview, ""), add("video", vitrine.StateProcessing, "")
	gone, bare := add("gone", vitrine.StateLive, ""), add("bare", vitrine.StateLive, "")
	gone.DeletedAt, bare.HasBytes = vitrinetest.Epoch, false
	t.update(func(tx vitrine.Tx) error { return errors.Join(tx.PutLink(gone), tx.PutLink(bare)) })
	check := func(state vitrine.LinkState, signatures string, after vitrine.LinkID, n int, want ...*vitrine.Link) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.ScanDue(state, signatures, after, n)
			vitrinetest.Equal(t, fmt.Sprintf("%s links to be scanned by %q after %d", state, signatures, after), got,
				want)
			return err
		})
	}
	check(vitrine.StateLive, "v2", 0, 10, never, older)
	check(vitrine.StateLive, "v2", 0, 1, never)
	check(vitrine.StateLive, "v2", never.ID, 10, older)
	check(vitrine.StateLive, "v1", 0, 10, never, current)
	check(vitrine.StateReview, "v2", 0, 10, held)
	check(vitrine.StateProcessing, "v2", 0, 10, video)
	check(vitrine.StateProcessing, "", 0, 10, video) // also without a scanner
}
