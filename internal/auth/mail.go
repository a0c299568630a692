package auth

import (
	"fmt"
	"time"

	"vitrine"
)

// letter puts a message together.
func (s *Accounts) letter(to, subject, format string, args ...any) vitrine.Message {
	return vitrine.Message{To: to, Subject: subject, Text: fmt.Sprintf(format, args...) + "\n\n-- \nVitrine at " + s.Site + "\n"}
}

// post has a message sent once the transaction is committed and the box woken
// (Outbox.wake), where mail is sent. p is the purpose of the token that is in
// it, or "".
func (s *Accounts) post(tx vitrine.LetterTx, m vitrine.Message, p vitrine.TokenPurpose) error {
	if s.Mail == nil {
		return nil
	}
	var expires time.Time
	if life := vitrine.TokenPurposes[p]; life > 0 {
		expires = s.Now().Add(life)
	}
	return s.Mail.Post(tx, m, expires)
}

func (s *Accounts) letterSignUp(to string, text vitrine.TokenText) vitrine.Message {
	return s.letter(to, "Confirm your address for "+s.Site, `Someone, most likely you, wants to open an account with this address
at %s.

Open this address within a day to choose a password:

%s

If it was not you, do nothing: there is no account.`, s.Site, s.Address(vitrine.TokenSignUp, text))
}

func (s *Accounts) letterKnown(to string) vitrine.Message {
	return s.letter(to, "You have an account at "+s.Site, `Someone, most likely you, wants to open an account with this address
at %s. You have one already.

Sign in: %s

If you do not know the password any more, have a new one set from there.
If it was not you, there is nothing to do.`, s.Site, s.Address(vitrine.TokenSignIn, ""))
}

func (s *Accounts) letterReset(to string, text vitrine.TokenText) vitrine.Message {
	return s.letter(to, "Choose a new password for "+s.Site, `Someone, most likely you, asked for a new password for your account
at %s.

Open this address within an hour to choose one:

%s

If it was not you, do nothing: your password stays as it is.`, s.Site, s.Address(vitrine.TokenPassword, text))
}

func (s *Accounts) letterInvite(to string, text vitrine.TokenText, by string) vitrine.Message {
	if by == "" {
		by = "The administrator"
	}
	return s.letter(to, "You are invited to "+s.Site, `%s has invited you to %s,
where a file becomes a link, and one sees how it is read.

Open this address within a week to choose a password:

%s

If you do not know what this is about, do nothing.`, by, s.Site, s.Address(vitrine.TokenInvite, text))
}

func (s *Accounts) letterNewAddress(to string, text vitrine.TokenText) vitrine.Message {
	return s.letter(to, "Confirm your new address for "+s.Site, `Someone, most likely you, wants to have this address for their account
at %s from now on.

Open this address within a day, in the browser in which you are
signed in, to confirm it:

%s

If it was not you, do nothing.`, s.Site, s.Address(vitrine.TokenEmail, text))
}

func (s *Accounts) letterAddressInUse(to string) vitrine.Message {
	return s.letter(to, "Your address at "+s.Site, `Someone who is signed in at %s wants to have this address
for their account. You have an account with it, so nothing was changed.

There is nothing to do.`, s.Site)
}

func (s *Accounts) letterAddressChanged(old string) vitrine.Message {
	return s.letter(old, "Your address at "+s.Site+" was changed", `The address of your account at %s is another one from now on.
Messages about it will not come here any more.

If it was not you, tell the administrator of the site.`, s.Site)
}

func (s *Accounts) letterPasswordChanged(to string) vitrine.Message {
	return s.letter(to, "Your password at "+s.Site+" was changed", `The password of your account at %s was changed, and all other
browsers were signed out.

If it was not you, have a new one set now: %s`, s.Site, s.Address(vitrine.TokenPassword, ""))
}
