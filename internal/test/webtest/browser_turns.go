package webtest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"vitrine"
	"vitrine/report"

	"github.com/chromedp/chromedp"
)

// Turn is a page that a reader turns to, and the time there.
type Turn struct {
	To   int
	Stay time.Duration
}

// ReadTurning opens a file that is shown page by page, and reads it in this
// order.
func (s *Timed) ReadTurning(t *testing.T, l *vitrine.Link, turns ...Turn) {
	t.Helper()
	before := len(s.Views(l))
	session := func() *report.Session {
		if all := s.Views(l); len(all) == before+1 {
			return all[before].Session
		}
		return nil
	}
	r := s.Visit(NewTab(t, chromedp.ActionFunc(OnNewDocument(`addEventListener("message", ({data}) => {
		if (data?.vitrine?.shown) window.shown = (window.shown ?? 0) + 1
	})`))), l, s.URL+"/p/"+string(l.Slug))
	f := r.Frame("/view")
	Eventually(t, "the tracker runs", func() bool { return session() != nil })
	r.Until(`window.shown > 0`)
	f.Until(`document.getElementById("page").onchange !== null`) // the picture of the first page is shown before
	for _, turn := range turns {
		r.shown(chromedp.ActionFunc(func(context.Context) error {
			f.Run(chromedp.SetValue("#page", fmt.Sprint(turn.To)),
				chromedp.Evaluate(`void document.getElementById("page").onchange()`, nil))
			return nil
		}))
		r.Read(turn.Stay)
	}
	r.hide()
	Eventually(t, "all that was read", func() bool { return ms(session().EngagedMs) == r.engaged })
}
