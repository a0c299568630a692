package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine"
	"vitrine/internal/datadir"
	"vitrine/internal/instance"
	"vitrine/internal/remote"
	"vitrine/internal/terminal"
	"vitrine/internal/web/httpx"
)

// tokenFlags are the flags of a command that prints the address of a token.
type tokenFlags struct {
	instance.Places
	terminal.JSONFlag
}

// print prints the address of a token, alone on standard output, and its
// purpose on standard error.
func (f tokenFlags) print(t *terminal.Terminal, in *instance.Instance, p vitrine.TokenPurpose, text vitrine.TokenText,
	what string) error {
	_, address := datadir.LastServer(f.Data)
	if address == "" {
		t.Say("No server runs on this directory. Replace %s with its address.", remote.DefaultURL)
	}
	address = httpx.TokenURL(cmp.Or(address, remote.DefaultURL), p, text)
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

func (c *accountSignInCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
		text, err := in.Sessions.Offer(ctx, c.Email)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("Open this address in a browser within %s. It signs in once:",
			humanMinutes(vitrine.SignInLife))
		return c.print(t, in, vitrine.TokenSignIn, text, what)
	})
}

type accountResetCmd struct {
	emailArg
	tokenFlags
}

func (c *accountResetCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
		text, err := in.Accounts.OfferReset(ctx, c.Email)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("This address sets a new password, once, within %s:", humanMinutes(vitrine.ResetLife))
		return c.print(t, in, vitrine.TokenPassword, text, what)
	})
}

type accountInviteCmd struct {
	emailArg
	Plan string `help:"Plan of the account: free, pro or lifetime. Default: that of the owner." default:"" placeholder:"PLAN" enum:",free,pro,lifetime"`
	tokenFlags
}

func (c *accountInviteCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
		text, err := in.Accounts.Invite(ctx, c.Email, vitrine.Plan(c.Plan), vitrine.Decision{By: vitrine.Operator})
		var e *vitrine.Error
		if errors.As(err, &e) && e.Field == "email" { // there is an account: not wrong usage, as for "account create"
			return errors.New(e.Message)
		} else if err != nil {
			return err
		}
		what := fmt.Sprintf("Open this address to create the account of %[2]s. It works once, within %[1]d days:",
			int(vitrine.InviteLife/(24*time.Hour)), terminal.Plain(c.Email))
		return c.print(t, in, vitrine.TokenInvite, text, what)
	})
}

type SetupCmd struct{ tokenFlags }

func (c *SetupCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
		text, err := in.Accounts.OfferSetup(ctx)
		if vitrine.CodeOf(err) == vitrine.CodeInvalidRequest {
			return &terminal.AdvisedError{Err: err, Lines: []string{"To sign in: " + terminal.Self() +
				" account sign-in EMAIL" + terminal.DataFlag(c.Data)}}
		}
		if err != nil {
			return err
		}
		return c.print(t, in, vitrine.TokenSetup, text,
			"Open this link in a browser to create the first account. It works once, and earlier links no longer work:")
	})
}
