package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/auth"
	"vitrine/internal/datadir"
	"vitrine/internal/mail"
	"vitrine/internal/outbox"
	"vitrine/internal/password"
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

// printTokenAddress prints the address of a token, alone on standard output. On
// a terminal it also prints its purpose.
func printTokenAddress(t *terminal.Terminal, dir string, p vitrine.TokenPurpose, text vitrine.TokenText,
	what string) error {
	_, address := datadir.LastServer(dir)
	if address == "" {
		t.Say("No server runs on this directory. Replace %s with its address.", remote.DefaultURL)
	}
	t.Say("%s", what)
	_, err := fmt.Fprintln(t.Out, httpx.TokenURL(cmp.Or(address, remote.DefaultURL), p, text))
	return err
}

type accountSignInCmd struct {
	emailArg
	placeFlags
}

func (c *accountSignInCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return withInstance(ctx, c.placeFlags, func(in *instance) error {
		text, err := in.sessions.Offer(ctx, c.Email)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("Open this address in a browser within %s. It signs in once:",
			humanMinutes(vitrine.SignInLife))
		return printTokenAddress(t, c.Data, vitrine.TokenSignIn, text, what)
	})
}

type accountResetCmd struct {
	emailArg
	placeFlags
}

func (c *accountResetCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return withInstance(ctx, c.placeFlags, func(in *instance) error {
		text, err := in.accounts.OfferReset(ctx, c.Email)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("This address sets a new password, once, within %s:", humanMinutes(vitrine.ResetLife))
		return printTokenAddress(t, c.Data, vitrine.TokenPassword, text, what)
	})
}

type accountInviteCmd struct {
	emailArg
	Plan string `help:"Plan of the account: free, pro or lifetime. Default: that of the owner." default:"" placeholder:"PLAN" enum:",free,pro,lifetime"`
	placeFlags
}

func (c *accountInviteCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return withInstance(ctx, c.placeFlags, func(in *instance) error {
		text, err := in.accounts.Invite(ctx, c.Email, vitrine.Plan(c.Plan), vitrine.Decision{By: vitrine.Operator})
		if err != nil {
			return err
		}
		what := fmt.Sprintf("Open this address to create the account of %[2]s. It works once, within %[1]d days:",
			int(vitrine.InviteLife/(24*time.Hour)), terminal.Plain(c.Email))
		return printTokenAddress(t, c.Data, vitrine.TokenInvite, text, what)
	})
}

type setupCmd struct {
	placeFlags
}

func (c *setupCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return withInstance(ctx, c.placeFlags, func(in *instance) error {
		text, err := in.accounts.OfferSetup(ctx)
		if err != nil {
			return err
		}
		return printTokenAddress(t, c.Data, vitrine.TokenSetup, text,
			"Open this link in a browser to create the first account. It works once, and earlier links no longer work:")
	})
}

// passwordFrom reads a password from the first line of the input.
func passwordFrom(in io.Reader, email string) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(in, 4096)).ReadString('\n')
	if err != nil && err != io.EOF {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return password.Parse(strings.TrimRight(line, "\r\n"), email)
}
