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

type accountDeleteCmd struct {
	emailArg
	noteFlag
	Yes bool
	instance.Places
	command.JSONFlag
}

func newAccountDelete() *command.Command {
	c := new(accountDeleteCmd)
	cmd := onInstance("delete", "Delete an account with its links, files and numbers permanently.", &c.Places, c.Run)
	cmd.SuggestFor = []string{"remove", "rm", "close"}
	cmd.Long = `Does what "Close account" does on the website. The account, its sessions and its API keys stop working
at once, and its links, albums and websites are no longer available. A server then deletes their files
and numbers, within 5 minutes or when one starts. Its e-mail address can have a new account. To stop
an account and keep what it has, use "admin account suspend".`
	cmd.Examples("admin account delete mallory@example.org",
		"admin account delete mallory@example.org --yes --json")
	cmd.Take(&c.emailArg, &c.Places, &c.noteFlag)
	cmd.Confirm(&c.Yes)
	cmd.Take(&c.JSONFlag)
	return cmd
}

// deletedAccount is the output for a deleted account.
type deletedAccount struct {
	Email     string `json:"email"`
	Links     int64  `json:"links"`
	Websites  int64  `json:"websites"`
	SizeBytes int64  `json:"size_bytes"`
}

// count counts what is deleted with an account.
func (d *deletedAccount) count(tx vitrine.Tx, a *vitrine.Account) error {
	all, bytes, err := tx.CountLinks(a.ID) // a website counts as one
	sites, err2 := tx.Sites(a.ID)
	d.Websites, d.SizeBytes = int64(len(sites)), bytes
	d.Links = all - d.Websites
	return errors.Join(err, err2)
}

// String returns the contents, for a sentence.
func (d *deletedAccount) String() string {
	text := terminal.Counted(d.Links, "link")
	if d.Websites > 0 {
		text += ", " + terminal.Counted(d.Websites, "website")
	}
	return fmt.Sprintf("%s (%s) and all albums and numbers", text, terminal.FormatSize(d.SizeBytes))
}

// Run closes an account. It asks for confirmation, because that cannot be
// undone.
func (c *accountDeleteCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	a, err := in.Accounts.ByEmail(ctx, c.Email)
	if err != nil {
		return err
	}
	row := deletedAccount{Email: a.Email}
	if err := in.Store.Read(ctx, func(tx vitrine.Tx) error { return row.count(tx, a) }); err != nil {
		return err
	}
	if !c.Yes {
		t.Tell("This deletes the account %s permanently, with %s.", terminal.Plain(a.Email), &row)
	}
	only, err := onlyOwner(ctx, in, a.Email)
	if err != nil {
		return err
	}
	if only {
		warnOfOnlyOwner(t, a.Email, "deleted", c.Yes)
	}
	if ok, err := t.Confirmed(c.Yes, "Delete the account?"); err != nil || !ok {
		return err
	}
	if err := in.Accounts.CloseByEmail(ctx, a.Email, c.decision()); err != nil {
		return err
	}
	if c.JSON {
		return t.JSON(row)
	}
	t.Say("The account %s is deleted. A server deletes what it had within 5 minutes, or when one starts: %s.",
		terminal.Plain(a.Email), &row)
	return nil
}
