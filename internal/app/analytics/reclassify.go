package analytics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/report"
)

// ReclassifyLog is what Reclassify uses of [vitrine.ViewLog].
type ReclassifyLog interface {
	Append(ctx context.Context, b vitrine.Batch) (vitrine.Outcome, error)
	EachScope(ctx context.Context, f func(vitrine.Scope) error) error
	RetainedFrom(ctx context.Context, a vitrine.AccountID) (from report.Day, err error)
	Tally(ctx context.Context, q vitrine.TallyQuery) (t *report.Tally, truncated bool, err error)
	Views(ctx context.Context, l vitrine.LinkID, from, to report.Day, f func(*report.View) error) error
}

// Reclassify applies rules to stored views.
type Reclassify struct {
	Store vitrine.Store // for the history of accounts; nil if not written
	Log   ReclassifyLog
	Now   func() time.Time
	// Rule returns the reason for excluding a view, from its stored reason and
	// the name of its program, or "" if the view counts.
	Rule func(reason, product string) string
	// Retry repeats a call that may fail temporarily; nil means no repetition.
	Retry func(ctx context.Context, f func() error) error
	// Tell is called from time to time with the progress; may be nil.
	Tell func(Reclassified)
}

// ClassChange is a changed reason for the views of a program. "" means that
// they count.
type ClassChange struct {
	From, To string
	Product  string
}

// Reclassified is the result of a run.
type Reclassified struct {
	Views    int64 // number of checked views
	Excluded int64 // of them
	Changes  map[ClassChange]int64
	Applied  int64 // views that were changed
	// Gone counts excluded views of expired days, which have only tallies.
	// GoneOther counts those of them that would change. They stay unchanged.
	Gone, GoneOther int64
}

// Changed returns the number of views that change.
func (r *Reclassified) Changed() (n int64) {
	for _, of := range r.Changes {
		n += of
	}
	return n
}

// Run checks every stored view. With apply it changes the views for which the
// rule gives another result. Before it changes any view of an account, it
// counts all of them and writes a note to the account's history. The next run
// continues an interrupted one. Views that arrive during the run may be left
// out.
func (s *Reclassify) Run(ctx context.Context, apply bool) (Reclassified, error) {
	r := Reclassified{Changes: map[ClassChange]int64{}}
	accounts, err := s.accounts(ctx)
	for _, a := range slices.Sorted(maps.Keys(accounts)) {
		if err == nil {
			err = s.account(ctx, a, accounts[a], apply, &r)
		}
	}
	return r, err
}

// accounts returns the links of each account in the log, in order.
func (s *Reclassify) accounts(ctx context.Context) (map[vitrine.AccountID][]vitrine.LinkID, error) {
	accounts := map[vitrine.AccountID][]vitrine.LinkID{}
	err := s.Log.EachScope(ctx, func(of vitrine.Scope) error {
		if links := accounts[of.Account]; of.Link != 0 {
			accounts[of.Account] = append(links, of.Link)
		} else if links == nil {
			accounts[of.Account] = []vitrine.LinkID{}
		}
		return nil
	})
	for a, links := range accounts {
		slices.Sort(links)
		accounts[a] = slices.Compact(links)
	}
	return accounts, err
}

// account checks the views of an account.
func (s *Reclassify) account(ctx context.Context, a vitrine.AccountID, links []vitrine.LinkID, apply bool,
	all *Reclassified) error {
	from, err := s.Log.RetainedFrom(ctx, a)
	if err == nil && from > 0 {
		err = s.gone(ctx, a, from, all)
	}
	changes := map[ClassChange]int64{}
	changing := &applying{Reclassify: s, all: all}
	var some []vitrine.LinkID
	for _, link := range links {
		if err != nil {
			return err
		}
		before := len(some)
		err = s.Log.Views(ctx, link, from, math.MaxInt32, func(v *report.View) error {
			all.look(v)
			if d, c, changed := s.decide(v); changed {
				all.Changes[c]++
				changes[c]++
				if len(some) == before {
					some = append(some, link)
				}
				if apply && len(changing.list) <= maxCollected {
					changing.list = append(changing.list, d)
				}
			}
			s.tell(all)
			return ctx.Err()
		})
	}
	if err != nil || !apply || len(some) == 0 {
		return err
	}
	if err := s.note(ctx, a, changes); err != nil {
		return err
	}
	if len(changing.list) > maxCollected { // not all of them
		changing.list = changing.list[:0]
		for _, link := range some {
			if err := changing.link(ctx, link, from); err != nil {
				return err
			}
		}
	}
	return changing.apply(ctx)
}

func (r *Reclassified) look(v *report.View) {
	r.Views++
	if !v.Counted() {
		r.Excluded++
	}
}

// progressEvery is the number of views after which Tell is called.
const progressEvery = 10_000

func (s *Reclassify) tell(r *Reclassified) {
	if s.Tell != nil && (r.Views+r.Applied)%progressEvery == 0 {
		s.Tell(*r)
	}
}

// gone counts the excluded views of expired days.
func (s *Reclassify) gone(ctx context.Context, a vitrine.AccountID, until report.Day, all *Reclassified) error {
	t, _, err := s.Log.Tally(ctx, vitrine.TallyQuery{Scope: vitrine.Scope{Account: a}, To: until})
	if err != nil {
		return err
	}
	for _, p := range t.Products() {
		all.Gone += p.Count
		if p.Reason != report.BotOwn && s.Rule(p.Reason, p.Product) != p.Reason {
			all.GoneOther += p.Count
		}
	}
	return nil
}

// decide returns the change of a view. The rule sees the reason with which the
// view was stored, regardless of later rules.
func (s *Reclassify) decide(v *report.View) (d vitrine.Reclass, c ClassChange, changes bool) {
	reason, product := v.Bot, v.Product
	if v.WasBot != "" {
		reason, product = v.WasBot, v.WasProduct
	}
	if v.Own || reason == "" {
		return d, c, false
	}
	now := s.Rule(reason, product)
	change := report.Reclass{Reason: now, Count: now == ""}
	before := v.Class()
	after, _ := before.Decide(change)
	return vitrine.Reclass{Link: vitrine.LinkID(v.Link), View: vitrine.ViewID(v.ID), Reclass: change},
		ClassChange{v.Bot, after.Bot, product}, after != before
}

// changeBatch is how many views one transaction changes. Other writers wait for
// it. A segment of stored views is rewritten once in each transaction.
const changeBatch = 2000

// maxCollected is about how many changes are collected before they are applied.
// An account with more is read twice.
var maxCollected = 100_000

var errBatchFull = errors.New("enough changes collected")

// applying collects the changes of an account's links, and applies many at a
// time.
type applying struct {
	*Reclassify
	all  *Reclassified
	list []vitrine.Reclass
}

// link changes the views of a link, oldest first, so that returning viewers do
// not depend on where an earlier run ended. Some changes may remain collected.
func (a *applying) link(ctx context.Context, link vitrine.LinkID, from report.Day) error {
	for more := true; more; {
		more = false
		err := a.Log.Views(ctx, link, from, math.MaxInt32, func(v *report.View) error {
			day := report.DayOf(v.At)
			if len(a.list) >= maxCollected && day > from {
				more, from = true, day
				return errBatchFull
			}
			if len(a.list) < maxCollected {
				from = day
			}
			if d, _, changes := a.decide(v); changes {
				a.list = append(a.list, d)
			}
			return nil
		})
		if err != nil && !more {
			return err
		}
		if len(a.list) < maxCollected {
			continue
		}
		if err := a.apply(ctx); err != nil {
			return err
		}
	}
	return nil
}

// apply applies the collected changes.
func (a *applying) apply(ctx context.Context) error {
	for some := range slices.Chunk(a.list, changeBatch) {
		err := a.retry(ctx, func() error {
			_, err := a.Log.Append(ctx, vitrine.Batch{Reclasses: some})
			return err
		})
		if err != nil {
			return err
		}
		a.all.Applied += int64(len(some))
		if a.Tell != nil {
			a.Tell(*a.all)
		}
	}
	a.list = a.list[:0]
	return nil
}

func (s *Reclassify) retry(ctx context.Context, f func() error) error {
	if s.Retry == nil {
		return f()
	}
	return s.Retry(ctx, f)
}

// note writes the planned changes to the history of an account.
func (s *Reclassify) note(ctx context.Context, a vitrine.AccountID, changes map[ClassChange]int64) error {
	if s.Store == nil {
		return nil
	}
	return s.retry(ctx, func() error {
		return s.Store.Update(ctx, func(tx vitrine.Tx) error {
			owner, err := ownerOf(tx, a)
			if err != nil || owner == 0 {
				return err
			}
			return tx.AddChange(&vitrine.Change{At: s.Now(), By: vitrine.Administrator, Action: vitrine.ActionReclass,
				Account: owner, Detail: summary(changes)})
		})
	})
}

// ownerOf returns the owner of an account in the log: for a website, the
// website's owner, or 0 if deleted.
func ownerOf(tx vitrine.Tx, a vitrine.AccountID) (vitrine.AccountID, error) {
	if a < vitrine.FirstSitePage {
		return a, nil
	}
	pages, err := tx.SitePages(0)
	for _, p := range pages {
		if p.Path == "" && p.Number == int64(a) {
			site, err := tx.Site(p.Site)
			if err != nil {
				return 0, vitrine.NotFoundIsNil(err)
			}
			return site.Account, nil
		}
	}
	return 0, err
}

// maxWords is the most changes that an entry of the history names.
const maxWords = 8

// summary describes how many views change from which reason to which, the most
// frequent first.
func summary(changes map[ClassChange]int64) string {
	byReason := map[ClassChange]int64{}
	for c, n := range changes {
		byReason[ClassChange{From: c.From, To: c.To}] += n
	}
	list := SortedClassChanges(byReason)
	var words []string
	for _, c := range list[:min(len(list), maxWords)] {
		words = append(words, fmt.Sprintf("%s → %s: %d", ReasonName(c.From), ReasonName(c.To), byReason[c]))
	}
	if len(list) > maxWords {
		words = append(words, "and more")
	}
	return strings.Join(words, ", ")
}

// ReasonName returns a reason in words; "" is a person.
func ReasonName(reason string) string { return cmp.Or(reason, "person") }

// SortedClassChanges returns changes ordered by their number of views, the most
// frequent first.
func SortedClassChanges(changes map[ClassChange]int64) []ClassChange {
	return slices.SortedFunc(maps.Keys(changes), func(a, b ClassChange) int {
		return cmp.Or(cmp.Compare(changes[b], changes[a]), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To),
			cmp.Compare(a.Product, b.Product))
	})
}
