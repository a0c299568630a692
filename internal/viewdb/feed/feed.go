// Package feed tells what transactions have changed on running days, so that what
// is kept of them in memory can follow.
package feed

import (
	"sync"

	"vitrine"
	"vitrine/report"
)

// Changes is what one transaction does to accounts whose running days are kept
// in memory.
type Changes struct {
	feed   *Feed
	began  int64 // follows there had been when it began
	Seq    int64
	events []Event
	resets []vitrine.AccountID // whose views were moved, or changed in a way that is not told
}

// Event is a change to one view of a person or a bot, or download events of a
// day.
type Event struct {
	Account       vitrine.AccountID
	Before, After *report.View // nil: it was not there
	Link          vitrine.LinkID
	Day           report.Day // of downloads
	Downloads     int64
}

// Wanted reports whether anyone follows an account.
func (c *Changes) Wanted(account vitrine.AccountID) bool { return c.feed.Followed(account) }

func (c *Changes) Add(e Event) { c.events = append(c.events, e) }

func (c *Changes) Reset(account vitrine.AccountID) { c.resets = append(c.resets, account) }

// Feed remembers what the last transactions of this process did. Anyone who
// kept something in memory as of one transaction goes on from there; where
// another process wrote in between, or too much happened, the feed has a gap.
type Feed struct {
	mu        sync.Mutex
	follows   int64 // ever
	seq       int64 // the last one told
	followers map[vitrine.AccountID]*follower
	last      []*Changes // in the order of seq, each the one before plus 1
	events    int
}

type follower struct {
	n     int
	since int64 // the follow with which it began
	seq   int64 // the last transaction that was told before
}

// Bounds of what a feed remembers.
const (
	FeedTransactions = 1 << 14
	feedEvents       = 1 << 15
)

func NewFeed() *Feed { return &Feed{followers: map[vitrine.AccountID]*follower{}} }

func (f *Feed) Followed(account vitrine.AccountID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.followers[account] != nil
}

// Follow asks for the events of an account from now on.
func (f *Feed) Follow(account vitrine.AccountID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.follows++
	if f.followers[account] == nil {
		f.followers[account] = &follower{since: f.follows, seq: f.seq}
	}
	f.followers[account].n++
}

func (f *Feed) Unfollow(account vitrine.AccountID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.followers[account].n--; f.followers[account].n == 0 {
		delete(f.followers, account)
	}
}

// Begin is the changes of a transaction that begins.
func (f *Feed) Begin() *Changes {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &Changes{feed: f, began: f.follows}
}

func (f *Feed) Publish(c *Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for account, who := range f.followers {
		if who.since > c.began { // it may have been asked too early whether anyone follows
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

// Since lists the changes of an account by the transactions after one up to
// another; false: not all of them are known, or they cannot be told by events.
func (f *Feed) Since(account vitrine.AccountID, after, upTo int64) (events []Event, known bool) {
	if after == upTo {
		return nil, true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if who := f.followers[account]; who == nil || after < who.seq {
		return nil, false // what happened before anyone followed was not told
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

// OfLink is the link that an event is about.
func (e *Event) OfLink() int64 {
	switch {
	case e.After != nil:
		return e.After.Link
	case e.Before != nil:
		return e.Before.Link
	}
	return int64(e.Link)
}
