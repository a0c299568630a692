package reportpage

import (
	"archive/zip"
	"bytes"
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/export"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/report"
	"vitrine/report/part"
)

// Tables as CSV files (RFC 4180), with the figures of the report. A cell is
// empty if nothing was measured.

// cardRows maps the names of cards to the tables of a report, with headers.
var cardRows = map[string]func(*numbers) [][]string{
	"totals":    totalsRows,
	"series":    seriesRows,
	"excluded":  func(n *numbers) [][]string { return bucketRows("reason", "views", n.summary().Excluded) },
	"programs":  programRows,
	"timing":    timingRows,
	"insights":  insightRows,
	"content":   contentRows,
	"parts":     partRows,
	"clicks":    clickRows,
	"recent":    recentRows,
	"top_links": topLinkRows,
	"mix":       mixRows,

	"assistants": func(n *numbers) [][]string {
		return bucketRows("assistant", "reads", n.summary().ProductsOf(report.BotAIAssistant))
	},
}

func init() {
	for _, d := range report.Cards() {
		count := "views"
		if d.Sessions {
			count = "sessions"
		}
		cardRows[d.Card] = func(n *numbers) [][]string {
			return bucketRows(string(d.Dimension), count, d.Buckets(&n.summary().Breakdowns))
		}
	}
}

// cardTitles are the titles of cards that count views by no label, where they
// differ from the cards' names in addresses.
var cardTitles = map[string]string{"assistants": "Read by assistants", "clicks": "Clicks on links",
	"mix": "Kinds of files", "recent": "Recent visits", "timing": "Busiest hours"}

// cardFile returns the name of a card's file: the title of the card on the
// page.
func cardFile(n *numbers, card string) string {
	title := cmp.Or(cardTitles[card], card)
	if card == "top_links" {
		title = "Most viewed links"
		if n.website != nil {
			title = "Pages"
		}
	}
	for _, d := range report.Cards() {
		if d.Card == card {
			title = d.Title
		}
	}
	return strings.ReplaceAll(strings.ToLower(title), " ", "-")
}

// writeCard answers with the table of a card. A sample has none, because a file
// would not show that it is made up.
func writeCard(w http.ResponseWriter, r *http.Request, n *numbers, format, card string) error {
	if n.sample {
		return &vitrine.Error{Code: vitrine.CodeProRequired, Upgrade: true,
			Message: "Analytics are part of the Pro plan."}
	}
	rows := cardRows[card]
	if format != "csv" || rows == nil {
		return httpx.ErrNoPage
	}
	table := rows(n)
	if table == nil {
		return httpx.ErrNoPage
	}
	body, err := csvOf(table)
	if err != nil {
		return err
	}
	name := "analytics"
	if n.link != nil {
		name = n.link.Link.Slug
	}
	card = cardFile(n, card)
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8; header=present")
	h.Set("Content-Disposition", `attachment; filename="`+name+"-"+card+"-"+string(n.summary().Range.Key)+`.csv"`)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
	return nil
}

// writeCards answers with the tables of all cards as a ZIP file.
func writeCards(w http.ResponseWriter, r *http.Request, n *numbers) error {
	if n.sample {
		return &vitrine.Error{Code: vitrine.CodeProRequired, Upgrade: true,
			Message: "Analytics are part of the Pro plan."}
	}
	name := "analytics"
	if n.link != nil {
		name = n.link.Link.Slug
	}
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", `attachment; filename="`+name+"-"+string(n.summary().Range.Key)+`.zip"`)
	if r.Method == http.MethodHead {
		return nil
	}
	z := zip.NewWriter(w)
	for _, card := range slices.Sorted(maps.Keys(cardRows)) {
		table := cardRows[card](n)
		if len(table) < 2 { // only a header
			continue
		}
		body, err := csvOf(table)
		if err != nil {
			return err
		}
		f, err := z.Create(cardFile(n, card) + ".csv")
		if err == nil {
			_, err = f.Write(body)
		}
		if err != nil {
			return nil // the client has left
		}
	}
	_ = z.Close()
	return nil
}

func csvOf(table [][]string) ([]byte, error) {
	var b bytes.Buffer
	w := export.NewCSV(&b)
	for _, row := range table {
		if err := w.Write(row); err != nil {
			return nil, err
		}
	}
	err := w.Flush()
	return b.Bytes(), err
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }

// of returns a cell that is made of n measurements.
func of(cell string, n int64) string {
	if n == 0 {
		return ""
	}
	return cell
}

func tenths(t *report.Tenths) string {
	if t == nil {
		return ""
	}
	return t.String()
}

func totalsRows(n *numbers) [][]string {
	r := n.summary()
	t := &r.Totals
	return [][]string{
		{"from", "to", "views", "uniques", "sessions", "avgEngagedMs", "medianEngagedMs", "totalEngagedMs",
			"completionPct", "downloads", "rangeDownloads", "qrScans", "returningPct",
			"bouncePct", "botsExcluded", "atypical", "ownExcluded"},
		{r.Range.From.Format(httpx.TimeFormat), r.Range.To.Format(httpx.TimeFormat), whole(t.Views), whole(t.Uniques),
			whole(t.Sessions), of(whole(t.AvgEngagedMs), t.Sessions), of(whole(t.MedianEngagedMs), t.Sessions),
			whole(t.TotalEngagedMs), tenths(t.CompletionPct), whole(t.Downloads), whole(t.RangeDownloads),
			whole(t.QRScans), of(t.ReturningPct.String(), t.Views), of(t.BouncePct.String(), t.Sessions),
			whole(t.BotsExcluded), whole(t.Atypical), whole(t.OwnExcluded)},
	}
}

func seriesRows(n *numbers) [][]string {
	rows := [][]string{{"date", "views", "uniques", "avgEngagedS"}}
	for _, p := range n.summary().Series {
		rows = append(rows, []string{p.Date.Time().Format(time.DateOnly), whole(p.Views), whole(p.Uniques),
			of(whole(p.AvgEngagedS), p.Sessions)})
	}
	return rows
}

func bucketRows(key, count string, buckets []report.Bucket) [][]string {
	rows := [][]string{{key, count, "pct"}}
	for _, b := range buckets {
		rows = append(rows, []string{b.Key, whole(b.Count), b.Pct.String()})
	}
	return rows
}

func timingRows(n *numbers) [][]string {
	rows := [][]string{{"weekday", "hour", "views"}}
	for day, hours := range n.summary().Timing.Heat {
		for hour, views := range hours {
			rows = append(rows, []string{ui.WeekdayNames[day], strconv.Itoa(hour), whole(views)})
		}
	}
	return rows
}

func insightRows(n *numbers) [][]string {
	rows := [][]string{{"id", "label", "value", "detail", "tone"}}
	for _, i := range n.summary().Insights {
		rows = append(rows, []string{i.ID, i.Label, i.Value, i.Detail, string(i.Tone)})
	}
	return rows
}

// contentRows returns the pages of a document, or the marks of other kinds, or
// nil.
func contentRows(n *numbers) [][]string {
	if n.link == nil {
		return nil
	}
	var marks []report.Mark
	switch c := &n.link.Content; {
	case c.Pages != nil:
		rows := [][]string{append([]string{"page", "views", "reachPct", "avgMs", "attentionPct"}, bandColumns[:]...)}
		for _, p := range c.Pages.Pages {
			row := []string{strconv.Itoa(p.Page), whole(p.Views), of(p.ReachPct.String(), c.Sessions),
				of(whole(p.AvgMs), p.Views), of(p.AttentionPct.String(), c.Sessions)}
			rows = append(rows, append(row, bandCells(p.BandsPct)...))
		}
		return rows
	case c.Media != nil:
		marks = c.Media.Quartiles
	case c.Scroll != nil:
		marks = c.Scroll.Depths
	default:
		return nil
	}
	rows := [][]string{{"pct", "reachPct"}}
	for _, m := range marks {
		rows = append(rows, []string{whole(m.Pct), of(m.ReachPct.String(), n.link.Content.Sessions)})
	}
	return rows
}

// partRows returns the parts of a file that is no PDF, or nil.
func partRows(n *numbers) [][]string {
	if n.link == nil || len(n.link.Content.Parts) == 0 {
		return nil
	}
	rows := [][]string{{"part", "label", "views", "reachPct", "avgMs", "attentionPct", "words", "reading"}}
	banded := n.link.Content.PartKind != part.Section
	if banded {
		rows[0] = append(rows[0], bandColumns[:]...)
	}
	for _, p := range n.link.Content.Parts {
		row := []string{strconv.Itoa(p.Part), p.Label, whole(p.Views), p.ReachPct.String(),
			of(whole(p.AvgMs), p.Views), p.AttentionPct.String(),
			of(strconv.Itoa(p.Words), int64(p.Words)), string(p.Reading)}
		if banded {
			row = append(row, bandCells(p.BandsPct)...)
		}
		rows = append(rows, row)
	}
	return rows
}

// bandColumns are the shares of the quarters of a page or slide, from the top.
var bandColumns = [len(part.Bands{})]string{"band1Pct", "band2Pct", "band3Pct", "band4Pct"}

// bandCells returns the cells of bandColumns.
func bandCells(shares []report.Tenths) []string {
	cells := make([]string, len(bandColumns))
	for i, share := range shares {
		cells[i] = share.String()
	}
	return cells
}

// clickRows returns the links inside a file that were followed, or nil.
func clickRows(n *numbers) [][]string {
	if n.link == nil || len(n.link.Content.Clicks) == 0 {
		return nil
	}
	rows := [][]string{{"part", "target", "count"}}
	for _, c := range n.link.Content.Clicks {
		rows = append(rows, []string{strconv.Itoa(c.Part), c.Target, whole(c.Count)})
	}
	return rows
}

func recentRows(n *numbers) [][]string {
	if n.link == nil {
		return nil
	}
	rows := [][]string{{"at", "country", "city", "device", "browser", "os", "source", "engagedMs", "progress",
		"downloaded", "returning", "atypical"}}
	for _, o := range n.visits {
		spent := ""
		if o.Engaged {
			spent = whole(o.EngagedMs)
		}
		rows = append(rows, []string{o.At.UTC().Format(httpx.TimeFormat), o.Country, o.City, o.Device, o.Browser, o.OS,
			o.Source, spent, o.Progress,
			strconv.FormatBool(o.Downloaded), strconv.FormatBool(o.Returning), strconv.FormatBool(o.Atypical)})
	}
	return rows
}

func topLinkRows(n *numbers) [][]string {
	if n.account == nil {
		return nil
	}
	rows := [][]string{{"slug", "title", "kind", "views", "uniques", "avgEngagedMs", "completionPct", "downloads"}}
	for _, l := range n.account.TopLinks {
		rows = append(rows, []string{l.Slug, l.Title, l.Kind, whole(l.Views), whole(l.Uniques),
			of(whole(l.AvgEngagedMs), l.Sessions), tenths(l.CompletionPct), whole(l.Downloads)})
	}
	return rows
}

func mixRows(n *numbers) [][]string {
	if n.account == nil {
		return nil
	}
	return bucketRows("kind", "views", n.account.Mix)
}

// CSV returns the address of a card's table, or "" for samples and shared
// reports, which have none.
func (p *reportPage) CSV(card string) string {
	if p.Sample || p.Reader {
		return ""
	}
	u, err := url.Parse(p.Address)
	if err != nil {
		panic(err) // made by this package
	}
	q := u.Query()
	q.Set("format", "csv")
	q.Set("card", card)
	u.RawQuery = q.Encode()
	return u.String()
}
