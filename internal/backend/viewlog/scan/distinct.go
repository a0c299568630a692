package scan

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"
	"sync"

	"vitrine/report"
)

// distinctQuery defines what is counted.
type distinctQuery struct {
	From, To report.Day // steps [From, To)
	Links    bool       // also count the viewers of each link
}

// viewerStep records that a viewer came to a link in a step.
type viewerStep struct {
	viewer uint64
	link   uint32 // number of the link in the scan
	step   report.Day
}

// Set is a set of viewer days. The zero value is empty and ready. All viewer
// days of a viewer are in the same part, so parts can be counted one at a time.
type Set struct {
	in      *room
	parts   [dayParts]setPart
	numbers map[int64]uint32
	links   []int64
	link    int64
	number  uint32
}

const (
	partBits = 8
	dayParts = 1 << partBits
)

// spread maps viewers evenly to all numbers, even if their numbers are small.
func spread(viewer uint64) uint64 { return viewer * 0x9e3779b97f4a7c15 }

// Add adds that a viewer came to a link in a step.
func (v *Set) Add(viewer uint64, link int64, step report.Day) {
	if v.numbers == nil || link != v.link {
		if v.numbers == nil {
			v.numbers = map[int64]uint32{}
		}
		number, known := v.numbers[link]
		if !known {
			number = uint32(len(v.links))
			v.numbers[link] = number
			v.links = append(v.links, link)
		}
		v.link, v.number = link, number
	}
	v.parts[spread(viewer)>>(64-partBits)].add(viewerStep{viewer, v.number, step}, v.in)
}

// found holds the counts of viewer days.
type found struct {
	firsts []int64 // by step, of viewers who came for the first time
	again  prevs   // of viewers who came before
	links  map[int64]int64
}

// prevs counts viewers by their step and the step of their previous viewer day.
type prevs struct {
	steps int
	few   []int64 // a row for each step; nil if too many steps
	many  map[[2]int]int64
}

// maxDense is the largest number of steps for which an array is used. It takes
// 4 MB.
const maxDense = 700

func newPrevs(steps int) prevs {
	if steps > maxDense {
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

// countDistinct adds the viewer days of sets to a tally, and empties the sets.
// Of the viewer days to a link only the first of each viewer is counted.
func countDistinct(t *report.Tally, q *distinctQuery, sets ...*Set) error {
	results, errs := make([]found, workers), make([]error, workers)
	var done sync.WaitGroup
	for w := range results {
		f := &results[w]
		*f = found{make([]int64, max(q.To-q.From, 0)), newPrevs(int(q.To - q.From)), map[int64]int64{}}
		done.Go(func() {
			d := dealer{sets: sets, numbers: globalNumbers(sets)}
			links := make([]int64, len(d.numbers.links))
			for p := w; p < dayParts && errs[w] == nil; p += workers {
				errs[w] = d.each(p, func(group []viewerStep) { f.group(q, group, links) })
			}
			for i, n := range links {
				if n != 0 {
					f.links[d.numbers.links[i]] = n
				}
			}
		})
	}
	done.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, f := range results {
		for i, n := range f.firsts {
			if n != 0 {
				t.AddViewerDays(report.ViewerDay{Day: q.From + report.Day(i), Prev: report.NoDay}, n)
			}
		}
		f.again.each(func(step, prev int, n int64) {
			t.AddViewerDays(report.ViewerDay{Day: q.From + report.Day(step), Prev: q.From + report.Day(prev)}, n)
		})
		for link, n := range f.links {
			t.AddLinkViewers(link, report.NoDay, n)
		}
	}
	return nil
}

// numbering assigns one number to each link of all sets.
type numbering struct {
	links []int64
	of    [][]uint32 // by set and the set's own number
}

func globalNumbers(sets []*Set) numbering {
	var n numbering
	known := map[int64]uint32{}
	for _, set := range sets {
		of := make([]uint32, len(set.links))
		for i, link := range set.links {
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

// dealer splits the viewer days of a part into small groups, which are faster
// to sort. A group has all viewer days of its viewers.
type dealer struct {
	sets    []*Set
	numbers numbering
	dealt   []viewerStep
	ends    [1<<mostGroupBits + 1]int32
}

// mostGroupBits limits the number of groups of a part.
const mostGroupBits = 14

// each calls f with each group of a part, and empties the part. Links have
// their global numbers.
func (d *dealer) each(part int, f func([]viewerStep)) error {
	n := 0
	for _, set := range d.sets {
		n += set.parts[part].n
	}
	groupBits := min(bits.Len(uint(n/4)), mostGroupBits)
	shift := 64 - groupBits
	ends := d.ends[:1<<groupBits+1]
	clear(ends)
	for _, set := range d.sets {
		err := set.parts[part].each(set.in, func(v viewerStep) { ends[spread(v.viewer)<<partBits>>shift+1]++ })
		if err != nil {
			return err
		}
	}
	for g := 1; g < len(ends); g++ {
		ends[g] += ends[g-1]
	}
	d.dealt = slices.Grow(d.dealt[:0], n)[:n]
	for i, set := range d.sets {
		numbers := d.numbers.of[i]
		err := set.parts[part].each(set.in, func(v viewerStep) {
			v.link = numbers[v.link]
			at := &ends[spread(v.viewer)<<partBits>>shift]
			d.dealt[*at] = v
			*at++
		})
		if err != nil {
			return err
		}
		set.parts[part] = setPart{} // gives its memory back
	}
	start := int32(0)
	for _, end := range ends[:1<<groupBits] {
		if end > start {
			f(d.dealt[start:end])
		}
		start = end
	}
	return nil
}

func (f *found) group(q *distinctQuery, viewerDays []viewerStep, links []int64) {
	sortByStep(viewerDays)
	for len(viewerDays) > 0 {
		n := 1
		for n < len(viewerDays) && viewerDays[n].viewer == viewerDays[0].viewer {
			n++
		}
		of := viewerDays[:n]
		viewerDays = viewerDays[n:]
		f.firsts[of[0].step-q.From]++
		for i := 1; i < n; i++ {
			if of[i].step != of[i-1].step {
				f.again.add(int(of[i].step-q.From), int(of[i-1].step-q.From))
			}
		}
		if !q.Links {
			continue
		}
		if n > 1 {
			sortByLink(of)
		}
		links[of[0].link]++
		for i := 1; i < n; i++ {
			if of[i].link != of[i-1].link {
				links[of[i].link]++
			}
		}
	}
}

// fewDays is the number of viewer days up to which insertion is the fastest way
// to sort. Most groups have fewer.
const fewDays = 24

// sortByStep sorts viewer days by viewer and step.
func sortByStep(viewerDays []viewerStep) {
	if len(viewerDays) > fewDays {
		slices.SortFunc(viewerDays, func(a, b viewerStep) int {
			return cmp.Or(cmp.Compare(a.viewer, b.viewer), cmp.Compare(a.step, b.step))
		})
		return
	}
	for i := 1; i < len(viewerDays); i++ {
		v, at := viewerDays[i], i
		for ; at > 0; at-- {
			before := &viewerDays[at-1]
			if before.viewer < v.viewer || before.viewer == v.viewer && before.step <= v.step {
				break
			}
			viewerDays[at] = *before
		}
		viewerDays[at] = v
	}
}

// sortByLink sorts the viewer days of one viewer by link.
func sortByLink(viewerDays []viewerStep) {
	if len(viewerDays) > fewDays {
		slices.SortFunc(viewerDays, func(a, b viewerStep) int { return cmp.Compare(a.link, b.link) })
		return
	}
	for i := 1; i < len(viewerDays); i++ {
		v, at := viewerDays[i], i
		for ; at > 0 && viewerDays[at-1].link > v.link; at-- {
			viewerDays[at] = viewerDays[at-1]
		}
		viewerDays[at] = v
	}
}
