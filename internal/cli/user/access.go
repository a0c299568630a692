package user

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"vitrine/client"
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
	if l.Access != nil && l.Access.Readers != 0 {
		all = append(all, fmt.Sprintf("%d readers", l.Access.Readers))
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}
