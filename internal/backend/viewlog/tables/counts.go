package tables

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

// Change is what a transaction adds to the counts of a link. Account is 0 if
// the link has a row.
type Change struct {
	Account vitrine.AccountID
	vitrine.LinkCounts
}

// AddCounts adds to the counts of links and of their accounts. A link that is
// being deleted does not count for its account.
func (t Index) AddCounts(changes map[vitrine.LinkID]*Change) error {
	links := slices.Sorted(maps.Keys(changes))
	accounts := map[vitrine.AccountID]*vitrine.LinkCounts{}
	err := t.GetMany(`INSERT INTO links (link, account, deleting, views, downloads) VALUES ($1, $2, FALSE, $3, $4) ON CONFLICT (link) DO UPDATE
		SET views = links.views + excluded.views, downloads = links.downloads + excluded.downloads RETURNING account, deleting`,
		len(links), func(i int) []any {
			c := changes[links[i]]
			return []any{int64(links[i]), int64(c.Account), c.Views, c.Downloads}
		}, func(i int, row sqldb.Scanner) error {
			var account vitrine.AccountID
			var deleting bool
			if err := row.Scan(&account, &deleting); err != nil || deleting {
				return t.failed(err)
			}
			if accounts[account] == nil {
				accounts[account] = new(vitrine.LinkCounts)
			}
			accounts[account].Views += changes[links[i]].Views
			accounts[account].Downloads += changes[links[i]].Downloads
			return nil
		})
	if err != nil {
		return err
	}
	return t.addToAccounts(accounts)
}

// failed is Tx.Failed, but returns nil without an error.
func (t Index) failed(err error) error {
	if err != nil {
		err = t.Failed(err)
	}
	return err
}

func (t Index) addToAccounts(counts map[vitrine.AccountID]*vitrine.LinkCounts) error {
	maps.DeleteFunc(counts, func(_ vitrine.AccountID, c *vitrine.LinkCounts) bool { return *c == vitrine.LinkCounts{} })
	accounts := slices.Sorted(maps.Keys(counts))
	_, err := t.ExecMany(`INSERT INTO account_counts (account, views, downloads) VALUES ($1, $2, $3) ON CONFLICT (account) DO UPDATE
		SET views = account_counts.views + excluded.views, downloads = account_counts.downloads + excluded.downloads`,
		len(accounts), func(i int) []any {
			c := counts[accounts[i]]
			return []any{int64(accounts[i]), c.Views, c.Downloads}
		})
	return err
}

// Discount begins the deletion of a link: its views and downloads no longer
// count, and later ones do not count for its account.
func (t Index) Discount(account vitrine.AccountID, link vitrine.LinkID) error {
	var c vitrine.LinkCounts
	if err := t.Get([]any{&c.Views, &c.Downloads}, "SELECT views, downloads FROM links WHERE link = $1", int64(link)); err != nil {
		return err
	}
	if _, err := t.Exec("UPDATE links SET deleting = TRUE, views = 0, downloads = 0 WHERE link = $1", int64(link)); err != nil {
		return err
	}
	c.Views, c.Downloads = -c.Views, -c.Downloads
	return t.addToAccounts(map[vitrine.AccountID]*vitrine.LinkCounts{account: &c})
}

// AccountCounts returns the stored sum of the counts of an account's links.
func (t Index) AccountCounts(a vitrine.AccountID) (c vitrine.LinkCounts, err error) {
	err = t.Get([]any{&c.Views, &c.Downloads}, "SELECT views, downloads FROM account_counts WHERE account = $1", int64(a))
	return c, vitrine.NotFoundIsNil(err)
}

// Accounts compares the counts of every account with those of its links, and
// calls fault for each difference.
func (log Recount) Accounts(fault func(text string)) error {
	differences := map[vitrine.AccountID]*[2]vitrine.LinkCounts{}
	for i, query := range []string{"SELECT account, views, downloads FROM account_counts",
		"SELECT account, CAST(sum(views) AS BIGINT), CAST(sum(downloads) AS BIGINT) FROM links WHERE NOT deleting GROUP BY account"} {
		err := log.Tx.Each(func(row sqldb.Scanner) error {
			var a vitrine.AccountID
			var c vitrine.LinkCounts
			if err := row.Scan(&a, &c.Views, &c.Downloads); err != nil {
				return log.Tx.Failed(err)
			}
			if differences[a] == nil {
				differences[a] = new([2]vitrine.LinkCounts)
			}
			differences[a][i] = c
			return nil
		}, query)
		if err != nil {
			return err
		}
	}
	for _, a := range slices.Sorted(maps.Keys(differences)) {
		if stored, links := differences[a][0], differences[a][1]; stored != links {
			fault(fmt.Sprintf("view log, account %d: %d views and %d downloads are stored, but its links have %d and %d", a,
				stored.Views, stored.Downloads, links.Views, links.Downloads))
		}
	}
	return nil
}

// CountsOf reads the counts of links.
func (t Index) CountsOf(counts map[vitrine.LinkID]vitrine.LinkCounts, links []vitrine.LinkID) error {
	return sqldb.InBatches(links, func(in string, args []any) error {
		return t.CountsFrom(counts, " FROM links WHERE link "+in, args)
	})
}

// CountsFrom reads the counts of the links that a FROM clause selects.
func (t Index) CountsFrom(counts map[vitrine.LinkID]vitrine.LinkCounts, from string, args []any) error {
	return t.Visit("link, views, downloads", from, args, func(row []driver.Value) error {
		counts[vitrine.LinkID(row[0].(int64))] = vitrine.LinkCounts{Views: row[1].(int64), Downloads: row[2].(int64)}
		return nil
	})
}

// Imported returns how many lines of a file were imported.
func (t Index) Imported(file [32]byte) (lines int64, err error) {
	err = t.Get([]any{&lines}, "SELECT lines FROM imports WHERE file = $1", file[:])
	if errors.Is(err, vitrine.ErrNotFound) {
		return 0, nil
	}
	return lines, err
}

// ScopesOf returns the scopes of those links that belong to an account.
func (t Index) ScopesOf(account vitrine.AccountID, links []int64) (scopes []vitrine.Scope, err error) {
	err = t.Each(func(s sqldb.Scanner) error {
		var link vitrine.LinkID
		err := s.Scan(&link)
		if slices.Contains(links, int64(link)) {
			scopes = append(scopes, vitrine.Scope{Account: account, Link: link})
		}
		return err
	}, "SELECT link FROM links WHERE account = $1 AND NOT deleting", int64(account))
	return scopes, err
}
