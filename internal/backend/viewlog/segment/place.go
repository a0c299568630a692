package segment

import (
	"container/heap"

	"vitrine"
)

// Place is the position of a view among those of a scope, ordered by ID, then
// by link.
type Place struct {
	ID   vitrine.ViewID
	Link vitrine.LinkID
}

// Before reports whether p is before q.
func (p Place) Before(q Place) bool { return p.ID < q.ID || p.ID == q.ID && p.Link < q.Link }

// Places keeps the newest n of the added positions. It is a heap with the
// oldest first.
type Places struct {
	n      int
	Places []Place
	Full   bool // more than n were added
}

// NewestOf returns a Places that keeps n positions.
func NewestOf(n int) *Places { return &Places{n: n} }

// Add adds a position.
func (p *Places) Add(q Place) {
	if len(p.Places) < p.n {
		heap.Push(p, q)
		return
	}
	p.Full = true
	if p.Places[0].Before(q) {
		p.Places[0] = q
		heap.Fix(p, 0)
	}
}

func (p *Places) Len() int           { return len(p.Places) }
func (p *Places) Less(i, j int) bool { return p.Places[i].Before(p.Places[j]) }
func (p *Places) Swap(i, j int)      { p.Places[i], p.Places[j] = p.Places[j], p.Places[i] }
func (p *Places) Push(q any)         { p.Places = append(p.Places, q.(Place)) }
func (p *Places) Pop() any           { panic("segment: Pop is not supported") }
