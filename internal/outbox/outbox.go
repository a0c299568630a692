// Package outbox sends mail that was written in a transaction, and tries again
// until it has been sent or has expired.
package outbox

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"vitrine"

	"golang.org/x/sync/errgroup"
)

const (
	// letterTime is how long a letter is left to the process that began to send
	// it, which takes half a minute at the most: longer than that and the
	// difference of two clocks together.
	letterTime = 2 * time.Minute
	// letterLife is after how long a letter is given up.
	letterLife = 24 * time.Hour
	// lettersAtOnce is how many letters a process sends side by side, and
	// lettersLooked how many it lists.
	lettersAtOnce = 4
	lettersLooked = 100
)

// letterPauses are between the tries to send a letter; the last one is
// repeated.
var letterPauses = []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 4 * time.Hour}

// Outbox is the service that sends letters, by all processes of an instance. A
// letter is sent once at least, and once alone unless a process ends between
// the mail server's yes and its own note of it; then it goes out again, as the
// same message (Message.ID).
type Outbox struct {
	Store  vitrine.Store
	Mailer vitrine.Mailer
	Now    func() time.Time
	Wake   func() // if set, called when there is a letter to be sent
	// Failed, if set, is told of each try that failed, and whether there will
	// be another.
	Failed func(err error, again bool)
}

// Post puts a message into the box, in the transaction that wants it. After the
// commit, wake has it sent.
func (s *Outbox) Post(tx vitrine.LetterTx, m vitrine.Message, expires time.Time) error {
	now := s.Now()
	m.ID = rand.Text()
	return tx.AddLetter(&vitrine.Letter{Message: m, CreatedAt: now, ExpiresAt: expires, NextAt: now})
}

func (s *Outbox) Notify() {
	if s != nil && s.Wake != nil {
		s.Wake()
	}
}

// Send sends what is due, until nothing is. When ctx ends no other letter is
// begun; those that are being sent are ended.
func (s *Outbox) Send(ctx context.Context) error {
	for ctx.Err() == nil {
		var due []*vitrine.Letter
		err := s.Store.Read(ctx, func(tx vitrine.Tx) (err error) {
			due, err = tx.LettersDue(s.Now(), lettersLooked)
			return err
		})
		if err != nil || len(due) == 0 {
			return err
		}
		g := new(errgroup.Group)
		g.SetLimit(lettersAtOnce)
		for _, l := range due {
			g.Go(func() error {
				if ctx.Err() != nil {
					return nil
				}
				return s.send(context.WithoutCancel(ctx), l.ID)
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
	return nil
}

var errLetterExpired = errors.New("the link in it has expired")

// send tries to send one letter.
func (s *Outbox) send(ctx context.Context, id vitrine.LetterID) error {
	l, err := s.take(ctx, id)
	if err != nil || l == nil {
		return err
	}
	expired := !l.ExpiresAt.IsZero() && !s.Now().Before(l.ExpiresAt)
	cause := errLetterExpired
	if !expired {
		cause = s.Mailer.Send(ctx, l.Message)
	}
	next := s.Now().Add(letterPauses[min(l.Tries, len(letterPauses))-1])
	again := cause != nil && !expired && !errors.Is(cause, vitrine.ErrMailRefused) && next.Sub(l.CreatedAt) < letterLife
	if cause != nil && s.Failed != nil {
		s.Failed(cause, again)
	}
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		now, err := tx.Letter(id)
		if err != nil || now.Tries != l.Tries { // another has taken it since
			return vitrine.NotFoundIsNil(err)
		}
		if !again {
			return tx.DeleteLetter(id)
		}
		now.NextAt = next
		return tx.PutLetter(now)
	})
}

// take notes that a letter is being sent, before it is: nobody else does for
// letterTime, and what cannot be written is not sent again and again. nil:
// another has it.
func (s *Outbox) take(ctx context.Context, id vitrine.LetterID) (l *vitrine.Letter, err error) {
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		l = nil
		now := s.Now()
		found, err := tx.Letter(id)
		if err != nil || found.NextAt.After(now) {
			return vitrine.NotFoundIsNil(err)
		}
		l = found
		l.Tries, l.NextAt = l.Tries+1, now.Add(letterTime)
		return tx.PutLetter(l)
	})
	return l, err
}
