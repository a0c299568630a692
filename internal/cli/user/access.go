package user

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"vitrine/client"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
)

// passwordHelp explains the flag --password-stdin.
const passwordHelp = "Readers need a password to open the link. It is read from standard input, one line."

// maxPassword bounds the line with a password, in bytes. The server has a
// smaller bound.
const maxPassword = 4 << 10

// readPassword reads the password of a link from the first line of the input.
// It is no argument, which other users of the machine can see.
func readPassword(t *terminal.Terminal) (string, error) {
	if t.InTTY {
		t.Say("Write the password of the link, and press Enter. It is visible while you write it.")
	}
	line, err := bufio.NewReader(io.LimitReader(t.In, maxPassword)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", terminal.Usage("--password-stdin: standard input has no password")
	}
	return line, nil
}

// protection returns what readers of a link need, for people.
func protection(l *client.LinkDetail) string {
	var all []string
	if l.Access != nil && l.Access.Password {
		all = append(all, "a password")
	}
	if l.Access != nil && l.Access.Email != nil {
		all = append(all, "a confirmed e-mail address")
	}
	if l.Access != nil && l.Access.Readers != 0 {
		all = append(all, fmt.Sprintf("%d readers", l.Access.Readers))
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}

// emailFlags are those of an email gate.
type emailFlags struct {
	Allow, Deny []string
	Consent     string
}

func (f *emailFlags) take(cmd *command.Command, also string) {
	cmd.Strings(&f.Allow, "allow", "LIST", "Make readers confirm one of these e-mail addresses, with a code that is mailed to them. The list has addresses and domains with commas between them; * allows all."+also)
	cmd.Strings(&f.Deny, "deny", "LIST", "Make readers confirm an e-mail address that is not one of these."+also)
	cmd.String(&f.Consent, "consent", "TEXT", "Make readers confirm an e-mail address, and agree to this text."+also)
}

// email returns the email gate that the flags describe, or nil.
func (f emailFlags) email() *client.Email {
	if len(f.Allow)+len(f.Deny) == 0 && f.Consent == "" {
		return nil
	}
	e := &client.Email{Deny: f.Deny, Consent: f.Consent}
	if !slices.Equal(f.Allow, []string{"*"}) {
		e.Allow = f.Allow
	}
	return e
}
