package access

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/app/auth/password"
	"vitrine/internal/base/notation"
	"vitrine/internal/base/signer"
	"vitrine/internal/base/throttle"

	"golang.org/x/text/unicode/norm"
)

const (
	// MaxListed bounds the entries of the lists of an email gate, together.
	MaxListed = 500
	// maxLists bounds their text in bytes: it is read with each link.
	maxLists = 32 << 10
	// MaxConsent bounds the text that readers agree to, in characters.
	MaxConsent = 1000
)

// Email is an owner's choice of whom an email gate admits.
type Email struct {
	Off         bool     // no gate
	Allow, Deny []string // addresses and domains; an empty Allow admits all
	Consent     string   // what readers must agree to; "" for nothing
}

// parse checks a choice. Errors: CodeInvalidRequest, with the part in Field.
func (e Email) parse() (g vitrine.EmailGate, err error) {
	if e.Off {
		return g, nil
	}
	wrong := func(field, format string, args ...any) error {
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "access.email" + field,
			Message: fmt.Sprintf(format, args...)}
	}
	if len(e.Allow)+len(e.Deny) > MaxListed {
		return g, wrong("", "The lists have %d entries. They can have %d together: allow a domain instead of its addresses.",
			len(e.Allow)+len(e.Deny), MaxListed)
	}
	g.On = true
	for _, list := range []struct {
		name    string
		entries []string
		to      *string
	}{{".allow", e.Allow, &g.Allow}, {".deny", e.Deny, &g.Deny}} {
		var all []string
		for _, text := range list.entries {
			entry, err := listed(text)
			if err != nil {
				return g, wrong(list.name, "%q %v. Write addresses such as ann@example.com, and domains such as example.com.",
					notation.Shorten(text, 60), err)
			}
			all = append(all, entry)
		}
		slices.Sort(all)
		*list.to = strings.Join(slices.Compact(all), "\n")
	}
	if len(g.Allow)+len(g.Deny) > maxLists {
		return g, wrong("", "The lists are longer than 32 KiB together. Allow a domain instead of its addresses.")
	}
	g.Consent = norm.NFC.String(strings.TrimSpace(strings.ReplaceAll(e.Consent, "\r\n", "\n")))
	if !utf8.ValidString(g.Consent) || utf8.RuneCountInString(g.Consent) > MaxConsent ||
		strings.ContainsFunc(g.Consent, func(r rune) bool { return isControl(r) && r != '\n' }) {
		return g, wrong(".consent", "The text that readers agree to has at most 1,000 characters.")
	}
	return g, nil
}

// listed returns an entry of a list in the form in which it is compared.
func listed(text string) (string, error) {
	text = strings.TrimSpace(text)
	if domain := strings.TrimPrefix(text, "@"); !strings.Contains(domain, "@") {
		return notation.Domain(domain)
	}
	address, err := vitrine.NormalEmail(text)
	if err != nil {
		return "", fmt.Errorf("is not an e-mail address")
	}
	return inASCII(address)
}

// inASCII returns an address with its domain in ASCII.
func inASCII(address string) (string, error) {
	at := strings.LastIndexByte(address, '@')
	domain, err := notation.Domain(address[at+1:])
	return address[:at+1] + domain, err
}

// admits reports whether a gate admits an address. What is said of the address
// counts more than what is said of its domain, and deny more than allow.
func admits(g vitrine.EmailGate, address string) bool {
	has := func(list, entry string) bool { return strings.Contains("\n"+list+"\n", "\n"+entry+"\n") }
	domain := address[strings.LastIndexByte(address, '@')+1:]
	switch {
	case has(g.Deny, address):
		return false
	case has(g.Allow, address):
		return true
	}
	return !has(g.Deny, domain) && (g.Allow == "" || has(g.Allow, domain))
}

// CodeLife is how long a code is valid. It may be used more than once: a mail
// scanner that presses the button takes nothing from the reader.
const CodeLife = 15 * time.Minute

// How many codes may be asked for within an hour, and how many wrong ones may
// be tried with one of these requests, from all networks.
const (
	codesToAddress = 3
	codesByNetwork = 20
	codesOfLink    = 200
	triesOfCode    = 10
)

var errAskAgain = &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "email",
	Message: "That was too long ago, or something has changed. Enter your address again."}

// Mailed returns the address to which a mail was sent whose link has a text, or
// "" if that is not valid any more.
func (s *Gates) Mailed(l *vitrine.Link, text string) string {
	a, _ := s.Signer.ParseAsk(signer.PurposeMailed, text, l, s.Now(), CodeLife)
	return a.Email
}

// Asked returns the address for which a code was asked for, or "".
func (s *Gates) Asked(l *vitrine.Link, text string) string {
	a, _ := s.Signer.ParseAsk(signer.PurposeAsked, text, l, s.Now(), CodeLife)
	return a.Email
}

// ask sends a code to an address, if the gate admits it. Neither its result nor
// its time depends on that.
func (s *Gates) ask(ctx context.Context, l *vitrine.Link, e Entry) (asked string, err error) {
	now := s.Now()
	a, again := s.Signer.ParseAsk(signer.PurposeAsked, e.Asked, l, now, CodeLife)
	if e.Asked != "" && !again {
		return "", errAskAgain
	}
	if !again {
		if l.Access.Email.Consent != "" && !e.Agrees {
			return "", &vitrine.Error{Code: vitrine.CodeInvalidRequest,
				Message: "Tick the box if you agree. The " + noun(l) + " cannot be opened without that."}
		}
		if a.Email, err = addressOf(e.Email); err != nil {
			return "", err
		}
	}
	if !again || now.Sub(a.At) > CodeLife/2 {
		a.Nonce, a.At = rand.Text(), now
	}
	if s.Mail == nil {
		return "", vitrine.Errorf(vitrine.CodeUnavailable, "No mail can be sent now. Try again later.")
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		limits := append(throttle.ByNetwork(s.Signer.AttemptKey, e.From, codesByNetwork, time.Hour, "codes by network"),
			throttle.Limit{Key: s.Signer.AttemptKey("codes to", a.Email), Max: codesToAddress, Within: time.Hour},
			throttle.Limit{Key: s.Signer.AttemptKey("codes of", linkKey(l)), Max: codesOfLink, Within: time.Hour})
		if _, err := throttle.Take(tx, now, "Too many codes were sent. Use the last one.", limits...); err != nil {
			return err
		}
		letter, err := s.Mail.Post(tx, s.letter(l, a), a.At.Add(CodeLife))
		if err == nil && !admits(l.Access.Email, a.Email) {
			err = tx.DeleteLetter(letter)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	s.Mail.Notify()
	return s.Signer.AskText(signer.PurposeAsked, l, a), nil
}

func linkKey(l *vitrine.Link) string { return strconv.FormatInt(int64(l.ID), 10) }

func addressOf(text string) (string, error) {
	address, err := vitrine.NormalEmail(text)
	if err == nil {
		address, err = inASCII(address)
	}
	if err != nil {
		return "", &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "email",
			Message: "That is not an e-mail address. Write it like ann@example.com."}
	}
	return address, nil
}

// letter is the mail with a code. It says nothing of the file.
func (s *Gates) letter(l *vitrine.Link, a signer.Ask) vitrine.Message {
	code := s.Signer.Code(l, a)
	return vitrine.Message{To: a.Email, Subject: code[:3] + " " + code[3:] + " is your code for " + s.Site,
		Text: fmt.Sprintf(`Someone (probably you) wants to open a protected link at %s
with this address. The code is

    %s %s

Type it on the page that asks for it. Or open this address within 15
minutes, in any browser:

%s

If it was not you, ignore this message.

-- 
Vitrine at %[1]s
`, s.Site, code[:3], code[3:], s.Address(l, s.Signer.AskText(signer.PurposeMailed, l, a)))}
}

// enterCode checks a code, as people type it.
func (s *Gates) enterCode(ctx context.Context, l *vitrine.Link, e Entry) (pass string, err error) {
	a, ok := s.Signer.ParseAsk(signer.PurposeAsked, e.Asked, l, s.Now(), CodeLife)
	if !ok {
		return "", errAskAgain
	}
	key := s.Signer.AttemptKey
	door := password.Door{Kind: "code", ID: linkKey(l), TooMany: "Too many wrong codes.",
		Wrong: "That is not the code of the last message. Check the six digits.",
		Limits: append(throttle.ByNetwork(key, e.From, allTriesByNetwork, time.Hour, "all codes by network"),
			throttle.Limit{Key: key("code of", a.Nonce), Max: triesOfCode, Within: time.Hour})}
	err = door.Open(ctx, s.Store, key, s.Now(), e.From, "code", func() (bool, error) {
		right := subtle.ConstantTimeCompare([]byte(digits(e.Code)), []byte(s.Signer.Code(l, a)))
		return right == 1 && admits(l.Access.Email, a.Email), nil
	})
	if err != nil {
		return "", err
	}
	return s.admit(ctx, l, a)
}

// digits returns the digits of a code: without spaces, also full-width ones.
func digits(code string) string {
	if len(code) > 100 {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, norm.NFKC.String(code))
}

// admit records who passed the email gate of a link, and returns the pass.
func (s *Gates) admit(ctx context.Context, l *vitrine.Link, a signer.Ask) (pass string, err error) {
	now := s.Now()
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		round, err := currentRound(tx, l)
		if err != nil {
			return err
		}
		if round != l.Access.Round {
			return errAskAgain
		}
		return tx.AddKnownReader(&vitrine.KnownReader{Link: l.ID, Round: l.Access.Round, Email: a.Email,
			Consent: l.Access.Email.Consent, At: now})
	})
	if err != nil {
		return "", err
	}
	return s.Signer.Pass(l, 0, now), nil
}

// currentRound returns the round of the access that a reader's link has now, or
// "" if it is deleted.
func currentRound(tx vitrine.Tx, l *vitrine.Link) (string, error) {
	if l.ID < 0 {
		a, err := tx.AlbumBySlug(l.Slug)
		if err != nil || !a.DeletedAt.IsZero() {
			return "", vitrine.NotFoundIsNil(err)
		}
		return a.Access.Round, nil
	}
	current, err := tx.Link(l.ID)
	switch {
	case err != nil || !current.DeletedAt.IsZero():
		return "", err
	case !l.Through.Own:
		return current.Access.Round, nil
	}
	r, err := tx.Recipient(l.ID, l.Through.Recipient)
	if err != nil {
		return "", err
	}
	return current.For(r).Access.Round, nil
}

// KnownReaderLife is how long it is kept who passed the email gate of a link.
const KnownReaderLife = 365 * 24 * time.Hour

// ExpireReaders deletes known readers whose time is over.
func (s *Gates) ExpireReaders(ctx context.Context) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		return tx.ExpireKnownReaders(s.Now().Add(-KnownReaderLife))
	})
}

// Readers lists at most n who passed the email gate of a link, the newest
// first: those with lower IDs than before; 0 means all.
func (s *Gates) Readers(ctx context.Context, l *vitrine.Link, before int64, n int) ([]*vitrine.KnownReader, error) {
	return vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.KnownReader, error) {
		return tx.KnownReaders(l.ID, before, n)
	})
}

// DeleteReader deletes that a reader passed the email gate of a link. The pass
// stays valid. Errors: CodeNotFound.
func (s *Gates) DeleteReader(ctx context.Context, l *vitrine.Link, id int64) error {
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error { return tx.DeleteKnownReader(l.ID, id) })
	if errors.Is(err, vitrine.ErrNotFound) {
		err = vitrine.Errorf(vitrine.CodeNotFound, "There is no such reader.")
	}
	return err
}
