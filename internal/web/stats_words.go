package web

import (
	"fmt"
	"strings"
	"time"

	"vitrine/internal/importer"
	"vitrine/internal/visitor"
	"vitrine/report"

	"github.com/dustin/go-humanize"
)

// figure is a count as people read it.
type figure int64

func (f figure) String() string { return humanize.Comma(int64(f)) }

// Raw is the count as programs read it.
func (f figure) Raw() int64 { return int64(f) }

// counted is a count of things, as people read it.
func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return figure(n).String() + " " + many
}

// lasting is a time in milliseconds as people read it.
type lasting int64

func (l lasting) String() string {
	s := (int64(l) + 500) / 1000
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	}
	return fmt.Sprintf("%s h %02d min", humanize.Comma(s/3600), s%3600/60)
}

// rangeNames are what ranges are called on their buttons.
var rangeNames = map[report.Range]string{
	report.Range7d: "7 days", report.Range14d: "14 days", report.Range30d: "30 days", report.Range90d: "90 days", report.RangeAll: "All time",
}

// kindNouns are what kinds of files are called.
var kindNouns = map[string]string{
	"pdf": "PDF", "image": "Image", "video": "Video", "audio": "Sound", "document": "Document", "text": "Text", "html": "Web page", "archive": "Archive",
}

func kindNoun(kind string) string {
	if noun, ok := kindNouns[kind]; ok {
		return noun
	}
	return capital(kind)
}

// botNouns are the reasons why an open is not a person's, and who that is.
var botNouns = map[string][2]string{
	visitor.BotLinkPreview:    {"Link previews", "a chat or a network that draws a card of the link"},
	visitor.BotMailScanner:    {"Mail scanners", "a mail gateway that opens links before the reader does"},
	visitor.BotCrawler:        {"Crawlers", "search engines, archives, assistants, monitors"},
	visitor.BotHeadless:       {"Headless browsers", "a browser without a person in front of it"},
	visitor.BotClientLibrary:  {"Programs", "a program’s HTTP library, or an app’s own request"},
	visitor.BotShortUserAgent: {"Nameless programs", "a request that names no product"},
	visitor.BotAutomation:     {"Driven browsers", "the page itself saw that a program was at the wheel"},
	importer.BotImported:      {"Called bots by an import", "the file that the history came from said so"},
}

// cityName is the city and the country code of a label of cities.
func cityName(label string) (city, code string) {
	if i := strings.LastIndex(label, ", "); i >= 0 && isCountry(label[i+2:]) {
		return label[:i], label[i+2:]
	}
	return label, ""
}

// screenName is a range of widths as people read it.
func screenName(label string) string {
	if least, ok := strings.CutSuffix(label, "+"); ok {
		return least + " px and more"
	}
	return strings.Replace(label, "-", "–", 1) + " px"
}

// weekdayNames begin with Sunday, as reports count.
var weekdayNames = [7]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}

func hourName(h int) string { return fmt.Sprintf("%02d:00", h) }

// recentTime is when an open was, in a column.
func recentTime(t, now time.Time) string {
	t = t.UTC()
	if t.Year() != now.UTC().Year() {
		return t.Format("2 Jan 2006, 15:04")
	}
	return t.Format("2 Jan, 15:04")
}

// What the numbers mean, in a sentence or two (analytics).
const (
	meansViews = "How often the page was opened by a person, in these days. Each load of the page counts once, also where scripts are off. " +
		"Bots, link previews and mail scanners are left out; the owner’s own preview is none."
	meansUniques = "How many different people that were, as far as possible without cookies: the same browser in the same place is one viewer, " +
		"whichever day it comes."
	meansEngaged = "How long people really looked, on average: time in which the page was in front and its reader there. Opens by bots, " +
		"and those gone within two seconds, are in no average. The median is the middle one: half looked longer."
	meansCompletion = "How much of the file people got to see, on average over all sessions: the share of a PDF’s pages that were seen, of a video’s or sound’s time " +
		"that was played, or how far down a page they scrolled."
	meansDownloads = "How often the file was downloaded, in these days. The number below counts since it was published. One open downloads once."
	meansBounce    = "The share of sessions with less than five seconds of attention."
	meansReturning = "The share of views by people who had opened the same link before."
	meansQR        = "Views that came by the QR code."
)

// isCountry reports whether a code has the form of a country's.
func isCountry(code string) bool {
	return len(code) == 2 && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
