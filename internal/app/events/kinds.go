package events

import (
	"slices"

	"vitrine"
)

// Kind describes the events of a kind.
type Kind struct {
	Name    vitrine.EventKind
	Words   string // what happened
	Numbers bool   // its data are numbers of a report, which needs a plan with analytics
}

// Kinds lists all kinds.
var Kinds = []Kind{
	{vitrine.EventFirstView, "First view", true},
	{vitrine.EventView, "View", true},
	{vitrine.EventDownload, "Download", true},
	{vitrine.EventMilestone, "Milestone reached", true},
	{vitrine.EventRecipientOpened, "Recipient has opened the link", true},
	{vitrine.EventWeekly, "Week summed up", true},
	{vitrine.EventSpike, "Unusually many views", true},
	{vitrine.EventLinkLive, "Link is live", false},
	{vitrine.EventLinkReview, "Link is held for review", false},
	{vitrine.EventLinkDisabled, "Link was disabled", false},
	{vitrine.EventLinkExpired, "Link has expired", false},
	{vitrine.EventLinkDeleted, "Link was deleted", false},
	{vitrine.EventVersionLive, "New version is live", false},
	{vitrine.EventWebsiteLive, "Website is live", false},
	{vitrine.EventUploadFailed, "File was refused", false},
	{vitrine.EventSignIn, "Sign-in from a new browser", false},
	{vitrine.EventKeyCreated, "API key was created", false},
	{vitrine.EventPasswordChanged, "Password was changed", false},
	{vitrine.EventFactorChanged, "Two-step sign-in was changed", false},
	{vitrine.EventProviderChanged, "A provider of sign-ins was changed", false},
	{vitrine.EventEmailChanged, "Address was changed", false},
}

// Daily is the first view of a day of a link whose bell asks for it. It is
// mailed, and is no event.
const Daily vitrine.EventKind = "view.daily"

// KindOf returns a kind by its name, or nil if there is none.
func KindOf(name vitrine.EventKind) *Kind {
	at := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name })
	if at < 0 {
		return nil
	}
	return &Kinds[at]
}
