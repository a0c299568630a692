package analytics

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/app/auth/password"
	"vitrine/internal/base/signer"
	"vitrine/internal/base/throttle"
	"vitrine/report"
)

const (
	// MaxShared is how many addresses one report may have.
	MaxShared = 50
	// MaxSharedLabel bounds a label, in characters.
	MaxSharedLabel = 80
	// SharedPassLife is how long a browser that has given the password is let
	// in.
	SharedPassLife = 12 * time.Hour

	secretSize = 16 // bytes
)

// hourlyTries bounds the wrong passwords of one report in an hour, from all
// networks. It needs a hundred of them, so that a stranger does not lock out
// other readers (decision 0015).
const hourlyTries = 1000

// Sharing makes, finds and revokes read-only addresses of reports: of one link,
// or of all links of an account. Anyone with the address can see the report,
// and nothing else of the account. An address can have a password and an
// expiry.
type Sharing struct {
	Store  vitrine.Store
	Signer *signer.Signer
	Now    func() time.Time
}

// SharedOptions are what an owner chooses for an address.
type SharedOptions struct {
	Label    string
	Password string        // "": none
	Life     time.Duration // 0 means until it is revoked
	// Keep is the only query that readers see; nil: they choose the days.
	Keep *Query
}

// Shared is a report that an address leads to.
type Shared struct {
	*vitrine.SharedReport
	Owner *vitrine.Account
	Link  *vitrine.Link // nil means all links of the account
}

// errNoReport does not reveal whether the address ever existed.
var errNoReport = vitrine.Errorf(vitrine.CodeNotFound,
	"There is no report at this address. It may have expired or been revoked.")

// Create makes an address for the report of a link of an account, or of all its
// links (nil), with a label of its own. It returns the secret of the address,
// which is not stored; Secret makes it again. Errors: CodeProRequired,
// CodeInvalidRequest.
func (s *Sharing) Create(ctx context.Context, a *vitrine.Account, l *vitrine.Link,
	o SharedOptions) (secret string, err error) {
	if !a.Plan.Pro() {
		return "", &vitrine.Error{Code: vitrine.CodeProRequired, Upgrade: true,
			Message: "Analytics are part of the Pro plan."}
	}
	r := &vitrine.SharedReport{Account: a.ID, CreatedAt: s.Now().Truncate(time.Millisecond)}
	if o.Keep != nil {
		if len(o.Keep.Filter.On(report.OnRecipient)) > 0 {
			return "", &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "keep",
				Message: "A filter by recipient is not shown to others. Remove it first."}
		}
		r.Query = o.Keep.Values().Encode()
	}
	label := strings.TrimSpace(o.Label)
	if !utf8.ValidString(label) || utf8.RuneCountInString(label) > MaxSharedLabel ||
		strings.ContainsFunc(label, isControl) {
		return "", &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "label",
			Message: "Choose a name of at most 80 characters, in one line."}
	}
	if o.Life < 0 {
		return "", &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "life",
			Message: "Choose a time in the future."}
	}
	if o.Life > 0 {
		r.ExpiresAt = r.CreatedAt.Add(o.Life)
	}
	if l != nil {
		r.Link = l.ID
	}
	if o.Password != "" {
		pw, err := password.Parse(o.Password, "")
		if err != nil {
			return "", err
		}
		if r.Password, err = password.Hash(ctx, password.Known(a.Email), pw); err != nil {
			return "", err
		}
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		old, err := tx.SharedReports(a.ID, r.Link)
		if err != nil {
			return err
		}
		if len(old) >= MaxShared {
			return vitrine.Errorf(vitrine.CodeInvalidRequest,
				"This report has %d addresses, the most that it can have. Revoke one first.", MaxShared)
		}
		r.Label = distinct(label, old)
		secret = s.secret(r)
		r.Hash = sha256.Sum256([]byte(secret))
		return tx.AddSharedReport(r)
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// secret returns the secret of the address of a report: 128 bits that only the
// instance can make, from what no two reports share.
func (s *Sharing) secret(r *vitrine.SharedReport) string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	return base64.RawURLEncoding.EncodeToString(s.Signer.MAC(signer.PurposeShared, number(int64(r.Account)),
		number(int64(r.Link)), number(r.CreatedAt.UnixMilli()), r.Label))
}

// Secret returns the secret of an address, or "" if it was made with another
// secret of the instance.
func (s *Sharing) Secret(r *vitrine.SharedReport) string {
	if secret := s.secret(r); sha256.Sum256([]byte(secret)) == r.Hash {
		return secret
	}
	return ""
}

// Kept returns the only query of a report, or nil if its readers choose the
// days.
func (s *Shared) Kept() (*Query, error) {
	if s.Query == "" {
		return nil, nil
	}
	values, err := url.ParseQuery(s.Query)
	if err != nil {
		return nil, err
	}
	q, err := ParseQuery(values)
	return &q, err
}

// unnamed is the label of an address for which none was chosen.
const unnamed = "Read-only link"

// distinct returns a label that no other address of the report has: the chosen
// one, with a number if there is already one.
func distinct(label string, others []*vitrine.SharedReport) string {
	label = cmp.Or(label, unnamed)
	for n := 1; ; n++ {
		is := label
		if n > 1 {
			end := fmt.Sprintf(" %d", n)
			chosen := []rune(label)
			is = string(chosen[:min(len(chosen), MaxSharedLabel-len(end))]) + end
		}
		if !slices.ContainsFunc(others, func(r *vitrine.SharedReport) bool { return r.Label == is }) {
			return is
		}
	}
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// List returns the valid addresses of a report, newest first.
func (s *Sharing) List(ctx context.Context, a *vitrine.Account,
	l *vitrine.Link) (list []*vitrine.SharedReport, err error) {
	var link vitrine.LinkID
	if l != nil {
		link = l.ID
	}
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		all, err := tx.SharedReports(a.ID, link)
		list = nil
		for _, r := range all {
			if s.valid(r) {
				list = append(list, r)
			}
		}
		return err
	})
	return list, err
}

func (s *Sharing) valid(r *vitrine.SharedReport) bool {
	return r.ExpiresAt.IsZero() || s.Now().Before(r.ExpiresAt)
}

// Revoke deletes an address of an account. Readers lose access immediately.
// Errors: CodeNotFound.
func (s *Sharing) Revoke(ctx context.Context, a *vitrine.Account, id vitrine.SharedReportID) error {
	if id <= 0 {
		return errNoReport
	}
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		err := tx.DeleteSharedReport(a.ID, id)
		if errors.Is(err, vitrine.ErrNotFound) {
			return errNoReport
		}
		return err
	})
}

// Open finds the report that an address leads to. Errors: CodeNotFound, also
// where its account is suspended or has no analytics, and where its link was
// deleted.
func (s *Sharing) Open(ctx context.Context, secret string) (found *Shared, err error) {
	if b, err := base64.RawURLEncoding.Strict().DecodeString(secret); err != nil || len(b) != secretSize {
		return nil, errNoReport
	}
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		found, err = s.open(tx, sha256.Sum256([]byte(secret)))
		if errors.Is(err, vitrine.ErrNotFound) {
			return errNoReport
		}
		return err
	})
	return found, err
}

func (s *Sharing) open(tx vitrine.Tx, hash [sha256.Size]byte) (*Shared, error) {
	r, err := tx.SharedReportByHash(hash)
	if err != nil {
		return nil, err
	}
	found := &Shared{SharedReport: r}
	if found.Owner, err = tx.Account(r.Account); err != nil {
		return nil, err
	}
	if r.Link != 0 {
		if found.Link, err = tx.Link(r.Link); err != nil {
			return nil, err
		}
		if !found.Link.DeletedAt.IsZero() || found.Link.Account != r.Account {
			return nil, errNoReport
		}
	}
	if !s.valid(r) || found.Owner.Banned || !found.Owner.Plan.Pro() {
		return nil, errNoReport
	}
	return found, nil
}

// Enter checks the password of a report and returns a pass, with which a
// browser is let in for SharedPassLife. Errors are those of
// [password.Door.Try].
func (s *Sharing) Enter(ctx context.Context, r *Shared, pw string, from netip.Addr) (pass string, err error) {
	id := strconv.FormatInt(int64(r.ID), 10)
	door := password.Door{Kind: "shared report", ID: id, Hash: r.Password,
		Limits:  []throttle.Limit{{Key: s.Signer.AttemptKey("shared report", id), Max: hourlyTries, Within: time.Hour}},
		TooMany: "Too many attempts at the password.", Wrong: "That is not the password of this report."}
	if err := door.Try(ctx, s.Store, s.Signer.AttemptKey, s.Now(), pw, from); err != nil {
		return "", err
	}
	until := strconv.FormatInt(s.Now().Add(SharedPassLife).Unix(), 10)
	return until + "." + s.Signer.Sign(signer.PurposeSharedReport, id, r.Password, until), nil
}

// Admits reports whether a browser with a pass, or without one (""), sees a
// report.
func (s *Sharing) Admits(r *Shared, pass string) bool {
	if r.Password == "" {
		return true
	}
	until, sig, ok := strings.Cut(pass, ".")
	seconds, err := strconv.ParseInt(until, 10, 64)
	if !ok || err != nil {
		return false
	}
	left := time.Unix(seconds, 0).Sub(s.Now())
	return left > 0 && left <= SharedPassLife+vitrine.ClockJump &&
		s.Signer.Verify(sig, signer.PurposeSharedReport, strconv.FormatInt(int64(r.ID), 10), r.Password, until)
}
