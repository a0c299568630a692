package web

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/moderation"
)

// reasonNames are what reason codes are called where there is room for two or
// three words; the others are called as they read.
var reasonNames = map[string]string{
	vitrine.ReasonScanUnavailable: "Not scanned",
	vitrine.ReasonScanSlow:        "Scan took too long",
	vitrine.ReasonScanLimit:       "Beyond the scanner",
	vitrine.ReasonScanLate:        "Found clean since",
	vitrine.ReasonSuspicious:      "Suspicious",
	vitrine.ReasonKnownBytes:      "Known file",
	vitrine.ReasonAbuse:           "Reported by readers",
	vitrine.ReasonOwner:           "By its owner",
	vitrine.ReasonModerator:       "By a moderator",
	"pdf_launch_action":           "PDF starts a program",
	"pdf_embedded_program":        "Program in a PDF",
	"pdf_script":                  "Script in a PDF",
	"pdf_network_path":            "PDF names a computer",
	"pdf_active_content":          "Flash in a PDF",
	"html_password_form":          "Asks for a password",
	"html_card_form":              "Asks for a card number",
	"html_redirect":               "Leads to another site",
	"html_smuggled_file":          "File hidden in a page",
	"html_application":            "HTML application",
	"svg_script":                  "Script in an SVG",
	"svg_page":                    "Web page in an SVG",
	"xml_entities":                "XML entities",
	"dde_link":                    "DDE link",
	"dde_program":                 "DDE starts a program",
	"second_format":               "Two formats in one",
}

// reasonName is a reason code in words.
func reasonName(code string) string {
	if name, ok := reasonNames[code]; ok {
		return name
	}
	return capital(strings.ReplaceAll(code, "_", " "))
}

func capital(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func lowerFirst(s string) string {
	if strings.Contains(s, "@") || s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// stateNames are what states are called on the pages of moderators.
var stateNames = map[vitrine.LinkState]string{
	vitrine.StateLive:       "Live",
	vitrine.StateReview:     "In review",
	vitrine.StateProcessing: "Being scanned",
	vitrine.StateDisabled:   "Disabled",
}

func stateName(s vitrine.LinkState) string {
	if s == "" {
		return "Deleted"
	}
	return stateNames[s]
}

// deeds are what was done, in the past.
var deeds = map[vitrine.Action]string{
	vitrine.ActionCreate:  "Uploaded",
	vitrine.ActionScan:    "Scanned",
	vitrine.ActionHold:    "Held for review",
	vitrine.ActionClear:   "Cleared",
	vitrine.ActionReject:  "Rejected",
	vitrine.ActionDisable: "Disabled",
	vitrine.ActionUndo:    "Taken back",
	vitrine.ActionDelete:  "Deleted",
	vitrine.ActionRefuse:  "Refused",
	vitrine.ActionBan:     "Suspended",
	vitrine.ActionUnban:   "Suspension lifted",
	vitrine.ActionPlan:    "Plan changed",
	vitrine.ActionRole:    "Role changed",
	vitrine.ActionClose:   "Account closed",
}

func deed(a vitrine.Action) string {
	if d, ok := deeds[a]; ok {
		return d
	}
	return capital(string(a))
}

// became is what a change made of a link, where what was done does not say it.
func became(e moderation.Event) string {
	var words []string
	switch e.Action {
	case vitrine.ActionCreate, vitrine.ActionUndo:
		words = append(words, "→ "+stateName(e.To))
	case vitrine.ActionScan:
		if e.To != e.From {
			words = append(words, "→ "+stateName(e.To))
		}
	case vitrine.ActionHold, vitrine.ActionRefuse:
	default:
		return ""
	}
	if e.Reason != "" {
		words = append(words, "· "+reasonName(e.Reason))
	}
	return strings.Join(words, " ")
}

// actorNames are who acts when it is no account's doing.
var actorNames = map[vitrine.ActorKind]string{
	vitrine.ActorOperator:   "The operator",
	vitrine.ActorInspection: "Inspection",
	vitrine.ActorScanner:    "The scanner",
	vitrine.ActorReaders:    "Readers",
	vitrine.ActorOwner:      "Its owner",
	vitrine.ActorModerator:  "A moderator",
}

// doer is who made a change.
func doer(e moderation.Event) string {
	if e.By.Kind == vitrine.ActorModerator && e.Person != "" {
		return e.Person
	}
	return actorNames[e.By.Kind]
}

func planName(p vitrine.Plan) string { return capital(string(p)) }

func roleName(r vitrine.Role) string {
	if r == vitrine.RoleMember {
		return "Member"
	}
	return capital(string(r))
}

// plural is a count of things.
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}

// span is how long something has been so, rounded down, for a column.
func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + " min"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d.Hours())) + " h"
	}
	return plural(int64(d.Hours()/24), "day", "days")
}

// moment is a time in full.
func moment(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") }

// machineTime is a time for programs (HTML, time).
func machineTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

var wordFuncs = map[string]any{
	"reason": reasonName, "meaning": vitrine.Meaning, "ownersMeaning": vitrine.OwnerMeaning, "state": func(s any) string { return stateName(vitrine.LinkState(fmt.Sprint(s))) }, "deed": deed, "doer": doer, "plan": planName, "role": roleName,
	"plural": plural, "bytes": byteSize, "moment": moment, "machine": machineTime,
	"count":  func(n int) int64 { return int64(n) },
	"abuse":  func(r vitrine.AbuseReason) string { return reasonTexts[r][0] },
	"events": func(list []moderation.Event, subject string) eventList { return eventList{list, subject} },
	"became": became, "ownersDeed": ownersDeed, "ownersWords": ownersWords, "ownersDoer": ownersDoer,
}

// eventList is a history as a page lists it.
type eventList struct {
	List []moderation.Event
	// Subject is what is told of whom each event was about:
	// "" for nothing, "link", or "all", the account too.
	Subject string
}
