package links

import (
	"context"
	"slices"

	"vitrine"
)

// rejectBatch bounds the rows of one transaction.
const rejectBatch = 200

// Rejectable lists the links that RejectSame would disable now.
func (s *Service) Rejectable(ctx context.Context, slug string) ([]*vitrine.Link, error) {
	all, err := s.same(ctx, slug, 0)
	return slices.DeleteFunc(all, func(l *vitrine.Link) bool { return !rejectable(l) }), err
}

// rejectable reports whether RejectSame changes a link.
func rejectable(l *vitrine.Link) bool {
	return l.Kept() && (l.State != vitrine.StateDisabled || ownerMayEnable(l))
}

// same returns a link and all others with the same bytes.
func (s *Service) same(ctx context.Context, slug string, seen vitrine.ChangeID) (all []*vitrine.Link, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		l, err := KeptBySlug(tx, slug, s.Now())
		if err != nil {
			return err
		}
		if err := checkUnchanged(tx, l, seen); err != nil {
			return err
		}
		all = []*vitrine.Link{l}
		if l.SHA256 != "" {
			all, err = tx.LinksBySHA256(l.SHA256, 0)
		}
		return err
	})
	return all, err
}

// RejectSame disables every link with the same bytes as the given one, which it
// includes, in any state. It returns the links that it changed. It works in
// steps: after a failure, changed links stay disabled, and another call
// continues.
func (s *Service) RejectSame(ctx context.Context, slug string,
	d vitrine.Decision) (changed []*vitrine.Link, err error) {
	note, err := d.CheckedNote()
	if err != nil {
		return nil, err
	}
	all, err := s.same(ctx, slug, d.Seen)
	for some := range slices.Chunk(all, rejectBatch) {
		if err != nil {
			break
		}
		var done []*vitrine.Link
		err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
			done = nil
			for _, l := range some {
				l, err := tx.Link(l.ID)
				if err != nil {
					return err
				}
				if !l.DeletedAt.IsZero() && l.OfLink() && l.State == vitrine.StateLive {
					// Readers of a replaced version lose it, too.
					l.State, l.Reason = vitrine.StateDisabled, vitrine.ReasonModerator
					if err := tx.PutLink(l); err != nil {
						return err
					}
				}
				if !rejectable(l) {
					continue
				}
				action := vitrine.ActionReject
				if l.State == vitrine.StateLive {
					action = vitrine.ActionDisable
				}
				if err := l.Transition(tx, s.Now(),
					vitrine.Change{By: d.By, Action: action, To: vitrine.StateDisabled, Reason: vitrine.ReasonModerator,
						Note: note}); err != nil {
					return err
				}
				if l.InTrash() {
					if err := leaveTrash(tx, l); err != nil {
						return err
					}
				}
				done = append(done, l)
			}
			return nil
		})
		if err == nil {
			changed = append(changed, done...)
		}
	}
	if len(changed) > 0 {
		err = vitrine.UnavailableAfter(err)
	}
	return changed, err
}
