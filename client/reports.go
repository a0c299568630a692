package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"

	"vitrine/report"
)

// ReportQuery selects the views of a report. The zero value is the last 30 days
// in UTC, all views. The instance checks the values: the Field of the Error
// names the invalid parameter.
type ReportQuery struct {
	Range report.Range // "": the instance's default, 30 days, unless From and To are given
	// From and To are the first and the last date, such as 2026-11-01, instead
	// of a range.
	From, To string
	// Hourly requests a report by the hour: of at most 7 days, or of the last
	// 24 hours without dates.
	Hourly   bool
	Timezone string         // IANA name of the zone of days, hours and today; "": UTC
	Compare  report.Compare // "": the time before
	// Filter has conditions that views must meet, such as country:is:DE (see
	// [report.ParseCondition]).
	Filter []string
	Rows   int // the most buckets of each card; 0 means 8
	// Include names the optional parts of a report: utm, curves, excluded.
	Include []string
	// Version selects the version of the file that the content of a link's
	// report is about; 0 is the current one.
	Version int
}

func (q *ReportQuery) values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"range": string(q.Range), "from": q.From, "to": q.To,
		"timezone": q.Timezone, "compare": string(q.Compare)} {
		if value != "" {
			v.Set(name, value)
		}
	}
	for name, n := range map[string]int{"limit": q.Rows, "version": q.Version} {
		if n != 0 {
			v.Set(name, strconv.Itoa(n))
		}
	}
	for name, list := range map[string][]string{"filter": q.Filter, "include": q.Include} {
		if len(list) > 0 {
			v[name] = list
		}
	}
	if q.Hourly {
		v.Set("granularity", "hour")
	}
	return v
}

// LinkAnalytics reads the report of one link. It needs a Pro or Lifetime plan.
func (c *Client) LinkAnalytics(ctx context.Context, slug string, q ReportQuery) (*report.LinkReport, error) {
	var rep report.LinkReport
	if err := c.get(ctx, "/links/"+url.PathEscape(slug)+"/analytics", q.values(), &rep); err != nil {
		return nil, err
	}
	return &rep, nil
}

// Analytics reads the report over all links of the account. It needs a Pro or
// Lifetime plan.
func (c *Client) Analytics(ctx context.Context, q ReportQuery) (*report.AccountReport, error) {
	var rep report.AccountReport
	if err := c.get(ctx, "/analytics", q.values(), &rep); err != nil {
		return nil, err
	}
	return &rep, nil
}

// VisitQuery selects visits of a link. The zero value selects all that are
// kept.
type VisitQuery struct {
	Range    report.Range
	From, To string   // as in ReportQuery
	Timezone string   // of From, To and today
	Filter   []string // as in ReportQuery
	Engaged  bool     // only visits with engagement data
}

// visitsAtOnce is the page size of visits.
const visitsAtOnce = 100

// Visits iterates over the visits of a link, newest first, page by page. It
// ends after the first error. It needs a Pro or Lifetime plan.
func (c *Client) Visits(ctx context.Context, slug string, q VisitQuery) iter.Seq2[report.VisitRow, error] {
	of := ReportQuery{Range: q.Range, From: q.From, To: q.To, Timezone: q.Timezone, Filter: q.Filter,
		Rows: visitsAtOnce}
	v := of.values()
	if q.Engaged {
		v.Set("engaged", "true")
	}
	return func(yield func(report.VisitRow, error) bool) {
		for {
			var p struct {
				Visits     []report.VisitRow `json:"visits"`
				NextCursor string            `json:"nextCursor"`
			}
			if err := c.get(ctx, "/links/"+url.PathEscape(slug)+"/visits", v, &p); err != nil {
				yield(report.VisitRow{}, err)
				return
			}
			for _, row := range p.Visits {
				if !yield(row, nil) {
					return
				}
			}
			if p.NextCursor == "" {
				return
			}
			v.Set("cursor", p.NextCursor)
		}
	}
}

// Visit returns one visit of a link, with the other visits of its viewer.
func (c *Client) Visit(ctx context.Context, slug, id string) (row report.VisitRow, err error) {
	err = c.get(ctx, "/links/"+url.PathEscape(slug)+"/visits/"+url.PathEscape(id), nil, &row)
	return row, err
}
