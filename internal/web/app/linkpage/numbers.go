package linkpage

import (
	"context"

	"vitrine"
	"vitrine/internal/web/app"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// linkNumbers are the last 30 days of a link, in short.
type linkNumbers struct {
	Figures []linkFigure
	Spark   string // points of a line of its daily views
}

type linkFigure struct{ Name, Value string }

// numbers are nil if the plan has no analytics, or nobody has opened the link.
func (s *Handler) numbers(ctx context.Context, me *vitrine.Account, l *vitrine.Link) (*linkNumbers, error) {
	if !me.Plan.Pro() {
		return nil, nil
	}
	r, err := s.Analytics.Link(ctx, me, string(l.Slug), report.Range30d)
	if err != nil || r.AllTimeViews == 0 {
		return nil, err
	}
	completion := "–"
	if r.Totals.CompletionPct != nil {
		completion = r.Totals.CompletionPct.String() + "%"
	}
	var daily []int64
	for _, p := range r.Series {
		daily = append(daily, p.Views)
	}
	return &linkNumbers{[]linkFigure{{"Views", ui.Figure(r.Totals.Views).String()}, {"Unique viewers", ui.Figure(r.Totals.Uniques).String()},
		{"Average time", ui.Lasting(r.Totals.AvgEngagedMs).String()}, {"Completion", completion}}, app.Spark(daily)}, nil
}
