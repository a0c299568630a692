package report

import (
	"time"

	"vitrine/report/part"
)

// Link has the facts about a link that a report needs besides its views.
type Link struct {
	ID       int64  // View.Link of its views
	PublicID string // the id that readers of a report see
	Slug     string
	Title    string
	URL      string
	Kind     string // the file kind, as pdf (contract, createUpload)
	Content  ContentKind
	Pages    int          // of a pdf; 0 unknown
	Outline  part.Outline // the parts of other files
	// Files are the files of all versions by their numbers, or nil if the file
	// was never replaced, and Kind, Content and Pages are of all views.
	Files     map[int]File
	Created   time.Time
	Trashed   bool  // it is in the trash
	Views     int64 // counted views since creation
	Downloads int64 // since creation
}

// LinkCard is `link` of a link's report.
type LinkCard struct {
	Slug  string `json:"slug"`
	Title string `json:"title"`
	URL   string `json:"url"`
	Kind  string `json:"kind"`
	// Status and Reason say why the public does not see the link. They are
	// empty for a live link. This package leaves them empty.
	Status string `json:"status,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// LinkReport is the report of one link (analytics, Link).
type LinkReport struct {
	Link LinkCard `json:"link"`
	Summary
	Content   Content      `json:"content"`
	Recent    []RecentView `json:"recent"`
	Truncated bool         `json:"truncated"`       // set by the reader of the log, not here
	Marks     []DayMark    `json:"marks,omitempty"` // set by the caller, not here

	AllTimeViews int64 `json:"-"` // counted views since creation

	completed int64 // sessions that have a completion
}

// Summary is the common part of a link's report and an account's.
type Summary struct {
	Range       RangeCard  `json:"range"`
	Totals      Totals     `json:"totals"`
	Previous    Previous   `json:"previous"`
	Deltas      Deltas     `json:"deltas"`
	Granularity string     `json:"granularity"` // "day" or "week"
	Series      []Point    `json:"series"`
	Breakdowns  Breakdowns `json:"breakdowns"`
	Timing      Timing     `json:"timing"`
	Insights    []Insight  `json:"insights"`
	Filter      []string   `json:"filter,omitempty"` // its conditions, where there is one
	// FinalUntil is the time before which views no longer change class. This
	// package leaves it zero: the reader of the log sets it.
	FinalUntil FinalTime `json:"finalUntil,omitzero"`
	// ByReason are the excluded views; nil unless they are asked for.
	ByReason []ExcludedViews `json:"excluded,omitzero"`

	// What a page shows and the API does not.
	PreviousSeries []Point `json:"-"` // of the previous window; as long as Series, except for partial weeks
	// Younger is set if the link, or the oldest one of an account's report, was
	// created after the previous window began, so that the two cannot be
	// compared. The first Absent points of PreviousSeries were over by then.
	Younger  bool      `json:"-"`
	Absent   int       `json:"-"`
	Excluded []Bucket  `json:"-"` // excluded views by reason: Totals.BotsExcluded and OwnExcluded
	Products []Product `json:"-"` // with a known program or network
}

// ForLink renders the report of l over w. cur and prev are tallies of exactly
// the days of w and of w.Previous(), or nil if nothing happened. recent has at
// least the 25 newest views of w with engagement data, or all if there are
// fewer, in any order. ForLink does not change its arguments.
func ForLink(l Link, w Window, cur, prev *Tally, recent []View) *LinkReport {
	cur, prev = orEmpty(cur), orEmpty(prev)
	c := completionOf(&l, cur)
	r := &LinkReport{
		Link:    LinkCard{Slug: l.Slug, Title: l.Title, URL: l.URL, Kind: l.Kind},
		Summary: summary(w, cur, prev, c.pct(), l.Downloads),
		Content: content(&l, cur),
		Recent:  recentViews(&l, w, recent),

		AllTimeViews: l.Views,
		completed:    c.sessions,
	}
	if before := completionOf(&l, prev); w.Compared() {
		r.Previous.CompletionPct = before.pct()
	}
	r.since(l.Created, w.Previous())
	r.Insights = insights(&r.Summary, &r.Content, r.completed)
	return r
}

// summary renders everything except the insights, which need the finished
// report.
func summary(w Window, cur, prev *Tally, completionPct *Tenths, downloads int64) Summary {
	if !w.Compared() {
		prev = new(Tally) // all time has no time before it
	}
	return Summary{
		Range:       rangeCard(w),
		Totals:      totals(w, cur, completionPct, downloads),
		Previous:    previous(w.Previous(), prev),
		Deltas:      deltas(w, cur, prev),
		Granularity: granularity(w),
		Series:      Series(w, cur),
		Breakdowns:  breakdowns(cur),
		Timing:      timing(cur),

		PreviousSeries: Series(w.Previous(), prev),
		Excluded:       cur.Bots(),
		Products:       cur.Products(),
	}
}

// ExcludedByOthers returns Excluded without the owner's views: the others and
// their shares.
func (s *Summary) ExcludedByOthers() []Bucket {
	c := counts{}
	for _, b := range s.Excluded {
		if b.Key != BotOwn {
			c.add(b.Key, b.Count)
		}
	}
	return topBuckets(c, len(c))
}

func orEmpty(t *Tally) *Tally {
	if t == nil {
		return new(Tally)
	}
	return t
}

// DayMark explains a day of the series of a link's report.
type DayMark struct {
	Day  Day    `json:"day"`  // on the clocks of the report
	Kind string `json:"kind"` // version or note
	Text string `json:"text"`
	Note int    `json:"note,omitempty"` // the number of a note
	At   string `json:"at,omitempty"`   // when the version was shown
}
