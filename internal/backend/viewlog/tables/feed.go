package tables

import (
	"sync"

	"vitrine"
	"vitrine/report"
)

// Changes collects what one transaction changes in followed accounts.
type Changes struct {
	feed   *Feed
	began  int64 // number of follows when the transaction began
	Seq    int64
	events []Event
	resets []vitrine.AccountID // accounts whose changes cannot be expressed as events
	// Views are all views that it adds or changes, as the log stores them for
	// a copy. They are not published.
	Views []byte
	// News are what people viewed and downloaded, and NewsAt is when, in ms.
	News   []byte
	NewsAt int64
	prompt bool // the news are read at once
}

// Event is a change of one view, or of the download events of a day.
type Event struct {
	Account       vitrine.AccountID
	Before, After *report.View // nil if there was none, or there is none now
	Link          vitrine.LinkID
	Day           report.Day // day of the downloads
	Downloads     int64
}

// Wanted reports whether an account has followers.
func (c *Changes) Wanted(account vitrine.AccountID) bool { return c.feed.Followed(account) }

// Add adds a change of one view or of a number of downloads.
func (c *Changes) Add(e Event) { c.events = append(c.events, e) }

// Reset says that more has changed in an account than events tell: its
// followers begin anew.
func (c *Changes) Reset(account vitrine.AccountID) { c.resets = append(c.resets, account) }

// Feed remembers the last transactions of this process. A copy in memory that
// is as of one transaction can be brought up to date from it. The feed has a
// gap where another process wrote in between or too much happened.
type Feed struct {
	mu        sync.Mutex
	follows   int64 // number of all follows so far
	seq       int64 // number of the last published transaction
	followers map[vitrine.AccountID]*follower
	last      []*Changes // ordered by seq, without gaps
	events    int
	Prompt    Prompt
}

type follower struct {
	n     int
	since int64 // number of the follow that began it
	seq   int64 // last transaction published before it
}

// The limits of what a feed remembers.
const (
	FeedTransactions = 1 << 14
	feedEvents       = 1 << 15
)

// NewFeed returns a feed that nobody follows.
func NewFeed() *Feed { return &Feed{followers: map[vitrine.AccountID]*follower{}} }

// Followed reports whether an account has followers.
func (f *Feed) Followed(account vitrine.AccountID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.followers[account] != nil
}

// Follow requests the events of an account from now on.
func (f *Feed) Follow(account vitrine.AccountID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.follows++
	if f.followers[account] == nil {
		f.followers[account] = &follower{since: f.follows, seq: f.seq}
	}
	f.followers[account].n++
}

// Unfollow ends one Follow.
func (f *Feed) Unfollow(account vitrine.AccountID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.followers[account].n--; f.followers[account].n == 0 {
		delete(f.followers, account)
	}
}

// Begin returns the changes of a new transaction.
func (f *Feed) Begin() *Changes {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &Changes{feed: f, began: f.follows}
}

// Publish passes the changes of a committed transaction to those who follow.
func (f *Feed) Publish(c *Changes) {
	if c.prompt {
		f.Prompt.Set()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for account, who := range f.followers {
		if who.since > c.began { // the transaction may have asked Wanted before the follow
			c.Reset(account)
		}
	}
	f.seq = c.Seq
	if n := len(f.last); n > 0 && f.last[n-1].Seq+1 != c.Seq {
		f.last, f.events = nil, 0
	}
	f.last = append(f.last, c)
	f.events += len(c.events)
	drop := 0
	for len(f.last)-drop > FeedTransactions || f.events > feedEvents && drop < len(f.last) {
		f.events -= len(f.last[drop].events)
		drop++
	}
	f.last = f.last[drop:]
}

// Since returns the changes of an account by the transactions in (after, upTo].
// It reports false if some are unknown or cannot be expressed as events.
func (f *Feed) Since(account vitrine.AccountID, after, upTo int64) (events []Event, known bool) {
	if after == upTo {
		return nil, true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if who := f.followers[account]; who == nil || after < who.seq {
		return nil, false // events before the first follow were not recorded
	}
	if len(f.last) == 0 || f.last[0].Seq > after+1 || f.last[len(f.last)-1].Seq < upTo {
		return nil, false
	}
	for _, c := range f.last[after+1-f.last[0].Seq : upTo+1-f.last[0].Seq] {
		for _, a := range c.resets {
			if a == account {
				return nil, false
			}
		}
		for _, e := range c.events {
			if e.Account == account {
				events = append(events, e)
			}
		}
	}
	return events, true
}

// OfLink returns the link that an event is about.
func (e *Event) OfLink() int64 {
	switch {
	case e.After != nil:
		return e.After.Link
	case e.Before != nil:
		return e.Before.Link
	}
	return int64(e.Link)
}
