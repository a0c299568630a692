package vitrine

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"
)

// Ticket is a secret that somebody was given, good for one thing, once. What is kept of the secret is its hash.
type Ticket struct {
	ID      TicketID
	Purpose TicketPurpose
	Hash    [sha256.Size]byte // SHA-256 of the secret
	Account AccountID         // that it is for; 0: there is none yet
	// Email is the address that it was made for; "" of TicketSetup. Of one purpose an address has one ticket: a new one takes the
	// place of the one before.
	Email     string
	Plan      Plan      // of the account that an invitation makes
	By        AccountID // who invited; 0: the operator
	CreatedAt time.Time
	ExpiresAt time.Time // zero: good until it is used
}

// TicketPurpose is what a ticket is good for; it is good for nothing else.
type TicketPurpose string

const (
	TicketSignIn   TicketPurpose = "sign-in"  // signs in
	TicketPassword TicketPurpose = "password" // sets a new password
	TicketSignUp   TicketPurpose = "sign-up"  // makes an account of an address that has shown that it is its owner's
	TicketInvite   TicketPurpose = "invite"   // makes an account for somebody who was invited
	TicketEmail    TicketPurpose = "email"    // changes an account's address to one that has shown that it is its owner's
	TicketSetup    TicketPurpose = "setup"    // makes the first account of an instance
)

// ticketPurposes are all of them, and how long a ticket of each is good; 0: until it is used.
var ticketPurposes = map[TicketPurpose]time.Duration{
	TicketSignIn:   SignInLife,
	TicketPassword: ResetLife,
	TicketSignUp:   24 * time.Hour,
	TicketInvite:   InviteLife,
	TicketEmail:    24 * time.Hour,
	TicketSetup:    0,
}

const (
	// SignInLife is how long a link that signs in is good.
	SignInLife = 15 * time.Minute
	// ResetLife is how long a link that sets a new password is good.
	ResetLife = time.Hour
	// InviteLife is how long an invitation is good.
	InviteLife = 7 * 24 * time.Hour
)

// TicketText is the secret of a ticket in clear. It prints as nothing of use.
type TicketText string

func (TicketText) String() string { return "…" }

func (t TicketText) hash() [sha256.Size]byte { return sha256.Sum256([]byte(t)) }

// newSecret is a secret of 256 random bits, safe in addresses and cookies.
func newSecret() string {
	var b [32]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

var errTicket = Errorf(CodeUnauthorized, "This address is of no use: it was not copied whole, it has been used, a newer one has taken its place, or its time is over.")

// addTicket gives out the secret of a new ticket, which takes the place of the one before of its purpose and address.
func addTicket(tx Tx, t Ticket, now time.Time) (TicketText, error) {
	text := TicketText(newSecret())
	t.Hash, t.CreatedAt = text.hash(), now
	if life := ticketPurposes[t.Purpose]; life > 0 {
		t.ExpiresAt = now.Add(life)
	}
	return text, tx.AddTicket(&t)
}

// offer makes a ticket for an account, for the operator to hand over. Errors: CodeNotFound, CodeBanned.
func offer(ctx context.Context, store Store, email string, p TicketPurpose, now func() time.Time) (text TicketText, err error) {
	err = store.Update(ctx, func(tx Tx) error {
		a, err := accountByEmail(tx, email)
		if err != nil {
			return err
		}
		if a.Banned {
			return Errorf(CodeBanned, "The account %s is suspended.", a.Email)
		}
		text, err = addTicket(tx, Ticket{Purpose: p, Account: a.ID, Email: a.Email}, now())
		return err
	})
	return text, err
}

// findTicket reads a ticket that holds, of one of some purposes. Errors: CodeUnauthorized, the same whatever is wrong with it.
func findTicket(tx Tx, text string, now time.Time, purposes ...TicketPurpose) (*Ticket, error) {
	t, err := tx.TicketByHash(TicketText(text).hash())
	if errors.Is(err, ErrNotFound) {
		return nil, errTicket
	}
	if err != nil {
		return nil, err
	}
	if !t.ExpiresAt.IsZero() && (!now.Before(t.ExpiresAt) || t.CreatedAt.After(now.Add(clockJump))) {
		return nil, errTicket
	}
	for _, p := range purposes {
		if t.Purpose == p {
			return t, nil
		}
	}
	return nil, errTicket
}
