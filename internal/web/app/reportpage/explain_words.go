package reportpage

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"vitrine/internal/app/analytics"
	"vitrine/internal/web/ui"
	"vitrine/report"
	"vitrine/report/country"
	"vitrine/report/explain"
)

// The words of the page that says what makes a figure.

// otherViews names the views that are not part of a figure.
var otherViews = map[string]string{explain.Bots: "Views by bots", explain.Own: "The owner’s own views",
	explain.Unmeasured: "Views that were not measured", explain.Atypical: "Views that were barely looked at",
	explain.Counted: "Counted views", explain.Other: "Views with another value"}

// made returns how a figure follows from its visits, in words.
func made(e *analytics.Explanation) string {
	count, sum, of := ui.Counted(e.Count, "visit", "visits"), ui.Figure(e.Sum).String(), ui.Figure(e.Of).String()
	if e.Unit == explain.Milliseconds {
		sum, of = ui.Lasting(e.Sum).String(), ui.Lasting(e.Of).String()
	}
	switch e.Kind {
	case explain.Count:
		if e.Without > 0 {
			return count + " below, and " + ui.Figure(e.Without).String() + " without a visit."
		}
		return "The number of the visits below."
	case explain.Distinct:
		return "The number of different viewers of " + count + "."
	case explain.Sum:
		return "The sum over " + count + "."
	case explain.Mean:
		return sum + " in " + count + ", on average."
	case explain.Median:
		return "Half of " + count + " have less, half have more."
	case explain.Share:
		if e.Unit == explain.Millionths {
			return "The average of " + count + "."
		}
		return sum + " of " + of + "."
	case explain.MeanShare:
		return "The average of " + count + "."
	case explain.Derived:
		return "It follows from the numbers below."
	}
	return ""
}

// share returns the share of a visit in a figure, in words.
func share(e *analytics.Explanation, v analytics.ExplainedVisit) string {
	switch {
	case e.Kind == explain.Distinct:
		return strconv.Itoa(v.Viewer)
	case e.Unit == explain.Milliseconds && e.Kind == explain.Share:
		return ui.Lasting(v.Value).String() + " of " + ui.Lasting(v.Of).String()
	case e.Unit == explain.Milliseconds:
		return ui.Lasting(v.Value).String()
	case e.Unit == explain.Millionths && v.Of > 0 && v.Of != 1_000_000:
		return fmt.Sprintf("%d of %s", v.Value, ui.Counted(v.Of, "page", "pages"))
	case e.Unit == explain.Millionths:
		return fmt.Sprintf("%d%%", (v.Value*200+1_000_000)/2_000_000)
	case e.Unit == explain.Pages:
		return ui.Counted(v.Value, "page", "pages")
	case e.Unit == explain.Clicks:
		return ui.Counted(v.Value, "click", "clicks")
	case e.Kind == explain.Count:
		return ""
	case v.Value > 0:
		return "Yes"
	}
	return "No"
}

// shareColumns head the column that says whether a visit is part of a share, by
// the last part of its pointer.
var shareColumns = map[string]string{"returningPct": "Counts as returning", "bouncePct": "Counts as a bounce",
	"reachPct": "Came this far", "readToEndPct": "Read to the end", "playedPct": "Began to play",
	"finishedPct": "Played to the end", "lostPct": "Stopped there", "beforePct": "Stopped before"}

// columnName returns the heading of what the rows of a figure say of their
// visits, or "" if they say nothing.
func columnName(whole any, e *analytics.Explanation) string {
	switch {
	case e.Kind == explain.Count:
		return ""
	case e.Kind == explain.Distinct:
		return "Viewer"
	case e.Unit == explain.Milliseconds:
		return "Time"
	case e.Unit == explain.Millionths:
		return "Progress"
	case e.Unit == explain.Pages:
		return "Pages"
	case e.Unit == explain.Clicks:
		return "Clicks"
	}
	p := strings.Split(e.Figure, "/")
	if name := shareColumns[p[len(p)-1]]; name != "" {
		return name
	}
	if above, ok := objectAt(whole, strings.Join(p[:len(p)-1], "/")); ok && len(p) > 3 {
		return cmp.Or(aboutFigure(p[1:], above), "Counts")
	}
	return "Counts"
}

// figureNames are the names of figures by the last part of their pointer.
var figureNames = map[string]string{"views": "Views", "uniques": "Unique viewers", "sessions": "Measured visits",
	"avgEngagedMs": "Average time", "medianEngagedMs": "Median time", "totalEngagedMs": "Time in all",
	"completionPct": "Completion", "downloads": "Downloads", "rangeDownloads": "Downloads", "qrScans": "QR scans",
	"returningPct": "Returning", "bouncePct": "Bounces", "botsExcluded": "Views by bots", "ownExcluded": "Own views",
	"atypical": "Barely looked at", "count": "Views", "pct": "Share", "reachPct": "Reached by", "avgMs": "Average time",
	"attentionPct": "Share of time", "expectedPct": "Of the expected time", "expectedMs": "Expected time of a page",
	"readToEndPct": "Read to the end", "avgPagesSeen": "Pages seen on average", "pagesTotal": "Pages",
	"playedPct": "Began to play", "avgPlayedPct": "Played on average", "finishedPct": "Played to the end",
	"avgDepthPct": "Scrolled on average", "lostPct": "Stopped there", "afterPage": "Stopped after page",
	"beforePct": "Stopped before", "avgEngagedS": "Average time", "peakHour": "Busiest hour",
	"peakWeekday": "Busiest weekday", "links": "Links", "days": "Days", "engagedMs": "Time", "page": "Page",
	"version": "Version", "part": "Part", "label": "Heading", "partSessions": "Measured visits",
	"afterPart": "Stopped after part", "target": "Link"}

// figureName returns the name of a figure, with what it is about.
func figureName(whole any, pointer string) string {
	p := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	last := p[len(p)-1]
	name, about := figureNames[last], ""
	number, err := strconv.Atoi(last)
	switch {
	case strings.HasPrefix(pointer, "/content/clicks/") && last == "count":
		name = "Clicks"
	case p[0] == "insights":
		above, _ := objectAt(whole, "/insights/"+p[min(1, len(p)-1)])
		label, _ := above["label"].(string)
		return label
	case p[0] == "deltas":
		return figureNames[p[1]] + ": change"
	case p[0] == "previous":
		return name + " before"
	case p[0] == "all_time", pointer == "/totals/downloads":
		return name + ", all-time"
	case p[0] == "timing" && err == nil && p[1] == "heat":
		day, _ := strconv.Atoi(p[2])
		return ui.WeekdayNames[day%7] + ", " + ui.HourName(number)
	case p[0] == "timing" && err == nil && p[1] == "byHour":
		return ui.HourName(number) + "–" + ui.HourName(number+1)
	case p[0] == "timing" && err == nil:
		return ui.WeekdayNames[number%7]
	case err == nil:
		name = strconv.Itoa(number + 1)
	}
	if above, ok := objectAt(whole, pointer[:strings.LastIndexByte(pointer, '/')]); ok && len(p) > 2 {
		about = aboutFigure(p, above)
	}
	if about == "" {
		return name
	}
	return about + ": " + strings.ToLower(name[:min(len(name), 1)]) + name[min(len(name), 1):]
}

// aboutFigure returns which entry of a list a figure is about.
func aboutFigure(p []string, above map[string]any) string {
	text := func(name string) string {
		s, _ := above[name].(string)
		return s
	}
	switch {
	case p[0] == "breakdowns" && p[1] == "countries":
		return country.Name(text("key"))
	case p[0] == "mix":
		return ui.KindNoun(text("key"))
	case p[0] == "excluded":
		return ui.ReasonName(text("reason"))
	case text("key") != "":
		return text("key")
	case text("title") != "":
		return text("title")
	case text("label") != "":
		return text("label")
	case above["part"] != nil:
		return fmt.Sprint("Part ", above["part"])
	case above["page"] != nil:
		return fmt.Sprint("Page ", above["page"])
	case above["reachPct"] != nil:
		return fmt.Sprint(above["pct"], "%")
	}
	return ""
}

// shownFigure returns a figure as pages show it.
func shownFigure(pointer string, v any) string {
	n, ok := v.(json.Number)
	if !ok {
		if text, is := v.(string); is {
			return text
		}
		return "–"
	}
	i, err := n.Int64()
	last := pointer[strings.LastIndexByte(pointer, '/')+1:]
	switch {
	case strings.HasSuffix(last, "Ms") && err == nil:
		return ui.Lasting(i).String()
	case last == "avgEngagedS" && err == nil:
		return ui.Lasting(1000 * i).String()
	case strings.HasSuffix(last, "Pct"), last == "pct", strings.Contains(pointer, "/curve/"),
		strings.Contains(pointer, "/played/"):
		var share report.Tenths
		if share.UnmarshalJSON([]byte(n)) == nil {
			return ui.Percent(share)
		}
	case err == nil:
		return ui.Figure(i).String()
	}
	return n.String()
}
