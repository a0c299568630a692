package user

import (
	"errors"
	"time"

	"vitrine/client"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
)

// recipientFlags say how an address of a link differs from the link.
type recipientFlags struct {
	Name     string
	NoName   bool
	Expires  command.When
	ViewOnly *bool
	Password bool // from standard input
	Open     bool // without a password
	Readers  *int
	emailFlags
	AnyEmail    bool // readers confirm no address
	Unprotected bool
	AsLink      bool
}

func (f *recipientFlags) take(cmd *command.Command) {
	cmd.String(&f.Name, "name", "TEXT", "With --edit: another name.")
	cmd.Bool(&f.NoName, "no-name", "With --edit: delete the name. The numbers stay.")
	cmd.Exclusive("name", "no-name")
	cmd.WhenOrNever(&f.Expires, "expires", "When the address expires, such as 12h, 30d, 2w, 1y, 2027-01-31 or never. It never works longer than its link.")
	cmd.OptionalBool(&f.ViewOnly, "view-only", "Its readers cannot download the file; --view-only=false: they can.")
	cmd.Bool(&f.Password, "password-stdin", "Its readers need a password of their own. It is read from standard input, one line.")
	cmd.Bool(&f.Open, "no-password", "With --edit: remove the password of the address.")
	cmd.Exclusive("password-stdin", "no-password")
	cmd.OptionalInt(&f.Readers, "readers", "N", "How many people may open the address; 0: any number.")
	f.emailFlags.take(cmd, "")
	cmd.Bool(&f.AnyEmail, "no-email", "With --edit: do not ask readers of the address for theirs.")
	cmd.Bool(&f.Unprotected, "unprotected", "Its readers need nothing, whatever the link asks for.")
	cmd.Bool(&f.AsLink, "as-link", "With --edit: its readers need what the link asks for, and nothing else.")
	for _, flag := range []string{"allow", "deny", "consent"} {
		cmd.Exclusive(flag, "no-email")
	}
	for _, whole := range []string{"unprotected", "as-link"} {
		for _, part := range []string{"password-stdin", "no-password", "readers", "allow", "deny", "consent",
			"no-email"} {
			cmd.Exclusive(whole, part)
		}
	}
	cmd.Exclusive("unprotected", "as-link")
}

// given reports whether there is such a flag.
func (f *recipientFlags) given() bool {
	return f.Name != "" || f.NoName || f.Expires.Given || f.ViewOnly != nil || f.protects()
}

// protects reports whether there is one about what readers need.
func (f *recipientFlags) protects() bool {
	return f.Password || f.Open || f.Readers != nil || f.email() != nil || f.AnyEmail || f.Unprotected || f.AsLink
}

// validate checks the flags. one reports whether a single address is added.
func (f *recipientFlags) validate(edits, adds, one bool) error {
	switch {
	case edits && !f.given():
		return errors.New("--edit: nothing to change: use --name, --no-name, --expires, --view-only, --password-stdin, --no-password, --readers, --allow, --deny, --consent, --no-email, --unprotected or --as-link")
	case edits:
		return nil
	case !adds && f.given():
		return errors.New("say with --edit which address is changed, or with --add which is new")
	case f.Name != "" || f.NoName || f.Open || f.AnyEmail || f.AsLink:
		return errors.New("--name, --no-name, --no-password, --no-email and --as-link change an address: use --edit")
	case f.Password && !one:
		return errors.New("--password-stdin sets the password of one address")
	}
	return nil
}

// change returns the change that the flags describe. It reads the password.
func (f *recipientFlags) change(t *terminal.Terminal) (change client.RecipientChange, err error) {
	if f.Name != "" || f.NoName {
		change.Label = &f.Name
	}
	if f.Expires.Given {
		change.ExpiresAt = new(f.Expires.At(time.Now()))
	}
	if f.ViewOnly != nil {
		change.AllowDownload = new(!*f.ViewOnly)
	}
	if !f.protects() {
		return change, nil
	}
	change.Access = &client.AccessChange{Readers: f.Readers, Email: f.email(), NoEmail: f.AnyEmail,
		Open: f.Unprotected, AsLink: f.AsLink}
	if f.Password || f.Open {
		change.Access.Password = new(string)
	}
	if f.Password {
		*change.Access.Password, err = readPassword(t)
	}
	return change, err
}

// newRecipient returns an address to add, with what the flags describe.
func newRecipient(name string, as client.RecipientChange) client.NewRecipient {
	r := client.NewRecipient{Label: name, AllowDownload: as.AllowDownload, Access: as.Access}
	if as.ExpiresAt != nil {
		r.ExpiresAt = *as.ExpiresAt
	}
	return r
}
