package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/moderation"
	"vitrine/report"
)

// reasonNames are short names of reason codes, of two or three words; other
// codes are shown unchanged.
var reasonNames = map[string]string{
	vitrine.ReasonScanUnavailable: "Not scanned",
	vitrine.ReasonScanSlow:        "Scan took too long",
	vitrine.ReasonScanLimit:       "Too large to scan",
	vitrine.ReasonScanLate:        "Found clean later",
	vitrine.ReasonSuspicious:      "Suspicious",
	vitrine.ReasonKnownBytes:      "Known file",
	vitrine.ReasonAbuse:           "Reported by readers",
	vitrine.ReasonOwner:           "By its owner",
	vitrine.ReasonModerator:       "By a moderator",
	vitrine.ReasonExpired:         "Expired",
	"pdf_launch_action":           "PDF starts a program",
	"pdf_embedded_program":        "Program in a PDF",
	"pdf_script":                  "Script in a PDF",
	"pdf_network_path":            "PDF loads a remote file",
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

// ReasonName returns a reason code in words.
func ReasonName(code string) string {
	if name, ok := reasonNames[code]; ok {
		return name
	}
	return Capital(strings.ReplaceAll(code, "_", " "))
}

// Capital returns a text that begins with a capital letter.
func Capital(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// LowerFirst returns a text that begins with a small letter, unless it is an
// address.
func LowerFirst(s string) string {
	if strings.Contains(s, "@") || s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// StateNames are the names of states on pages for moderators.
var StateNames = map[vitrine.LinkState]string{
	vitrine.StateLive:       "Live",
	vitrine.StateReview:     "In review",
	vitrine.StateProcessing: "Being checked",
	vitrine.StateDisabled:   "Disabled",
}

// StateName returns the name of a state on pages for moderators.
func StateName(s vitrine.LinkState) string {
	if s == "" {
		return "Deleted"
	}
	return StateNames[s]
}

// actionNames are actions in the past tense.
var actionNames = map[vitrine.Action]string{
	vitrine.ActionCreate:  "Uploaded",
	vitrine.ActionScan:    "Scanned",
	vitrine.ActionHold:    "Held for review",
	vitrine.ActionClear:   "Approved",
	vitrine.ActionReject:  "Rejected",
	vitrine.ActionDisable: "Disabled",
	vitrine.ActionExpire:  "Expired",
	vitrine.ActionUndo:    "Undone",
	vitrine.ActionDelete:  "Deleted",
	vitrine.ActionPurge:   "Deleted for good",
	vitrine.ActionRevive:  "Restored from the trash",
	vitrine.ActionReplace: "File replaced",
	vitrine.ActionRestore: "Version restored",
	vitrine.ActionDate:    "Creation date moved back to the first view",
	vitrine.ActionRefuse:  "Refused",
	vitrine.ActionBan:     "Suspended",
	vitrine.ActionUnban:   "Suspension lifted",
	vitrine.ActionPlan:    "Plan changed",
	vitrine.ActionRole:    "Role changed",
	vitrine.ActionClose:   "Account closed",
	vitrine.ActionReclass: "Views reclassified",

	vitrine.ActionKey:      "API key created",
	vitrine.ActionRotate:   "API key rotated",
	vitrine.ActionSignIn:   "Signed in on a new device",
	vitrine.ActionPassword: "Password changed",
	vitrine.ActionFactor:   "Two-step sign-in",
	vitrine.ActionProvider: "Sign in at work",
}

// ActionName returns the name of an action in the history.
func ActionName(a vitrine.Action) string {
	if d, ok := actionNames[a]; ok {
		return d
	}
	return Capital(string(a))
}

// became describes the result of a change, where the action does not.
func became(e moderation.Event) string {
	var words []string
	switch e.Action {
	case vitrine.ActionCreate, vitrine.ActionUndo:
		words = append(words, "→ "+StateName(e.To))
	case vitrine.ActionScan:
		if e.To != e.From {
			words = append(words, "→ "+StateName(e.To))
		}
	case vitrine.ActionHold, vitrine.ActionRefuse:
	default:
		return ""
	}
	if e.Reason != "" {
		words = append(words, "· "+ReasonName(e.Reason))
	}
	return strings.Join(words, " ")
}

// actorNames names actors other than accounts.
var actorNames = map[vitrine.ActorKind]string{
	vitrine.ActorAdministrator: "An administrator",
	vitrine.ActorInspection:    "Inspection",
	vitrine.ActorScanner:       "The scanner",
	vitrine.ActorReaders:       "Readers",
	vitrine.ActorExpiry:        "Expiry",
	vitrine.ActorOwner:         "The owner",
	vitrine.ActorModerator:     "A moderator",
}

// Doer returns who made a change.
func Doer(e moderation.Event) string {
	if e.By.Kind == vitrine.ActorModerator && e.Person != "" {
		return e.Person
	}
	return actorNames[e.By.Kind]
}

// PlanName returns the name of a plan.
func PlanName(p vitrine.Plan) string { return Capital(string(p)) }

// uses says what an account has, of whose links some are websites.
func uses(links, sites int64) string {
	words := Counted(links-sites, "link", "links")
	if sites > 0 {
		words += ", " + Counted(sites, "website", "websites")
	}
	return words
}

// RoleName returns a role in words.
func RoleName(r vitrine.Role) string {
	if r == vitrine.RoleMember {
		return "Member"
	}
	return Capital(string(r))
}

// Span returns a duration, rounded down, for a column.
func Span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + " min"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d.Hours())) + " h"
	}
	return Counted(int64(d.Hours()/24), "day", "days")
}

// Moment returns a time in full.
func Moment(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") }

// machineTime returns a time for programs (HTML, time).
func machineTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

var wordFuncs = map[string]any{
	"reason": ReasonName, "meaning": vitrine.Meaning, "ownersMeaning": access.OwnerMeaning,
	"state": func(s any) string { return StateName(vitrine.LinkState(fmt.Sprint(s))) }, "deed": ActionName,
	"doer": Doer,
	"plan": PlanName, "role": RoleName,
	"counted": Counted, "percent": Percent, "figure": func(n int64) Figure { return Figure(n) }, "values": Values,
	"bytes":      ByteSize,
	"limitBytes": LimitSize, "moment": Moment, "machine": machineTime,
	"count": func(n int) int64 { return int64(n) }, "uses": uses,
	"abuse":  func(r vitrine.AbuseReason) string { return ReasonTexts[r][0] },
	"events": func(list []moderation.Event, subject string) eventList { return eventList{list, subject} },
	"became": became, "actionForOwner": actionForOwner, "ownersWords": ownersWords, "actorForOwner": actorForOwner,
}

// eventList is a history on a page.
type eventList struct {
	List []moderation.Event
	// Subject is what the list shows about the subject of each event: "" for
	// nothing, "link", or "all", which includes the account.
	Subject string
}

// RangeNames are the labels of ranges on buttons.
var RangeNames = map[report.Range]string{
	report.Range7d: "7 days", report.Range14d: "14 days", report.Range30d: "30 days", report.Range90d: "90 days",
	report.RangeAll: "All time",
}

// CityName returns the city and the country code of a city label.
func CityName(label string) (city, code string) {
	if i := strings.LastIndex(label, ", "); i >= 0 && isCountry(label[i+2:]) {
		return label[:i], label[i+2:]
	}
	return label, ""
}

// ScreenName returns a range of widths in words.
func ScreenName(label string) string {
	if least, ok := strings.CutSuffix(label, "+"); ok {
		return least + " px and more"
	}
	if label == "0-575" {
		return "Phone (under 576 px)"
	}
	return strings.Replace(label, "-", "–", 1) + " px"
}

// WeekdayNames begin with Sunday, as reports count.
var WeekdayNames = [7]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}

// HourName returns an hour of the day as a time.
func HourName(h int) string { return fmt.Sprintf("%02d:00", h) }

// RecentTime returns when a view was, for a column.
func RecentTime(t, now time.Time) string {
	t = t.UTC()
	if t.Year() != now.UTC().Year() {
		return t.Format("2 Jan 2006, 15:04")
	}
	return t.Format("2 Jan, 15:04")
}

// ShortDate returns the date of a moment in a zone; the year is left out if it
// is the current one.
func ShortDate(t time.Time, zone *time.Location, now time.Time) string {
	t = t.In(zone)
	if t.Year() != now.In(zone).Year() {
		return t.Format("2 Jan 2006")
	}
	return t.Format("2 Jan")
}

// What the numbers mean, in a sentence or two (analytics).
const (
	MeansViews = "How often people opened the page in this period. Each page load counts once, even without JavaScript. " +
		"Bots, link previews, mail scanners and, unless the owner counts them, the owner’s own visits are excluded."
	MeansUniques = "Different people, as far as this can be known without cookies: the same browser on the same network is one viewer."
	MeansEngaged = "Average time that people actively spent. Bots are not in it, and neither are visits in which the page " +
		"was barely looked at: for less than 2 seconds, with less than 1 second of activity. Median: half spent longer."
	MeansCompletion = "How much of the file people saw, averaged over the same visits as the time: pages seen of a " +
		"PDF, playing time of video and audio, scroll depth of other files."
	MeansDownloads = "Downloads in this period, at most one per visit. Below: all downloads since the link was published."
	MeansBounce    = "The share of visits with less than five seconds of reading."
	MeansReturning = "The share of views by people who came back to the same link, more than 30 minutes after they last opened it, " +
		"in this period or before."
	MeansQR = "Views that came from the QR code."
)

// isCountry reports whether a code has the form of a country's.
func isCountry(code string) bool {
	return len(code) == 2 && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// ReasonTexts are the name and the explanation of each reason of an abuse
// report.
var ReasonTexts = map[vitrine.AbuseReason][2]string{
	vitrine.AbuseMalware:   {"Malware", "It harms the device of people who open it."},
	vitrine.AbusePhishing:  {"Phishing or fraud", "It pretends to be someone else to get passwords or money."},
	vitrine.AbuseCopyright: {"Copyright", "It is my work, or that of someone I act for, published without permission."},
	vitrine.AbuseIllegal:   {"Illegal content", "The law forbids showing it."},
	vitrine.AbusePrivate:   {"Private data", "It shows personal data without consent."},
	vitrine.AbuseOther:     {"Something else", "Say what it is, below."},
}
