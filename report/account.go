package report

import "slices"

// AccountReport is the report of all links of an account (service,
// getAccountAnalytics).
type AccountReport struct {
	Summary
	TopLinks  []LinkSummary `json:"top_links"`
	Mix       []Bucket      `json:"mix"` // views by file kind
	AllTime   AllTime       `json:"all_time"`
	Truncated bool          `json:"truncated"` // set by the reader of the log, not here
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

// TopLink is a link with its daily views of SparkDays.
type TopLink struct {
	Link  Link
	Spark []int64
}

// ForAccount renders the report of an account over w. links are all links that
// the views of cur may have; the mix and the completion leave out a link that
// is missing. cur and prev are tallies of the account over exactly the days of
// w and of w.Previous(), or nil if nothing happened. top has at least the links
// of cur.Top(links, 25). ForAccount does not change its arguments.
func ForAccount(links []Link, w Window, cur, prev *Tally, top []TopLink, allTime AllTime) *AccountReport {
	r := ForWebsite(links, w, cur, prev, top, allTime)
	r.TopLinks = r.TopLinks[:min(len(r.TopLinks), maxTopLinks)]
	return r
}

// ForWebsite returns the report of a website's pages. Unlike ForAccount, it
// does not limit the pages in TopLinks.
func ForWebsite(links []Link, w Window, cur, prev *Tally, top []TopLink, allTime AllTime) *AccountReport {
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
		TopLinks: topLinks(w, cur, top),
		Mix:      topBuckets(kinds, len(kinds)),
		AllTime:  allTime,
	}
	r.Insights = insights(&r.Summary, nil, c.sessions)
	return r
}

// topLinks renders the links with the most views (analytics, Account report).
func topLinks(w Window, t *Tally, top []TopLink) []LinkSummary {
	viewed := slices.DeleteFunc(slices.Clone(top), func(l TopLink) bool { return t.link(l.Link.ID).views == 0 })
	slices.SortFunc(viewed, func(a, b TopLink) int {
		return byViews(&a.Link, &b.Link, t.link(a.Link.ID).views, t.link(b.Link.ID).views)
	})
	rows := []LinkSummary{}
	for _, l := range viewed {
		rows = append(rows, linkSummary(w, &l, t.link(l.Link.ID)))
	}
	return rows
}

func linkSummary(w Window, top *TopLink, sums linkSums) LinkSummary {
	l := &top.Link
	var c completion
	c.add(l, sums.sessions)
	return LinkSummary{
		ID:            l.PublicID,
		Slug:          l.Slug,
		Title:         l.Title,
		Kind:          l.Kind,
		Views:         sums.views,
		Uniques:       sums.seen.before(w.From),
		AvgEngagedMs:  sums.sessions.avgEngagedMs(),
		CompletionPct: c.pct(),
		Downloads:     l.Downloads,
		Spark:         top.Spark,
	}
}

// SparkDays returns the days [from, to) of `spark`: the last ones of the
// window.
func SparkDays(w Window) (from, to Day) { return w.To - Day(min(w.Days(), maxSpark)), w.To }
