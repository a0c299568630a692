package vitrine

import "fmt"

// Mailer sends messages to people.
//
// Send takes a message, which is sent in the background, and returns at once: neither its time nor anything else tells its caller whether it
// will arrive. What cannot be sent is lost, and whoever runs the instance reads so in the log; the address does not stand there.
type Mailer interface {
	Send(m Message)
}

// Message is a message in plain text.
type Message struct {
	To      string // one address
	Subject string // one line
	Text    string // lines of at most 72 characters, addresses apart
}

// letter puts a message together.
func (s *Accounts) letter(to, subject, format string, args ...any) *Message {
	return &Message{To: to, Subject: subject, Text: fmt.Sprintf(format, args...) + "\n\n-- \nVitrine at " + s.Site + "\n"}
}

// send sends a message if there is one, and somebody to send it.
func (s *Accounts) send(m *Message) {
	if m != nil && s.Mail != nil {
		s.Mail.Send(*m)
	}
}

func (s *Accounts) letterSignUp(to string, text TicketText) *Message {
	return s.letter(to, "Confirm your address for "+s.Site, `Somebody, most likely you, wants to open an account with this address
at %s.

Open this address within a day to choose a password:

%s

If it was not you, do nothing: there is no account.`, s.Site, s.Address(TicketSignUp, text))
}

func (s *Accounts) letterKnown(to string) *Message {
	return s.letter(to, "You have an account at "+s.Site, `Somebody, most likely you, wants to open an account with this address
at %s. You have one already.

Sign in: %s

If you do not know the password any more, have a new one set from there.
If it was not you, there is nothing to do.`, s.Site, s.Address(TicketSignIn, ""))
}

func (s *Accounts) letterReset(to string, text TicketText) *Message {
	return s.letter(to, "Choose a new password for "+s.Site, `Somebody, most likely you, asked for a new password for your account
at %s.

Open this address within an hour to choose one:

%s

If it was not you, do nothing: your password stays as it is.`, s.Site, s.Address(TicketPassword, text))
}

func (s *Accounts) letterInvite(to string, text TicketText, by string) *Message {
	if by == "" {
		by = "Whoever runs it"
	}
	return s.letter(to, "You are invited to "+s.Site, `%s has invited you to %s,
where a file becomes a link, and one sees how it is read.

Open this address within a week to choose a password:

%s

If you do not know what this is about, do nothing.`, by, s.Site, s.Address(TicketInvite, text))
}

func (s *Accounts) letterNewAddress(to string, text TicketText) *Message {
	return s.letter(to, "Confirm your new address for "+s.Site, `Somebody, most likely you, wants to have this address for their account
at %s from now on.

Open this address within a day, in the browser in which you are
signed in, to confirm it:

%s

If it was not you, do nothing.`, s.Site, s.Address(TicketEmail, text))
}

func (s *Accounts) letterAddressInUse(to string) *Message {
	return s.letter(to, "Your address at "+s.Site, `Somebody who is signed in at %s wants to have this address
for their account. You have an account with it, so nothing was changed.

There is nothing to do.`, s.Site)
}

func (s *Accounts) letterAddressChanged(old string) *Message {
	return s.letter(old, "Your address at "+s.Site+" was changed", `The address of your account at %s is another one from now on.
Messages about it will not come here any more.

If it was not you, tell whoever runs the site.`, s.Site)
}

func (s *Accounts) letterPasswordChanged(to string) *Message {
	return s.letter(to, "Your password at "+s.Site+" was changed", `The password of your account at %s was changed, and all other
browsers were signed out.

If it was not you, have a new one set now: %s`, s.Site, s.Address(TicketPassword, ""))
}
