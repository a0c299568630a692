package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"vitrine"
)

// auditUnknownScopes finds links and accounts in the view log that the store
// does not know, or that belong to another account there. Deleted links and
// closed accounts keep their rows in the store.
func (a *Checker) auditUnknownScopes(ctx context.Context, links []*vitrine.Link, fault func(string)) error {
	owner := make(map[vitrine.LinkID]vitrine.AccountID, len(links))
	for _, l := range links {
		owner[l.ID] = l.Account
	}
	var suspects []vitrine.Scope // created or deleted during the audit, not purged yet, or unknown
	accounts := map[vitrine.AccountID]bool{}
	var websites []vitrine.Scope
	err := a.Log.EachScope(ctx, func(s vitrine.Scope) error {
		if s.Account >= vitrine.FirstSitePage {
			websites = append(websites, s)
			return nil
		}
		accounts[s.Account] = true
		if s.Link != 0 && owner[s.Link] != s.Account {
			suspects = append(suspects, s)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return a.Store.Read(ctx, func(tx vitrine.Tx) error {
		for _, s := range suspects {
			l, err := tx.Link(s.Link)
			switch {
			case errors.Is(err, vitrine.ErrNotFound):
				fault(fmt.Sprintf("view log, link %d of account %d: the link is not in the database", s.Link,
					s.Account))
			case err != nil:
				return err
			case l.Account != s.Account:
				fault(fmt.Sprintf("view log, link %d (%s): its views belong to account %d, but the link to account %d",
					s.Link, l.Slug, s.Account, l.Account))
			}
		}
		for _, id := range slices.Sorted(maps.Keys(accounts)) {
			if _, err := tx.Account(id); errors.Is(err, vitrine.ErrNotFound) {
				fault(fmt.Sprintf("view log, account %d: the account is not in the database", id))
			} else if err != nil {
				return err
			}
		}
		return auditSitePages(tx, websites, fault)
	})
}
