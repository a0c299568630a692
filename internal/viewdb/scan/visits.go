package scan

import (
	"cmp"
	"slices"
	"sync"

	"vitrine"
	"vitrine/report"
)

// visit records that a viewer came to a link in a step.
type visit struct {
	viewer uint64
	link   uint32 // number of the link in the scan
	step   report.Day
}

// visits groups visits by viewer. All visits of a viewer are in the same part,
// so parts can be counted one at a time.
type visits struct {
	parts   [visitParts][][]visit // chunks; all but the last one are full
	numbers map[vitrine.LinkID]uint32
	links   []vitrine.LinkID
	link    vitrine.LinkID
	number  uint32
}

const (
	visitParts = 256
	firstChunk = 16
	visitChunk = 1024
)

// spread maps viewers evenly to all numbers, even if their numbers are small.
func spread(viewer uint64) uint64 { return viewer * 0x9e3779b97f4a7c15 }

func (v *visits) add(viewer uint64, link vitrine.LinkID, step report.Day) {
	if v.numbers == nil || link != v.link {
		if v.numbers == nil {
			v.numbers = map[vitrine.LinkID]uint32{}
		}
		number, known := v.numbers[link]
		if !known {
			number = uint32(len(v.links))
			v.numbers[link] = number
			v.links = append(v.links, link)
		}
		v.link, v.number = link, number
	}
	p := &v.parts[spread(viewer)>>56]
	n := len(*p) - 1
	if n < 0 || len((*p)[n]) == cap((*p)[n]) {
		size := firstChunk
		if n >= 0 {
			size = min(2*cap((*p)[n]), visitChunk)
		}
		*p = append(*p, make([]visit, 0, size))
		n++
	}
	(*p)[n] = append((*p)[n], visit{viewer, v.number, step})
}

// found holds the counts of visits.
type found struct {
	firsts []int64 // by step, of viewers who came for the first time
	again  prevs   // of viewers who came before
	links  map[vitrine.LinkID]int64
}

// prevs counts viewers by their step and the step of their previous visit.
type prevs struct {
	steps int
	few   []int64 // a row for each step; nil if too many steps
	many  map[[2]int]int64
}

// mostDense is the largest number of steps for which an array is used. It takes
// 4 MB.
const mostDense = 700

func newPrevs(steps int) prevs {
	if steps > mostDense {
		return prevs{many: map[[2]int]int64{}}
	}
	return prevs{steps: steps, few: make([]int64, steps*steps)}
}

func (p *prevs) add(step, prev int) {
	if p.few != nil {
		p.few[step*p.steps+prev]++
		return
	}
	p.many[[2]int{step, prev}]++
}

func (p *prevs) each(f func(step, prev int, n int64)) {
	for i, n := range p.few {
		if n != 0 {
			f(i/p.steps, i%p.steps, n)
		}
	}
	for k, n := range p.many {
		f(k[0], k[1], n)
	}
}

// addVisits adds the visits of all counters to a tally.
func addVisits(t *report.Tally, q *Query, counters []*counter) {
	results := make([]found, workers)
	var done sync.WaitGroup
	for w := range results {
		f := &results[w]
		*f = found{make([]int64, max(q.To-q.From, 0)), newPrevs(int(q.To - q.From)), map[vitrine.LinkID]int64{}}
		done.Go(func() {
			var all, sorted []visit
			links := make([]int64, 0)
			numbers := globalNumbers(counters)
			links = append(links, make([]int64, len(numbers.links))...)
			for p := w; p < visitParts; p += workers {
				all = all[:0]
				for i, c := range counters {
					for _, chunk := range c.visits.parts[p] {
						for _, v := range chunk {
							v.link = numbers.of[i][v.link]
							all = append(all, v)
						}
					}
				}
				sorted = f.part(q, all, sorted, links)
			}
			for i, n := range links {
				if n != 0 {
					f.links[numbers.links[i]] = n
				}
			}
		})
	}
	done.Wait()
	for _, f := range results {
		for i, n := range f.firsts {
			if n != 0 {
				t.AddVisits(report.Visit{Day: q.From + report.Day(i), Prev: report.NoDay}, n)
			}
		}
		f.again.each(func(step, prev int, n int64) {
			t.AddVisits(report.Visit{Day: q.From + report.Day(step), Prev: q.From + report.Day(prev)}, n)
		})
		for link, n := range f.links {
			t.AddLinkVisits(int64(link), report.NoDay, n)
		}
	}
}

// numbering assigns one number to each link of all counters.
type numbering struct {
	links []vitrine.LinkID
	of    [][]uint32 // by counter and the counter's own number
}

func globalNumbers(counters []*counter) numbering {
	var n numbering
	known := map[vitrine.LinkID]uint32{}
	for _, c := range counters {
		of := make([]uint32, len(c.visits.links))
		for i, link := range c.visits.links {
			number, there := known[link]
			if !there {
				number = uint32(len(n.links))
				known[link] = number
				n.links = append(n.links, link)
			}
			of[i] = number
		}
		n.of = append(n.of, of)
	}
	return n
}

// part counts the visits of a part, which has all visits of its viewers. It
// splits them into small groups, which are faster to sort.
func (f *found) part(q *Query, all, dealt []visit, links []int64) []visit {
	const groups = 1 << 10
	group := func(v visit) uint64 { return spread(v.viewer) >> 46 & (groups - 1) }
	var ends [groups + 1]int
	for _, v := range all {
		ends[group(v)+1]++
	}
	for g := range groups {
		ends[g+1] += ends[g]
	}
	dealt = slices.Grow(dealt[:0], len(all))[:len(all)]
	for _, v := range all {
		g := group(v)
		dealt[ends[g]] = v
		ends[g]++
	}
	start := 0
	for g := range groups {
		f.group(q, dealt[start:ends[g]], links)
		start = ends[g]
	}
	return dealt
}

func (f *found) group(q *Query, visits []visit, links []int64) {
	slices.SortFunc(visits, func(a, b visit) int {
		if a.viewer != b.viewer {
			return cmp.Compare(a.viewer, b.viewer)
		}
		return cmp.Compare(a.step, b.step)
	})
	for len(visits) > 0 {
		n := 1
		for n < len(visits) && visits[n].viewer == visits[0].viewer {
			n++
		}
		of := visits[:n]
		visits = visits[n:]
		f.firsts[of[0].step-q.From]++
		for i := 1; i < n; i++ {
			if of[i].step != of[i-1].step {
				f.again.add(int(of[i].step-q.From), int(of[i-1].step-q.From))
			}
		}
		if !q.Account || q.Brief {
			continue
		}
		if n > 1 {
			slices.SortFunc(of, func(a, b visit) int { return cmp.Compare(a.link, b.link) })
		}
		links[of[0].link]++
		for i := 1; i < n; i++ {
			if of[i].link != of[i-1].link {
				links[of[i].link]++
			}
		}
	}
}
