package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"
)

// ReportQuery selects the views of a report. The zero value selects all views
// of the last 30 days in UTC. The instance validates the values. Error.Field
// names an invalid parameter.
type ReportQuery struct {
	Range string // 7d, 14d, 30d, 90d or all; "" means 30 days, unless From and To are set
	// From and To are the first and last date, such as 2026-11-01. They replace
	// Range.
	From, To string
	// Hourly requests a report by hour, for at most 7 days. Without dates it
	// covers the last 24 hours.
	Hourly   bool
	Timezone string // IANA name; "" means UTC
	Compare  string // "year", "none", or "" for the time before
	// Filter lists conditions on views, such as country:is:DE or
	// source:is_not:Google. Without a value, as in country:is:, it is unknown.
	Filter []string
	Rows   int // maximum number of buckets of each card; 0 means 8
	// Include lists optional parts of a report: utm, curves, excluded.
	Include []string
	// Version selects the file version for the content part of a link's report.
	// 0 means the current version. An account's report has none.
	Version int
}

func (q *ReportQuery) values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"range": q.Range, "from": q.From, "to": q.To,
		"timezone": q.Timezone, "compare": q.Compare} {
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

// LinkAnalytics returns the report of one link. It requires a Pro or Lifetime
// plan.
func (c *Client) LinkAnalytics(ctx context.Context, slug string, q ReportQuery) (*LinkReport, error) {
	var rep LinkReport
	if err := c.get(ctx, "/links/"+url.PathEscape(slug)+"/analytics", q.values(), &rep); err != nil {
		return nil, err
	}
	return &rep, nil
}

// Analytics returns the report of all links of the account. It requires a Pro
// or Lifetime plan.
func (c *Client) Analytics(ctx context.Context, q ReportQuery) (*AccountReport, error) {
	var rep AccountReport
	if err := c.get(ctx, "/analytics", q.values(), &rep); err != nil {
		return nil, err
	}
	return &rep, nil
}

// ExplainLink says what makes a figure of a link's report: its rule and its
// visits. The figure is a JSON pointer into the report, such as /totals/views.
// cursor is NextCursor of the page before, "" for the newest visits.
func (c *Client) ExplainLink(ctx context.Context, slug string, q ReportQuery, figure, cursor string) (
	*Explanation, error) {
	return c.explain(ctx, "/links/"+url.PathEscape(slug)+"/analytics", q, figure, cursor)
}

// Explain is like ExplainLink for the report of all links of the account.
func (c *Client) Explain(ctx context.Context, q ReportQuery, figure, cursor string) (*Explanation, error) {
	return c.explain(ctx, "/analytics", q, figure, cursor)
}

func (c *Client) explain(ctx context.Context, path string, q ReportQuery, figure, cursor string) (
	*Explanation, error) {
	v := q.values()
	v.Set("explain", figure)
	if cursor != "" {
		v.Set("cursor", cursor)
	}
	var e Explanation
	if err := c.get(ctx, path, v, &e); err != nil {
		return nil, err
	}
	return &e, nil
}

// VisitQuery selects visits of a link. The zero value selects all stored
// visits.
type VisitQuery struct {
	Range    string
	From, To string   // as in ReportQuery
	Timezone string   // time zone of From, To and today
	Filter   []string // as in ReportQuery
	Engaged  bool     // only visits with engagement data
}

// visitsPageSize is the page size of visits.
const visitsPageSize = 100

// Visits iterates over the visits of a link, newest first. It stops after the
// first error. It requires a Pro or Lifetime plan.
func (c *Client) Visits(ctx context.Context, slug string, q VisitQuery) iter.Seq2[Visit, error] {
	of := ReportQuery{Range: q.Range, From: q.From, To: q.To, Timezone: q.Timezone, Filter: q.Filter,
		Rows: visitsPageSize}
	v := of.values()
	if q.Engaged {
		v.Set("engaged", "true")
	}
	return func(yield func(Visit, error) bool) {
		for {
			var p struct {
				Visits     []Visit `json:"visits"`
				NextCursor string  `json:"nextCursor"`
			}
			if err := c.get(ctx, "/links/"+url.PathEscape(slug)+"/visits", v, &p); err != nil {
				yield(Visit{}, err)
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

// Visit returns one visit of a link and the other visits of its viewer.
func (c *Client) Visit(ctx context.Context, slug, id string) (row Visit, err error) {
	err = c.get(ctx, "/links/"+url.PathEscape(slug)+"/visits/"+url.PathEscape(id), nil, &row)
	return row, err
}
