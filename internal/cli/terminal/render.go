package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"vitrine/client"
	"vitrine/report"
	"vitrine/report/country"

	"github.com/rivo/uniseg"
)

const (
	pageWidth   = 96 // maximum width in columns
	narrowWidth = 40
	wideFigures = 75
	gaugeWidth  = 24
	cardRows    = 5
	pageRows    = 30
	recentRows  = 10
	nameWidth   = 24 // of a recipient
	topRows     = 15
)

// page is a report as text. Text from others goes through Plain.
type page struct {
	strings.Builder
	t     *Terminal
	rows  int // maximum of rows of a breakdown
	width int
	zone  *time.Location // time zone of dates and hours
	young bool           // changes are not shown
}

func newPage(t *Terminal, s *client.Summary, rows int, young bool) *page {
	p := &page{t: t, rows: cmp.Or(rows, cardRows), width: min(max(t.Width, narrowWidth), pageWidth), zone: time.UTC,
		young: young}
	if zone, err := time.LoadLocation(s.Range.Timezone); err == nil { // "" is UTC
		p.zone = zone
	}
	return p
}

func (p *page) line(format string, args ...any) {
	p.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// heading starts a section.
func (p *page) heading(s string) { p.line("\n%s", p.t.Paint(bold, s)) }

// RenderLink returns the report of a link as text. rows is the maximum of rows
// of a breakdown; 0 is the default. A young link is younger than the time that
// the report is compared with, so changes have no meaning. to has the labels of
// the recipients of r.Recent, or nothing if the link has none.
func RenderLink(t *Terminal, r *client.LinkReport, to []string, rows int, young bool) string {
	p := newPage(t, &r.Summary, rows, young)
	p.title(Plain(r.Link.Title), r.Range)
	about := Plain(r.Link.URL) + " · " + kindName(Plain(r.Link.Kind))
	if r.Link.Status != "" {
		about += " · " + Plain(StatusText(r.Link.Status, r.Link.Reason))
	}
	p.line("%s", t.Paint(Dim, about))
	p.asked(&r.Summary)
	p.summary(&r.Summary)
	p.content(r)
	p.audience(&r.Summary)
	p.excluded(r.Excluded)
	p.insights(r.Insights)
	p.recent(r.Recent, to)
	p.truncated(r.Truncated)
	return p.String()
}

// RenderAccount returns the report of all links of an account as text, as
// RenderLink does.
func RenderAccount(t *Terminal, r *client.AccountReport, rows int, young bool) string {
	p := newPage(t, &r.Summary, rows, young)
	p.title("All links", r.Range)
	p.line("%s", t.Paint(Dim, fmt.Sprintf("%s · %s and %s in total",
		Counted(r.AllTime.Links, "link"), Counted(r.AllTime.Views, "view"), Counted(r.AllTime.Downloads, "download"))))
	p.asked(&r.Summary)
	p.summary(&r.Summary)
	p.topLinks(r.TopLinks)
	if r.Trash != nil {
		p.line("%s", t.Paint(Dim, fmt.Sprintf("%s of %s in the trash are counted",
			Counted(r.Trash.Views, "view"), Counted(r.Trash.Links, "link"))))
	}
	p.audience(&r.Summary, card{"Files", r.Mix, kindName})
	p.excluded(r.Excluded)
	p.insights(r.Insights)
	p.truncated(r.Truncated)
	return p.String()
}

func (p *page) title(title string, r client.Range) {
	last := r.To.Add(-time.Second)
	first, end := r.From.In(p.zone).Format("2 Jan 2006"), last.In(p.zone).Format("2 Jan 2006")
	days := Plain(r.Label)
	if !strings.Contains(days, first) { // the label of custom dates is the dates
		days += fmt.Sprintf(", %s to %s", first, end)
	}
	title = Truncate(title, p.width)
	if room := p.width - uniseg.StringWidth(title) - uniseg.StringWidth(days); room >= 2 {
		p.line("%s%s%s", p.t.Paint(bold, title), strings.Repeat(" ", room), p.t.Paint(Dim, days))
		return
	}
	p.line("%s", p.t.Paint(bold, title))
	p.line("%s", p.t.Paint(Dim, days))
}

// asked writes the conditions of the report, except its window.
func (p *page) asked(s *client.Summary) {
	if len(s.Filter) > 0 {
		p.line("%s", p.t.Paint(Dim, "Only views with "+Plain(strings.Join(s.Filter, ", "))))
	}
	if s.Range.Compare == "year" {
		p.line("%s", p.t.Paint(Dim, "Changes are against the same dates a year earlier"))
	}
}

// figure is a number in the first row.
type figure struct{ name, value, change string }

func (p *page) summary(s *client.Summary) {
	n := s.Totals
	spent := figure{"Average time", durationOf(n.AvgEngagedMs, n.Sessions), ""}
	if n.Sessions > 0 {
		spent.change = p.change(s, s.Deltas.AvgEngagedMs)
	}
	figures := []figure{
		{"Views", Count(n.Views), p.change(s, s.Deltas.Views)},
		{"Unique viewers", Count(n.Uniques), p.change(s, s.Deltas.Uniques)},
		spent,
		{"Completion", percent(n.CompletionPct), ""},
		{"Downloads", Count(n.RangeDownloads), p.change(s, s.Deltas.Downloads)},
	}
	p.figures(figures)
	line := Counted(n.Sessions, "session")
	if n.Sessions > 0 {
		line += fmt.Sprintf(" · median %s · total %s", Duration(n.MedianEngagedMs), Duration(n.TotalEngagedMs))
	}
	if n.Views > 0 {
		line += fmt.Sprintf(" · %s%% returning", n.ReturningPct)
	}
	if n.Sessions > 0 {
		line += fmt.Sprintf(" · %s%% bounced", n.BouncePct)
	}
	p.line("\n%s", line)
	p.line("%s", p.t.Paint(Dim, fmt.Sprintf("%s all-time · %s by QR code", Counted(n.Downloads, "download"),
		Count(n.QRScans))))
	p.line("%s", p.t.Paint(Dim, leftOut(&n)))
	if n.Views > 0 {
		p.series(s)
	} else if len(s.Filter) > 0 {
		p.line("\nNo view in this time meets the filter.")
	} else {
		p.line("\nNo views in this time.")
	}
}

// leftOut says how many views are not counted, as the page does.
func leftOut(n *client.Totals) string {
	line := Counted(n.BotsExcluded, "bot view") + " excluded"
	if n.BotsExcluded == 0 && n.OwnExcluded == 0 {
		line = "No views excluded"
	}
	if n.OwnExcluded > 0 {
		line += fmt.Sprintf(" · %s of your own", Count(n.OwnExcluded))
	}
	if rest := n.Views - n.Sessions; rest > 0 {
		line += fmt.Sprintf(" · %s of %s not in averages", Count(rest), Counted(n.Views, "view"))
	}
	return line
}

// figures writes figures side by side, or one per line if the terminal is
// narrow.
func (p *page) figures(figures []figure) {
	p.line("")
	if p.width < wideFigures {
		for _, f := range figures {
			p.line("%s%s%s", p.t.Paint(Dim, Pad(f.name, 16)), p.t.Paint(bold, Pad(f.value, 12)), f.change)
		}
		return
	}
	column := p.width / len(figures)
	var names, values, changes strings.Builder
	for _, f := range figures {
		names.WriteString(p.t.Paint(Dim, Pad(f.name, column)))
		values.WriteString(p.t.Paint(bold, Pad(f.value, column)))
		changes.WriteString(padPainted(f.change, column))
	}
	p.line("%s", names.String())
	p.line("%s", values.String())
	if row := changes.String(); strings.TrimSpace(row) != "" {
		p.line("%s", row)
	}
}

// series draws views and time spent over time.
func (p *page) series(s *client.Summary) {
	if len(s.Series) == 0 {
		return
	}
	room := p.width - 10
	wide := min(max(room/len(s.Series), 1), 4) // columns per point
	var views, seconds []int64
	peak := s.Series[0]
	for _, point := range s.Series {
		views = append(views, slices.Repeat([]int64{point.Views}, wide)...)
		seconds = append(seconds, slices.Repeat([]int64{point.AvgEngagedS}, wide)...)
		if point.Views > peak.Views {
			peak = point
		}
	}
	preposition := "on"
	if s.Granularity == "hour" {
		preposition = "at"
	}
	p.heading("By " + Plain(s.Granularity))
	p.line("Views     %s", spark(views, room))
	if s.Totals.Sessions > 0 {
		p.line("Time      %s", spark(seconds, room))
	}
	most := fmt.Sprintf("most %s %s: %s", preposition, Plain(peak.Label), Counted(peak.Views, "view"))
	p.line("%s", p.t.Paint(Dim, most))
}

// card is a breakdown. name returns the name of a key; nil is the key itself.
type card struct {
	title   string
	buckets []client.Bucket
	name    func(key string) string
}

// audience writes the hours and the non-empty breakdowns, side by side if they
// fit.
func (p *page) audience(s *client.Summary, more ...card) {
	name := map[report.Dimension]func(string) string{report.OnCountry: country.Name, report.OnReferrer: hostName,
		report.OnScreen: widthName}
	cards := more
	for _, d := range report.Cards() {
		cards = append(cards, card{d.Title, s.Breakdowns[d.Card], name[d.Dimension]})
	}
	columns := max(p.width/narrowWidth, 1)
	var row [][]string
	for _, c := range cards {
		if len(c.buckets) == 0 {
			continue
		}
		if row = append(row, p.card(c, p.width/columns-2)); len(row) == columns {
			p.sideBySide(row)
			row = nil
		}
	}
	p.sideBySide(row)
	p.hours(s.Timing)
}

// excluded writes the excluded views by reason and program.
func (p *page) excluded(list []client.Excluded) {
	if len(list) == 0 {
		return
	}
	p.heading("Excluded")
	for _, e := range list {
		var programs []string
		for _, g := range e.Programs {
			programs = append(programs, Plain(g.Name)+" "+Count(g.Count))
		}
		p.line("%s", Truncate(fmt.Sprintf("%s %s  %s", PadLeft(Count(e.Count), 7),
			Pad(Plain(strings.ReplaceAll(e.Reason, "_", " ")), 18), strings.Join(programs, ", ")), p.width))
	}
}

// card returns the lines of a breakdown, at most width columns wide.
func (p *page) card(c card, width int) []string {
	const number, share = 6, 6
	bar := min(max(width/4, 8), 12)
	name := width - bar - number - share - 3
	head := width - number - share - 2
	lines := []string{p.t.Paint(bold, Pad(c.title, head)) + " " + p.t.Paint(Dim, PadLeft("views", number)+" "+
		PadLeft("share", share))}
	for i, b := range c.buckets {
		if i == p.rows {
			lines = append(lines, p.t.Paint(Dim, Pad(fmt.Sprintf("and %d more", len(c.buckets)-p.rows), width)))
			break
		}
		key := Plain(b.Key)
		if c.name != nil {
			key = c.name(key)
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %s", Pad(Truncate(key, name), name),
			p.t.Paint(Good, gauge(b.Pct, bar)), PadLeft(Count(b.Count), number), PadLeft(percent(&b.Pct), share)))
	}
	return lines
}

// sideBySide writes cards next to each other.
func (p *page) sideBySide(cards [][]string) {
	if len(cards) == 0 {
		return
	}
	height := 0
	for _, c := range cards {
		height = max(height, len(c))
	}
	p.line("")
	for i := range height {
		var line strings.Builder
		for j, c := range cards {
			text := ""
			if i < len(c) {
				text = c[i]
			}
			if j < len(cards)-1 {
				text = padPainted(text, p.width/len(cards))
			}
			line.WriteString(text)
		}
		p.line("%s", line.String())
	}
}

// inShort lists the insights that the page shows. The others repeat a number
// above them, without the page's rule for few views.
var inShort = []string{"dropoff", "best_time", "top_source"}

func (p *page) insights(cards []client.Insight) {
	cards = slices.DeleteFunc(slices.Clone(cards), func(c client.Insight) bool {
		return !slices.Contains(inShort, c.ID)
	})
	if len(cards) == 0 {
		return
	}
	p.heading("In short")
	for _, c := range cards {
		mark := map[string]string{"good": p.t.Paint(Good, "+"), "warn": p.t.Paint(Warn, "!")}[c.Tone]
		p.line("%s %s: %s %s", cmp.Or(mark, "·"), Plain(c.Label), p.t.Paint(bold, separated(Plain(c.Value))),
			p.t.Paint(Dim, "("+separated(Plain(c.Detail))+")"))
	}
}

func (p *page) recent(views []client.RecentView, to []string) {
	if len(views) == 0 {
		return
	}
	p.heading("Recent visits")
	views = views[:min(len(views), recentRows)]
	rows := make([][]string, len(views))
	var wide [6]int
	for i, o := range views {
		name := ""
		if i < len(to) {
			name = Truncate(Plain(to[i]), nameWidth)
		}
		rows[i] = slices.Insert(p.visit(o), 1, name)
		for j := range wide {
			wide[j] = max(wide[j], uniseg.StringWidth(rows[i][j]))
		}
	}
	for i, row := range rows {
		for j := range wide {
			row[j] = Pad(row[j], wide[j])
		}
		row = slices.DeleteFunc(row, func(cell string) bool { return cell == "" })
		line := Truncate(strings.TrimRight(strings.Join(row, "  "), " "), p.width)
		if views[i].Atypical {
			line = p.t.Paint(Dim, line)
		}
		p.line("%s", line)
	}
}

// visit returns the cells of a view: when, how long, how far, from where and
// by which device. What matters most comes first, since lines are cut.
func (p *page) visit(o client.RecentView) []string {
	var notes, device []string
	for _, note := range []struct {
		is   bool
		text string
	}{{o.Downloaded, "downloaded"}, {o.Returning, "returning"}, {o.Excluded, "excluded"},
		{o.Atypical && !o.Excluded, "barely looked at"}} {
		if note.is {
			notes = append(notes, note.text)
		}
	}
	for _, part := range []string{o.Browser, o.OS, o.Device} {
		if part != "" {
			device = append(device, Plain(part))
		}
	}
	place := Plain(o.Country)
	if o.City != "" {
		place = Plain(o.City) + ", " + place
	}
	return []string{o.At.In(p.zone).Format("_2 Jan 15:04"), PadLeft(Duration(o.EngagedMs), 11), Plain(o.Progress),
		Plain(o.Source), place, strings.Join(notes, ", "), strings.Join(device, ", ")}
}

func (p *page) topLinks(links []client.LinkSummary) {
	if len(links) == 0 {
		return
	}
	p.heading("Most viewed")
	p.line("%s", p.t.Paint(Dim, fmt.Sprintf("%7s %7s %12s %10s  %-12s  %s", "views", "viewers", "avg. time",
		"completion", "trend", "title")))
	for _, l := range links[:min(len(links), topRows)] {
		slug := Plain(l.Slug)
		name := Truncate(Plain(l.Title), max(p.width-55-uniseg.StringWidth(slug)-2, 12)) + p.t.Paint(Dim, "  "+slug)
		p.line("%7s %7s %12s %10s  %s  %s", Count(l.Views), Count(l.Uniques),
			durationOf(l.AvgEngagedMs, max(l.Sessions, l.AvgEngagedMs)), percent(l.CompletionPct),
			Pad(spark(l.Spark, 12), 12), name)
	}
	if more := len(links) - topRows; more > 0 {
		p.line("%s", p.t.Paint(Dim, fmt.Sprintf("and %d more", more)))
	}
}

func (p *page) truncated(is bool) {
	if is {
		p.line("\n%s", p.t.Paint(Warn, "This period has more views than the limit for one report: only the newest are counted. Use a shorter range for exact numbers."))
	}
}

// padPainted pads text that may contain color codes.
func padPainted(s string, width int) string {
	bare := s
	for _, colour := range []string{Dim, bold, Good, Warn, Bad, "\x1b[0m"} {
		bare = strings.ReplaceAll(bare, colour, "")
	}
	return s + strings.Repeat(" ", max(width-uniseg.StringWidth(bare), 0))
}
