package report

// The reasons why a view does not count as a person's (engagement, Bots).
const (
	BotShortUserAgent = "short_user_agent" // empty, or without a product
	BotLinkPreview    = "link_preview"     // a chat or a network that shows a card of the link
	BotClientLibrary  = "client_library"   // a program's HTTP library, or a program that is not a browser
	BotCrawler        = "crawler"          // search, archives, training, security scans
	BotAIAssistant    = "ai_assistant"     // an assistant that reads the page because a person asked it
	BotAITraining     = "ai_training"      // collects pages to train models
	BotAISearch       = "ai_search"        // builds the index that an assistant searches
	BotMonitor        = "monitor"          // checks whether the page is available
	BotHeadless       = "headless"         // a browser without a person in front of it
	BotMailScanner    = "mail_scanner"     // a mail gateway that opens links before the reader does
	BotSpeculative    = "speculative"      // a prefetch or prerender
	BotNotShown       = "not_shown"        // loaded as a picture, a script or data

	// BotAutomation is the reason of a view whose own browser reported that a
	// program controls it. No rule changes it.
	BotAutomation = "automation"

	// BotMailNetwork is the reason of a view from a network of mail scanners,
	// and BotDatacenter from one of hosting. Once such a view has DecidedMs
	// engaged, it counts; if it has less when its beacons are no longer
	// accepted, it remains a program's. Reports show it as one from the start,
	// BotMailScanner or BotDatacenter, and state until when they are final. Its
	// product is the name of the network.
	BotMailNetwork = "mail_network"
	BotDatacenter  = "datacenter"
	DecidedMs      = 1000

	// BotOwn is the reason of a view by the link's owner, unless the owner
	// counts these views.
	BotOwn = "own"
	// BotExcess is the reason of views above the limits of a network, which are
	// not stored, but only counted.
	BotExcess = "excess"
	// BotImported is the reason of an imported view that is marked as a bot's.
	BotImported = "imported"
)

// Undecided reports whether a view with a reason counts once it is read.
func Undecided(reason string) bool { return reason == BotMailNetwork || reason == BotDatacenter }

// ShownReason returns the name of a reason in reports.
func ShownReason(reason string) string {
	if reason == BotMailNetwork {
		return BotMailScanner
	}
	return reason
}
