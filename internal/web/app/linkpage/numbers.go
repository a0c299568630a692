package linkpage

import (
	"context"

	"vitrine"
	"vitrine/internal/analytics"
	"vitrine/internal/web/app"
	"vitrine/internal/web/chart"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// numbers returns the numbers of a link, or nil if the plan has no analytics or
// there are no views.
func (s *Handler) numbers(ctx context.Context, me *vitrine.Account, l *vitrine.Link) (*app.LinkNumbers, error) {
	if !me.Plan.Pro() {
		return nil, nil
	}
	r, err := s.Analytics.Link(ctx, me, string(l.Slug), analytics.In(report.Range30d))
	if err != nil || r.AllTimeViews == 0 {
		return nil, err
	}
	var daily []int64
	for _, p := range r.Series {
		daily = append(daily, p.Views)
	}
	return &app.LinkNumbers{Figures: []app.LinkFigure{{Name: "Views", Value: ui.Figure(r.Totals.Views).String()},
		{Name: "Unique viewers", Value: ui.Figure(r.Totals.Uniques).String()},
		{Name: "Average time", Value: ui.TimeOf(r.Totals.AvgEngagedMs, r.Totals.Sessions)},
		{Name: "Completion", Value: ui.CompletionOf(r.Totals.CompletionPct)}},
		Spark: chart.NewSpark(daily, "view", "views")}, nil
}

// maxVisits is how many visits are on the overview.
const maxVisits = 5

func (s *Handler) latestVisits(ctx context.Context, me *vitrine.Account, l *vitrine.Link) ([]app.Visit, error) {
	rows, err := s.Analytics.RecentVisits(ctx, me, string(l.Slug), analytics.VisitQuery{N: maxVisits})
	if err != nil {
		return nil, err
	}
	return app.NewVisits(l, rows, s.Now()), nil
}
