package visitor

import (
	"strings"

	"vitrine/report"
)

// minAgent is the shortest user agent of a browser.
const minAgent = 16

// botReason returns why the sender of a user agent, in lower case, is not a
// person, or "" if it may be one.
//
// Known names decide first, then the form: a word like "crawler", an address to
// read about the robot, no trace of a browser engine. An app that shows pages
// sends its engine along and counts as a person; the app's own requests do not.
func botReason(ua string) string {
	if reason, _ := class(ua); reason != "" {
		return reason
	}
	if reason := botNames.label(ua); reason != "" {
		return reason
	}
	for _, family := range botFamilies {
		if hasAnyPrefix(ua, family.prefixes) {
			return family.reason
		}
	}
	if reason := sharedNames.label(ua); reason != "" && !engines.in(ua) {
		return reason
	}
	switch {
	case hasAnyPrefix(ua, textBrowsers):
		return ""
	case notBots.in(ua):
		return ""
	case namesRobot(ua):
		return report.BotCrawler
	case len(ua) < minAgent || !strings.ContainsAny(ua, "/;"):
		return report.BotShortUserAgent
	case engines.in(ua), isNetscape(ua):
		return ""
	case !strings.HasPrefix(ua, "mozilla/"):
		return report.BotClientLibrary
	case namesPlatformOnly(ua):
		return report.BotShortUserAgent
	}
	return report.BotCrawler
}

// namesRobot reports whether a user agent has a sign of a robot, or calls
// itself something other than an old browser after "compatible;".
func namesRobot(ua string) bool {
	behind := withoutPlatform(ua)
	if len(behind) < len(ua) && platformAddresses.in(ua) {
		return true
	}
	ua = strings.Replace(behind, "feedly/", "", 1) // an app, whose name holds a robot's word
	if robotSigns.in(ua) || holdsMailAddress(ua) || isNameEnd(ua, "bot") || isNameEnd(ua, "agent") {
		return true
	}
	_, comment, found := strings.Cut(ua, "compatible;")
	comment, _, _ = strings.Cut(comment, ")")
	return found && !hasAnyPrefix(strings.TrimLeft(comment, " "), compatibleBrowsers) &&
		!strings.Contains(comment, "windows nt") // a company's own word before it
}

// isNameEnd reports whether word ends a name in ua. "bot" does in
// "googlebot/2.1" and "robots", but not in "caboto".
func isNameEnd(ua, word string) bool {
	for {
		_, after, found := strings.Cut(ua, word)
		if !found {
			return false
		}
		ua = after
		if end := strings.TrimPrefix(after, "s"); end == "" || !isLetter(end[0]) {
			return true
		}
	}
}

// holdsMailAddress reports whether an "@" is between a name and a host, as in
// "team@example.org". Phones and apps also write it before versions and
// settings: "android@101.0", "th@calendar=gregorian".
func holdsMailAddress(ua string) bool {
	for {
		before, after, found := strings.Cut(ua, "@")
		if !found {
			return false
		}
		ua = after
		host := after[:prefixOf(after, isHostByte)]
		if before != "" && (isLetter(before[len(before)-1]) || isDigit(before[len(before)-1])) &&
			host != "" && isLetter(host[0]) && strings.Contains(host[1:], ".") {
			return true
		}
	}
}

// prefixOf returns the number of leading bytes of s that are of a kind.
func prefixOf(s string, kind func(byte) bool) int {
	for i := range len(s) {
		if !kind(s[i]) {
			return i
		}
	}
	return len(s)
}

func isLetter(c byte) bool   { return 'a' <= c && c <= 'z' }
func isHostByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '-' || c == '.' }

// namesPlatformOnly reports whether only one comment about a computer follows
// the "Mozilla/5.0" that all browsers send.
func namesPlatformOnly(ua string) bool {
	_, rest, _ := strings.Cut(ua, " ")
	rest = strings.TrimSpace(rest)
	return rest == "" || rest[0] == '(' && rest[len(rest)-1] == ')' && platforms.in(rest)
}

// isNetscape reports whether a user agent has the form of the first browsers: a
// version below 5 and, in the comment, a letter for the strength of the
// encryption.
func isNetscape(ua string) bool {
	version, found := strings.CutPrefix(ua, "mozilla/")
	return found && version != "" && '1' <= version[0] && version[0] <= '4' && netscapeLetters.in(ua)
}

// withoutPlatform removes the first comment from a phone's or tablet's user
// agent. It contains the model, which may have any name ("XBot Junior"). Robots
// that pretend to be a phone name themselves after it.
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
