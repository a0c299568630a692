// Package viewlog keeps the view log in a SQL database (package sqldb).
//
// A new view is a row of the table opens. Views of past days move into
// segments, which are packed rows of many views in the table packs. The visits
// in segments have an index, which distinguishes returning viewers from new
// ones, and stored tallies. A day may have views both in the table opens and in
// segments; together they are the views of the day.
//
//	append.go append_opens.go written.go   add views, snapshots and downloads
//	import.go erase.go                     import history, delete links
//	decide.go                              change whether a stored view counts
//	segment/, labels/                      stored forms; dictionary of labels
//	settle.go packs.go                     past days: views into segments and back
//	repack.go                              change the class of views in segments
//	visits/ merge.go                       index of visits, in sorted runs
//	build.go build_long.go stored.go       tallies of 1, 8 and 64 days
//	forget.go                              expire views; their tallies stay
//	state.go                               how far an account is rolled up
//	tally.go gather.go                     answers from tallies and views
//	scan/ narrow.go                        filters, time zones, hours
//	kept/                                  tallies of past days, in memory
//	live.go feed/                          running days, in memory
//	opens.go newest.go                     single views
//	changes.go                             what a copy outside of the log lacks
//	audit.go recount/                      compare stored numbers with views
package viewlog
