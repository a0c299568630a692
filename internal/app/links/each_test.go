package links_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
)

// TestEach checks that every link is listed once, newest first, over several
// pages: of all accounts or of one, in any state or in one, and that an expired
// link is disabled.
func TestEach(t *testing.T) {
	clock := vitrinetest.Epoch
	s, _, a := fixture.TwoProcesses(t, func() time.Time { return clock })
	const n = 1300
	states := []vitrine.LinkState{vitrine.StateLive, vitrine.StateReview, vitrine.StateDisabled, vitrine.StateLive,
		vitrine.StateProcessing}
	other := &vitrine.Account{Email: "bob@example.org", ViewerKey: []byte("k"), CreatedAt: clock}
	want := map[string][]string{} // by account and state, in the order of the list
	err := s.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		if err := tx.AddAccount(other); err != nil {
			return err
		}
		clear(want)
		for i := range n {
			// Three links share a time. Every fifth expires before it is read.
			l := &vitrine.Link{Account: a.ID, Slug: vitrine.Slug(fmt.Sprintf("link-%04d", i)), State: states[i%len(states)],
				CreatedAt: clock.Add(time.Duration(i/3) * time.Second)}
			shown := l.State
			if i%2 == 1 {
				l.Account = other.ID
			}
			if i%5 == 3 {
				l.ExpiresAt, shown = clock.Add(time.Hour), vitrine.StateDisabled
			}
			for _, key := range []string{"0 ", "0 " + string(shown), fmt.Sprint(l.Account, " "),
				fmt.Sprint(l.Account, " ", shown)} {
				want[key] = slices.Insert(want[key], 0, string(l.Slug))
			}
			if err := tx.AddLink(l); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	clock = clock.Add(2 * time.Hour)
	for _, account := range []vitrine.AccountID{0, a.ID, other.ID} {
		for _, state := range append([]vitrine.LinkState{""}, states...) {
			var got []string
			for l, err := range s.Each(t.Context(), account, state) {
				if err != nil {
					t.Fatal(err)
				}
				if state != "" && l.State != state {
					t.Errorf("%s is %s in the list of %s", l.Slug, l.State, state)
				}
				got = append(got, string(l.Slug))
			}
			if w := want[fmt.Sprint(account, " ", state)]; !slices.Equal(got, w) || len(w) == 0 {
				t.Errorf("account %d, state %q: %d links, want %d, or in another order", account, state, len(got), len(w))
			}
		}
	}
}
