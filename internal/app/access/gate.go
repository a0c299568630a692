package access

import (
	"context"
	"net/netip"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/app/auth/password"
	"vitrine/internal/app/fleet"
	"vitrine/internal/base/signer"
	"vitrine/internal/base/throttle"

	"golang.org/x/text/unicode/norm"
)

// Gate is the error of a reader who has no pass for a link. Its Error has
// CodeAccessRequired.
type Gate struct {
	Link  *vitrine.Link
	Place bool // only a place is missing, which the link's page gives (Gates.Take)
}

func (g *Gate) Error() string { return g.Unwrap().Error() }

func (g *Gate) Unwrap() error { return errGated(g.Link) }

func errGated(l *vitrine.Link) error {
	return vitrine.Errorf(vitrine.CodeAccessRequired, "This %s is protected. Open its page first.", noun(l))
}

// noun returns what readers call a link, or the door of an album.
func noun(l *vitrine.Link) string {
	if l.ID < 0 {
		return "album"
	}
	return "link"
}

// maxPassword bounds the password of a link, in bytes.
const maxPassword = 1024

// Change is an owner's change of an access. A nil part stays as it is.
type Change struct {
	Password *string // "" removes it
	Readers  *int    // 0 removes the limit
	Email    *Email
	Open     bool // readers need nothing; the other parts must be nil

	hash  string
	email vitrine.EmailGate
}

// Prepare checks a change, and hashes its password before a transaction. email
// is the owner's. Errors: CodeInvalidRequest, with the part in Field.
func (s *Gates) Prepare(ctx context.Context, c *Change, email string) (err error) {
	if c == nil {
		return nil
	}
	if c.Email != nil {
		if c.email, err = c.Email.parse(); err != nil {
			return err
		}
		if c.email.On && !s.SendsMail() {
			return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "access.email",
				Message: "This instance sends no mail, so no code can reach your readers. Choose a password, or ask the administrator to set up a mail server."}
		}
	}
	if c.Readers != nil && (*c.Readers < 0 || *c.Readers > MaxReaders) {
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "access.readers",
			Message: "The limit of readers is a whole number from 1 to 10,000, or none."}
	}
	if c.Password == nil || *c.Password == "" {
		return nil
	}
	pw := *c.Password
	if len(pw) > maxPassword || !utf8.ValidString(pw) || strings.ContainsFunc(pw, isControl) {
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "access.password",
			Message: "The password is 1 to 1,024 bytes of text in one line."}
	}
	c.hash, err = password.Hash(ctx, password.Known(email), norm.NFC.String(pw))
	return err
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// Apply changes an access. It ends the passes of before if the password or the
// email gate changes, or a limit of readers begins.
func (c *Change) Apply(a *vitrine.Access) {
	if c == nil {
		return
	}
	if c.Open {
		*a = vitrine.Access{}
		return
	}
	before := *a
	if c.Password != nil {
		a.Password = c.hash
	}
	if c.Email != nil {
		a.Email = c.email
	}
	if c.Readers != nil {
		a.Readers = *c.Readers
	}
	if a.Password != before.Password || a.Email != before.Email || a.Readers != 0 && before.Readers == 0 || !a.Gated() {
		a.NewRound()
	}
}

// PassLife is how long a pass is valid at most. It ends before when the access
// changes.
const PassLife = 180 * 24 * time.Hour

// allTriesByNetwork bounds the wrong passwords of one network at all links, in
// an hour. There is no limit for a link as a whole: strangers could lock out
// its readers.
const allTriesByNetwork = 60

// Gates lets readers in.
type Gates struct {
	Store  vitrine.Store
	Signer *signer.Signer
	Now    func() time.Time

	// The rest is of email gates.

	Mail    *fleet.Outbox // nil if no mail is sent
	Site    string        // the instance in mails: its host
	Address func(of *vitrine.Link, mailed string) string

	counts counter
}

// SendsMail reports whether an email gate can be set.
func (s *Gates) SendsMail() bool { return s != nil && s.Mail != nil }

// Entry is what a reader sends to the gate of a link.
type Entry struct {
	Password string
	Email    string
	Agrees   bool   // to the text of the gate
	Asked    string // that Enter returned; without a Code, the mail is sent again
	Code     string
	Mailed   string // the signed text of the address in the mail
	From     netip.Addr
}

// Enter takes what a reader sends to the gate of a link. It returns a pass,
// which a browser keeps in a cookie; or, once a code was asked for, what the
// browser sends with the code. Errors: CodeInvalidRequest, with the field;
// CodeRateLimited, with the time after which to try again; CodeUnavailable,
// which does not count.
func (s *Gates) Enter(ctx context.Context, l *vitrine.Link, e Entry) (pass, asked string, err error) {
	email := l.Access.Email.On
	switch {
	case email && e.Mailed != "":
		a, ok := s.Signer.ParseAsk(signer.PurposeMailed, e.Mailed, l, s.Now(), CodeLife)
		if !ok {
			return "", "", errAskAgain
		}
		pass, err = s.admit(ctx, l, a)
		return pass, "", err
	case email && e.Asked != "" && e.Code != "":
		pass, err = s.enterCode(ctx, l, e)
		return pass, "", err
	case l.Access.Password != "" && (!email || e.Asked == ""):
		if err := s.checkPassword(ctx, l, e); err != nil {
			return "", "", err
		}
	}
	if email {
		asked, err = s.ask(ctx, l, e)
		return "", asked, err
	}
	return s.Signer.Pass(l, 0, s.Now()), "", nil
}

func (s *Gates) checkPassword(ctx context.Context, l *vitrine.Link, e Entry) error {
	door := password.Door{Kind: "gate", ID: linkKey(l), Hash: l.Access.Password,
		Limits:  throttle.ByNetwork(s.Signer.AttemptKey, e.From, allTriesByNetwork, time.Hour, "gate by network"),
		TooMany: "Too many wrong passwords from your network.", Wrong: "That is not the password of this " + noun(l) + "."}
	return door.Try(ctx, s.Store, s.Signer.AttemptKey, s.Now(), e.Password, e.From)
}
