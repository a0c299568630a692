package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"vitrine"
	"vitrine/internal/auth"
	"vitrine/internal/datadir"
	"vitrine/internal/mail"
	"vitrine/internal/outbox"
	"vitrine/internal/remote"
	"vitrine/internal/terminal"
	"vitrine/internal/web/httpx"
)

// accountFlags configure who may create an account, and how mail is sent.
type accountFlags struct {
	SignUp     string `help:"Who can create an account: open (anyone; their email address is confirmed if mail is set up), invite (people the owner invites, on the People page or with \"account invite\") or closed (only \"account create\")." env:"VITRINE_SIGN_UP" group:"accounts" default:"invite" enum:"open,invite,closed"`
	SignUpPlan string `help:"Plan of accounts that are created on the website: free, pro or lifetime." env:"VITRINE_SIGN_UP_PLAN" group:"accounts" default:"free" enum:"free,pro,lifetime"`
	SMTP       string `name:"smtp" help:"Mail server for outgoing messages: smtp://USER:PASSWORD@HOST:587 with STARTTLS (not required on this machine, or with ?tls=off at the end); or smtps://USER:PASSWORD@HOST:465. Characters such as @ and : in a password are written as %40 and %3A. Default: no mail is sent, and you pass on links by hand." env:"VITRINE_SMTP" group:"accounts" placeholder:"URL"`
	MailFrom   string `help:"The sender of messages: Vitrine <post@share.example>." env:"VITRINE_MAIL_FROM" group:"accounts" placeholder:"ADDRESS"`
}

func (f accountFlags) check() error {
	if (f.SMTP == "") != (f.MailFrom == "") {
		return errors.New("--smtp and --mail-from must be set together")
	}
	if f.SMTP == "" {
		return nil
	}
	if err := mail.Check(mail.Options{Server: f.SMTP, From: f.MailFrom}); err != nil {
		return fmt.Errorf("--smtp, --mail-from: %w", err)
	}
	return nil
}

// mailer returns the mail sender, or nil if mail is not configured.
func (f accountFlags) mailer() (*mail.Sender, error) {
	if f.SMTP == "" {
		return nil, nil
	}
	return mail.New(mail.Options{Server: f.SMTP, From: f.MailFrom})
}

// apply applies the flags to the accounts service.
func (f accountFlags) apply(a *auth.Accounts, outbox *outbox.Outbox, public *url.URL) {
	a.SignUp, a.SignUpPlan, a.Site = auth.SignUp(f.SignUp), vitrine.Plan(f.SignUpPlan), public.Host
	a.Address = func(p vitrine.TokenPurpose, text vitrine.TokenText) string {
		return httpx.TokenURL(public.String(), p, text)
	}
	a.Mail = outbox
}

// tokenFlags are the flags of a command that prints the address of a token.
type tokenFlags struct {
	placeFlags
	terminal.JSONFlag
}

// print prints the address of a token, alone on standard output, and its
// purpose on standard error.
func (f tokenFlags) print(t *terminal.Terminal, in *instance, p vitrine.TokenPurpose, text vitrine.TokenText,
	what string) error {
	_, address := datadir.LastServer(f.Data)
	if address == "" {
		t.Say("No server runs on this directory. Replace %s with its address.", remote.DefaultURL)
	}
	address = httpx.TokenURL(cmp.Or(address, remote.DefaultURL), p, text)
	if f.JSON {
		var end time.Time
		if life := vitrine.TokenPurposes[p]; life > 0 {
			end = in.now().Add(life)
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
	return withInstance(ctx, c.placeFlags, func(in *instance) error {
		text, err := in.sessions.Offer(ctx, c.Email)
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
	return withInstance(ctx, c.placeFlags, func(in *instance) error {
		text, err := in.accounts.OfferReset(ctx, c.Email)
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
	return withInstance(ctx, c.placeFlags, func(in *instance) error {
		text, err := in.accounts.Invite(ctx, c.Email, vitrine.Plan(c.Plan), vitrine.Decision{By: vitrine.Operator})
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

type setupCmd struct{ tokenFlags }

func (c *setupCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return withInstance(ctx, c.placeFlags, func(in *instance) error {
		text, err := in.accounts.OfferSetup(ctx)
		if vitrine.CodeOf(err) == vitrine.CodeInvalidRequest {
			return &terminal.AdvisedError{Err: err,
				Lines: []string{"To sign in: " + terminal.Self() + " account sign-in EMAIL"}}
		}
		if err != nil {
			return err
		}
		return c.print(t, in, vitrine.TokenSetup, text,
			"Open this link in a browser to create the first account. It works once, and earlier links no longer work:")
	})
}
