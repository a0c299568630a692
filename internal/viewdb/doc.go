// Package viewdb keeps the view log in a SQL database (package sqldb).
//
// A new view is a row of a table. Views of past days are moved into packed rows
// of many views each, the segments, with an index of who came when and tallies
// of what happened. Where both may hold a day, both together are true.
//
//	append.go append_opens.go written.go      views and what pages say of them
//	import.go erase.go                        the other changes of views
//	segment/, labels/                         stored forms; the dictionary of labels
//	settle.go packs.go                        past days: views into segments, and back when they change
//	visits.go merge.go                        the index of visits, in sorted runs
//	build.go build_long.go stored.go          tallies of 1, 8 and 64 days
//	forget.go                                 views that are too old: their tallies stay
//	state.go                                  how far an account is rolled up, and what may be trusted
//	tally.go gather.go                        answers: what is stored, and what has to be read
//	scan/ narrow.go                           answers that no tally has: filters, time zones, hours
//	kept/                                     tallies of past days, in memory
//	live.go feed/                             running days, in memory, and how they follow changes
//	opens.go newest.go                        single views
//	audit.go recount/                         everything counted again
//	export.go                                 everything, for a log of another kind
package viewdb
