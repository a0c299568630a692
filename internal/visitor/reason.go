package visitor

import (
	"slices"
	"strings"
)

// botMailNetwork is the reason of views from a network of mail scanners, whose
// product is the network's name (report.BotUndecided).
const botMailNetwork = "mail_network"

// ReasonOf returns the reason that the rules of this program give a view that
// was stored with a reason and a product; "" if it is a person's. The user
// agent is not stored, so the name alone is looked up. Where it decides
// nothing, where another part of the user agent may have decided before it, and
// where it was something else that told, the reason stays.
func ReasonOf(reason, product string) string {
	name := strings.ToLower(product)
	switch {
	case product == "", reason == "", reason == BotAutomation, reason == BotSpeculative:
		return reason
	case reason == botMailNetwork && isMailNetwork(product):
		return reason
	case reason == botMailNetwork:
		return ""
	}
	if r, named := class(name); named != "" {
		return r
	}
	if r, _ := class(name + "/"); r == reason {
		return reason
	}
	if r := botNames.label(name); r != "" && rank(r) < rank(reason) {
		return r
	}
	switch reason {
	case BotCrawler, BotClientLibrary, BotShortUserAgent:
		if hasAnyPrefix(name+"/", textBrowsers) || notBots.in(name) {
			return ""
		}
	case BotAIAssistant, BotAITraining, BotMonitor: // the name is known no more as one
		return BotCrawler
	}
	return reason
}

// rank returns the place of a reason among botFamilies: a name of an earlier
// one goes before.
func rank(reason string) int {
	for i := range botFamilies {
		if botFamilies[i].reason == reason {
			return i
		}
	}
	return len(botFamilies)
}

// isMailNetwork reports whether a name is that of a network of mail scanners.
func isMailNetwork(name string) bool {
	return slices.ContainsFunc(mailNetworks, func(n mailNetwork) bool { return n.name == name })
}
