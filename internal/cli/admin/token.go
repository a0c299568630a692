package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/cli/user"
	"vitrine/internal/web/httpx"
)

// tokenFlags are the flags of a command that prints the address of a token.
type tokenFlags struct {
	instance.Places
	command.JSONFlag
}

// AddFlags adds the flags to a command.
func (f *tokenFlags) AddFlags(cmd *command.Command) {
	cmd.Take(&f.Places, &f.JSONFlag)
}

// print prints the address of a token, alone on standard output, and its
// purpose on standard error.
func (f tokenFlags) print(t *terminal.Terminal, in *instance.Instance, p vitrine.TokenPurpose, text vitrine.TokenText,
	what string) error {
	_, address := instance.LastServer(f.Data)
	if address == "" {
		t.Say("No server runs on this directory. Replace %s with its address.", user.DefaultURL)
	}
	address = httpx.TokenURL(cmp.Or(address, user.DefaultURL), p, text)
	if f.JSON {
		var end time.Time
		if life := vitrine.TokenPurposes[p]; life > 0 {
			end = in.Now().Add(life)
		}
		return t.JSON(struct {
			Address   string `json:"address"`
			ExpiresAt string `json:"expiresAt,omitempty"`
		}{address, terminal.Stamp(end)})
	}
	t.Say("%s", what)
	_, err := fmt.Fprintln(t.Out, address)
	return err
}

type accountSignInCmd struct {
	emailArg
	tokenFlags
}

func newAccountSignIn() *command.Command {
	c := new(accountSignInCmd)
	cmd := onInstance("sign-in", "Print a one-time sign-in link.", &c.Places, c.Run)
	cmd.Examples("admin account sign-in ada@example.org")
	cmd.Take(&c.emailArg, &c.tokenFlags)
	return cmd
}

func (c *accountSignInCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	text, err := in.Sessions.Offer(ctx, c.Email)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("Open this address in a browser within %s. It signs in once:", humanMinutes(vitrine.SignInLife))
	return c.print(t, in, vitrine.TokenSignIn, text, what)
}

type accountResetCmd struct {
	emailArg
	tokenFlags
}

func newAccountReset() *command.Command {
	c := new(accountResetCmd)
	cmd := onInstance("reset", "Print a one-time link to choose a new password.", &c.Places, c.Run)
	cmd.Examples("admin account reset ada@example.org")
	cmd.Take(&c.emailArg, &c.tokenFlags)
	return cmd
}

func (c *accountResetCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	text, err := in.Accounts.OfferReset(ctx, c.Email)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("This address sets a new password, once, within %s:", humanMinutes(vitrine.ResetLife))
	return c.print(t, in, vitrine.TokenPassword, text, what)
}

type accountTwoStepOffCmd struct {
	emailArg
	instance.Places
	command.JSONFlag
}

func newAccountTwoStepOff() *command.Command {
	c := new(accountTwoStepOffCmd)
	cmd := onInstance("two-step-off", "Turn off two-step sign-in for a person who lost passkeys, phone and codes, and end their sessions.", &c.Places, c.Run)
	cmd.SuggestFor = []string{"2fa", "totp", "mfa", "otp"}
	cmd.Examples("admin account two-step-off ada@example.org")
	cmd.Take(&c.emailArg, &c.Places, &c.JSONFlag)
	return cmd
}

func (c *accountTwoStepOffCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	if err := in.Accounts.RemoveFactorFor(ctx, c.Email); err != nil {
		return err
	}
	a, err := in.Accounts.ByEmail(ctx, c.Email)
	if err != nil {
		return err
	}
	return showAccount(t, c.JSONFlag, a, "signs in without a code until it sets up two-step sign-in again")
}

type accountInviteCmd struct {
	emailArg
	Plan string
	tokenFlags
}

func newAccountInvite() *command.Command {
	c := new(accountInviteCmd)
	cmd := onInstance("invite", "Print a one-time invitation link.", &c.Places, c.Run)
	cmd.Examples("admin account invite bob@example.org --plan free")
	cmd.Take(&c.emailArg)
	cmd.Choice(&c.Plan, "plan", "PLAN", "Plan of the account: free, pro or lifetime. Default: that of the owner.", "free", "pro", "lifetime")
	cmd.Take(&c.tokenFlags)
	return cmd
}

func (c *accountInviteCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	text, err := in.Accounts.Invite(ctx, c.Email, vitrine.Plan(c.Plan), vitrine.Decision{By: vitrine.Administrator})
	var e *vitrine.Error
	if errors.As(err, &e) && e.Field == "email" { // there is an account: not wrong usage, as for "account create"
		return errors.New(e.Message)
	} else if err != nil {
		return err
	}
	what := fmt.Sprintf("Open this address to create the account of %[2]s. It works once, within %[1]d days:",
		int(vitrine.InviteLife/(24*time.Hour)), terminal.Plain(c.Email))
	return c.print(t, in, vitrine.TokenInvite, text, what)
}

type setupCmd struct {
	tokenFlags
}

func newSetup() *command.Command {
	c := new(setupCmd)
	cmd := onInstance("setup", "Print the set-up link, where you create the first account.", &c.Places, c.Run)
	cmd.Examples("admin setup --data /var/lib/vitrine")
	cmd.Take(&c.tokenFlags)
	return cmd
}

func (c *setupCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	text, err := in.Accounts.OfferSetup(ctx)
	if vitrine.CodeOf(err) == vitrine.CodeInvalidRequest {
		return &terminal.AdvisedError{Err: err, Lines: []string{"To sign in: " + terminal.Self() +
			" admin account sign-in EMAIL" + terminal.DataFlag(c.Data)}}
	}
	if err != nil {
		return err
	}
	return c.print(t, in, vitrine.TokenSetup, text,
		"Open this link in a browser to create the first account. It works once, and earlier links no longer work:")
}
