package factor

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net"
	"net/url"
	"strings"

	"vitrine"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// Site is an instance, as passkeys know it: by the domain and the origin of its
// public address. It asks browsers for passkeys (WebAuthn) and checks their
// answers. Challenges are its caller's, who also sees to it that each is
// answered once.
type Site struct {
	auth   *webauthn.WebAuthn
	Domain string
}

// NewSite returns the site of a public address. Errors: CodeInvalidRequest,
// which says for people why passkeys do not work at this address.
func NewSite(public *url.URL) (*Site, error) {
	host := strings.ToLower(public.Hostname())
	local := host == "localhost" || strings.HasSuffix(host, ".localhost")
	switch {
	case net.ParseIP(host) != nil:
		return nil, vitrine.Errorf(vitrine.CodeInvalidRequest,
			"Passkeys need a domain name. This site is at the address %s.", host)
	case public.Scheme != "https" && !local:
		return nil, vitrine.Errorf(vitrine.CodeInvalidRequest, "Passkeys need https. This site is at %s.", public)
	}
	auth, err := webauthn.New(&webauthn.Config{RPID: host, RPDisplayName: host,
		RPOrigins: []string{public.Scheme + "://" + public.Host},
		// No extensions are used, and some password managers answer with some.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore})
	if err == nil {
		err = protocol.ValidateRPID(host)
	}
	if err != nil {
		return nil, vitrine.Errorf(vitrine.CodeInvalidRequest, "Passkeys do not work at %s: %v.", public, err)
	}
	return &Site{auth: auth, Domain: host}, nil
}

// handle is what a passkey keeps of its account: its number.
func handle(a vitrine.AccountID) []byte { return binary.BigEndian.AppendUint64(nil, uint64(a)) }

// person is an account, as the library asks for it.
type person struct {
	id    vitrine.AccountID
	email string
	keys  []Passkey
}

func (p person) WebAuthnID() []byte          { return handle(p.id) }
func (p person) WebAuthnName() string        { return p.email }
func (p person) WebAuthnDisplayName() string { return p.email }

func (p person) WebAuthnCredentials() (list []webauthn.Credential) {
	for _, k := range p.keys {
		c := webauthn.Credential{ID: k.ID, PublicKey: k.Key,
			Flags:         webauthn.CredentialFlags{BackupEligible: k.Synced, BackupState: k.BackedUp},
			Authenticator: webauthn.Authenticator{SignCount: k.Count}}
		for _, t := range k.Transports {
			c.Transport = append(c.Transport, protocol.AuthenticatorTransport(t))
		}
		list = append(list, c)
	}
	return list
}

func (p person) descriptors() (list []protocol.CredentialDescriptor) {
	for _, c := range p.WebAuthnCredentials() {
		list = append(list, c.Descriptor())
	}
	return list
}

// algorithms are what every device makes keys for.
var algorithms = webauthn.CredentialParametersRecommendedL3()

// Offer returns what a browser needs to make a passkey of an account, besides
// those that it has.
func (s *Site) Offer(a *vitrine.Account, have []Passkey, challenge []byte) string {
	p := person{a.ID, a.Email, have}
	options, _, err := s.auth.BeginRegistration(p, webauthn.WithExclusions(p.descriptors()),
		webauthn.WithCredentialParameters(algorithms),
		webauthn.WithAuthenticatorSelection(protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementPreferred, UserVerification: protocol.VerificationPreferred}),
		webauthn.WithConveyancePreference(protocol.PreferNoAttestation),
		func(o *protocol.PublicKeyCredentialCreationOptions) error {
			o.Challenge = challenge
			return nil
		})
	if err != nil {
		panic(err) // the site and the challenge are right
	}
	return text(options.Response)
}

// Made checks the answer of a browser that has made a passkey.
func (s *Site) Made(a *vitrine.Account, answer string, challenge []byte) (Passkey, error) {
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return Passkey{}, err
	}
	c, err := s.auth.CreateCredential(person{id: a.ID}, webauthn.SessionData{UserID: handle(a.ID),
		Challenge: base64.RawURLEncoding.EncodeToString(challenge), CredParams: algorithms}, parsed)
	if err != nil {
		return Passkey{}, err
	}
	p := Passkey{ID: c.ID, Key: c.PublicKey, Domain: s.Domain, Count: c.Authenticator.SignCount,
		Synced: c.Flags.BackupEligible, BackedUp: c.Flags.BackupState}
	for _, t := range c.Transport[:min(len(c.Transport), 8)] {
		if len(t) < 20 {
			p.Transports = append(p.Transports, string(t))
		}
	}
	return p, nil
}

// Ask returns what a browser needs to answer with one of some passkeys, or with
// any of the site if there are none. The person must then have unlocked it,
// since nothing else shows who they are.
func (s *Site) Ask(have []Passkey, challenge []byte) string {
	o := protocol.PublicKeyCredentialRequestOptions{Challenge: challenge, RelyingPartyID: s.Domain,
		AllowedCredentials: person{keys: have}.descriptors(), UserVerification: protocol.VerificationPreferred}
	if len(have) == 0 {
		o.UserVerification = protocol.VerificationRequired
	}
	return text(o)
}

func text(options any) string {
	b, err := json.Marshal(options)
	if err != nil {
		panic(err) // texts and bytes
	}
	return string(b)
}

// Answer is the answer of a browser to Ask or Offer, which nobody has checked.
type Answer struct {
	// Challenge is what it says that it answers.
	Challenge []byte
	// Account is what its passkey says whose it is; 0 if it does not.
	Account vitrine.AccountID
	parsed  *protocol.ParsedCredentialAssertionData
}

// ParseAnswer reads an answer to Ask.
func ParseAnswer(answer string) (Answer, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err != nil {
		return Answer{}, err
	}
	a := Answer{parsed: parsed}
	a.Challenge, err = base64.RawURLEncoding.DecodeString(parsed.Response.CollectedClientData.Challenge)
	if err != nil {
		return Answer{}, err
	}
	if h := parsed.Response.UserHandle; len(h) == 8 {
		a.Account = vitrine.AccountID(binary.BigEndian.Uint64(h))
	}
	return a, nil
}

// ChallengeOf returns what an answer to Offer says that it answers; nil if it
// cannot be read.
func ChallengeOf(answer string) []byte {
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return nil
	}
	challenge, err := base64.RawURLEncoding.DecodeString(parsed.Response.CollectedClientData.Challenge)
	if err != nil {
		return nil
	}
	return challenge
}

// Check checks an answer with one of the passkeys of an account. It returns the
// passkey as it is then: its time of use is the caller's. If its count went
// back, it is Copied. alone demands that the person has unlocked the passkey.
func (s *Site) Check(id vitrine.AccountID, have []Passkey, a Answer, alone bool) (Passkey, error) {
	session := webauthn.SessionData{UserID: handle(id),
		Challenge: base64.RawURLEncoding.EncodeToString(a.Challenge)}
	if alone {
		session.UserVerification = protocol.VerificationRequired
	}
	c, err := s.auth.ValidateLogin(person{id: id, keys: have}, session, a.parsed)
	if err != nil {
		return Passkey{}, err
	}
	state := State{Passkeys: have}
	p := *state.Passkey(c.ID)
	p.Count, p.BackedUp = c.Authenticator.SignCount, c.Flags.BackupState
	p.Copied = p.Copied || c.Authenticator.CloneWarning
	return p, nil
}
