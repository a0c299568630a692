package serve

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/auth/factor"
	"vitrine/internal/app/fleet"
	"vitrine/internal/backend/mail"
	"vitrine/internal/cli/command"
	"vitrine/internal/web/httpx"
)

// accountFlags configure who may create an account, and how mail is sent.
type accountFlags struct {
	SignUp     string
	SignUpPlan string
	TwoStep    string
	SMTP       string
	MailFrom   string

	OAuthRegistration bool
	Providers         providers
	ProviderCheck     time.Duration
}

// AddFlags adds the flags to a command.
func (f *accountFlags) AddFlags(cmd *command.Command) {
	cmd.Title("Sign-up and mail")
	f.SignUp = "invite"
	cmd.Choice(&f.SignUp, "sign-up", "", "Who can create an account: open (anyone; their email address is confirmed if mail is set up), invite (people the owner invites, on the People page or with \"admin account invite\") or closed (only \"admin account create\").", "open", "invite", "closed").Env("VITRINE_SIGN_UP")
	f.SignUpPlan = "free"
	cmd.Choice(&f.SignUpPlan, "sign-up-plan", "", "Plan of accounts that are created on the website: free, pro or lifetime.", "free", "pro", "lifetime").Env("VITRINE_SIGN_UP_PLAN")
	f.TwoStep = string(auth.FactorOptional)
	cmd.Choice(&f.TwoStep, "two-step", "", "Who must sign in with a second step, a passkey or a code of an authenticator app: nobody (who wants to), moderators (and owners) or all. A person without one is led to set it up first.", "nobody", "moderators", "all").Env("VITRINE_TWO_STEP")
	cmd.String(&f.SMTP, "smtp", "URL", "Mail server for outgoing messages: smtp://USER:PASSWORD@HOST:587 with STARTTLS (not required on this machine, or with ?tls=off at the end); or smtps://USER:PASSWORD@HOST:465. Characters such as @ and : in a password are written as %40 and %3A. Default: no mail is sent, and you pass on links by hand.").Env("VITRINE_SMTP").Secret()
	cmd.String(&f.MailFrom, "mail-from", "ADDRESS", "The sender of messages: Vitrine <post@share.example>.").Env("VITRINE_MAIL_FROM")
	cmd.Bool(&f.OAuthRegistration, "oauth-registration", "Let any program that connects to /mcp by OAuth register itself. Without it, a program needs a client metadata document at an address of its own, as current ones have.").Env("VITRINE_OAUTH_REGISTRATION")
	cmd.Text(&f.Providers, "oidc", "PROVIDER", "", "A provider of OpenID Connect at which people can sign in: ID=https://CLIENT_ID:SECRET@HOST/PATH, where the address is the issuer, and options follow as in ?name=Acme. The guide \"Sign in at work\" has them. May be repeated; in the variable, one follows another on a line of its own. Default: none.").Env("VITRINE_OIDC").Secret()
	f.ProviderCheck = 15 * time.Minute
	cmd.Duration(&f.ProviderCheck, "oidc-check", "How often a provider is asked whether it still knows a person who is signed in. Sessions of a person who was removed there end then.").Env("VITRINE_OIDC_CHECK")
}

func (f accountFlags) check() error {
	if f.ProviderCheck < time.Minute {
		return errors.New("--oidc-check must be a minute (1m) or more")
	}
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
func (f accountFlags) apply(a *auth.Accounts, outbox *fleet.Outbox, public *url.URL) {
	a.SignUp, a.SignUpPlan, a.Site = auth.SignUp(f.SignUp), vitrine.Plan(f.SignUpPlan), public.Host
	a.Address = func(p vitrine.TokenPurpose, text vitrine.TokenText) string {
		return httpx.TokenURL(public.String(), p, text)
	}
	a.Mail, a.Sessions.Factor = outbox, auth.FactorRule(f.TwoStep)
	a.Sessions.Passkeys, _ = factor.NewSite(public) // the page where they are made says why not
}
