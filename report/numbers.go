package report

// Numbers are the few figures of a link that every page about it shows.
type Numbers struct {
	Views, Uniques, Sessions, AvgEngagedMs int64
	CompletionPct                          *Tenths // nil if no session has a completion
	Granularity                            string
	Series                                 []Point
}

// NumbersOf returns the same figures as ForLink. A brief tally is enough unless
// the link has several files.
func NumbersOf(l Link, w Window, t *Tally) Numbers {
	t = orEmpty(t)
	c := completionOf(&l, t)
	return Numbers{t.views, t.Uniques(w.From, w.To), t.sessions.sessions, t.sessions.avgEngagedMs(), c.pct(),
		granularity(w), Series(w, t)}
}

// completionOf returns how far readers of a link got, in each of its files.
func completionOf(l *Link, t *Tally) (c completion) {
	t.files.each(l, fileCount{t.views, t.sessions}, t.files.versions()[l.ID],
		func(of *Link, n fileCount) { c.add(of, n.sessions) })
	return c
}
