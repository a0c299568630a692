// Package dataset generates realistic views for benchmarks: deterministic,
// ordered by time, in any number, and with the labels of the import format.
// Vitrine and all references use the same datasets.
package dataset

import (
	"fmt"
	"time"
)

// Version is part of the names of cached files. Change it when the same
// parameters generate other views.
const Version = 1

// Params are the parameters of a dataset. The same parameters generate the same
// views.
type Params struct {
	Name     string // part of file names and slugs: letters and digits
	Accounts int    // number of accounts, each with Opens and Links
	Opens    int    // per account
	Links    int    // per account
	Days     int    // number of days, up to Last
	Last     time.Time
	// Until adds a day that is not over, unless it is zero: views from 00:00
	// until this time, at the rate of the other days.
	Until time.Time
	Seed  uint64
}

// LastDay returns the last day whose views and late snapshots are complete:
// three days ago.
func LastDay(now time.Time) time.Time {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -3)
}

// Key returns a name for the dataset's files.
func (p Params) Key() string {
	key := fmt.Sprintf("%s-v%d-%dx%d-%dlinks-%ddays-%d-%s", p.Name, Version, p.Accounts, p.Opens, p.Links, p.Days,
		p.Seed, p.Last.Format("20060102"))
	if !p.Until.IsZero() {
		key += p.Until.Format("-20060102T150405")
	}
	return key
}

// Total returns the number of views of all accounts.
func (p Params) Total() int { return p.Accounts * p.Opens }

// From returns 00:00 UTC of the first day.
func (p Params) From() time.Time { return p.Last.AddDate(0, 0, 1-p.Days) }

// Account returns the email address of account i, counted from 0.
func (p Params) Account(i int) string { return fmt.Sprintf("owner%d@example.org", i) }

// Link is one link of a dataset.
type Link struct {
	Account int // from 0
	Number  int // from 0, over all accounts, in creation order
	Slug    string
	Kind    string
	Pages   int // of a PDF
	Created time.Time

	sessionPct int // percentage of views by people with engagement data
}

// Content returns the measure of completion for the link's kind.
func (l *Link) Content() string {
	switch l.Kind {
	case "pdf":
		return "pages"
	case "video", "audio":
		return "media"
	case "archive":
		return "none"
	}
	return "scroll"
}

// kinds are the kinds of links, by their frequency.
var kinds = []string{"pdf", "pdf", "pdf", "pdf", "pdf", "pdf", "pdf", "video", "video", "image", "image", "html",
	"html", "text",
	"document", "document", "document", "audio", "archive", "archive"}

// LinksOf returns the links of an account, the most viewed first.
func (p Params) LinksOf(account int) []Link {
	r := random(p.Seed, account, 1)
	links := make([]Link, p.Links)
	for i := range links {
		l := &links[i]
		*l = Link{Account: account, Number: account*p.Links + i, Created: p.From(), Kind: kinds[r.IntN(len(kinds))]}
		l.Slug = fmt.Sprintf("%s-%d-%d", p.Name, account, i)
		if i >= 2 { // the first two exist from the start
			later := r.Float64() * 0.6 * float64(p.Days) * float64(24*time.Hour)
			l.Created = l.Created.Add(time.Duration(later)).Truncate(time.Second)
		}
		if i < 1 {
			l.Kind = "pdf"
		}
		if l.Kind == "pdf" {
			l.Pages = 4 + int(r.ExpFloat64()*12)
		}
		if i < 1 {
			l.Pages = 24
		}
		l.sessionPct = 63 + r.IntN(18)
	}
	return links
}

// Open is one view. Labels are indexes into the package's word lists. 0 means
// unknown, except for Source.
type Open struct {
	At     int64 // ms
	Link   *Link
	Viewer uint64

	Country, City, Referrer, Source, Device, Browser, OS, Screen uint16
	Bot, QR, Returning                                           bool

	Session                         bool // has engagement data
	EngagedMs, PresentMs            int64
	Downloaded                      bool
	PlayedPct, ReachedPct, DepthPct int
	Pages                           []Page // ascending
}

// Page is the time on one page.
type Page struct {
	Page int
	Ms   int64
}

// Limits for sessions that are not counted (analytics, Views).
const (
	atypicalEngagedMs = 1000
	atypicalPresentMs = 2000
)

// Atypical reports whether averages exclude the session.
func (o *Open) Atypical() bool {
	return o.Session && (o.Bot || o.EngagedMs < atypicalEngagedMs && o.PresentMs < atypicalPresentMs)
}

// Counted reports whether averages include the session.
func (o *Open) Counted() bool { return o.Session && !o.Atypical() }

// Completion returns the completion of a counted session, from 0 to 1. ok is
// false for links without a completion.
func (o *Open) Completion() (share float64, ok bool) {
	switch o.Link.Content() {
	case "pages":
		return float64(len(o.Pages)) / float64(o.Link.Pages), true
	case "media":
		return float64(o.PlayedPct) / 100, true
	case "scroll":
		return float64(o.DepthPct) / 100, true
	}
	return 0, false
}

// LastPage returns the last page seen, or 0.
func (o *Open) LastPage() int {
	if len(o.Pages) == 0 {
		return 0
	}
	return o.Pages[len(o.Pages)-1].Page
}
