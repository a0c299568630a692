package visitor

import "strings"

// Speculative reports whether a browser loads a page that nobody looks at yet:
// a prefetch, a prerender, a thumbnail for the start page. Its arguments are
// the values of the headers Sec-Purpose, Purpose, X-Purpose and X-Moz, in any
// order. Such a load is not a view (analytics, Views); the real navigation
// comes later.
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
// Sec-CH-UA. Programs that change the user agent often forget this header.
func headlessBrand(secCHUA string) bool { return strings.Contains(secCHUA, `"HeadlessChrome"`) }

// brandNames are browsers that have exactly the user agent of Chrome, and whose
// name is only in Sec-CH-UA.
var brandNames = []struct{ quoted, name string }{
	{`"Brave"`, "Brave"}, {`"DuckDuckGo"`, "DuckDuckGo"}, {`"Opera GX"`, "Opera GX"}, {`"Opera"`, "Opera"},
	{`"YaBrowser"`, "Yandex Browser"}, {`"Avast Secure Browser"`, "Avast Secure Browser"},
	{`"AVG Secure Browser"`, "AVG Secure Browser"}, {`"Norton Private Browser"`, "Norton Private Browser"},
	{`"CCleaner Browser"`, "CCleaner Browser"}, {`"Vivaldi"`, "Vivaldi"}, {`"Whale"`, "Whale"},
}

// brand returns the browser in Sec-CH-UA, or else the one that the user agent
// names.
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

// cutAny cuts s around its first byte that is in separators.
func cutAny(s, separators string) (before, after string, found bool) {
	if i := strings.IndexAny(s, separators); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}

// navigates reports whether a browser loads a page to show it: in a tab, in a
// frame or as an object, by its Sec-Fetch-Dest. Browsers that send no such
// header, as old ones and some in apps, count as showing it. A load as a
// picture, a script, a style or a worker, or by fetch (empty), shows nothing.
func navigates(dest string) bool {
	switch strings.ToLower(strings.TrimSpace(dest)) {
	case "", "document", "iframe", "frame", "embed", "object", "fencedframe":
		return true
	}
	return false
}
