package web

import (
	"fmt"
	"time"

	"vitrine/report"
)

// statsCard is one number with what it means.
type statsCard struct {
	ID, Name, Value string
	Note            string // what else belongs to it
	Delta           *statsDelta
	Means           string
}

// statsDelta is a change against the time before, in a sign and in words.
type statsDelta struct {
	Dir               report.Dir
	Sign, Short, From string
	Words             string // the whole of it, read aloud
}

func statsCards(n *numbers) []statsCard {
	r := n.summary()
	t, d, before := &r.Totals, &r.Deltas, &r.Previous
	change := func(d report.Delta, was string) *statsDelta { return newStatsDelta(r, d, was) }
	completion := "–"
	if t.CompletionPct != nil {
		completion = t.CompletionPct.String() + "%"
	}
	return []statsCard{
		{"views", "Views", figure(t.Views).String(), allTimeNote(n), change(d.Views, figure(before.Views).String()), meansViews},
		{"uniques", "Unique viewers", figure(t.Uniques).String(), "", change(d.Uniques, figure(before.Uniques).String()), meansUniques},
		{"engaged", "Average time", lasting(t.AvgEngagedMs).String(),
			fmt.Sprintf("median %s · %s in all", lasting(t.MedianEngagedMs), lasting(t.TotalEngagedMs)), change(d.AvgEngagedMs, lasting(before.AvgEngagedMs).String()), meansEngaged},
		{"completion", completionName(n), completion, completionNote(n), nil, meansCompletion},
		{"downloads", "Downloads", figure(t.RangeDownloads).String(), figure(t.Downloads).String() + " all-time", change(d.Downloads, figure(before.Downloads).String()), meansDownloads},
		{"bounce", "Bounces", t.BouncePct.String() + "%", "of " + counted(t.Sessions, "session", "sessions"), nil, meansBounce},
		{"returning", "Returning", t.ReturningPct.String() + "%", "of " + counted(t.Views, "view", "views"), nil, meansReturning},
		{"qr", "QR scans", figure(t.QRScans).String(), "", nil, meansQR},
	}
}

func allTimeNote(n *numbers) string {
	if n.link != nil {
		return figure(n.link.AllTimeViews).String() + " all-time"
	}
	return figure(n.account.AllTime.Views).String() + " all-time"
}

// completionName says what completion is of the link's kind.
func completionName(n *numbers) string {
	if n.link == nil {
		return "Completion"
	}
	switch n.link.Content.Kind {
	case report.ContentPages:
		return "Pages seen"
	case report.ContentMedia:
		return "Played"
	case report.ContentScroll:
		return "Scrolled"
	}
	return "Completion"
}

func completionNote(n *numbers) string {
	if n.link == nil {
		return "of each file, on average"
	}
	switch c := &n.link.Content; c.Kind {
	case report.ContentPages:
		if c.Pages.PagesTotal > 0 {
			return fmt.Sprintf("of %s, on average", plural(int64(c.Pages.PagesTotal), "page", "pages"))
		}
		return "its number of pages is not known"
	case report.ContentNone:
		return "not measured of an archive"
	}
	return "on average"
}

// newStatsDelta is a change in words; was is the number of the time before. All
// time has no time before.
func newStatsDelta(r *report.Summary, d report.Delta, was string) *statsDelta {
	if r.Range.Key == report.RangeAll {
		return nil
	}
	days := plural(int64(r.Range.Days), "day", "days")
	s := &statsDelta{Dir: d.Dir, Sign: map[report.Dir]string{report.Up: "↑", report.Down: "↓", report.Flat: "="}[d.Dir]}
	switch {
	case d.Dir == report.Flat:
		s.Short, s.Words = "as before", fmt.Sprintf("The same as in the %s before.", days)
	case d.Pct == nil:
		s.Dir, s.Sign = report.Flat, "" // from nothing, there is no telling how good it is
		s.Short, s.Words = "none before", fmt.Sprintf("There was nothing in the %s before.", days)
	default:
		pct := max(*d.Pct, -*d.Pct)
		s.Short, s.From = fmt.Sprintf("%s%%", figure(pct)), "from "+was
		s.Words = fmt.Sprintf("%s %s percent, from %s in the %s before.", capital(string(d.Dir)), figure(pct), was, days)
	}
	return s
}

// statsReason is a line of the ledger of what was left out.
type statsReason struct {
	Name, Who string
	Count     figure
	Pct       string
}

func statsLedger(excluded []report.Bucket) []statsReason {
	var rows []statsReason
	for _, b := range excluded {
		noun, ok := botNouns[b.Key]
		if !ok {
			noun[0] = reasonName(b.Key)
		}
		rows = append(rows, statsReason{noun[0], noun[1], figure(b.Count), b.Pct.String() + "%"})
	}
	return rows
}

// statsTip is an insight.
type statsTip struct {
	Label, Value, Detail string
	Tone                 report.Tone
	Aloud                string // what the tone says
}

func statsTips(insights []report.Insight) []statsTip {
	var tips []statsTip
	for _, i := range insights {
		t := statsTip{Label: i.Label, Value: i.Value, Detail: i.Detail, Tone: i.Tone}
		switch i.Tone {
		case report.Good:
			t.Aloud = "Good"
		case report.Warn:
			t.Aloud = "Worth a look"
		}
		tips = append(tips, t)
	}
	return tips
}

// statsOpen is one of the recent opens.
type statsOpen struct {
	report.RecentOpen
	When, Place string
	Engaged     lasting
}

func statsRecent(recent []report.RecentOpen, now time.Time) []statsOpen {
	rows := []statsOpen{}
	for _, o := range recent {
		place := o.City
		if o.Country != "" {
			if place != "" {
				place += ", "
			}
			place += report.CountryName(o.Country)
		}
		rows = append(rows, statsOpen{o, recentTime(o.At, now), place, lasting(o.EngagedMs)})
	}
	return rows
}

// statsTop is a link among the most viewed.
type statsTop struct {
	report.LinkSummary
	Address    string // "" in a sample
	Noun       string
	Seen, Who  figure
	Engaged    lasting
	Completion string
	Loads      figure
	Spark      statsSpark
}

func statsTopLinks(links []report.LinkSummary, sample bool) []statsTop {
	var rows []statsTop
	for _, l := range links {
		t := statsTop{LinkSummary: l, Address: "/links/" + l.Slug + analyticsRoot, Noun: kindNoun(l.Kind), Seen: figure(l.Views), Who: figure(l.Uniques),
			Engaged: lasting(l.AvgEngagedMs), Completion: "–", Loads: figure(l.Downloads), Spark: newStatsSpark(l.Spark)}
		if l.CompletionPct != nil {
			t.Completion = l.CompletionPct.String() + "%"
		}
		if sample {
			t.Address = ""
		}
		rows = append(rows, t)
	}
	return rows
}
