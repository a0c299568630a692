package auth

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"vitrine"
	"vitrine/internal/app/auth/oidc"
	"vitrine/internal/base/throttle"

	"golang.org/x/oauth2"
)

// Providers implements signing in at providers of OpenID Connect.
type Providers struct {
	Store    vitrine.Store
	Sessions *Sessions
	Accounts *Accounts
	Now      func() time.Time
	List     []*oidc.Provider
	// Callback returns the address to which a provider sends its answer.
	Callback func(id string) string
	// CheckEvery is how often a provider is asked whether it still knows who
	// is signed in.
	CheckEvery time.Duration
	Warn       func(provider string, err error) // of failures that the administrator must know; nil: none
}

// flowLife is how long a person has at the provider.
const flowLife = 15 * time.Minute

// flow is a sign-in that has begun. The browser has it, sealed.
type flow struct {
	Provider string
	oidc.Question
	Next    string            // where it leads
	Account vitrine.AccountID // to which the person is connected; 0: they sign in
	Session vitrine.SessionID // in which the account has agreed
	Until   time.Time
}

const (
	sealedFlow = "oidc flow"
	// maxFlow bounds the sealed text, which has to fit into a cookie.
	maxFlow = 3500
)

var (
	errFlow = vitrine.Errorf(vitrine.CodeInvalidRequest,
		"This sign-in was not begun in this browser, has ended already, or took too long. Start again.")
	// ErrConnectFirst is in the chain of an error if the owner of an account
	// must connect the provider to it.
	ErrConnectFirst = errors.New("the account is not connected to the provider")

	errNoProvider = vitrine.Errorf(vitrine.CodeNotFound, "There is no such provider.")
)

// Find returns a provider by its ID. Errors: CodeNotFound.
func (s *Providers) Find(id string) (*oidc.Provider, error) {
	for _, p := range s.List {
		if p.ID == id {
			return p, nil
		}
	}
	return nil, errNoProvider
}

// Begin returns the address at which a person signs in, and the text that their
// browser must bring to Finish. Errors: CodeNotFound; CodeUnavailable if the
// provider does not answer.
func (s *Providers) Begin(ctx context.Context, id, next string) (address, text string, err error) {
	return s.begin(ctx, flow{Provider: id, Next: next})
}

// Connect is Begin for a signed-in person who wants to sign in at the provider
// from now on. Errors: also those of a change of the account that needs the
// current password and the second factor.
func (s *Providers) Connect(ctx context.Context, session *vitrine.Session, current, id,
	next string) (address, text string, err error) {
	if _, err := s.Accounts.confirm(ctx, session, current); err != nil {
		return "", "", err
	}
	return s.begin(ctx, flow{Provider: id, Next: next, Account: session.Account, Session: session.ID})
}

func (s *Providers) begin(ctx context.Context, f flow) (address, text string, err error) {
	p, err := s.Find(f.Provider)
	if err != nil {
		return "", "", err
	}
	f.Question = oidc.Question{State: newSecret(), Nonce: newSecret(), Verifier: oauth2.GenerateVerifier()}
	f.Until = s.Now().Add(flowLife)
	if text = s.seal(f); len(text) > maxFlow {
		f.Next = ""
		text = s.seal(f)
	}
	address, err = p.Ask(ctx, f.Question, s.Callback(p.ID))
	return address, text, s.explain(p, err)
}

func (s *Providers) seal(f flow) string {
	b, err := json.Marshal(f)
	if err != nil {
		panic(err) // it has only texts, numbers and a time
	}
	return base64.RawURLEncoding.EncodeToString(s.Sessions.Signer.Seal(b, sealedFlow))
}

func (s *Providers) open(text string) (f flow, ok bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return f, false
	}
	b, err := s.Sessions.Signer.Open(sealed, sealedFlow)
	return f, err == nil && json.Unmarshal(b, &f) == nil && s.Now().Before(f.Until)
}

// Arrival is how a sign-in at a provider has ended.
type Arrival struct {
	SignedIn
	Next      string // where the browser wanted to go
	Connected bool   // the identity was connected to the account that is signed in; SignedIn is zero
}

// Finish takes the answer of a provider, once. text is what Begin returned to
// this browser, and session the secret of its session, if it has one. After an
// error, Next is set if the browser may try again. Errors: CodeInvalidRequest
// if the sign-in was not begun here or the person cannot sign in with it;
// CodeUnavailable if the provider does not answer; CodeBanned; CodeRateLimited.
func (s *Providers) Finish(ctx context.Context, id, text string, answer url.Values, session string,
	g Client) (to Arrival, err error) {
	p, err := s.Find(id)
	if err != nil {
		return to, err
	}
	f, ok := s.open(text)
	if !ok || f.Provider != id || subtle.ConstantTimeCompare([]byte(f.State), []byte(answer.Get("state"))) != 1 {
		return to, errFlow
	}
	to.Next, to.Connected = f.Next, f.Account != 0
	if err := s.useUp(ctx, f, g); err != nil {
		return to, err
	}
	if code := answer.Get("error"); code != "" {
		return to, refusal(p, code)
	}
	if answer.Get("code") == "" {
		return to, errFlow
	}
	person, err := p.Answer(ctx, f.Question, s.Callback(id), answer)
	if err != nil {
		return to, s.explain(p, err)
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		if to.Connected {
			to.SignedIn = SignedIn{}
			return s.connect(tx, p, person, f, session)
		}
		to.SignedIn, err = s.enter(tx, p, person, g)
		return err
	})
	if err == nil {
		s.Accounts.notify()
	}
	return to, err
}

// providerByNetwork is how many answers are taken from a network in
// attemptTime.
const providerByNetwork = 60

// useUp makes a flow one that was used.
func (s *Providers) useUp(ctx context.Context, f flow, g Client) error {
	key := s.Sessions.Signer.AttemptKey
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
		if _, err := throttle.Take(tx, s.Now(), "Too many attempts to sign in.", throttle.ByNetwork(key, g.Addr,
			providerByNetwork, attemptTime, "provider by network")...); err != nil {
			return err
		}
		_, err := throttle.Take(tx, s.Now(), errFlow.Message, throttle.Limit{Key: key("oidc state", f.State), Max: 1,
			Within: 2 * flowLife})
		if vitrine.CodeOf(err) == vitrine.CodeRateLimited {
			return errFlow
		}
		return err
	})
	return err
}

// refusal explains an error that a provider has sent with the browser. Nothing
// of its words is shown.
func refusal(p *oidc.Provider, code string) error {
	switch code {
	case "access_denied", "consent_required", "interaction_required", "login_required", "account_selection_required":
		return vitrine.Errorf(vitrine.CodeInvalidRequest,
			"You were not signed in at %s: it or you refused. Try again, or ask its administrator for access.", p.Name)
	case "temporarily_unavailable", "server_error":
		return vitrine.Errorf(vitrine.CodeInvalidRequest,
			"%s could not sign you in at the moment. Try again later, or sign in another way.", p.Name)
	}
	return vitrine.Errorf(vitrine.CodeInvalidRequest,
		"%s refused the request of this instance. Tell its administrator.", p.Name)
}

// explain returns a failure of a provider in words for the person. The log gets
// the rest.
func (s *Providers) explain(p *oidc.Provider, err error) error {
	var f *oidc.Failure
	if !errors.As(err, &f) {
		return err
	}
	if f.Kind != oidc.Late && s.Warn != nil {
		s.Warn(p.ID, f)
	}
	switch f.Kind {
	case oidc.Late:
		return errFlow
	case oidc.Setup:
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Err: err, Message: fmt.Sprintf(
			"%s is not set up for this site, or the settings here are wrong. Sign in another way, and tell the administrator.",
			p.Name)}
	case oidc.Rejected, oidc.Gone:
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Err: err, Message: fmt.Sprintf(
			"The answer of %s could not be verified, so you are not signed in. Start again. If it happens again, tell the administrator.",
			p.Name)}
	}
	return &vitrine.Error{Code: vitrine.CodeUnavailable, Err: err, Message: fmt.Sprintf(
		"%s does not answer at the moment. Try again later, or sign in another way.", p.Name)}
}

// enter signs a person in: to the account that is connected, or to a new one.
func (s *Providers) enter(tx vitrine.Tx, p *oidc.Provider, person *oidc.Person, g Client) (SignedIn, error) {
	i, err := tx.Identity(person.Issuer, person.Subject)
	if errors.Is(err, vitrine.ErrNotFound) {
		i, err = s.join(tx, p, person)
	}
	if err != nil {
		return SignedIn{}, err
	}
	a, err := tx.Account(i.Account)
	if err != nil {
		return SignedIn{}, err
	}
	if a.Banned {
		return SignedIn{}, vitrine.Errorf(vitrine.CodeBanned,
			"This account is suspended. Ask the administrator of this instance why.")
	}
	if err := s.keep(tx, i, person); err != nil {
		return SignedIn{}, err
	}
	if err := s.setRole(tx, a, p, person); err != nil {
		return SignedIn{}, err
	}
	// Without a password nothing else shows that it is the owner, just as after
	// a one-time link.
	from := vitrine.Session{ByToken: a.Password == "", Identity: i.ID, Step: person.Step}
	in, err := s.Sessions.beginFrom(tx, a, g, from)
	return in, errors.Join(err, s.Sessions.noteDevice(tx, in, g.Label))
}

// keep records what the provider said last, and when it is asked again. A
// provider may give a token that works without the browser only the first time.
func (s *Providers) keep(tx vitrine.Tx, i *vitrine.Identity, person *oidc.Person) error {
	now, tokens := s.Now(), person.Tokens
	if old, ok := s.tokens(i); ok && tokens.Refresh == "" && old.Refresh != "" {
		tokens = old
	}
	i.Email, i.CheckedAt, i.CheckAt = cmp.Or(person.Email, i.Email), now, now.Add(s.CheckEvery)
	i.Tokens = s.Sessions.Signer.Seal(tokens.Stored(), sealedTokens(i))
	return tx.PutIdentity(i)
}

func sealedTokens(i *vitrine.Identity) string {
	return "oidc tokens " + strconv.FormatInt(int64(i.ID), 10)
}

// tokens returns those that are kept, if they can be read.
func (s *Providers) tokens(i *vitrine.Identity) (t oidc.Tokens, ok bool) {
	if len(i.Tokens) == 0 {
		return t, false
	}
	text, err := s.Sessions.Signer.Open(i.Tokens, sealedTokens(i))
	if err == nil {
		t, err = oidc.ParseTokens(text)
	}
	return t, err == nil
}

// join creates the account of a person who signs in for the first time, if they
// may have one. The account of an address is never opened with it: its owner
// connects it once they have signed in.
func (s *Providers) join(tx vitrine.Tx, p *oidc.Provider, person *oidc.Person) (*vitrine.Identity, error) {
	if err := setUp(tx); err != nil {
		return nil, err
	}
	if person.Email == "" || !person.Verified {
		return nil, vitrine.Errorf(vitrine.CodeInvalidRequest, "%s has not verified an address of yours, so it opens no "+
			"account here. If you have one, sign in to it, and connect %s on the page Account.", p.Name, p.Name)
	}
	_, err := tx.AccountByEmail(person.Email)
	if err == nil {
		return nil, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Err: ErrConnectFirst, Message: fmt.Sprintf(
			"There is an account of %s already. Sign in to it another way this once, and connect %s on the page Account.",
			person.Email, p.Name)}
	}
	if !errors.Is(err, vitrine.ErrNotFound) {
		return nil, err
	}
	plan, err := s.mayJoin(tx, p, person.Email)
	if err != nil {
		return nil, err
	}
	a, err := s.Accounts.add(tx, person.Email, plan, "")
	if err != nil {
		return nil, err
	}
	return s.addIdentity(tx, a, p, person)
}

// mayJoin returns the plan of a new account. Errors: CodeInvalidRequest.
func (s *Providers) mayJoin(tx vitrine.Tx, p *oidc.Provider, email string) (vitrine.Plan, error) {
	rule := cmp.Or(SignUp(p.Accounts), s.Accounts.SignUp)
	if rule == SignUpOpen {
		return s.Accounts.NewPlan(), nil
	}
	invitations, err := validInvitations(tx, s.Now())
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(invitations, func(t *vitrine.OneTimeToken) bool { return t.Email == email })
	if rule != SignUpInvite || i < 0 {
		return "", vitrine.Errorf(vitrine.CodeInvalidRequest,
			"There is no account of %s here. Ask the administrator of this instance for one.", email)
	}
	return invitations[i].Plan, nil
}

// addIdentity connects a person at a provider to an account.
func (s *Providers) addIdentity(tx vitrine.Tx, a *vitrine.Account, p *oidc.Provider,
	person *oidc.Person) (*vitrine.Identity, error) {
	now := s.Now()
	i := &vitrine.Identity{Account: a.ID, Issuer: person.Issuer, Subject: person.Subject, Email: person.Email,
		CreatedAt: now, CheckedAt: now}
	return i, errors.Join(tx.AddIdentity(i),
		note(tx, now, a.ID, vitrine.Actor{}, vitrine.ActionProvider, p.Name+" connected"))
}

// connect connects a person to the account that is signed in, which has agreed.
func (s *Providers) connect(tx vitrine.Tx, p *oidc.Provider, person *oidc.Person, f flow, text string) error {
	session, a, err := s.Sessions.find(tx, text)
	if vitrine.CodeOf(err) == vitrine.CodeUnauthorized || err == nil && (a.ID != f.Account || session.ID != f.Session) {
		return errFlow
	}
	if err != nil {
		return err
	}
	known, err := tx.Identity(person.Issuer, person.Subject)
	switch {
	case err == nil && known.Account == a.ID:
		known.Email = person.Email
		return tx.PutIdentity(known)
	case err == nil:
		return vitrine.Errorf(vitrine.CodeInvalidRequest,
			"Your sign-in at %s belongs to another account here. Sign in with it, and remove it there first.", p.Name)
	case !errors.Is(err, vitrine.ErrNotFound):
		return err
	}
	list, err := tx.Identities(a.ID)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list, func(i *vitrine.Identity) bool { return i.Issuer == person.Issuer }) {
		return vitrine.Errorf(vitrine.CodeInvalidRequest,
			"Another sign-in at %s is connected to this account. Remove it first.", p.Name)
	}
	if _, err = s.addIdentity(tx, a, p, person); err != nil {
		return err
	}
	if s.Accounts.Mail == nil {
		return nil
	}
	return s.Accounts.post(tx, s.Accounts.letterProvider(a.Email, p.Name), "")
}

// setRole gives an account the role that the provider says. A role that no
// value gives stays, and so does the only owner.
func (s *Providers) setRole(tx vitrine.Tx, a *vitrine.Account, p *oidc.Provider, person *oidc.Person) error {
	role := person.Role
	if !person.Known || role == a.Role ||
		a.Role == vitrine.RoleOwner && p.Administrator == "" ||
		a.Role == vitrine.RoleModerator && p.Moderator == "" && role == vitrine.RoleMember {
		return nil
	}
	err := notLastOwner(tx, a, "")
	if vitrine.CodeOf(err) == vitrine.CodeInvalidRequest {
		return nil
	}
	if err != nil {
		return err
	}
	a.Role = role
	c := vitrine.Change{At: s.Now(), By: vitrine.Administrator, Action: vitrine.ActionRole, Account: a.ID,
		Detail: string(role), Note: "as " + p.Name + " says"}
	return errors.Join(tx.PutAccount(a), tx.AddChange(&c))
}
