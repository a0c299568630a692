package report

import "vitrine/report/part"

// counts counts views by label.
type counts map[string]*int64

// engagement sums counted sessions.
type engagement struct {
	sessions   int64
	unmeasured int64 // sessions of which it is not known how far they came
	engagedMs  int64
	pages      int64 // distinct pages seen, summed over sessions
	played     int64 // millionths, summed
	depth      int64 // millionths, summed
}

// measured returns the number of sessions of which it is known how far they
// came.
func (e engagement) measured() int64 { return e.sessions - e.unmeasured }

// linkSums is what an account's report shows for each link.
type linkSums struct {
	views    int64
	sessions engagement
	seen     seen // viewers, by the day on which the link had last seen them
}

// pageSums sums the counted sessions that saw a page.
type pageSums struct {
	sessions int64
	ms       int64
	last     int64 // sessions whose last page is this one
	bands    part.Bands
}

// progress counts the counted sessions that began, and that reached each of
// marks.
type progress struct {
	begun   int64
	reached [len(marks)]int64
}

func (r *dayRow) merge(q *dayRow) {
	r.views += q.views
	r.sessions += q.sessions
	r.engagedMs += q.engagedMs
	r.downloads += q.downloads
	r.seen.merge(q.seen)
}

func (r *dayRow) equal(q *dayRow) bool {
	return r.views == q.views && r.sessions == q.sessions && r.engagedMs == q.engagedMs &&
		r.downloads == q.downloads && r.seen.equal(q.seen)
}

// empty reports whether nothing is counted.
func (r *dayRow) empty() bool {
	return r.views == 0 && r.sessions == 0 && r.engagedMs == 0 && r.downloads == 0 && len(r.seen.prevs) == 0
}

// add counts a label n times.
func (c *counts) add(label string, n int64) {
	count := entry(c, label)
	if *count += n; *count == 0 {
		delete(*c, label)
	}
}

// merge adds the counts of d to those of c.
func (c *counts) merge(d counts) {
	if len(*c) == 0 && len(d) > 0 {
		*c = d.clone()
		return
	}
	for label, n := range d {
		*entry(c, label) += *n
	}
}

// clone returns a copy whose numbers share one allocation.
func (c counts) clone() counts {
	numbers, d := make([]int64, 0, len(c)), make(counts, len(c))
	for label, n := range c {
		numbers = append(numbers, *n)
		d[label] = &numbers[len(numbers)-1]
	}
	return d
}

func (c counts) total() int64 {
	var all int64
	for _, n := range c {
		all += *n
	}
	return all
}

func (e *engagement) add(f engagement) {
	e.sessions += f.sessions
	e.unmeasured += f.unmeasured
	e.engagedMs += f.engagedMs
	e.pages += f.pages
	e.played += f.played
	e.depth += f.depth
}

func (l *linkSums) merge(k *linkSums) {
	l.views += k.views
	l.sessions.add(k.sessions)
	l.seen.merge(k.seen)
}

func (l *linkSums) equal(k *linkSums) bool {
	return l.views == k.views && l.sessions == k.sessions && l.seen.equal(k.seen)
}

func (l *linkSums) empty() bool {
	return l.views == 0 && l.sessions == engagement{} && len(l.seen.prevs) == 0
}

func (p *pageSums) merge(q *pageSums) {
	p.sessions += q.sessions
	p.ms += q.ms
	p.last += q.last
	p.bands = p.bands.Add(q.bands, 1)
}

// add counts a session n times.
func (p *progress) add(begun bool, furthest, n int64) {
	if begun {
		p.begun += n
	}
	for i, m := range marks {
		if furthest >= m.millionths {
			p.reached[i] += n
		}
	}
}

func (p *progress) merge(q progress) {
	p.begun += q.begun
	for i, n := range q.reached {
		p.reached[i] += n
	}
}

// entry returns m's value for k, and creates a missing one.
func entry[M ~map[K]*V, K comparable, V any](m *M, k K) *V {
	v := (*m)[k]
	if v == nil {
		if *m == nil {
			*m = make(M)
		}
		v = new(V)
		(*m)[k] = v
	}
	return v
}

// same reports whether two entries are equal.
func same[V comparable](a, b *V) bool { return *a == *b }

// within returns v limited to 0 to most.
func within(v, most int64) int64 { return min(max(v, 0), most) }
