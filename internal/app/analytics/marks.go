package analytics

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/report"
)

// maxChanges bounds the changes of a link that are read for the marks of a
// report: the newest.
const maxChanges = 1000

// marks returns what explains the days of a link's report.
func (s *Service) marks(ctx context.Context, l *vitrine.Link, w report.Window) ([]report.DayMark, error) {
	var shown []report.ShownVersion
	if l.Versions > 1 {
		changes, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Change, error) {
			return tx.Changes(vitrine.ChangeQuery{Link: l.ID, Limit: maxChanges})
		})
		if err != nil {
			return nil, err
		}
		for _, c := range slices.Backward(changes) { // the oldest first
			n, err := strconv.Atoi(strings.TrimPrefix(c.Detail, "version "))
			if err != nil || c.Action != vitrine.ActionReplace && c.Action != vitrine.ActionRestore {
				continue
			}
			shown = append(shown, report.ShownVersion{At: c.At, Version: n,
				Restored: c.Action == vitrine.ActionRestore})
		}
	}
	return report.Marks(w, l.Notes, shown), nil
}
