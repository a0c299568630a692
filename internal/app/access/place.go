package access

import (
	"cmp"
	"context"
	"errors"
	"time"

	"vitrine"
)

const (
	// MaxReaders bounds a limit of readers.
	MaxReaders = 10_000
	// maxOpen is how many places may exist that do not count yet: of browsers,
	// and of recognized programs.
	maxOpen = 20
	// openTime is how long a browser that has fetched content may go unproved.
	// Then it counts: reading without scripts is bounded too.
	openTime = time.Hour
)

// Take gives a reader of a link that limits them a place, and returns the pass
// with it. machine reports whether a recognized program asks, which never uses
// the link up. Errors: CodeDisabled if all places are used; CodeAccessRequired,
// with a time, if too many are open, and without if the access has changed.
func (s *Gates) Take(ctx context.Context, l *vitrine.Link, machine bool) (p vitrine.Pass, err error) {
	place := &vitrine.Place{Link: l.ID, Round: l.Access.Round, Machine: machine}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		place.At = s.Now()
		if round, err := currentRound(tx, l); err != nil || round != place.Round {
			return cmp.Or(err, errGated(l))
		}
		open, used, err := closePlaces(tx, l, place.At)
		if err != nil {
			return err
		}
		if used >= int64(l.Access.Readers) { // the answer reveals nothing of the file
			return vitrine.Errorf(vitrine.CodeDisabled, "As many people as may open this %s have opened it.", noun(l))
		}
		if err := makeRoom(tx, open, machine, place.At); err != nil {
			return err
		}
		return tx.AddPlace(place)
	})
	return vitrine.Pass{Round: l.Access.Round, Place: place.ID}, err
}

// closePlaces counts the open places of a link whose time is over, if their
// browser fetched content, and removes the others.
func closePlaces(tx vitrine.PlaceTx, l *vitrine.Link, now time.Time) (open []*vitrine.Place, used int64, err error) {
	all, err := tx.OpenPlaces(l.ID, l.Access.Round)
	if err != nil {
		return nil, 0, err
	}
	for _, p := range all {
		switch {
		case p.Machine || now.Sub(p.At) < openTime:
			open = append(open, p)
		case p.BytesAt.IsZero():
			err = tx.DeletePlace(p.ID)
		default:
			p.CountedAt = now
			err = tx.PutPlace(p)
		}
		if err != nil {
			return nil, 0, err
		}
	}
	used, err = tx.CountPlaces(l.ID, l.Access.Round)
	return open, used, err
}

// makeRoom makes room for an open place. It removes the oldest one whose
// browser has fetched nothing; programs that are recognized keep theirs.
func makeRoom(tx vitrine.PlaceTx, open []*vitrine.Place, machine bool, now time.Time) error {
	var idle *vitrine.Place
	n, until := 0, now.Add(openTime)
	for _, p := range open {
		if p.Machine != machine {
			continue
		}
		n++
		if end := p.At.Add(openTime); end.Before(until) {
			until = end
		}
		if idle == nil && p.BytesAt.IsZero() {
			idle = p
		}
	}
	switch {
	case n < maxOpen:
		return nil
	case idle != nil && !machine:
		return tx.DeletePlace(idle.ID)
	}
	return &vitrine.Error{Code: vitrine.CodeAccessRequired, RetryAfter: max(until.Sub(now), time.Minute),
		Message: "Too many browsers are opening this address, and the number of its readers is limited."}
}

// limiting returns what limits its readers to those with a place and gave that
// of a pass: a link, or the door of an album that it is in. It returns nil for
// nothing.
func limiting(l *vitrine.Link, p vitrine.Pass) *vitrine.Link {
	if p.Place == 0 {
		return nil
	}
	if l.Access.Readers > 0 && l.Access.Fits(p) {
		return l
	}
	if l.Albums == nil {
		return nil
	}
	for _, a := range *l.Albums {
		if a.Access.Readers > 0 && a.Access.Fits(p) {
			return a.Door()
		}
	}
	return nil
}

// Held returns a pass without its place if that does not exist any more.
func (s *Gates) Held(ctx context.Context, l *vitrine.Link, p vitrine.Pass) vitrine.Pass {
	of := limiting(l, p)
	if of == nil {
		return p
	}
	place, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (*vitrine.Place, error) { return tx.Place(p.Place) })
	if errors.Is(err, vitrine.ErrNotFound) || err == nil && (place.Link != of.ID || place.Round != of.Access.Round) {
		p.Place = 0
	}
	return p // its signature is valid, so a store that does not answer ends no transfer
}

// Fetch notes that a reader of a link that limits them, or of an album that
// does, fetches content. It must be noted before the content is sent: that is
// what bounds reading without scripts. Errors: CodeAccessRequired if the place
// was given to another.
func (s *Gates) Fetch(ctx context.Context, l *vitrine.Link, p vitrine.Pass) error {
	of := limiting(l, p)
	if of == nil {
		return nil
	}
	err := s.change(ctx, p.Place, func(place *vitrine.Place) {
		if place.BytesAt.IsZero() {
			place.BytesAt = s.Now()
		}
	})
	if errors.Is(err, vitrine.ErrNotFound) {
		err = errGated(of)
	}
	return err
}

// Prove counts the place of a pass: its browser is a person's. The place of a
// program that automates a browser never counts.
func (s *Gates) Prove(ctx context.Context, p vitrine.Pass, machine bool) error {
	err := s.change(ctx, p.Place, func(place *vitrine.Place) {
		switch {
		case !place.CountedAt.IsZero():
		case machine:
			place.Machine = true
		default:
			place.Machine, place.CountedAt = false, s.Now()
		}
	})
	return vitrine.NotFoundIsNil(err)
}

// change changes a place, if that has an effect.
func (s *Gates) change(ctx context.Context, id int64, f func(*vitrine.Place)) error {
	// Most often nothing changes, and a read is cheap.
	read, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (*vitrine.Place, error) { return tx.Place(id) })
	if err != nil {
		return err
	}
	before := *read
	if f(read); *read == before {
		return nil
	}
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		p, err := tx.Place(id)
		if err != nil {
			return err
		}
		before := *p
		if f(p); *p == before {
			return nil
		}
		return tx.PutPlace(p)
	})
}

// Left returns how many more people may open a link that limits its readers.
func (s *Gates) Left(ctx context.Context, l *vitrine.Link) (left int64, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		open, err1 := tx.OpenPlaces(l.ID, l.Access.Round)
		used, err2 := tx.CountPlaces(l.ID, l.Access.Round)
		for _, p := range open {
			if !p.Machine && !p.BytesAt.IsZero() && s.Now().Sub(p.At) >= openTime {
				used++
			}
		}
		left = max(int64(l.Access.Readers)-used, 0)
		return errors.Join(err1, err2)
	})
	return left, err
}
