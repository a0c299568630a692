// Package dataset makes opens as links really get them: deterministically, in
// the order of time, as many as asked for, and with the import's words for
// everything (import format). What is measured is measured on these, and every
// reference gets the same.
package dataset

import (
	"fmt"
	"time"
)

// Version is part of the name of everything that is cached: it changes when the
// same parameters give other opens.
const Version = 1

// Params name a dataset. Equal ones give equal opens.
type Params struct {
	Name     string // of the dataset, in file names and slugs: letters and digits
	Accounts int    // each with Opens and Links of its own
	Opens    int    // of an account
	Links    int    // of an account
	Days     int    // that the opens fill, the last of them being Last
	Last     time.Time
	// Until, if set, adds a day that is still running: opens from 00:00 of its
	// day up to this moment, at the rate of the others.
	Until time.Time
	Seed  uint64
}

// LastDay returns the last day of a dataset that only has finished days, late
// snapshots included: three days ago.
func LastDay(now time.Time) time.Time {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -3)
}

// Key names the dataset's files.
func (p Params) Key() string {
	key := fmt.Sprintf("%s-v%d-%dx%d-%dlinks-%ddays-%d-%s", p.Name, Version, p.Accounts, p.Opens, p.Links, p.Days,
		p.Seed, p.Last.Format("20060102"))
	if !p.Until.IsZero() {
		key += p.Until.Format("-20060102T150405")
	}
	return key
}

// Total returns the number of opens of all accounts.
func (p Params) Total() int { return p.Accounts * p.Opens }

// From returns 00:00 UTC of the first day.
func (p Params) From() time.Time { return p.Last.AddDate(0, 0, 1-p.Days) }

// Account returns the email address of account i, counted from 0.
func (p Params) Account(i int) string { return fmt.Sprintf("owner%d@example.org", i) }

// Link is one link of a dataset.
type Link struct {
	Account int // from 0
	Number  int // from 0, over all accounts, in the order of creation within one
	Slug    string
	Kind    string
	Pages   int // of a PDF
	Created time.Time

	sessionPct int // of its opens by people, how many have engagement data
}

// Content returns the measure of reading for the link's kind.
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

// kinds by how many of twenty links are of each.
var kinds = []string{"pdf", "pdf", "pdf", "pdf", "pdf", "pdf", "pdf", "video", "video", "image", "image", "html",
	"html", "text",
	"document", "document", "document", "audio", "archive", "archive"}

// LinksOf lists the links of an account, the most opened one first.
func (p Params) LinksOf(account int) []Link {
	r := random(p.Seed, account, 1)
	links := make([]Link, p.Links)
	for i := range links {
		l := &links[i]
		*l = Link{Account: account, Number: account*p.Links + i, Created: p.From(), Kind: kinds[r.IntN(len(kinds))]}
		l.Slug = fmt.Sprintf("%s-%d-%d", p.Name, account, i)
		if i >= 2 { // the first two are there from the start
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

// Open is one open. Labels are places in the package's lists of words; 0 is
// unknown, but for Source.
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

// Bounds of what is no reading (analytics, Views).
const (
	atypicalEngagedMs = 1000
	atypicalPresentMs = 2000
)

// Atypical says that the open is a session that no average counts.
func (o *Open) Atypical() bool {
	return o.Session && (o.Bot || o.EngagedMs < atypicalEngagedMs && o.PresentMs < atypicalPresentMs)
}

// Counted says that the open is a session that averages count.
func (o *Open) Counted() bool { return o.Session && !o.Atypical() }

// Completion returns how far a counted session came, from 0 to 1. ok is false
// for links without a completion.
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

// LastPage returns the furthest page seen, or 0.
func (o *Open) LastPage() int {
	if len(o.Pages) == 0 {
		return 0
	}
	return o.Pages[len(o.Pages)-1].Page
}
