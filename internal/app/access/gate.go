package access

import (
	"context"
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/app/auth/password"
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

func (g *Gate) Unwrap() error { return errGated }

var errGated = vitrine.Errorf(vitrine.CodeAccessRequired,
	"This link is protected. Open its page first.")

// maxPassword bounds the password of a link, in bytes.
const maxPassword = 1024

// Change is an owner's change of an access. A nil part stays as it is.
type Change struct {
	Password *string // "" removes it
	Readers  *int    // 0 removes the limit

	hash string
}

// Prepare checks a change, and hashes its password before a transaction. email
// is the owner's. Errors: CodeInvalidRequest, with the part in Field.
func (c *Change) Prepare(ctx context.Context, email string) (err error) {
	if c == nil {
		return nil
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
			Message: "The password of a link is 1 to 1,024 bytes of text in one line."}
	}
	c.hash, err = password.Hash(ctx, password.Known(email), norm.NFC.String(pw))
	return err
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// Apply changes an access. It ends the passes of before if the password
// changes, or a limit of readers begins.
func (c *Change) Apply(a *vitrine.Access) {
	if c == nil {
		return
	}
	before := *a
	if c.Password != nil {
		a.Password = c.hash
	}
	if c.Readers != nil {
		a.Readers = *c.Readers
	}
	if a.Password != before.Password || a.Readers != 0 && before.Readers == 0 || !a.Gated() {
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
}

// Enter checks a password and returns a pass, which a browser keeps in a
// cookie. Errors are those of [password.Door.Try].
func (s *Gates) Enter(ctx context.Context, l *vitrine.Link, pw string, from netip.Addr) (pass string, err error) {
	door := password.Door{Kind: "gate", ID: strconv.FormatInt(int64(l.ID), 10), Hash: l.Access.Password,
		Limits:  throttle.ByNetwork(s.Signer.AttemptKey, from, allTriesByNetwork, time.Hour, "gate by network"),
		TooMany: "Too many wrong passwords from your network.", Wrong: "That is not the password of this link."}
	if err := door.Try(ctx, s.Store, s.Signer.AttemptKey, s.Now(), pw, from); err != nil {
		return "", err
	}
	return s.Signer.Pass(l, 0, s.Now()), nil
}
