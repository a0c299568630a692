package ingest

import (
	"context"
	"errors"
	"hash/maphash"
	"net/netip"
	"sync"
	"time"

	"vitrine"
	"vitrine/internal/visitor"
	"vitrine/report"
)

// The most that one network adds to reports (analytics, Views). People stay
// below: 2,000 views in an hour are a lecture hall with a thousand seats behind
// one address, where everybody opens the link twice. A flood passes that within
// seconds. A page above the limits is still sent, because its reader may be a
// person.
const (
	maxLinkViews    = 2000
	maxAccountViews = 10_000
	maxLabels       = 500
)

// maxExcess bounds the links and hours whose excess views wait for Write. More
// are only possible if the store fails for long.
const maxExcess = 1 << 16

// Limits bounds what one network adds to reports. Views above the limits are
// excess: they are only counted, by link and hour. Each process counts by
// itself, because a common count would be a transaction for each view: in some
// 2 MiB besides the excess that waits, whatever comes. It keeps no addresses:
// networks and links are hashed, with a random key, so that a network cannot
// push out its own counts. So a count of views may be too high, by very
// little, never too low; few labels in a thousand are not counted.
type Limits struct {
	Store vitrine.Store // where excess views are counted

	LinkViews    uint16 // of a link in an hour; and downloads without a view
	AccountViews uint16 // of all links of an account, or of a website, in an hour
	Labels       uint16 // different labels of a link in a day

	mu      sync.Mutex
	seed    maphash.Seed
	hour    int64
	views   sketch           // of the hour
	labels  sketch           // of its day
	seen    filter           // labels of the day
	excess  map[hourOf]int64 // for the next Write
	writing int              // how many links and hours the present one writes
}

// hourOf identifies excess views.
type hourOf struct {
	of   vitrine.Scope
	hour int64
}

// NewLimits returns limits that count excess views in a store.
func NewLimits(store vitrine.Store) *Limits {
	return &Limits{Store: store, LinkViews: maxLinkViews, AccountViews: maxAccountViews, Labels: maxLabels,
		seed: maphash.MakeSeed(), excess: map[hourOf]int64{}}
}

// counted is what a count is about: views of a link or an account from a
// network, and so on.
type counted struct {
	kind    byte
	network netip.Prefix
	id      int64
}

// label is a label of the views of a link from a network.
type label struct {
	network netip.Prefix
	link    int64
	kind    int
	text    string
}

// The kinds of counts.
const (
	countLink = iota
	countAccount
	countDownload
	countLabels
)

var errExcess = errors.New("excess views of too many links wait for the database")

// admit counts a view at a time and reports whether it is stored. If not, it is
// excess. It replaces labels that are too many. The invalid network is that of
// clients of a proxy that is not trusted. It has no limits, because everybody
// would share them.
func (l *Limits) admit(from netip.Prefix, now time.Time, v *vitrine.ViewRecord) (bool, error) {
	if l == nil || !from.IsValid() {
		return true, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(now)
	link := l.hash(counted{countLink, from, v.Link})
	account := l.hash(counted{countAccount, from, int64(v.Account)})
	if l.views.count(link) < l.LinkViews && l.views.count(account) < l.AccountViews {
		l.views.add(link)
		l.views.add(account)
		l.label(from, v)
		return true, nil
	}
	of := hourOf{vitrine.Scope{Account: v.Account, Link: vitrine.LinkID(v.Link)}, l.hour}
	if l.excess[of] == 0 && len(l.excess)+l.writing >= maxExcess {
		return false, vitrine.Unavailable(errExcess)
	}
	l.excess[of]++
	return false, nil
}

// admitDownload counts a download without a view, and reports whether it
// counts.
func (l *Limits) admitDownload(from netip.Prefix, now time.Time, link vitrine.LinkID) bool {
	if l == nil || !from.IsValid() {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(now)
	h := l.hash(counted{countDownload, from, int64(link)})
	if l.views.count(h) >= l.LinkViews {
		return false
	}
	l.views.add(h)
	return true
}

// turn starts new counts if another hour or day has begun.
func (l *Limits) turn(now time.Time) {
	hour := now.UnixMilli() / time.Hour.Milliseconds()
	if hour == l.hour {
		return
	}
	l.views.clear()
	if hour/24 != l.hour/24 {
		l.labels.clear()
		l.seen.clear()
	}
	l.hour = hour
}

func (l *Limits) hash(c counted) uint64 { return maphash.Comparable(l.seed, c) }

// label replaces the labels that a sender can choose if its network has added
// too many different ones to the link.
func (l *Limits) label(from netip.Prefix, v *vitrine.ViewRecord) {
	for i, d := range report.Labels() {
		if d.Sent {
			l.one(from, v.Link, i, d.Field(&v.View), visitor.Other)
		}
	}
	l.one(from, v.Link, len(report.Labels()), &v.Product, "")
}

// one replaces a label, the i-th of a view of a link, if it is one too many.
func (l *Limits) one(from netip.Prefix, link int64, i int, text *string, instead string) {
	if *text == "" || *text == instead {
		return
	}
	h := maphash.Comparable(l.seed, label{from, link, i, *text})
	if l.seen.has(h) {
		return
	}
	n := l.hash(counted{countLabels, from, link})
	if l.labels.count(n) >= l.Labels {
		*text = instead
		return
	}
	l.labels.add(n)
	l.seen.add(h)
}

// Write adds the excess views so far to those in the store. It is background
// work; a process that is killed loses what was not written.
func (l *Limits) Write(ctx context.Context) error {
	l.mu.Lock()
	excess := l.excess
	l.excess = map[hourOf]int64{}
	l.writing += len(excess)
	l.mu.Unlock()
	if len(excess) == 0 {
		return nil
	}
	err := l.Store.Update(ctx, func(tx vitrine.Tx) error {
		for of, n := range excess {
			if err := tx.AddExcess(of.of, time.UnixMilli(of.hour*time.Hour.Milliseconds()), n); err != nil {
				return err
			}
		}
		return nil
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writing -= len(excess)
	if err != nil {
		for of, n := range excess {
			l.excess[of] += n
		}
	}
	return err
}

const (
	sketchRows = 4
	sketchBits = 16 // of the number of counters in a row
)

// sketch counts hashes in constant memory (a count-min sketch). A count is too
// high if another hash with many has the same counters in all rows, and never
// too low.
type sketch [sketchRows][1 << sketchBits]uint16

// at returns the counters of a hash.
func (s *sketch) at(h uint64) (at [sketchRows]*uint16) {
	for row := range at {
		at[row] = &s[row][h>>(row*sketchBits)&(1<<sketchBits-1)]
	}
	return at
}

func (s *sketch) count(h uint64) uint16 {
	at := s.at(h)
	return min(*at[0], *at[1], *at[2], *at[3])
}

// add counts a hash. Counters that are higher already count it with another
// one.
func (s *sketch) add(h uint64) {
	n := s.count(h) + 1
	for _, c := range s.at(h) {
		*c = max(*c, n)
	}
}

func (s *sketch) clear() { clear(s[:]) }

const (
	filterBits   = 23 // of the number of bits
	filterHashes = 4
	// filterMost is how many hashes a filter takes before it starts again, so
	// that it takes at most one of 400 others for known.
	filterMost = 1 << filterBits / 16
)

// filter is a set of hashes in constant memory (a Bloom filter): it may have a
// hash that was not added.
type filter struct {
	n    int
	bits [1 << filterBits / 64]uint64
}

func (f *filter) each(h uint64, do func(word *uint64, bit uint64)) {
	for i := range uint64(filterHashes) {
		at := (h + i*(h>>32|1)) & (1<<filterBits - 1)
		do(&f.bits[at/64], 1<<(at%64))
	}
}

func (f *filter) has(h uint64) bool {
	all := true
	f.each(h, func(word *uint64, bit uint64) { all = all && *word&bit != 0 })
	return all
}

func (f *filter) add(h uint64) {
	if f.n == filterMost {
		f.clear()
	}
	f.n++
	f.each(h, func(word *uint64, bit uint64) { *word |= bit })
}

func (f *filter) clear() { *f = filter{} }
