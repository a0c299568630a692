package segment

import (
	"fmt"

	"vitrine/report"
)

// MaxSessionMs is the longest time that one view can count
// (engagement, The server).
const MaxSessionMs = 4 * 60 * 60 * 1000

// WrongSession returns what is impossible about a session, or "". Fewer rules
// apply to imported sessions.
func WrongSession(s *report.Session, imported bool) string {
	const whole = report.Whole
	share := func(n int64) bool { return 0 <= n && n <= whole }
	switch {
	case s.EngagedMs < 0 || s.PresentMs < 0:
		return "its times are negative"
	case !imported && s.EngagedMs > s.PresentMs:
		return fmt.Sprintf("it was engaged for %d ms and present for %d", s.EngagedMs, s.PresentMs)
	case !imported && s.PresentMs > MaxSessionMs:
		return fmt.Sprintf("it was present for %d ms, longer than a view can count", s.PresentMs)
	case !share(s.Played) || !share(s.Reached) || !share(s.Depth):
		return "its progress is more than 100%"
	case s.Unmeasured && (len(s.Pages) > 0 || s.Outlined || s.Played+s.Reached+s.Depth > 0):
		return "its progress is marked as not measured, but there is some"
	}
	page := 0
	for _, p := range s.Pages {
		if p.Page <= page || p.Ms < 0 {
			return fmt.Sprintf("its time on page %d is negative or out of order", p.Page)
		}
		if p.Bands.Within(p.Ms) != p.Bands {
			return fmt.Sprintf("its time on the quarters of page %d is negative or more than that on the page", p.Page)
		}
		page = p.Page
	}
	return ""
}
