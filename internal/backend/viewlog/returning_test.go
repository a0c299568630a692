package viewlog

import (
	"vitrine"
	"vitrine/report"
)

// returns reports whether a view is a return: its viewer has other counted
// views, and none of them began within the time of a visit before it.
func (h *facts) returns(o *report.View) (again bool) {
	for k, r := range h.views {
		if k.link == vitrine.LinkID(o.Link) && r.Counted() && r.Viewer == o.Viewer {
			if since := o.At - r.At; since >= 0 && since <= report.ReturnMs {
				return false
			}
			again = true
		}
	}
	return again
}
