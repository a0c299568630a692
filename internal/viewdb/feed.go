package viewdb

import (
	"context"
	"sync"

	"vitrine"
	"vitrine/report"
)

// changes is what one transaction does to accounts whose running days are kept
// in memory.
type changes struct {
	feed   *feed
	began  int64 // follows there had been when it began
	seq    int64
	events []event
	resets []vitrine.AccountID // whose opens were moved, or changed in a way that is not told
}

// event is a change to one open of a person or a bot, or download events of a
// day.
type event struct {
	account       vitrine.AccountID
	before, after *report.Open // nil: it was not there
	link          vitrine.LinkID
	day           report.Day // of downloads
	downloads     int64
}

// wanted reports whether anyone follows an account.
func (c *changes) wanted(account vitrine.AccountID) bool { return c.feed.followed(account) }

func (c *changes) add(e event) { c.events = append(c.events, e) }

func (c *changes) reset(account vitrine.AccountID) { c.resets = append(c.resets, account) }

// feed remembers what the last transactions of this process did. Anyone who
// kept something in memory as of one transaction goes on from there; where
// another process wrote in between, or too much happened, the feed has a gap.
type feed struct {
	mu        sync.Mutex
	follows   int64 // ever
	seq       int64 // the last one told
	followers map[vitrine.AccountID]*follower
	last      []*changes // in the order of seq, each the one before plus 1
	events    int
}

type follower struct {
	n     int
	since int64 // the follow with which it began
	seq   int64 // the last transaction that was told before
}

// Bounds of what a feed remembers.
const (
	feedTransactions = 1 << 14
	feedEvents       = 1 << 15
)

func newFeed() *feed { return &feed{followers: map[vitrine.AccountID]*follower{}} }

func (f *feed) followed(account vitrine.AccountID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.followers[account] != nil
}

// follow asks for the events of an account from now on.
func (f *feed) follow(account vitrine.AccountID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.follows++
	if f.followers[account] == nil {
		f.followers[account] = &follower{since: f.follows, seq: f.seq}
	}
	f.followers[account].n++
}

func (f *feed) unfollow(account vitrine.AccountID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.followers[account].n--; f.followers[account].n == 0 {
		delete(f.followers, account)
	}
}

// begin is the changes of a transaction that begins.
func (f *feed) begin() *changes {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &changes{feed: f, began: f.follows}
}

func (f *feed) publish(c *changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for account, who := range f.followers {
		if who.since > c.began { // it may have been asked too early whether anyone follows
			c.reset(account)
		}
	}
	f.seq = c.seq
	if n := len(f.last); n > 0 && f.last[n-1].seq+1 != c.seq {
		f.last, f.events = nil, 0
	}
	f.last = append(f.last, c)
	f.events += len(c.events)
	drop := 0
	for len(f.last)-drop > feedTransactions || f.events > feedEvents && drop < len(f.last) {
		f.events -= len(f.last[drop].events)
		drop++
	}
	f.last = f.last[drop:]
}

// since lists the changes of an account by the transactions after one up to
// another; false: not all of them are known, or they cannot be told by events.
func (f *feed) since(account vitrine.AccountID, after, upTo int64) (events []event, known bool) {
	if after == upTo {
		return nil, true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if who := f.followers[account]; who == nil || after < who.seq {
		return nil, false // what happened before anyone followed was not told
	}
	if len(f.last) == 0 || f.last[0].seq > after+1 || f.last[len(f.last)-1].seq < upTo {
		return nil, false
	}
	for _, c := range f.last[after+1-f.last[0].seq : upTo+1-f.last[0].seq] {
		for _, a := range c.resets {
			if a == account {
				return nil, false
			}
		}
		for _, e := range c.events {
			if e.account == account {
				events = append(events, e)
			}
		}
	}
	return events, true
}

// update runs f as a transaction that writes, and tells the feed what it did.
func (l *ViewLog) update(ctx context.Context, f func(logTx, *changes) error) error {
	return l.transact(ctx, func(t logTx) error {
		c := l.feed.begin()
		if err := f(t, c); err != nil {
			return err
		}
		var err error
		if c.seq, err = t.nextSeq(); err != nil {
			return err
		}
		t.OnCommit(func() { l.feed.publish(c) })
		return nil
	})
}
