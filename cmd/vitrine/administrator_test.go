package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
)

// answered runs a command on a terminal and answers its question. It returns
// the exit code and what the terminal shows.
func answered(t *testing.T, answer string, args ...string) (code int, shown string) {
	t.Helper()
	var b bytes.Buffer
	code = run(t.Context(), &terminal.Terminal{Out: &b, Err: &b, In: strings.NewReader(answer + "\n"), OutTTY: true,
		ErrTTY: true, InTTY: true, Width: 120}, args)
	return code, b.String()
}

// TestAdministratorOnTerminal checks the questions of commands that cannot be
// undone, and that a list on a terminal is short.
func TestAdministratorOnTerminal(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	if all, err := vitrineOn(data, "admin", "account", "create", "owner@example.org"); err != nil {
		t.Fatal(all)
	}
	in, err := instance.Open(t.Context(), instance.Places{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	owner, err := in.Accounts.ByEmail(t.Context(), "owner@example.org")
	if err != nil {
		t.Fatal(err)
	}
	const links = 25
	err = in.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		for i := range links {
			l := &vitrine.Link{Account: owner.ID, Slug: vitrine.Slug(fmt.Sprintf("link-%02d", i)),
				File: vitrine.File{Size: 1000, HasBytes: true}, State: vitrine.StateLive, CreatedAt: in.Now()}
			if err := tx.AddLink(l); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		answer, command string
		want            []string
		not             string
	}{
		{"", "admin link list", []string{"SLUG", "link-24 ", "link-05 ",
			"Only the newest 20 links are listed. For more: --limit N, or --all."}, "link-04"},
		{"", "admin link list --limit 25", []string{"link-00 "}, "more"},
		{"", "admin link list --status review", []string{"No matching links."}, "SLUG"},
		{"", "admin link show link-03", []string{"Slug      link-03\n", "Account   owner@example.org\n", "Status    live\n",
			"Expires   never\n", "Size      1.0 kB\n", "Version   1\n", "Download  view only\n"}, "SLUG"},
		{"", "admin account list", []string{"LINKS  STORAGE\n", "   25    25 kB\n"}, "no limit"},
		{"y", "admin key revoke owner@example.org 1", []string{`Revoke key 1, "first key", of owner@example.org?`, "[y/N]",
			"is revoked since"}, "already"},
		{"", "admin key revoke owner@example.org 1", []string{"was already revoked"}, "[y/N]"},
		{"yes", "admin account delete owner@example.org", []string{"with 25 links (25 kB) and all albums and numbers.",
			"is the only owner", "Delete the account? [y/N]", "The account owner@example.org is deleted."}, "nothing"},
	} {
		code, shown := answered(t, c.answer, append(strings.Fields(c.command), "--data", data)...)
		if code != 0 || strings.Contains(shown, c.not) {
			t.Errorf("%s: exit code %d\n%s", c.command, code, shown)
		}
		for _, text := range c.want {
			if !strings.Contains(shown, text) {
				t.Errorf("%s: no %q in\n%s", c.command, text, shown)
			}
		}
	}
}
