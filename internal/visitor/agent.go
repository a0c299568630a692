package visitor

import "strings"

// The devices (contract, Devices).
const (
	Desktop = "Desktop"
	Mobile  = "Mobile"
	Tablet  = "Tablet"
	TV      = "TV"
	Other   = "Other"
)

// agent is the content of a user agent; see Visitor for the members.
type agent struct{ bot, product, device, browser, os string }

// parseAgent parses a user agent.
//
// iPadOS requests desktop pages by default and then calls itself a Macintosh.
// Nothing in the request distinguishes such an iPad from a Mac, so it is
// counted as Desktop and macOS. The same applies to phones that request the
// desktop page.
func parseAgent(userAgent string) agent {
	ua := strings.ToLower(userAgent)
	a := agent{bot: botReason(ua), os: systems.label(ua)}
	if a.browser = apps.label(ua); a.browser == "" {
		a.browser = browserIn(ua)
	}
	if ua != "" {
		a.device = deviceOf(ua)
	}
	if a.bot != "" {
		a.product = productOf(userAgent)
	}
	return a
}

// browserIn returns the name of the browser. The engine's own name is last in
// the table, because all browsers send it too.
func browserIn(ua string) string {
	if name := browsers.label(ua); name != "" {
		return name
	}
	android := strings.Contains(ua, "android")
	switch {
	case android && (strings.Contains(ua, "; wv)") || strings.Contains(ua, "version/4.0 chrome/")):
		return "Android WebView"
	case strings.Contains(ua, "chrome/"), strings.Contains(ua, "crios/"):
		return "Chrome"
	case android && strings.Contains(ua, "applewebkit"):
		return "Android Browser"
	case strings.Contains(ua, "safari/") && safariPlatforms.in(ua):
		return "Safari"
	case iOSDevices.in(ua) && strings.Contains(ua, "applewebkit"):
		return "iOS WebView"
	}
	return ""
}

func deviceOf(ua string) string {
	android := strings.Contains(ua, "android") || strings.Contains(ua, " adr ")
	mobile := strings.Contains(ua, "mobi") || strings.Contains(ua,
		"telegram-android") // which leaves "Mobile" out on phones too
	switch {
	case handhelds.in(ua):
		return Other
	case televisions.in(ua), holdsFireTV(ua):
		return TV
	case tablets.in(ua):
		return Tablet
	case strings.Contains(ua, "tablet") && !strings.Contains(ua, "tablet pc"):
		return Tablet
	case android && !mobile && !strings.Contains(ua, "windows phone") && strings.Contains(ua, "applewebkit"):
		return Tablet
	case android, mobile, phones.in(ua):
		return Mobile
	case desktops.in(ua):
		return Desktop
	}
	return Other
}

// holdsFireTV reports whether the model is one of Amazon's sticks or
// televisions: "AFT" and at least one more letter or digit.
func holdsFireTV(ua string) bool {
	_, model, found := strings.Cut(ua, "; aft")
	return found && model != "" && model[0] != ' ' && model[0] != ')'
}
