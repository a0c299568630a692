package spool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"vitrine"
)

// HighestIDs returns the highest IDs of an account and of a link that occur in
// the spool, without those of websites; 0 if there is none. It skips damaged
// records, as a replay does.
func (s *Spool) HighestIDs(ctx context.Context) (account vitrine.AccountID, link vitrine.LinkID, err error) {
	s.mu.Lock()
	files := slices.Clone(s.files)
	s.mu.Unlock()
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		data, err := os.ReadFile(s.path(f, suffix))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, 0, err
		}
		r := reader{data: data}
		for b, ok := r.next(); ok; b, ok = r.next() {
			for i := range b.Views {
				if b.Views[i].Account >= vitrine.FirstSitePage {
					continue
				}
				account, link = max(account, b.Views[i].Account), max(link, vitrine.LinkID(b.Views[i].Link))
			}
			for i := range b.Snapshots {
				link = max(link, b.Snapshots[i].Link)
			}
			for i := range b.Downloads {
				link = max(link, b.Downloads[i].Link)
			}
		}
	}
	return account, link, nil
}
