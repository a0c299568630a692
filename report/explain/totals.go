package explain

import (
	"strconv"

	"vitrine/report"
)

// bounceMs is the engaged time below which a session is a bounce.
var bounceMs = report.CountingRules().BounceMs

func views() *Figure {
	return count(ofViews, "Counted views: not by bots, nor the owner’s own.", every)
}

func uniques() *Figure {
	f := views()
	f.Kind, f.Rule = Distinct, "Different viewers of the counted views."
	return f
}

func sessions() *Figure {
	return count(ofSessions, "Counted views that were measured, for at least 1 second of activity or 2 seconds of time.",
		every)
}

// engagedMs returns a figure over the engaged times of sessions. Each is of as
// many ms as a unit of the figure has.
func engagedMs(k Kind, rule string, of int64) *Figure {
	return &Figure{Kind: k, Rule: rule, Unit: Milliseconds, of: ofSessions,
		value: func(v *report.View) (Value, bool) { return Value{engaged(v), of}, true }}
}

const meanEngaged = "The mean of the time in which the viewers of counted sessions were active."

func (r *Report) totals(p []string) *Figure {
	if len(p) != 1 {
		return nil
	}
	if f := r.common(p[0]); f != nil {
		return f
	}
	if f := r.compared(p[0]); f != nil {
		return f
	}
	switch p[0] {
	case "medianEngagedMs":
		return engagedMs(Median, "The median of the time in which the viewers of counted sessions were active.", 1)
	case "totalEngagedMs":
		return engagedMs(Sum, "The time in which the viewers of counted sessions were active, together.", 1)
	case "downloads":
		if len(r.Summary.Filter) > 0 {
			return downloads()
		}
		return none("Downloads since the link was created, with or without its page. They are counted, not kept as visits.")
	case "rangeDownloads":
		return downloads()
	case "botsExcluded":
		f := count(ofExcluded, "Views by bots, and those that were too many from one network.",
			func(v *report.View) bool { return v.Bot != report.BotOwn })
		f.Without = r.Excess
		return f
	case "ownExcluded":
		return count(ofExcluded, "Views by the owner while signed in, unless the owner counts them.",
			func(v *report.View) bool { return v.Bot == report.BotOwn })
	case "atypical":
		return count(ofAll, "Measured views by bots, and those with less than 1 second of activity that were gone within 2 seconds.",
			(*report.View).Atypical)
	}
	return nil
}

// common returns figures that totals, the time before and links share.
func (r *Report) common(name string) *Figure {
	switch name {
	case "views":
		return views()
	case "uniques":
		return uniques()
	case "sessions":
		return sessions()
	case "avgEngagedMs":
		return engagedMs(Mean, meanEngaged, 1)
	}
	return nil
}

// compared returns figures that totals and the time before share.
func (r *Report) compared(name string) *Figure {
	switch name {
	case "completionPct":
		return r.completion()
	case "qrScans":
		return count(ofViews, "Counted views that came by the QR code.", func(v *report.View) bool { return v.QR })
	case "returningPct":
		return share(ofViews, "Counted views whose viewer came back to the link, more than 30 minutes after the viewer’s last view began, in the period or before it, of all counted views.",
			func(v *report.View) bool { return v.Returning })
	case "bouncePct":
		return share(ofSessions, "Counted sessions of less than 5 seconds of activity, of all.",
			func(v *report.View) bool { return engaged(v) < bounceMs })
	}
	return nil
}

func downloads() *Figure {
	f := count(ofAll, "Downloads in this time, each counted once. Those without the page of the link have no visit.", every)
	f.Downloads = true
	return f
}

func (r *Report) previous(p []string) (f *Figure) {
	switch {
	case len(p) != 1:
		return nil
	case p[0] == "downloads":
		f = downloads()
	case p[0] == "completionPct" && r.Account != nil:
		f = none("Only the report of a link has the completion of the time before.")
	default:
		if f = r.common(p[0]); f == nil {
			f = r.compared(p[0])
		}
	}
	if f != nil {
		f.Previous = true
	}
	return f
}

func (r *Report) deltas(p []string) *Figure {
	if len(p) != 2 || p[1] != "pct" && p[1] != "dir" {
		return nil
	}
	now := p[0]
	switch now {
	case "downloads":
		now = "rangeDownloads"
	case "views", "uniques", "avgEngagedMs", "qrScans":
	default:
		return nil
	}
	rule := "The change from the time before, in percent of that. The exact means are compared, before they are rounded."
	if p[0] != "avgEngagedMs" {
		rule = "The change from the time before, in percent of that."
	}
	return derived(rule, "/totals/"+now, "/previous/"+p[0])
}

func (r *Report) series(p []string) *Figure {
	if len(p) != 2 {
		return nil
	}
	i := index(p[0], len(r.Summary.Series))
	if i < 0 {
		return nil
	}
	from, to := r.Window.Point(i)
	switch p[1] {
	case "views":
		return views().during(from, to)
	case "uniques":
		return uniques().during(from, to)
	case "avgEngagedS":
		return engagedMs(Mean, meanEngaged+" In seconds.", 1000).during(from, to)
	}
	return nil
}

func (r *Report) breakdowns(p []string) *Figure {
	if len(p) != 3 {
		return nil
	}
	for _, d := range report.Cards() {
		if d.Card != p[0] {
			continue
		}
		rows := d.Buckets(&r.Summary.Breakdowns)
		i := index(p[1], len(rows))
		if i < 0 {
			return nil
		}
		what := "Counted views"
		if d.Sessions {
			what = "Counted views with a measured window width"
		}
		return bucket(p[2], rows[i].Key, what, d.Key, ofViews)
	}
	return nil
}

// bucket returns the count or the share of a row of a card. Views without a key
// are not in the card.
func bucket(name, row, what string, key func(*report.View) string, of class) *Figure {
	switch name {
	case "count":
		return count(of, what+" with this value.", func(v *report.View) bool { return key(v) == row })
	case "pct":
		return share(of, what+" with this value, of those with any value.",
			func(v *report.View) bool { return key(v) == row }).
			where(func(v *report.View) bool { return key(v) != "" })
	}
	return nil
}

func (r *Report) timing(p []string) *Figure {
	t := &r.Summary.Timing
	at := func(in func(weekday, hour int) bool) *Figure {
		return count(ofViews, "Counted views at this time, as clocks of the report’s time zone show it.",
			func(v *report.View) bool {
				_, weekday, hour := r.Window.Steps.Place(v.At)
				return in(weekday, hour)
			})
	}
	peak := func(list string, of *int) *Figure {
		f := derived("The number of the largest entry of the list, the first of equal ones.")
		if of != nil {
			f.From = []string{"/timing/" + list + "/" + strconv.Itoa(*of)}
		}
		return f
	}
	switch {
	case is(p, "peakHour"):
		return peak("byHour", t.PeakHour)
	case is(p, "peakWeekday"):
		return peak("byWeekday", t.PeakWeekday)
	case len(p) == 2 && p[0] == "byHour":
		if i := index(p[1], 24); i >= 0 {
			return at(func(_, hour int) bool { return hour == i })
		}
	case len(p) == 2 && p[0] == "byWeekday":
		if i := index(p[1], 7); i >= 0 {
			return at(func(weekday, _ int) bool { return weekday == i })
		}
	case len(p) == 3 && p[0] == "heat":
		if d, h := index(p[1], 7), index(p[2], 24); d >= 0 && h >= 0 {
			return at(func(weekday, hour int) bool { return weekday == d && hour == h })
		}
	}
	return nil
}

func (r *Report) recent(p []string) *Figure {
	if r.Link == nil || len(p) != 2 || p[1] != "engagedMs" {
		return nil
	}
	i := index(p[0], len(r.Recent))
	if i < 0 {
		return nil
	}
	return &Figure{Kind: Sum, Rule: "The time in which the viewer of this visit was active.", Unit: Milliseconds,
		of: ofAll, value: func(v *report.View) (Value, bool) {
			if v.ID != r.Recent[i] {
				return Value{}, false
			}
			return Value{v.Session.EngagedMs, 1}, true
		}}
}

func (r *Report) excluded(p []string) *Figure {
	rows := r.Summary.ByReason
	if len(p) < 2 {
		return nil
	}
	i := index(p[0], len(rows))
	if i < 0 {
		return nil
	}
	row := &rows[i]
	reason := func(v *report.View) string { return report.ShownReason(v.Bot) }
	switch {
	case len(p) == 2:
		f := bucket(p[1], row.Reason, "Excluded views", reason, ofExcluded)
		if f != nil {
			f.WithoutOf = r.Excess
			if row.Reason == report.BotExcess {
				f.Without = r.Excess
			}
		}
		return f
	case len(p) == 4 && p[1] == "programs":
		if k := index(p[2], len(row.Programs)); k >= 0 && p[3] == "count" {
			return count(ofExcluded, "Excluded views by this program or network.",
				func(v *report.View) bool { return reason(v) == row.Reason && v.Product == row.Programs[k].Name })
		}
	}
	return nil
}

func (r *Report) allTime(p []string) *Figure {
	switch {
	case r.Account == nil:
		return nil
	case is(p, "views"):
		return none("Counted views of all links since they were created, whatever the range and the filter.")
	case is(p, "downloads"):
		return none("Downloads of all links since they were created, whatever the range and the filter.")
	case is(p, "links"):
		return none("The links of the account.")
	}
	return nil
}

func (r *Report) rangeCard(p []string) *Figure {
	if is(p, "days") {
		return none("The dates that the range covers; 1 for the last 24 hours.")
	}
	return nil
}

// insights returns the figures that the sentence of an insight is made from.
func (r *Report) insights(p []string) *Figure {
	if len(p) == 0 || len(p) > 2 || len(p) == 2 && p[1] != "value" && p[1] != "detail" {
		return nil
	}
	i := index(p[0], len(r.Summary.Insights))
	if i < 0 {
		return nil
	}
	t := &r.Summary.Timing
	const rule = "A sentence about other figures of the report."
	at := func(list string, peak *int) *Figure {
		return derived(rule, "/timing/"+list+"/"+strconv.Itoa(*peak), "/totals/views")
	}
	top := func(card string) *Figure {
		return derived(rule, "/breakdowns/"+card+"/0/count", "/breakdowns/"+card+"/0/pct")
	}
	switch r.Summary.Insights[i].ID {
	case "trend":
		return derived(rule, "/deltas/views/pct", "/totals/views", "/previous/views")
	case "best_day":
		return at("byWeekday", t.PeakWeekday)
	case "best_time":
		return at("byHour", t.PeakHour)
	case "top_country":
		return top("countries")
	case "top_source":
		return top("sources")
	case "device":
		return top("devices")
	case "completion":
		return derived(rule, "/totals/completionPct")
	case "dropoff":
		if d := r.Link.Content.PartDropoff; d != nil && d.AfterPart != nil {
			return derived(rule, "/content/partDropoff/lostPct", "/content/partSessions")
		}
		return derived(rule, "/content/"+string(r.Link.Content.Kind)+"/dropoff/lostPct", "/totals/sessions")
	case "returning":
		return derived(rule, "/totals/returningPct", "/totals/views", "/totals/uniques")
	case "bots":
		return derived(rule, "/totals/botsExcluded", "/totals/views")
	}
	return nil
}
