package operator

import (
	"cmp"
	"context"
	"errors"

	"vitrine"
	"vitrine/internal/instance"
	"vitrine/internal/terminal"
)

// terminalLimit is the number of links that a terminal shows without --limit.
const terminalLimit = 20

type linkListCmd struct {
	Account string `help:"Only links of this account." placeholder:"EMAIL"`
	Status  string `help:"Only links in this status: live, review, processing or disabled." predictor:"status" enum:",live,review,processing,disabled" default:"" placeholder:"STATUS"`
	Limit   *int   `help:"How many links to list; 0: all. Default: 20 on a terminal, otherwise all." placeholder:"N"`
	instance.Places
	terminal.JSONFlag
}

func (*linkListCmd) Help() string {
	return `On a terminal, a table. Otherwise a line for each link, its columns separated by tabs: slug, status,
kind, bytes, creation time, account, title. Versions and websites are not listed.`
}

// AfterApply refuses values that cannot be meant.
func (c *linkListCmd) AfterApply() error {
	if c.Limit != nil && *c.Limit < 0 {
		return errors.New("--limit must be 0 (all) or more")
	}
	if c.Account == "" {
		return nil
	}
	return (&emailArg{c.Account}).AfterApply()
}

// Run lists links, newest first.
func (c *linkListCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
		owners := ownerCache{in: in}
		var account vitrine.AccountID
		if c.Account != "" {
			a, err := in.Accounts.ByEmail(ctx, c.Account)
			if err != nil {
				return err
			}
			account = a.ID
		}
		limit := 0
		if t.OutTTY {
			limit = terminalLimit
		}
		if c.Limit != nil {
			limit = *c.Limit
		}
		list := linkTable{t: t, json: c.JSON}
		for l, err := range in.Links.Each(ctx, account, vitrine.LinkState(c.Status)) {
			if err != nil {
				return errors.Join(list.flush(), err)
			}
			if limit > 0 && list.n == limit {
				defer t.Say("There are more links: these are the newest %d. For more: --limit N, or --limit 0 for all.", limit)
				break
			}
			owner, err := owners.of(ctx, l)
			if err == nil {
				err = list.add(l, owner)
			}
			if err != nil {
				return err
			}
		}
		if list.n == 0 && t.OutTTY && !c.JSON {
			t.Say("%s", cmp.Or(map[bool]string{true: "No matching links."}[c.Account+c.Status != ""], "No links yet."))
			return nil
		}
		return list.flush()
	})
}

// ownerCache finds the accounts of links. It keeps those found last.
type ownerCache struct {
	in   *instance.Instance
	kept map[vitrine.AccountID]*vitrine.Account
}

// keptOwners is the number of accounts that an ownerCache keeps at most.
const keptOwners = 1000

func (c *ownerCache) of(ctx context.Context, l *vitrine.Link) (*vitrine.Account, error) {
	if a := c.kept[l.Account]; a != nil {
		return a, nil
	}
	a, err := ownerOf(ctx, c.in, l)
	if c.kept == nil || len(c.kept) >= keptOwners {
		c.kept = map[vitrine.AccountID]*vitrine.Account{}
	}
	c.kept[l.Account] = a
	return a, err
}

// linkTable prints links. It keeps at most tableRows, so a long table on a
// terminal has several headers.
type linkTable struct {
	t    *terminal.Terminal
	json bool
	rows [][]string
	n    int // links added
}

const tableRows = 500

func (p *linkTable) add(l *vitrine.Link, owner *vitrine.Account) error {
	p.n++
	row := linkRowOf(l, owner)
	if p.json {
		return p.t.JSON(row)
	}
	if p.rows = append(p.rows, row.cells(p.t, l, owner)); len(p.rows) < tableRows {
		return nil
	}
	return p.flush()
}

// flush prints the rows that are kept.
func (p *linkTable) flush() error {
	if len(p.rows) == 0 {
		return nil
	}
	rows := p.rows
	p.rows = nil
	return p.t.Table(linkColumns, rows)
}
