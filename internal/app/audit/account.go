package audit

import (
	"errors"
	"fmt"
	"math"

	"vitrine"
	"vitrine/internal/app/auth/factor"
	"vitrine/internal/app/auth/password"
)

// auditAccounts checks that closed accounts have nothing left that works, and
// that each token belongs to something that exists.
func auditAccounts(tx vitrine.Tx, links []*vitrine.Link, fault func(string)) error {
	open, err := tx.Accounts(vitrine.AccountQuery{})
	if err != nil {
		return err
	}
	for _, a := range open {
		if email, err := vitrine.NormalEmail(a.Email); err != nil || email != a.Email {
			fault(fmt.Sprintf("account %d: its address %q is not normalized", a.ID, a.Email))
		}
		if err := auditEvents(tx, a.ID, fault); err != nil {
			return err
		}
		if _, _, _, ok := password.ParsePHC(a.Password); !ok && a.Password != "" {
			fault(fmt.Sprintf("account %d: its stored password is not a hash", a.ID))
		}
		if state, err := factor.Parse(a.Factor); len(a.Factor) > 0 && (err != nil || !state.Any()) {
			fault(fmt.Sprintf("account %d: its second factor cannot be read, so that nobody can sign in to it", a.ID))
		}
	}
	closing, err := tx.Accounts(vitrine.AccountQuery{Closing: true})
	if err != nil {
		return err
	}
	for _, a := range closing {
		if err := auditClosed(tx, a, fault); err != nil {
			return err
		}
	}
	checked := map[vitrine.AccountID]bool{}
	for _, l := range links {
		if checked[l.Account] {
			continue
		}
		checked[l.Account] = true
		a, err := tx.Account(l.Account)
		if err == nil && !a.ClosedAt.IsZero() && !a.Closing {
			fault(fmt.Sprintf("link %s: its account %d is closed and recorded as empty", l.Slug, a.ID))
		}
		if err := vitrine.NotFoundIsNil(err); err != nil {
			return err
		}
	}
	return auditTokens(tx, len(open) > 0, fault)
}

// auditEvents checks that the events of an account are about its links, and
// that its next event gets a new ID.
func auditEvents(tx vitrine.Tx, a vitrine.AccountID, fault func(string)) error {
	last, err := tx.LastEvent(a)
	of := map[vitrine.LinkID]bool{0: true}
	for q := (vitrine.EventQuery{Account: a, Until: math.MaxInt64, Limit: 1000}); err == nil; {
		var list []*vitrine.Event
		if list, err = tx.Events(q); len(list) == 0 {
			break
		}
		for _, e := range list {
			if q.After = e.ID; e.ID > last {
				fault(fmt.Sprintf("account %d: event %d is later than the last one", a, e.ID))
			}
			if of[e.Link] {
				continue
			}
			of[e.Link] = true
			l, err := tx.Link(e.Link)
			if errors.Is(err, vitrine.ErrNotFound) || err == nil && l.Account != a {
				fault(fmt.Sprintf("account %d: event %d is about link %d, which is not one of its links", a, e.ID, e.Link))
			} else if err != nil {
				return err
			}
		}
	}
	if err != nil {
		return err
	}
	return auditWebhooks(tx, a, last, fault)
}

// auditWebhooks checks that webhooks have looked at no event that does not
// exist, since they would miss the next ones, and that they send somewhere.
func auditWebhooks(tx vitrine.Tx, a vitrine.AccountID, last int64, fault func(string)) error {
	list, err := tx.Webhooks(a)
	for _, w := range list {
		if w.Seen > last || w.URL == "" || len(w.Secret) == 0 {
			fault(fmt.Sprintf("account %d: webhook %d has no address or secret, or has seen event %d, which does not exist",
				a, w.ID, w.Seen))
		}
	}
	return err
}

func auditClosed(tx vitrine.Tx, a *vitrine.Account, fault func(string)) error {
	keys, err1 := tx.Keys(a.ID)
	sessions, err2 := tx.Sessions(a.ID)
	hooks, err3 := tx.Webhooks(a.ID)
	if len(hooks) > 0 {
		fault(fmt.Sprintf("account %d: it is closed, but has %d webhooks", a.ID, len(hooks)))
	}
	if len(keys) > 0 || len(sessions) > 0 || a.Password != "" || len(a.Factor) > 0 || !a.Banned ||
		a.Role != vitrine.RoleMember || a.Email != vitrine.ClosedName(a.ID) {
		fault(fmt.Sprintf("account %d: it is closed, but has %d keys, %d sessions, a password, a role or an address",
			a.ID, len(keys), len(sessions)))
	}
	identities, err4 := tx.Identities(a.ID)
	if len(identities) > 0 {
		fault(fmt.Sprintf("account %d: it is closed, but has %d sign-ins at providers", a.ID, len(identities)))
	}
	return errors.Join(err1, err2, err3, err4)
}

// auditTokens checks that tokens of accounts match the current account, and
// that other tokens are for addresses without an account.
func auditTokens(tx vitrine.Tx, setUp bool, fault func(string)) error {
	for purpose := range vitrine.TokenPurposes {
		tokens, err := tx.OneTimeTokens(purpose)
		if err != nil {
			return err
		}
		for _, t := range tokens {
			if err := auditToken(tx, t, setUp, fault); err != nil {
				return err
			}
		}
	}
	return nil
}

func auditToken(tx vitrine.AccountTx, t *vitrine.OneTimeToken, setUp bool, fault func(string)) error {
	switch t.Purpose {
	case vitrine.TokenSetup:
		if setUp {
			fault("there is an account, but also a token for creating the first one")
		}
		return nil
	case vitrine.TokenSignUp, vitrine.TokenInvite:
		_, err := tx.AccountByEmail(t.Email)
		if err == nil {
			fault(fmt.Sprintf("one-time token %d creates an account for an address that has one", t.ID))
		}
		return vitrine.NotFoundIsNil(err)
	}
	a, err := tx.Account(t.Account)
	if errors.Is(err, vitrine.ErrNotFound) || err == nil &&
		(a.Banned || t.Purpose != vitrine.TokenEmail && a.Email != t.Email) {
		fault(fmt.Sprintf("one-time token %d (%s) belongs to an account that is closed, suspended or has another address",
			t.ID, t.Purpose))
	}
	return vitrine.NotFoundIsNil(err)
}
