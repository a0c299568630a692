package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"vitrine"

	"golang.org/x/sync/errgroup"
)

const (
	// claimTime is how long a claim on a letter is valid. It exceeds the
	// longest send (30 s) plus clock skew.
	claimTime = 2 * time.Minute
	// letterLife is the age after which a letter is not retried.
	letterLife = 24 * time.Hour
	// concurrentSends is the number of concurrent sends of a process.
	// dueBatch is the number of due letters that it reads at a time.
	concurrentSends = 4
	dueBatch        = 100
)

// letterPauses are the pauses between attempts to send a letter. The last one
// repeats.
var letterPauses = []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 4 * time.Hour}

// Outbox sends mail that was queued in a transaction. It retries until the mail
// is sent or expires. All processes of an instance may send. Delivery
// is at least once. A crash between the server's acceptance and the database
// write sends the letter again with the same Message.ID.
type Outbox struct {
	Store  vitrine.Store
	Mailer vitrine.Mailer
	Now    func() time.Time
	Wake   func() // called when a letter is queued; may be nil
	// Failed is called after each failed attempt. again reports whether another
	// attempt follows. It may be nil.
	Failed func(err error, again bool)
}

// Post queues a message within tx. Call Notify after the commit.
func (s *Outbox) Post(tx vitrine.LetterTx, m vitrine.Message, expires time.Time) (vitrine.LetterID, error) {
	now := s.Now()
	m.ID = rand.Text()
	l := &vitrine.Letter{Message: m, CreatedAt: now, ExpiresAt: expires, NextAt: now}
	err := tx.AddLetter(l)
	return l.ID, err
}

// Notify makes Send run soon, after a transaction that added letters.
func (s *Outbox) Notify() {
	if s != nil && s.Wake != nil {
		s.Wake()
	}
}

// Send sends due letters until none is left. When ctx ends, it starts no more
// and waits for those in progress.
func (s *Outbox) Send(ctx context.Context) error {
	for ctx.Err() == nil {
		var due []*vitrine.Letter
		err := s.Store.Read(ctx, func(tx vitrine.Tx) (err error) {
			due, err = tx.LettersDue(s.Now(), dueBatch)
			return err
		})
		if err != nil || len(due) == 0 {
			return err
		}
		g := new(errgroup.Group)
		g.SetLimit(concurrentSends)
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

var errLetterExpired = errors.New("its link has expired")

// send makes one attempt to send a letter.
func (s *Outbox) send(ctx context.Context, id vitrine.LetterID) error {
	l, err := s.claim(ctx, id)
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
		current, err := tx.Letter(id)
		if err != nil || current.Tries != l.Tries { // another process has claimed it since
			return vitrine.NotFoundIsNil(err)
		}
		if !again {
			return tx.DeleteLetter(id)
		}
		current.NextAt = next
		return tx.PutLetter(current)
	})
}

// claim claims a letter for claimTime before it is sent. It returns nil if
// another process has claimed it.
func (s *Outbox) claim(ctx context.Context, id vitrine.LetterID) (l *vitrine.Letter, err error) {
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		l = nil
		now := s.Now()
		found, err := tx.Letter(id)
		if err != nil || found.NextAt.After(now) {
			return vitrine.NotFoundIsNil(err)
		}
		l = found
		l.Tries, l.NextAt = l.Tries+1, now.Add(claimTime)
		return tx.PutLetter(l)
	})
	return l, err
}
