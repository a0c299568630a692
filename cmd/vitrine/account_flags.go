package main

import (
	"errors"
	"fmt"
	"net/url"

	"vitrine"
	"vitrine/internal/auth"
	"vitrine/internal/mail"
	"vitrine/internal/outbox"
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
