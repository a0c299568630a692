package viewlog

import (
	"strings"
	"testing"

	"vitrine"
	"vitrine/report"
)

// returns reports whether a view is a return: its viewer has other counted
// views, and none of them began within the time of a visit before it.
func (h *facts) returns(v *report.View) (again bool) {
	for k, r := range h.views {
		if k.link == vitrine.LinkID(v.Link) && r.Counted() && r.Viewer == v.Viewer {
			if since := v.At - r.At; since >= 0 && since <= report.ReturnMs {
				return false
			}
			again = true
		}
	}
	return again
}

// TestLateViewsShareReads checks that late views of a batch, as after an outage
// of the log, are compared with the stored ones in one read for a link, and
// each as if it had come alone.
func TestLateViewsShareReads(t *testing.T) {
	const minute, viewers = 60_000, 300
	l, h := openTestLog(t), newFacts()
	var early, in, late []vitrine.ViewRecord
	for v := range int64(viewers) {
		at := 10*60*minute + v*100
		early = append(early, on(firstTestDay, at, 1, uint64(v)))
		in = append(in, on(firstTestDay, at+60*minute, 1, uint64(v)))
		// 20 or 40 minutes after the first: a reload or a return.
		late = append(late, on(firstTestDay, at+20*minute*(1+v%2)+7, 1, uint64(v)))
	}
	addViews(t, h, l, early...)
	addViews(t, h, l, in...)
	reads := 0
	l.db.Hook = func(query string) error {
		if strings.HasPrefix(query, "SELECT id, record FROM views") {
			reads++
		}
		return nil
	}
	addViews(t, h, l, late...)
	l.db.Hook = nil
	if reads != 1 {
		t.Errorf("%d reads of the stored views, want 1", reads)
	}
	h.check(t, l, account1, firstTestDay, firstTestDay+1)
	clean(t, l)
}
