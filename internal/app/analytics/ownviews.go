package analytics

import (
	"context"
	"math"
	"time"

	"vitrine"
	"vitrine/report"
)

// OwnViewsLog is what OwnViews uses of [vitrine.ViewLog].
type OwnViewsLog interface {
	Append(ctx context.Context, b vitrine.Batch) (vitrine.Outcome, error)
	AccountCounts(ctx context.Context, a vitrine.AccountID) (map[vitrine.LinkID]vitrine.LinkCounts, error)
	RetainedFrom(ctx context.Context, a vitrine.AccountID) (from report.Day, err error)
	Views(ctx context.Context, l vitrine.LinkID, from, to report.Day, f func(*report.View) error) error
}

// OwnViews stores the setting "Count my own visits" of accounts and updates
// stored views accordingly.
type OwnViews struct {
	Store vitrine.Store
	Log   OwnViewsLog
	Now   func() time.Time
	Wake  func() // runs Apply soon; may be nil
}

// writeTime is how long after a change of the setting views may still be
// stored by the old one: other processes cache the account.
const writeTime = 30 * time.Second

// SetCount sets whether the owner's views count. Apply updates past views soon
// after. The numbers of expired days stay.
func (s *OwnViews) SetCount(ctx context.Context, a vitrine.AccountID, count bool) error {
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
		account, err := tx.Account(a)
		if err != nil || account.CountOwn == count {
			return err
		}
		account.CountOwn, account.OwnChangedAt = count, s.Now()
		return tx.PutAccount(account)
	})
	if err == nil && s.Wake != nil {
		s.Wake()
	}
	return err
}

// Apply updates the views of accounts whose setting changed. It is background
// work: the next run continues what a run does not finish.
func (s *OwnViews) Apply(ctx context.Context) error {
	changed, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Account, error) {
		return tx.Accounts(vitrine.AccountQuery{OwnChanged: true})
	})
	for _, a := range changed {
		if err == nil {
			err = s.apply(ctx, a)
		}
	}
	return err
}

func (s *OwnViews) apply(ctx context.Context, a *vitrine.Account) error {
	written := s.Now().Sub(a.OwnChangedAt) >= writeTime
	links, err := s.Log.AccountCounts(ctx, a.ID)
	if err != nil {
		return err
	}
	from, err := s.Log.RetainedFrom(ctx, a.ID)
	if err != nil {
		return err
	}
	for link := range links {
		if err := s.applyTo(ctx, link, from, a.CountOwn); err != nil {
			return err
		}
	}
	if !written {
		return nil // the next run updates views that were about to be written
	}
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		current, err := tx.Account(a.ID)
		if err != nil || !current.OwnChangedAt.Equal(a.OwnChangedAt) {
			return vitrine.NotFoundIsNil(err)
		}
		current.OwnChangedAt = time.Time{}
		return tx.PutAccount(current)
	})
}

// viewsBatch is how many views one transaction decides about.
const viewsBatch = 500

func (s *OwnViews) applyTo(ctx context.Context, link vitrine.LinkID, from report.Day, count bool) error {
	var wrong []vitrine.Reclass
	err := s.Log.Views(ctx, link, from, math.MaxInt32, func(v *report.View) error {
		change, before := report.Reclass{Count: count}, v.Class()
		if after, _ := before.Decide(change); v.Own && after != before {
			wrong = append(wrong, vitrine.Reclass{Link: link, View: vitrine.ViewID(v.ID), Reclass: change})
		}
		return nil
	})
	for len(wrong) > 0 && err == nil {
		n := min(len(wrong), viewsBatch)
		_, err = s.Log.Append(ctx, vitrine.Batch{Reclasses: wrong[:n]})
		wrong = wrong[n:]
	}
	return err
}
