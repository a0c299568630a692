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
	{FirstView, "First view", true},
	{View, "View", true},
	{Download, "Download", true},
	{Milestone, "Milestone reached", true},
	{recipientOpened, "Recipient has opened the link", true},
	{weekly, "Week summed up", true},
	{spike, "Unusually many views", true},
	{"link.live", "Link is live", false},
	{"link.review", "Link is held for review", false},
	{"link.disabled", "Link was disabled", false},
	{"link.expired", "Link has expired", false},
	{"link.deleted", "Link was deleted", false},
	{"version.live", "New version is live", false},
	{"website.live", "Website is live", false},
	{"upload.failed", "File was refused", false},
	{"account.sign_in", "Sign-in from a new browser", false},
	{"account.key_created", "API key was created", false},
	{"account.password_changed", "Password was changed", false},
	{"account.factor_changed", "Two-step sign-in was changed", false},
	{"account.provider_changed", "A provider of sign-ins was changed", false},
	{"account.email_changed", "Address was changed", false},
}

// The kinds of events about views.
const (
	FirstView vitrine.EventKind = "view.first"      // the first view of a link by a person
	View                        = vitrine.EventView // a view by a person has ended
	Download  vitrine.EventKind = "download"        // a person downloaded the file
	Milestone vitrine.EventKind = "milestone"       // people have viewed a link 10, 100, 1000 … times

	// Daily is the first view of a day of a link whose bell asks for it. It is
	// mailed, and is no event.
	Daily vitrine.EventKind = "view.daily"

	recipientOpened vitrine.EventKind = "recipient.opened" // the first view through the address of a recipient
	weekly          vitrine.EventKind = "report.weekly"    // the numbers of the week before
	spike           vitrine.EventKind = "alert.spike"      // a day has many more views than those before
)

// KindOf returns a kind by its name, or nil if there is none.
func KindOf(name vitrine.EventKind) *Kind {
	at := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name })
	if at < 0 {
		return nil
	}
	return &Kinds[at]
}
