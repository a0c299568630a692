// Package viewlog keeps the view log in a SQL database (package sqldb).
//
// A new view is a row of the table views. Views of past days move into
// segments, each a packed row of many views in the table segments. The viewer
// days of segments have an index, which distinguishes returning viewers from
// new ones, and segments have stored tallies. A day may have views both in the
// table views and in segments; together they are the views of the day.
//
//	append.go append_views.go written.go   add views, snapshots and downloads
//	import.go delete.go                    import history, delete links
//	returning.go                           which views are returns
//	decide.go                              change whether a stored view counts
//	segment/                               stored forms
//	tables/                                labels, segments, viewer days, counts
//	rollup.go                              past days: views into segments and back
//	reclass.go                             change the class of views in segments
//	merge.go                               index of viewer days, in sorted runs
//	build.go build_long.go stored.go       tallies of 1, 8 and 64 days
//	expire.go                              expire views; their tallies stay
//	state.go                               how far an account is rolled up
//	tally.go gather.go                     answers from tallies and views
//	tally_views.go scan/                   filters, time zones, hours
//	live.go                                running days and answers, in memory
//	views.go newest.go                     single views
//	changes.go                             what a copy outside of the log lacks
//	audit.go                               compare stored numbers with views
package viewlog
