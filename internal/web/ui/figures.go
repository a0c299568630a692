package ui

import (
	"fmt"
	"strconv"

	"vitrine/internal/base/notation"
	"vitrine/report"
)

// Figure is a count for people.
type Figure int64

func (f Figure) String() string { return notation.Count(int64(f)) }

// Raw returns the count for programs.
func (f Figure) Raw() int64 { return int64(f) }

// Counted returns a count of things in words.
func Counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Figure(n).String() + " " + many
}

// NotInAverages says how many of the views of people are in no average, because
// nothing was measured or they ended at once; "" if there are none.
func NotInAverages(views, sessions int64) string {
	if views <= sessions {
		return ""
	}
	return fmt.Sprintf("%s of %s not in averages", Figure(views-sessions), Counted(views, "view", "views"))
}

// Lasting is a time in milliseconds for people.
type Lasting int64

func (l Lasting) String() string { return notation.Lasting(int64(l)) }

// Percent formats a share: with one decimal below 10, and none above.
func Percent(share report.Tenths) string {
	if share < 100 {
		return share.String() + "%"
	}
	return strconv.FormatInt(int64(share+5)/10, 10) + "%"
}

// nothing is shown for a number that was not measured.
const nothing = "–"

// TimeOf formats a time in milliseconds that is an average or sum over n
// measurements.
func TimeOf(ms, n int64) string {
	if n == 0 {
		return nothing
	}
	return Lasting(ms).String()
}

// ShareOf formats a share of n.
func ShareOf(share report.Tenths, n int64) string {
	if n == 0 {
		return nothing
	}
	return Percent(share)
}

// CompletionOf formats a completion; nil is none.
func CompletionOf(p *report.Tenths) string {
	if p == nil {
		return nothing
	}
	return Percent(*p)
}

// kindNouns are the names of kinds of files.
var kindNouns = map[string]string{
	"pdf": "PDF", "image": "Image", "video": "Video", "audio": "Audio", "document": "Document", "text": "Text",
	"html": "Web page", "archive": "Archive",
}

// KindNoun returns what people call a file of a kind.
func KindNoun(kind string) string {
	if noun, ok := kindNouns[kind]; ok {
		return noun
	}
	return Capital(kind)
}

// BotNouns maps reasons for excluded views to what they are, and who.
var BotNouns = map[string][2]string{
	report.BotOwn:            {"Your own visits", "pages of your links that you opened while signed in"},
	report.BotLinkPreview:    {"Link previews", "a chat or a network that draws a card of the link"},
	report.BotMailScanner:    {"Mail scanners", "a mail gateway that opens links before the reader does; it counts once the page is read for a second"},
	report.BotCrawler:        {"Crawlers", "search engines, archives, marketing, security scans"},
	report.BotAIAssistant:    {"AI assistants", "an assistant that a person asked, which read the page for them"},
	report.BotAITraining:     {"AI training", "a program that collects pages to train models"},
	report.BotAISearch:       {"AI search", "a program that builds the index which an assistant searches"},
	report.BotNotShown:       {"Not shown", "a browser that loaded the page as a picture, a script or data, without showing it"},
	report.BotDatacenter:     {"Hosting networks", "a browser in a network of rented servers; it counts once the page is read for a second"},
	report.BotExcess:         {"Too many from one network", "views above the limits of a network, which are only counted: see the documentation"},
	report.BotMonitor:        {"Monitors", "a service that checks whether the page is up"},
	report.BotHeadless:       {"Headless browsers", "a browser without a person in front of it"},
	report.BotClientLibrary:  {"Programs", "a program’s HTTP library, or an app’s own request"},
	report.BotShortUserAgent: {"Nameless programs", "a request that names no product"},
	report.BotAutomation:     {"Automated browsers", "the page detected that a program controls the browser"},
	report.BotImported:       {"Marked as bots in the import", "the imported file says so"},
}
