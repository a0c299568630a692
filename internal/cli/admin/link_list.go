package admin

import (
	"context"
	"errors"
	"fmt"

	"vitrine"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
)

type linkListCmd struct {
	Account string
	Status  string
	command.LimitFlags
	instance.Places
	command.JSONFlag
}

func newLinkList() *command.Command {
	c := new(linkListCmd)
	cmd := onInstance("list", "List links of all accounts, newest first.", &c.Places, c.Run)
	cmd.SuggestFor = []string{"queue"}
	cmd.Long = `On a terminal, a table. Otherwise a line for each link, its columns separated by tabs: slug, status,
kind, bytes, creation time, account, title. Versions and websites are not listed.`
	cmd.Examples("admin link list",
		"admin link list --account ada@example.org --status disabled",
		"admin link list --json | jq -r .slug")
	cmd.Check(func() error {
		if c.Account == "" {
			return nil
		}
		if err := checkEmail(c.Account); err != nil {
			return fmt.Errorf("--account: %w", err)
		}
		return nil
	})
	cmd.String(&c.Account, "account", "EMAIL", "Only links of this account.").Once()
	cmd.Choice(&c.Status, "status", "STATUS", "Only links in this status: live, review, processing or disabled.", "live", "review", "processing", "disabled").Once()
	cmd.Take(&c.LimitFlags, &c.Places, &c.JSONFlag)
	return cmd
}

// Run lists links, newest first.
func (c *linkListCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	owners := ownerCache{in: in}
	var account vitrine.AccountID
	if c.Account != "" {
		a, err := in.Accounts.ByEmail(ctx, c.Account)
		if err != nil {
			return err
		}
		account = a.ID
	}
	limit := c.Most(t)
	list := linkTable{t: t, json: c.JSON}
	for l, err := range in.Links.Each(ctx, account, vitrine.LinkState(c.Status)) {
		if err != nil {
			return errors.Join(list.flush(), err)
		}
		if limit > 0 && list.n == limit {
			defer c.SayMore(t, limit, "links")
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
		none := "No links yet."
		if c.Account != "" || c.Status != "" {
			none = "No matching links."
		}
		t.Say("%s", none)
		return nil
	}
	return list.flush()
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
