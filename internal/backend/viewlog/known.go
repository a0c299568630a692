package viewlog

import (
	"context"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

// websites is the first number that websites use. Accounts and links have
// smaller ones.
const websites = int64(vitrine.FirstSitePage)

// HighestIDs implements [vitrine.ViewLog]. Each maximum is read from the end of
// an index.
func (l *ViewLog) HighestIDs(ctx context.Context) (account vitrine.AccountID, link vitrine.LinkID, err error) {
	err = l.read(ctx, func(t logTx) error {
		var most, least, state int64 // the account of a link that is being erased is negative
		err := t.Get([]any{&link, &most, &least, &state}, `SELECT coalesce((SELECT max(link) FROM links WHERE link < $1), 0),
			coalesce((SELECT max(account) FROM links WHERE account < $2), 0), coalesce((SELECT min(account) FROM links WHERE account > $3), 0),
			coalesce((SELECT max(account) FROM accounts WHERE account < $4), 0)`, websites, websites, -websites, websites)
		account = vitrine.AccountID(max(most, -least, state))
		return err
	})
	return account, link, err
}

// scopesBatch is the number of rows that are read before they are passed on.
const scopesBatch = 10_000

// EachScope implements [vitrine.ViewLog].
func (l *ViewLog) EachScope(ctx context.Context, f func(vitrine.Scope) error) error {
	for _, each := range []struct {
		query string // selects rows of a number and an account, after a number
		scope func(number, account int64) vitrine.Scope
	}{
		{"SELECT link, abs(account) FROM links WHERE link > $1 ORDER BY link LIMIT $2",
			func(link, account int64) vitrine.Scope {
				return vitrine.Scope{Account: vitrine.AccountID(account), Link: vitrine.LinkID(link)}
			}},
		{"SELECT account, account FROM accounts WHERE account > $1 ORDER BY account LIMIT $2",
			func(account, _ int64) vitrine.Scope {
				return vitrine.Scope{Account: vitrine.AccountID(account)}
			}},
	} {
		var last int64
		for more := true; more; {
			var some []vitrine.Scope
			err := l.read(ctx, func(t logTx) error {
				some = some[:0]
				return t.Each(func(row sqldb.Scanner) error {
					var number, account int64
					if err := row.Scan(&number, &account); err != nil {
						return err
					}
					some, last = append(some, each.scope(number, account)), number
					return nil
				}, each.query, last, scopesBatch)
			})
			if err != nil {
				return err
			}
			for _, s := range some {
				if err := f(s); err != nil {
					return err
				}
			}
			more = len(some) == scopesBatch
		}
	}
	return ctx.Err()
}
