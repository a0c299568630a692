package visitor

import "strings"

// Speculative reports whether a browser loads a page that nobody looks at yet:
// a prefetch, a prerender, a thumbnail for the start page. It takes the values
// of the headers that say so: Sec-Purpose, Purpose, X-Purpose, X-Moz, in any
// order. Such a load is no view (analytics, Views); the real navigation comes
// later.
func Speculative(headers ...string) bool {
	for _, h := range headers {
		for h != "" {
			var purpose string
			purpose, h, _ = cutAny(h, ";,")
			switch strings.ToLower(strings.TrimSpace(purpose)) {
			case "prefetch", "prerender", "preview":
				return true
			}
		}
	}
	return false
}

// headlessBrand reports whether a browser lists itself as headless in
// Sec-CH-UA, which programs forget when they change the user agent.
func headlessBrand(secCHUA string) bool { return strings.Contains(secCHUA, `"HeadlessChrome"`) }

// brandNames are browsers whose user agent is Chrome's to the letter, and who
// say their name in Sec-CH-UA only.
var brandNames = []struct{ quoted, name string }{
	{`"Brave"`, "Brave"}, {`"DuckDuckGo"`, "DuckDuckGo"}, {`"Opera GX"`, "Opera GX"}, {`"Opera"`, "Opera"},
	{`"YaBrowser"`, "Yandex Browser"}, {`"Avast Secure Browser"`, "Avast Secure Browser"},
	{`"AVG Secure Browser"`, "AVG Secure Browser"}, {`"Norton Private Browser"`, "Norton Private Browser"},
	{`"CCleaner Browser"`, "CCleaner Browser"}, {`"Vivaldi"`, "Vivaldi"}, {`"Whale"`, "Whale"},
}

// brand refines the browser that a user agent names by Sec-CH-UA.
func brand(secCHUA, browser string) string {
	if browser != "Chrome" || secCHUA == "" {
		return browser
	}
	for _, b := range brandNames {
		if strings.Contains(secCHUA, b.quoted) {
			return b.name
		}
	}
	return browser
}

// cutAny slices s around the first byte of it that is in separators.
func cutAny(s, separators string) (before, after string, found bool) {
	if i := strings.IndexAny(s, separators); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}
