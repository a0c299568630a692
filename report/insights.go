package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"vitrine/report/country"
)

// Insight is one card of `insights`: one sentence about the report, with its
// figures in Detail (contract, Insights).
type Insight struct {
	ID     string `json:"id"`
	Label  string `json:"label"`
	Value  string `json:"value"`
	Detail string `json:"detail"`
	Tone   Tone   `json:"tone"`
}

// Tone marks an insight as good news, bad news or neither.
type Tone string

// The tones.
const (
	Good    Tone = "good"
	Neutral Tone = "neutral"
	Warn    Tone = "warn"
)

// findings are the input of the insights: the finished report.
type findings struct {
	*Summary
	content   *Content // nil for an account
	completed int64    // sessions that have a completion
}

// insights returns 3 to 8 cards in the order of the contract, or none if there
// are too few views.
func insights(s *Summary, c *Content, completed int64) []Insight {
	cards := []Insight{}
	if s.Totals.Views < insightMinViews {
		return cards
	}
	f := findings{s, c, completed}
	for _, phrase := range []func(findings) (Insight, bool){
		trend, bestDay, bestTime, topCountry, topSource,
		completionInsight, dropoffInsight, returning, device, bots,
	} {
		if card, ok := phrase(f); ok {
			cards = append(cards, card)
		}
	}
	return dropExpendable(cards)
}

// dropExpendable drops neutral expendable cards until the rest fits.
func dropExpendable(cards []Insight) []Insight {
	for _, id := range expendable {
		if len(cards) > maxInsights {
			cards = slices.DeleteFunc(cards, func(c Insight) bool { return c.ID == id && c.Tone == Neutral })
		}
	}
	return cards
}

// trend compares with the previous window. The range of all time has none.
func trend(f findings) (Insight, bool) {
	if f.Range.Key == RangeAll || f.Range.Compare == CompareNone {
		return Insight{}, false
	}
	d := f.Deltas.Views
	card := Insight{
		ID: "trend", Label: "Trend", Tone: Neutral,
		Detail: fmt.Sprintf("%s, %s in the %s",
			plural(f.Totals.Views, "view"), number(f.Previous.Views), f.before()),
	}
	switch {
	case d.Pct == nil:
		card.Value, card.Tone = "New views", Good
	case *d.Pct == 0:
		card.Value = "Steady"
	case *d.Pct > 0:
		card.Value = fmt.Sprintf("Up %d%%", *d.Pct)
	default:
		card.Value = fmt.Sprintf("Down %d%%", -*d.Pct)
	}
	if d.Pct != nil && *d.Pct >= trendGoodPct {
		card.Tone = Good
	}
	if d.Pct != nil && *d.Pct <= trendWarnPct {
		card.Tone = Warn
	}
	return card, true
}

// before names the window that the report is compared with.
func (f findings) before() string {
	switch {
	case f.Range.Compare == CompareYear:
		return "same time a year before"
	case f.Range.Key == RangeDay:
		return "24 hours before"
	}
	return days(f.Range.Days) + " before"
}

func bestDay(f findings) (Insight, bool) {
	peak := *f.Timing.PeakWeekday
	return Insight{
		ID: "best_day", Label: "Best day", Tone: Neutral,
		Value:  time.Weekday(peak).String(),
		Detail: f.ofViews(f.Timing.ByWeekday[peak]),
	}, true
}

func bestTime(f findings) (Insight, bool) {
	peak := *f.Timing.PeakHour
	return Insight{
		ID: "best_time", Label: "Best time", Tone: Neutral,
		Value:  fmt.Sprintf("%02d:00–%02d:00 %s", peak, (peak+1)%24, cmp.Or(f.Range.Timezone, "UTC")),
		Detail: f.ofViews(f.Timing.ByHour[peak]),
	}, true
}

func topCountry(f findings) (Insight, bool) {
	card, ok := topOf(Insight{ID: "top_country", Label: "Top country", Tone: Neutral},
		f.Breakdowns.Countries, "views with a known country")
	card.Value = country.Name(card.Value)
	return card, ok
}

func topSource(f findings) (Insight, bool) {
	return topOf(Insight{ID: "top_source", Label: "Top source", Tone: Neutral}, f.Breakdowns.Sources, "all views")
}

func device(f findings) (Insight, bool) {
	return topOf(Insight{ID: "device", Label: "Top device", Tone: Neutral},
		f.Breakdowns.Devices, "views with a known device")
}

// topOf fills a card with the first bucket of a breakdown.
func topOf(card Insight, buckets []Bucket, of string) (Insight, bool) {
	if len(buckets) == 0 {
		return card, false
	}
	top := buckets[0]
	card.Value = top.Key
	card.Detail = fmt.Sprintf("%s, %s%% of %s", plural(top.Count, "view"), top.Pct, of)
	return card, true
}

func completionInsight(f findings) (Insight, bool) {
	pct := f.Totals.CompletionPct
	if pct == nil {
		return Insight{}, false
	}
	card := Insight{
		ID: "completion", Label: "Average completion", Tone: Neutral,
		Value:  pct.String() + "%",
		Detail: "mean of " + plural(f.completed, "session"),
	}
	switch {
	case *pct >= completionGood:
		card.Tone = Good
	case *pct < completionWarn:
		card.Tone = Warn
	}
	return card, true
}

func dropoffInsight(f findings) (Insight, bool) {
	where, lost, sessions := f.content.stop()
	if lost == nil {
		return Insight{}, false
	}
	card := Insight{
		ID: "dropoff", Label: "Biggest drop-off", Tone: Neutral,
		Value:  where,
		Detail: fmt.Sprintf("%s%% of %s stopped there", lost, plural(sessions, "session")),
	}
	if *lost >= dropoffWarn {
		card.Tone = Warn
	}
	return card, true
}

// stop returns where most sessions stopped, and their share of how many, in
// percent; lost is nil if the content card does not show it.
func (c *Content) stop() (where string, lost *Tenths, sessions int64) {
	var d MarkDropoff
	switch {
	case c == nil:
		return "", nil, 0
	case c.Pages != nil && c.Pages.Dropoff.AfterPage != nil:
		return fmt.Sprintf("After page %d", *c.Pages.Dropoff.AfterPage), c.Pages.Dropoff.LostPct, c.Sessions
	case c.PartDropoff != nil && c.PartDropoff.AfterPart != nil:
		return "After " + c.PartName(*c.PartDropoff.AfterPart), c.PartDropoff.LostPct, *c.PartSessions
	case c.Media != nil:
		d = c.Media.Dropoff
	case c.Scroll != nil:
		d = c.Scroll.Dropoff
	}
	if d.BeforePct == nil {
		return "", nil, 0
	}
	return fmt.Sprintf("Before %d%%", *d.BeforePct), d.LostPct, c.Sessions
}

func returning(f findings) (Insight, bool) {
	card := Insight{
		ID: "returning", Label: "Returning viewers", Tone: Neutral,
		Value:  f.Totals.ReturningPct.String() + "%",
		Detail: fmt.Sprintf("of %s by %s", plural(f.Totals.Views, "view"), plural(f.Totals.Uniques, "viewer")),
	}
	if f.Totals.ReturningPct >= returningGood {
		card.Tone = Good
	}
	return card, true
}

func bots(f findings) (Insight, bool) {
	n := f.Totals.BotsExcluded
	if n == 0 {
		return Insight{}, false
	}
	share := pct(n, n+f.Totals.Views)
	card := Insight{
		ID: "bots", Label: "Bots left out", Tone: Neutral,
		Value:  plural(n, "view"),
		Detail: fmt.Sprintf("%s%% of %s", share, plural(n+f.Totals.Views, "view")),
	}
	if share >= botsWarn {
		card.Tone = Warn
	}
	return card, true
}

// ofViews returns text like "42 of 120 views".
func (f findings) ofViews(n int64) string {
	return fmt.Sprintf("%d of %s", n, plural(f.Totals.Views, "view"))
}

// number formats a count for a sentence.
func number(n int64) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

// days returns "day" or, for example, "30 days", to follow "in the".
func days(n int) string {
	if n == 1 {
		return "day"
	}
	return plural(int64(n), "day")
}
