package visitor

import "strings"

// The reasons why an open is not a person's (engagement, "Bots are classified, not dropped").
const (
	BotShortUserAgent = "short_user_agent" // none, or one that names no product
	BotLinkPreview    = "link_preview"     // a chat or a network that draws a card of the link
	BotClientLibrary  = "client_library"   // a program's HTTP library, or a program that is no browser
	BotCrawler        = "crawler"          // search, archives, training, monitoring, security scans
	BotHeadless       = "headless"         // a browser without a person in front of it
	BotMailScanner    = "mail_scanner"     // a mail gateway that opens links before the reader does
	BotSpeculative    = "speculative"      // a prefetch or prerender: see Speculative
	BotAutomation     = "automation"       // reported by the page's beacon; Classify never gives it
)

// shortest is the length below which a user agent is no browser's.
const shortest = 16

// botReason tells why the sender of a user agent, in lower case, is no person; "" when it may be one.
//
// Known names decide first, then the form: a word like "crawler", an address to read about the robot, no trace of a browser
// engine. An app that shows pages sends its engine along and is a person; the app's own requests do not.
func botReason(ua string) string {
	if reason := botNames.label(ua); reason != "" {
		return reason
	}
	for _, family := range botFamilies {
		if hasAnyPrefix(ua, family.prefixes) {
			return family.reason
		}
	}
	switch {
	case hasAnyPrefix(ua, textBrowsers):
		return ""
	case notBots.in(ua):
		return ""
	case namesRobot(withoutPlatform(ua)):
		return BotCrawler
	case len(ua) < shortest || !strings.ContainsAny(ua, "/;"):
		return BotShortUserAgent
	case engines.in(ua):
		return ""
	case !strings.HasPrefix(ua, "mozilla/"):
		return BotClientLibrary
	case namesPlatformOnly(ua):
		return BotShortUserAgent
	}
	return BotCrawler
}

// namesRobot tells whether a user agent holds a robot's word or address, or introduces itself behind "compatible;" as
// something else than an old browser.
func namesRobot(ua string) bool {
	if robotWords.in(ua) || addresses.in(ua) || strings.Contains(ua, "@") || holdsBot(ua) {
		return true
	}
	_, comment, found := strings.Cut(ua, "compatible;")
	comment, _, _ = strings.Cut(comment, ")")
	return found && !hasAnyPrefix(strings.TrimLeft(comment, " "), compatibleBrowsers) &&
		!strings.Contains(comment, "windows nt") // a company's own word before it
}

// holdsBot tells whether "bot" ends a name in ua: "googlebot/2.1", "robots", not "caboto".
func holdsBot(ua string) bool {
	for {
		_, after, found := strings.Cut(ua, "bot")
		if !found {
			return false
		}
		ua = after
		if end := strings.TrimPrefix(after, "s"); end == "" || !isLetter(end[0]) {
			return true
		}
	}
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }

// namesPlatformOnly tells whether nothing but one comment about a computer follows the "Mozilla/5.0" that everyone sends.
func namesPlatformOnly(ua string) bool {
	_, rest, _ := strings.Cut(ua, " ")
	rest = strings.TrimSpace(rest)
	return rest == "" || rest[0] == '(' && rest[len(rest)-1] == ')' && platforms.in(rest)
}

// withoutPlatform leaves out the first comment of a phone's or tablet's user agent. It holds the model, which may be called
// anything ("XBot Junior"); robots that pretend to be a phone introduce themselves behind it.
func withoutPlatform(ua string) string {
	start := strings.Index(ua, "(linux; ")
	if start < 0 || !strings.HasPrefix(ua, "mozilla/") {
		return ua
	}
	end := strings.IndexByte(ua[start:], ')')
	if end < 0 || !strings.Contains(ua[start:start+end], "android") {
		return ua
	}
	return ua[start+end:]
}
