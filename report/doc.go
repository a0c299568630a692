// Package report is the analytics engine: it turns the views of links into the
// report that the API and the dashboard show. The package is pure: no input or
// output, no clock, no log. docs/specification/analytics.md defines the meaning
// of every number; comments name its section.
//
// # Dictionary
//
//	view        one load of a public link page
//	bot         a view known as a machine's from its request, with a reason
//	counted     of a view: a reader's, not a bot's or the owner's
//	session     a view with engagement data
//	atypical    of a session: a bot's, or one that ended at once
//	counted session  one that is not atypical; averages are over these
//	engaged     the time in which the viewer read, watched or listened
//	present     the time from the view to the last moment at which the page was visible
//	bounce      a counted session that was engaged for less than five seconds
//	viewer      an opaque number that is the same for the same person, as far as is known
//	uniques     distinct viewers of counted views
//	returning   of a view: its viewer came back to the link, and did not just load it again
//	viewer day  one viewer on one day of a scope, with the day on which the viewer came before
//	scope       what a tally is about: one link, or all links of an account
//	completion  how much of a link's content a session saw, played or scrolled to
//	furthest    of a session: the last page, the latest point or the deepest line it came to
//	reach       the share of sessions whose furthest point is a given one or beyond
//	drop-off    the place before which the largest share of sessions stopped
//	window      the whole UTC days that a report covers; range is the key that asks for it
//	previous    the window of the same width before
//	tally       the exact summary of a scope's views over some days
//	card        one part of a report, as totals, timing or content
//	bucket      one label of a breakdown with its count
//	mark        one of the points 25, 50, 75 and 100 percent of media and scroll kinds
//
// # Tour
//
// Views go into a [Tally], and a report is rendered from the tallies of its
// window and of the window before:
//
//	var cur, prev report.Fold
//	for _, o := range views {
//		if w.Contains(o.At) {
//			cur.Add(&o)
//		} else if w.Previous().Contains(o.At) {
//			prev.Add(&o)
//		}
//	}
//	r := report.ForLink(link, w, cur.Tally(), prev.Tally(), newest)
//
// Tallies add up: once the tallies of finished days are kept, the cost of a
// report depends on its days, not on its views. Distinct viewers add up too, by
// viewer days (see [ViewerDay]).
//
//	view.go                      View, Session: what the engine is fed
//	day.go window.go             Day; Range and Window: which days
//	tally.go sums.go viewer_day.go times.go
//	                             Tally: what is remembered, and how it adds up
//	fold.go                      Fold: views in any order to a tally with its viewer days
//	link.go account.go           ForLink, ForAccount: tallies to reports
//	totals.go completion.go versions.go deltas.go series.go breakdowns.go timing.go content.go
//	insights.go recent.go        one card each, with its JSON type
//	tenths.go                    exact fractions, rounded once (round.go)
//	thresholds.go                every bound of the rules
package report
