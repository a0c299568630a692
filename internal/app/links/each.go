package links

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"vitrine"
)

// eachPage is the number of links that Each reads at once.
const eachPage = 500

// Each lists the links of an account (0: of all) in a state ("": in any),
// newest first. It reads them page by page, so its memory does not depend on
// their number. Each page is a snapshot of its own. An error ends the list.
func (s *Service) Each(ctx context.Context, a vitrine.AccountID,
	state vitrine.LinkState) iter.Seq2[*vitrine.Link, error] {
	q := vitrine.LinkQuery{Account: a, Files: true, Limit: eachPage}
	return func(yield func(*vitrine.Link, error) bool) {
		for more := true; more; {
			page, err := s.page(ctx, q, state)
			if err != nil {
				yield(nil, err)
				return
			}
			now := s.Now()
			for _, l := range page {
				q.Before = vitrine.LinkCursor{CreatedAt: l.CreatedAt, ID: l.ID}
				l.ApplyExpiry(now)
				if (state == "" || l.State == state) && !yield(l, nil) {
					return
				}
			}
			more = len(page) == eachPage
		}
	}
}

// page reads the next links, some of which may be in another state. Over all
// accounts, only links in one state are indexed by age.
func (s *Service) page(ctx context.Context, q vitrine.LinkQuery, state vitrine.LinkState) ([]*vitrine.Link, error) {
	states := []vitrine.LinkState{""}
	if q.Account == 0 {
		states = storedStates(state)
	}
	var page []*vitrine.Link
	err := s.Store.Read(ctx, func(tx vitrine.Tx) error {
		page = nil
		for _, q.State = range states {
			links, err := tx.Links(q)
			if err != nil {
				return err
			}
			page = append(page, links...)
		}
		return nil
	})
	slices.SortFunc(page, func(a, b *vitrine.Link) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	return page[:min(len(page), q.Limit)], err
}

// storedStates returns the states that links in a state have in the store. A
// link that has just expired is stored as live.
func storedStates(state vitrine.LinkState) []vitrine.LinkState {
	switch state {
	case "":
		return []vitrine.LinkState{vitrine.StateLive, vitrine.StateReview, vitrine.StateProcessing,
			vitrine.StateDisabled}
	case vitrine.StateDisabled:
		return []vitrine.LinkState{vitrine.StateDisabled, vitrine.StateLive}
	}
	return []vitrine.LinkState{state}
}
