package viewdb

import (
	"sync"

	"vitrine"
	"vitrine/report"
)

// tallyCache keeps the tallies of settled days that were asked for last in
// memory: they stay the same until something of those days changes, which the
// state of their account tells, or until tomorrow.
type tallyCache struct {
	mu    sync.Mutex
	byOf  map[keptOf]*keptTally
	clock int64
	size  int
	most  int // bytes
}

// keptBytes bounds the memory for kept tallies.
const keptBytes = 24 << 20

// keptOf is what a tally is of.
type keptOf struct {
	vitrine.Scope
	span
	brief bool
}

// keptTally is a tally that nobody changes any more.
type keptTally struct {
	of    keptOf
	state state
	tally *report.Tally
	parts []part

	// Under the mutex of kept.
	used int64
	size int
}

func newKept() *tallyCache { return &tallyCache{byOf: map[keptOf]*keptTally{}, most: keptBytes} }

// find finds a tally as of a state of its account; nil: it is not kept.
func (k *tallyCache) find(of keptOf, st state) *keptTally {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.byOf[of]
	if t == nil || t.state != st {
		return nil
	}
	k.clock++
	t.used = k.clock
	return t
}

// keep keeps a tally, and lets go of those that were not used for longest while
// all together are too large.
func (k *tallyCache) keep(t *keptTally) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop(k.byOf[t.of])
	k.clock++
	t.used, t.size = k.clock, t.tally.Size()
	k.byOf[t.of] = t
	k.size += t.size
	for k.size > k.most {
		var oldest *keptTally
		for _, t := range k.byOf {
			if oldest == nil || t.used < oldest.used {
				oldest = t
			}
		}
		k.drop(oldest)
	}
}

func (k *tallyCache) drop(t *keptTally) {
	if t != nil {
		delete(k.byOf, t.of)
		k.size -= t.size
	}
}
