package auth

import (
	"fmt"
	"time"

	"vitrine"
	"vitrine/internal/base/notation"
)

// letter formats a message.
func (s *Accounts) letter(to, subject, format string, args ...any) vitrine.Message {
	return vitrine.Message{To: to, Subject: subject,
		Text: fmt.Sprintf(format, args...) + "\n\n-- \nVitrine at " + s.Site + "\n"}
}

// post queues a message, if mail is configured. It is sent after the commit,
// once the outbox is woken (Outbox.wake). p is the purpose of the token in it,
// or "".
func (s *Accounts) post(tx vitrine.LetterTx, m vitrine.Message, p vitrine.TokenPurpose) error {
	if s.Mail == nil {
		return nil
	}
	var expires time.Time
	if life := vitrine.TokenPurposes[p]; life > 0 {
		expires = s.Now().Add(life)
	}
	_, err := s.Mail.Post(tx, m, expires)
	return err
}

func (s *Accounts) letterSignUp(to string, text vitrine.TokenText) vitrine.Message {
	return s.letter(to, "Confirm your address for "+s.Site, `Someone (probably you) asked to create an account with this address
at %s.

To choose a password, open this address within a day:

%s

If it was not you, ignore this message. No account has been created.`, s.Site, s.Address(vitrine.TokenSignUp, text))
}

func (s *Accounts) letterKnown(to string) vitrine.Message {
	return s.letter(to, "You have an account at "+s.Site, `Someone (probably you) asked to create an account with this address
at %s. You already have one.

Sign in: %s

If you forgot your password, you can choose a new one there.
If it was not you, ignore this message.`, s.Site, s.Address(vitrine.TokenSignIn, ""))
}

func (s *Accounts) letterReset(to string, text vitrine.TokenText) vitrine.Message {
	return s.letter(to, "Choose a new password for "+s.Site, `Someone (probably you) asked for a new password for your account
at %s.

To choose one, open this address within an hour:

%s

If it was not you, ignore this message. Your password has not changed.`, s.Site, s.Address(vitrine.TokenPassword, text))
}

func (s *Accounts) letterInvite(to string, text vitrine.TokenText, by string) vitrine.Message {
	if by == "" {
		by = "The administrator"
	}
	return s.letter(to, "You are invited to "+s.Site, `%s has invited you to %s.
There you turn a file into a link, and see how it is read.

To choose a password, open this address within a week:

%s

If you did not expect this invitation, ignore it.`, by, s.Site, s.Address(vitrine.TokenInvite, text))
}

func (s *Accounts) letterNewAddress(to string, text vitrine.TokenText) vitrine.Message {
	return s.letter(to, "Confirm your new address for "+s.Site, `Someone (probably you) wants to use this address for their account
at %s.

To confirm it, open this address within a day, in the browser in which
you are signed in:

%s

If it was not you, ignore this message.`, s.Site, s.Address(vitrine.TokenEmail, text))
}

func (s *Accounts) letterAddressInUse(to string) vitrine.Message {
	return s.letter(to, "Your address at "+s.Site, `Someone who is signed in at %s wants to use this address
for their account. Your account already uses it, so nothing has changed.

You need not do anything.`, s.Site)
}

func (s *Accounts) letterAddressChanged(old string) vitrine.Message {
	return s.letter(old, "Your address at "+s.Site+" was changed", `The address of your account at %s was changed.
Messages about the account now go to the new address.

If it was not you, tell the administrator.`, s.Site)
}

func (s *Accounts) letterPasswordChanged(to string) vitrine.Message {
	return s.letter(to, "Your password at "+s.Site+" was changed", `The password of your account at %s was changed, and all other
browsers were signed out.

If it was not you, choose a new password now: %s`, s.Site, s.Address(vitrine.TokenPassword, ""))
}

// shownName is how much of a name a message shows, in characters.
const shownName = 60

func (s *Accounts) letterKey(to string, action vitrine.Action, k *vitrine.APIKey) vitrine.Message {
	subject, was := "A new API key at "+s.Site, "created"
	if action == vitrine.ActionRotate {
		subject, was = "An API key at "+s.Site+" was rotated", "rotated"
	}
	return s.letter(to, subject, `An API key of your account at %s was %s:

  %s
  scope: %s

If it was not you, revoke it on the page API keys, and choose a new
password: %s`, s.Site, was, notation.Shorten(k.Name, shownName), k.Scope, s.Address(vitrine.TokenPassword, ""))
}

// letterKeyByAdministrator names no address, because a command knows none.
func letterKeyByAdministrator(to string, action vitrine.Action, k *vitrine.APIKey) vitrine.Message {
	was := "created"
	if action == vitrine.ActionRotate {
		was = "rotated"
	}
	return vitrine.Message{To: to, Subject: "The administrator has " + was + " an API key of yours", Text: fmt.Sprintf(
		`The administrator of Vitrine has %s an API key of your account:

  %s
  scope: %s

If you did not expect it, revoke it on the page API keys, and ask the
administrator.
`, was, notation.Shorten(k.Name, shownName), k.Scope)}
}

func (s *Accounts) letterDevice(to, label string, at time.Time) vitrine.Message {
	return s.letter(to, "A new sign-in at "+s.Site, `Someone signed in to your account at %s in a browser that
has not signed in to it before:

  %s
  %s

If it was not you, choose a new password, which signs out all browsers:
%s`, s.Site, notation.Shorten(label, shownName), at.UTC().Format("2 Jan 2006, 15:04 UTC"), s.Address(vitrine.TokenPassword, ""))
}

func (s *Accounts) letterFactor(to, detail string) vitrine.Message {
	return s.letter(to, "Two-step sign-in at "+s.Site, `Two-step sign-in of your account at %s was changed:

  %s

If it was not you, choose a new password, which signs out all browsers,
and tell the administrator:
%s`, s.Site, detail, s.Address(vitrine.TokenPassword, ""))
}

// letterFactorByAdministrator names no address, because a command knows none.
func letterFactorByAdministrator(to string) vitrine.Message {
	return vitrine.Message{To: to, Subject: "The administrator has turned off your two-step sign-in", Text: `The administrator of Vitrine has turned off two-step sign-in of your
account: the password is enough until you set it up again.

If you did not expect it, choose a new password, and ask the
administrator.
`}
}

func (s *Accounts) letterProvider(to, name string) vitrine.Message {
	return s.letter(to, "A sign-in was connected at "+s.Site, `Your account at %s can now also be opened by signing in at:

  %s

If it was not you, remove it on the page Account, choose a new password,
and tell the administrator:
%s`, s.Site, notation.Shorten(name, shownName), s.Address(vitrine.TokenPassword, ""))
}

func (s *Accounts) letterWrongCodes(to string) vitrine.Message {
	return s.letter(to, "Wrong codes at "+s.Site, `Someone with your password typed several wrong codes when signing in to
your account at %s. Without a right one nobody gets in.

If it was not you, someone knows your password. Choose a new one:
%s`, s.Site, s.Address(vitrine.TokenPassword, ""))
}
