package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// linkCountsModel makes random changes of links and compares the stored counts
// of their accounts with a recount after each.
func (t storeTest) linkCountsModel() {
	seed := vitrinetest.Seed(t)
	m := countsModel{storeTest: t, Rand: rand.New(rand.NewPCG(seed, 0)),
		accounts: []*vitrine.Account{t.account("ann@example.org"), t.account("bob@example.org")}}
	for step := range 120 {
		back := errors.New("rolled back")
		if m.IntN(5) > 0 {
			back = nil
		}
		stored := slices.Clone(m.links)
		err := t.store.Update(ctx, func(tx vitrine.Tx) error {
			m.links = slices.Clone(stored) // again, after a conflict
			for range 1 + m.IntN(3) {
				m.change(tx, step)
			}
			return back
		})
		t.is("a step", err, back)
		if back != nil {
			m.links = stored
		}
		for _, a := range m.accounts {
			m.check(a)
		}
		if t.Failed() {
			t.Fatalf("step %d of seed %d", step, seed)
		}
	}
}

type countsModel struct {
	storeTest
	*rand.Rand
	accounts []*vitrine.Account
	links    []vitrine.Link
	added    int
}

// change adds or changes a link, or fails to.
func (m *countsModel) change(tx vitrine.Tx, step int) {
	if len(m.links) == 0 || m.IntN(3) == 0 {
		m.added++
		l := link(m.accounts[m.IntN(2)], vitrine.Slug(fmt.Sprint("link-", m.added)), time.Duration(m.IntN(5))*time.Hour)
		switch of := m.IntN(4); {
		case of == 0:
			l.Site = 1
		case of == 1 && len(m.links) > 0:
			l.Account, l.Slug, l.Of, l.Version = m.links[0].Account, "", m.links[0].ID, m.added+1
		}
		m.vary(l)
		m.is("a new link", tx.AddLink(l), nil)
		again := *l
		if again.Slug != "" {
			m.is("its address again", tx.AddLink(&again), vitrine.ErrExists)
		}
		m.links = append(m.links, *l)
		return
	}
	at := m.IntN(len(m.links))
	l := m.links[at]
	m.vary(&l)
	switch m.IntN(6) {
	case 0:
		l.ID += 1000
		m.is("a link that does not exist", tx.PutLink(&l), vitrine.ErrNotFound)
	case 1:
		if other := m.links[m.IntN(len(m.links))]; other.ID != l.ID && other.Slug != "" {
			l.Slug = other.Slug
			m.is("the address of another link", tx.PutLink(&l), vitrine.ErrExists)
		}
	default:
		m.is("a change", tx.PutLink(&l), nil)
		m.links[at] = l
	}
}

// vary changes what a link counts for.
func (m *countsModel) vary(l *vitrine.Link) {
	l.Size, l.HasBytes, l.DeletedAt = int64(m.IntN(4))<<40, m.IntN(3) > 0, time.Time{}
	if m.IntN(4) == 0 {
		l.DeletedAt = vitrinetest.Epoch
	}
	l.Pages, l.Versions = m.IntN(9), m.IntN(2)*9
}

// check compares what is stored about the links of an account with its links.
func (m *countsModel) check(a *vitrine.Account) {
	type totals struct {
		links, all, bytes int64
		oldest            time.Time
	}
	var want, got totals
	ids := map[vitrine.LinkID]bool{}
	for _, l := range m.links {
		if l.Account != a.ID || !l.DeletedAt.IsZero() {
			continue
		}
		if l.HasBytes {
			want.bytes += l.Size
		}
		if l.Site != 0 || l.Of != 0 {
			continue
		}
		ids[l.ID] = true
		if want.links++; want.links == 1 || l.CreatedAt.Before(want.oldest) {
			want.oldest = l.CreatedAt
		}
	}
	want.all = want.links // without websites
	m.read(func(tx vitrine.Tx) (err error) {
		var err2 error
		got.links, got.oldest, err = tx.LinkTotals(a.ID)
		got.all, got.bytes, err2 = tx.CountLinks(a.ID)
		vitrinetest.Equal(m, "counts of links", fmt.Sprint(got), fmt.Sprint(want))
		return errors.Join(err, err2, m.checkFacts(tx, a, ids))
	})
}

// checkFacts compares the facts of all links of an account with those of given
// links.
func (m *countsModel) checkFacts(tx vitrine.Tx, a *vitrine.Account, want map[vitrine.LinkID]bool) error {
	all, err := tx.LinkFacts(a.ID)
	var given []vitrine.LinkID
	for _, l := range m.links {
		if l.Account == a.ID {
			given = append(given, l.ID)
		}
	}
	given = append(given, 1_000_000)
	some, err2 := tx.LinkFactsOf(given)
	byID := func(a, b vitrine.LinkFacts) int { return int(a.ID - b.ID) }
	slices.SortFunc(all, byID)
	slices.SortFunc(some, byID)
	vitrinetest.Equal(m, "facts of given links", some, all)
	vitrinetest.Equal(m, "links with facts", len(all), len(want))
	for _, f := range all {
		if !want[f.ID] {
			m.Errorf("link %d has facts", f.ID)
		}
	}
	return errors.Join(err, err2)
}
