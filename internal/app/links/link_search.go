package links

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/report"
)

// ViewDays is the number of days, up to today, whose views lists of links show.
const ViewDays = 30

// LinkSearch selects links of an account. Zero fields do not restrict the
// result.
type LinkSearch struct {
	Text  string
	Kind  filetype.Kind
	State vitrine.LinkState
	Key   vitrine.KeyID // the key that created them
	Label string        // in any case
	Sort  vitrine.LinkSort
	// Skip links are left out at the beginning. At most Limit links follow.
	Skip, Limit int
	// Views adds the views to the result. Sorting by views implies it.
	Views bool
}

// rows returns the query for the links, one more than the limit.
func (q LinkSearch) rows(a vitrine.AccountID, now time.Time) (vitrine.LinkQuery, error) {
	words, err := vitrine.FoldWords(q.Text)
	return vitrine.LinkQuery{Account: a, Files: true, State: q.State, Now: now, Kind: q.Kind, Key: q.Key,
		Label: q.Label, Words: words, Sort: q.Sort, Offset: max(q.Skip, 0), Limit: q.Limit + 1}, err
}

// Labels lists the labels of an account's links, in order.
func (s *Service) Labels(ctx context.Context, a *vitrine.Account) ([]string, error) {
	sets, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]vitrine.Labels, error) { return tx.Labels(a.ID) })
	names := map[string]string{}
	for _, set := range sets {
		for _, label := range set.All() {
			if word := vitrine.LabelWord(label); names[word] == "" || label < names[word] {
				names[word] = label
			}
		}
	}
	return slices.SortedFunc(maps.Values(names), func(a, b string) int {
		return strings.Compare(vitrine.LabelWord(a), vitrine.LabelWord(b))
	}), err
}

// FoundLink is a link of a search and its views on each of the last ViewDays,
// oldest first. Daily views are nil unless requested.
type FoundLink struct {
	*vitrine.Link
	Daily []int64
}

// Views returns the sum over all these days.
func (f FoundLink) Views() (n int64) {
	for _, v := range f.Daily {
		n += v
	}
	return n
}

// Search lists links of an account and reports whether more follow. To sort by
// views it reads the stored daily sums of the whole account, not single views.
func (s *Service) Search(ctx context.Context, a *vitrine.Account,
	q LinkSearch) (found []FoundLink, more bool, err error) {
	to := report.DayOf(s.Now().UnixMilli()) + 1
	from := to - ViewDays
	rows, err := q.rows(a.ID, s.Now())
	if err != nil {
		return nil, false, err
	}
	var links []*vitrine.Link
	if q.Sort == vitrine.SortViews {
		links, err = s.byViews(ctx, a, rows, from, to)
	} else {
		links, err = vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Link, error) {
			return tx.Links(rows)
		})
	}
	if err != nil {
		return nil, false, err
	}
	expireAll(links, rows.Now)
	if more = len(links) > q.Limit; more {
		links = links[:q.Limit]
	}
	if q.Views || q.Sort == vitrine.SortViews {
		found, err = s.WithViews(ctx, links)
		return found, more, err
	}
	for _, l := range links {
		found = append(found, FoundLink{Link: l})
	}
	return found, more, nil
}

// WithViews adds the views of the last ViewDays to links. It asks for each link
// by itself, so the cost depends on these links and not on their accounts.
func (s *Service) WithViews(ctx context.Context, links []*vitrine.Link) (found []FoundLink, err error) {
	to := report.DayOf(s.Now().UnixMilli()) + 1
	from := to - ViewDays
	for _, l := range links {
		tally, _, err := s.Log.Tally(ctx, vitrine.TallyQuery{Scope: vitrine.Scope{Account: l.Account, Link: l.ID},
			From: from, To: to, Brief: true})
		if err != nil {
			return nil, err
		}
		found = append(found, FoundLink{l, tally.DailyViews(from, to)})
	}
	return found, nil
}

// byViews reads the links of a page, ordered by their views in [from, to);
// newer links come first among equals.
func (s *Service) byViews(ctx context.Context, a *vitrine.Account, q vitrine.LinkQuery,
	from, to report.Day) (links []*vitrine.Link, err error) {
	tally, _, err := s.Log.Tally(ctx, vitrine.TallyQuery{Scope: vitrine.Scope{Account: a.ID}, From: from, To: to})
	if err != nil {
		return nil, err
	}
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		ids, err := tx.LinkIDs(q)
		if err != nil {
			return err
		}
		slices.SortFunc(ids, func(a, b vitrine.LinkID) int {
			return cmp.Or(cmp.Compare(tally.LinkViews(int64(b)), tally.LinkViews(int64(a))), cmp.Compare(b, a))
		})
		links = nil
		ids = ids[min(q.Offset, len(ids)):]
		for _, id := range ids[:min(q.Limit, len(ids))] {
			l, err := tx.Link(id)
			if err != nil {
				return err
			}
			links = append(links, l)
		}
		return nil
	})
	return links, err
}
