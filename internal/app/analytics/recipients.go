package analytics

import (
	"context"

	"vitrine"
	"vitrine/report"
)

// Readings returns how far a link of an account was read through the address of
// each recipient, of all views that are kept. Recipients without a view or
// download are missing. It calls each, unless nil, with each of the views.
func (s *Service) Readings(ctx context.Context, l *vitrine.Link, each func(*report.View)) (
	map[vitrine.RecipientID]*report.Reading, error) {
	of, err := s.describe(ctx, l)
	if err != nil {
		return nil, err
	}
	list := map[vitrine.RecipientID]*report.Reading{}
	reading := func(id vitrine.RecipientID) *report.Reading {
		if list[id] == nil {
			list[id] = new(report.Reading)
		}
		return list[id]
	}
	alone, err := s.Log.Recipients(ctx, l.ID, func(v *report.View) error {
		reading(vitrine.RecipientID(v.Recipient)).Add(&of, v)
		if each != nil {
			each(v)
		}
		return nil
	})
	for id, n := range alone {
		reading(id).Downloads += n
	}
	return list, err
}
