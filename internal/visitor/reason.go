package visitor

import (
	"slices"
	"strings"

	"vitrine/report"
)

// ReaderOfText returns the reason of a view that read the text of a file
// instead of its page: the one that its sender has by name, and otherwise
// report.BotAIAssistant, since people read pages.
func ReaderOfText(reason string) string {
	switch reason {
	case "", report.BotClientLibrary, report.BotShortUserAgent, report.BotHeadless, report.BotNotShown:
		return report.BotAIAssistant
	}
	return reason
}

// ReasonOf returns the reason that the present rules give a stored view with a
// reason and a product, or "" if the view is a person's. The user agent is not
// stored, so only the name is looked up. The reason stays if the name decides
// nothing, if another part of the user agent may have decided before it, or if
// something else decided.
func ReasonOf(reason, product string) string {
	name := strings.ToLower(product)
	switch {
	case product == "", reason == "", reason == report.BotAutomation, reason == report.BotSpeculative,
		reason == report.BotNotShown:
		return reason
	case reason == report.BotMailNetwork, reason == report.BotDatacenter:
		if isNetwork(product, reason) {
			return reason
		}
		return ""
	}
	if r, named := class(name); named != "" {
		return r
	}
	if reason == report.BotAIAssistant && strings.Contains(name, " ") { // it read the text of a file: see ReaderOfText
		return reason
	}
	if r, _ := class(name + "/"); r == reason {
		return reason
	}
	if r := botNames.label(name); r != "" && rank(r) < rank(reason) {
		return r
	}
	switch reason {
	case report.BotCrawler, report.BotClientLibrary, report.BotShortUserAgent:
		if hasAnyPrefix(name+"/", textBrowsers) || notBots.in(name) {
			return ""
		}
	case report.BotAIAssistant, report.BotAITraining, report.BotAISearch, report.BotMonitor: // the name is no longer in this class
		return report.BotCrawler
	}
	return reason
}

// rank returns the position of a reason in botFamilies. Earlier names take
// precedence.
func rank(reason string) int {
	for i := range botFamilies {
		if botFamilies[i].reason == reason {
			return i
		}
	}
	return len(botFamilies)
}

// isNetwork reports whether a name is that of a network whose views are decided
// late for a reason.
func isNetwork(name, reason string) bool {
	return slices.ContainsFunc(networks(), func(n addressRange) bool { return n.name == name && n.reason == reason })
}
