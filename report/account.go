package report

import "slices"

// AccountReport is the report of all links of an account (service, getAccountAnalytics).
type AccountReport struct {
	Summary
	TopLinks  []LinkSummary `json:"top_links"`
	Mix       []Bucket      `json:"mix"` // views by file kind
	AllTime   AllTime       `json:"all_time"`
	Truncated bool          `json:"truncated"` // left false: it is for the reader of the log to say
}

// LinkSummary is one row of `top_links`.
type LinkSummary struct {
	ID            string  `json:"id"`
	Slug          string  `json:"slug"`
	Title         string  `json:"title"`
	Kind          string  `json:"kind"`
	Views         int64   `json:"views"`
	Uniques       int64   `json:"uniques"`
	AvgEngagedMs  int64   `json:"avgEngagedMs"`
	CompletionPct *Tenths `json:"completionPct"`
	Downloads     int64   `json:"downloads"` // all-time
	Spark         []int64 `json:"spark"`     // daily views, oldest first
}

// AllTime is `all_time` of an account's report, from its link rows.
type AllTime struct {
	Views     int64 `json:"views"`
	Downloads int64 `json:"downloads"`
	Links     int64 `json:"links"`
}

// TopLink is a link with its own tally over the window of the report.
type TopLink struct {
	Link  Link
	Tally *Tally
}

// ForAccount renders the report of an account over w. links are all links that the
// opens of cur may have; a link that is missing is in no mix and no completion. cur and
// prev are tallies of the account over exactly the days of w and of w.Previous(), nil
// where nothing happened. top holds at least the links of cur.Top(links, 25), each with
// its own tally. It only reads what it is given.
func ForAccount(links []Link, w Window, cur, prev *Tally, top []TopLink, allTime AllTime) *AccountReport {
	cur, prev = orEmpty(cur), orEmpty(prev)
	var c completion
	kinds := counts{}
	for i := range links {
		l := &links[i]
		sums := cur.link(l.ID)
		c.add(l, sums.sessions)
		if sums.views > 0 {
			*entry(&kinds, l.Kind) += sums.views
		}
	}
	r := &AccountReport{
		Summary:  summary(w, cur, prev, c.pct(), allTime.Downloads),
		TopLinks: topLinks(w, top),
		Mix:      topBuckets(kinds, len(kinds)),
		AllTime:  allTime,
	}
	r.Insights = insights(&r.Summary, nil, c.sessions)
	return r
}

// topLinks renders the links with most views (analytics semantics, account report).
func topLinks(w Window, top []TopLink) []LinkSummary {
	viewed := make([]TopLink, 0, len(top))
	for _, l := range top {
		if l.Tally != nil && l.Tally.views > 0 {
			viewed = append(viewed, l)
		}
	}
	slices.SortFunc(viewed, func(a, b TopLink) int {
		return byViews(&a.Link, &b.Link, a.Tally.views, b.Tally.views)
	})
	rows := []LinkSummary{}
	for _, l := range viewed[:min(len(viewed), maxTopLinks)] {
		rows = append(rows, linkSummary(w, &l.Link, l.Tally))
	}
	return rows
}

func linkSummary(w Window, l *Link, t *Tally) LinkSummary {
	var c completion
	c.add(l, t.sessions)
	return LinkSummary{
		ID:            l.PublicID,
		Slug:          l.Slug,
		Title:         l.Title,
		Kind:          l.Kind,
		Views:         t.views,
		Uniques:       t.Uniques(w.From, w.To),
		AvgEngagedMs:  t.sessions.avgEngagedMs(),
		CompletionPct: c.pct(),
		Downloads:     l.Downloads,
		Spark:         spark(w, t),
	}
}

// spark is the daily views of the window's last days.
func spark(w Window, t *Tally) []int64 {
	days := make([]int64, min(w.Days(), maxSpark))
	for i := range days {
		days[i] = t.row(w.To - Day(len(days)-i)).views
	}
	return days
}
