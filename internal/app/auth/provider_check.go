package auth

import (
	"context"
	"errors"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/app/auth/oidc"

	"golang.org/x/sync/errgroup"
)

const (
	// checkedAtOnce is how many people a provider is asked about at the same
	// time.
	checkedAtOnce = 4
	// checkAgain is when a provider that does not answer is asked again.
	checkAgain = 5 * time.Minute
	// uncheckedLife is how long after the time of a check sessions last if the
	// provider cannot be asked.
	uncheckedLife = 24 * time.Hour
)

// Check asks providers whether they still know those who are signed in, as far
// as it is time to. Sessions of who is not known any more end. One process does
// this.
func (s *Providers) Check(ctx context.Context) error {
	for {
		due, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Identity, error) {
			return tx.IdentitiesDue(s.Now(), 100)
		})
		if err != nil || len(due) == 0 {
			return err
		}
		group, within := errgroup.WithContext(ctx)
		group.SetLimit(checkedAtOnce)
		for _, i := range due {
			group.Go(func() error { return s.check(within, i) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
}

// check asks about one person, and moves the time of their next check.
func (s *Providers) check(ctx context.Context, i *vitrine.Identity) error {
	sessions, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Session, error) {
		return s.depending(tx, i)
	})
	if err != nil {
		return err
	}
	var person *oidc.Person
	var failure error
	if len(sessions) > 0 {
		person, failure = s.askAgain(ctx, i)
	}
	return s.Store.Update(ctx, func(tx vitrine.Tx) error { return s.checked(tx, i, person, failure) })
}

// askAgain asks the provider of a person. Error: a Failure.
func (s *Providers) askAgain(ctx context.Context, i *vitrine.Identity) (*oidc.Person, error) {
	p := s.of(i)
	tokens, ok := s.tokens(i)
	if p == nil || !ok { // the administrator has removed the provider, or replaced the secret of the instance
		return nil, &oidc.Failure{Kind: oidc.Gone, Err: errNoProvider}
	}
	person, err := p.Again(ctx, i.Subject, tokens)
	var f *oidc.Failure
	if errors.As(err, &f) && f.Kind != oidc.Gone && s.Warn != nil {
		s.Warn(p.ID, f)
	}
	return person, err
}

// checked records the result of a check: what the provider says of a person, or
// why it does not.
func (s *Providers) checked(tx vitrine.Tx, was *vitrine.Identity, person *oidc.Person, failure error) error {
	i, err := tx.Identity(was.Issuer, was.Subject)
	if err != nil || !i.CheckedAt.Equal(was.CheckedAt) { // removed, or just signed in again
		return vitrine.NotFoundIsNil(err)
	}
	sessions, err := s.depending(tx, i)
	if err != nil {
		return err
	}
	var f *oidc.Failure
	gone := errors.As(failure, &f) && f.Kind == oidc.Gone
	switch now := s.Now(); {
	case len(sessions) == 0:
		i.CheckAt, i.Tokens = time.Time{}, nil
	case gone, failure != nil && now.Sub(i.CheckedAt) >= s.CheckEvery+uncheckedLife:
		i.CheckAt, i.Tokens = time.Time{}, nil
		err = errors.Join(s.end(tx, sessions), note(tx, now, i.Account, vitrine.Actor{}, vitrine.ActionProvider,
			s.nameOf(i)+" no longer confirms the sign-in"))
	case person == nil:
		i.CheckAt = now.Add(checkAgain)
	default:
		return s.confirmed(tx, i, person)
	}
	return errors.Join(err, tx.PutIdentity(i))
}

// confirmed records what a provider says of a person whom it still knows.
func (s *Providers) confirmed(tx vitrine.Tx, i *vitrine.Identity, person *oidc.Person) error {
	a, err := tx.Account(i.Account)
	if err != nil {
		return err
	}
	return errors.Join(s.keep(tx, i, person), s.setRole(tx, a, s.of(i), person))
}

// depending returns the sessions that began with an identity.
func (s *Providers) depending(tx vitrine.Tx, i *vitrine.Identity) ([]*vitrine.Session, error) {
	all, err := tx.Sessions(i.Account)
	return slices.DeleteFunc(all, func(session *vitrine.Session) bool {
		return session.Identity != i.ID || !session.Valid(s.Now())
	}), err
}

func (s *Providers) end(tx vitrine.Tx, sessions []*vitrine.Session) (err error) {
	for _, session := range sessions {
		err = errors.Join(err, tx.DeleteSession(session.ID))
	}
	return err
}

// of returns the provider of an identity; nil if there is none any more.
func (s *Providers) of(i *vitrine.Identity) *oidc.Provider {
	for _, p := range s.List {
		if oidc.SameIssuer(p.Issuer, i.Issuer) {
			return p
		}
	}
	return nil
}

func (s *Providers) nameOf(i *vitrine.Identity) string {
	if p := s.of(i); p != nil {
		return p.Name
	}
	return i.Issuer
}
