package report

import (
	"cmp"
	"slices"
	"time"
)

// AccountReport is the report of all links of an account (analytics,
// Account report).
type AccountReport struct {
	Summary
	TopLinks  []LinkSummary `json:"top_links"`
	Mix       []Bucket      `json:"mix"` // views by the kind of the file that they showed
	AllTime   AllTime       `json:"all_time"`
	Trash     *Trashed      `json:"trash,omitempty"` // nil if no view is of a link in the trash
	Truncated bool          `json:"truncated"`       // set by the reader of the log, not here
}

// Trashed is what a report counts of links in the trash.
type Trashed struct {
	Links int64 `json:"links"`
	Views int64 `json:"views"`
}

// LinkSummary is one row of `top_links`.
type LinkSummary struct {
	ID            string  `json:"id"`
	Slug          string  `json:"slug"`
	Title         string  `json:"title"`
	Kind          string  `json:"kind"`
	Views         int64   `json:"views"`
	Uniques       int64   `json:"uniques"`
	Sessions      int64   `json:"sessions"` // 0: nothing was measured, and AvgEngagedMs is 0
	AvgEngagedMs  int64   `json:"avgEngagedMs"`
	CompletionPct *Tenths `json:"completionPct"`
	Downloads     int64   `json:"downloads"` // all-time
	Spark         []int64 `json:"spark"`     // daily views, oldest first
	Trashed       bool    `json:"trashed,omitempty"`
}

// AllTime is `all_time` of an account's report, from its link rows.
type AllTime struct {
	Views     int64     `json:"views"`
	Downloads int64     `json:"downloads"`
	Links     int64     `json:"links"`
	Since     time.Time `json:"-"` // when the oldest link was created; zero if there is none
}

// TopLink is a link with its daily views of Window.Spark.
type TopLink struct {
	Link  Link
	Spark []int64
}

// ForAccount renders the report of an account over w. links are those of
// cur.Links; the mix and the completion leave out a link that is missing. cur
// and prev are tallies of the account over exactly the days of w and of
// w.Previous(), or nil if nothing happened. top has at least the links of
// cur.Top(links, 25). ForAccount does not change its arguments.
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
	versions := cur.files.versions()
	var trash *Trashed
	for i := range links {
		l := &links[i]
		sums := cur.link(l.ID)
		if l.Trashed && sums.views > 0 {
			trash = cmp.Or(trash, &Trashed{})
			trash.Links, trash.Views = trash.Links+1, trash.Views+sums.views
		}
		cur.files.each(l, fileCount{sums.views, sums.sessions}, versions[l.ID], func(of *Link, n fileCount) {
			c.add(of, n.sessions)
			if n.views > 0 && of.Kind != "" {
				*entry(&kinds, of.Kind) += n.views
			}
		})
	}
	r := &AccountReport{
		Summary:  summary(w, cur, prev, c.pct(), allTime.Downloads),
		TopLinks: topLinks(w, cur, top, versions),
		Mix:      topBuckets(kinds, len(kinds)),
		AllTime:  allTime,
		Trash:    trash,
	}
	r.since(allTime.Since, w.Previous())
	r.Insights = insights(&r.Summary, nil, c.sessions)
	return r
}

// topLinks renders the links with the most views (analytics, Account report).
func topLinks(w Window, t *Tally, top []TopLink, versions map[int64][]int) []LinkSummary {
	viewed := slices.DeleteFunc(slices.Clone(top), func(l TopLink) bool { return t.link(l.Link.ID).views == 0 })
	slices.SortFunc(viewed, func(a, b TopLink) int {
		return byViews(&a.Link, &b.Link, t.link(a.Link.ID).views, t.link(b.Link.ID).views)
	})
	rows := []LinkSummary{}
	for _, l := range viewed {
		rows = append(rows, linkSummary(w, &l, t, versions[l.Link.ID]))
	}
	return rows
}

func linkSummary(w Window, top *TopLink, t *Tally, versions []int) LinkSummary {
	l := &top.Link
	sums := t.link(l.ID)
	var c completion
	t.files.each(l, fileCount{sums.views, sums.sessions}, versions,
		func(of *Link, n fileCount) { c.add(of, n.sessions) })
	return LinkSummary{
		ID:            l.PublicID,
		Slug:          l.Slug,
		Title:         l.Title,
		Kind:          l.Kind,
		Views:         sums.views,
		Uniques:       sums.seen.before(w.From),
		Sessions:      sums.sessions.sessions,
		AvgEngagedMs:  sums.sessions.avgEngagedMs(),
		CompletionPct: c.pct(),
		Downloads:     l.Downloads,
		Spark:         top.Spark,
		Trashed:       l.Trashed,
	}
}

// Spark returns the window of `spark`: the last days of a window, also if its
// steps are hours. The first and the last day then have the hours of the window
// only.
func (w Window) Spark() Window {
	if w.Hourly() {
		from, to := w.Bounds()
		day := DayOf(w.Steps.local(from))
		days := daysIn(w.Zone(), day-1, day+Day((to-from)/dayMs)+3)
		w.From, w.To = days.Of(from), days.Of(to-1)+1
		days.starts = slices.Clone(days.starts[w.From-days.first : w.To-days.first+1])
		days.first, days.starts[0], days.starts[w.To-w.From] = w.From, from, to
		w.Steps = days
	}
	w.From = w.To - Day(min(w.Days(), maxSpark))
	return w
}
