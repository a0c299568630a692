package visitor

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sources that are not sites (contract, Sources).
const (
	Direct = "Direct"
	QRCode = "QR code"
	Email  = "Email"
)

// maxSource limits a source that a link's author chose, in characters.
const maxSource = 100

// source returns the source of a visit. utm_source comes first, then the QR
// code, utm_medium=email, and the referrer.
func source(query url.Values, referrer string, qr bool) string {
	if s := campaign(query.Get("utm_source")); s != "" {
		return s
	}
	switch {
	case qr:
		return QRCode
	case strings.EqualFold(strings.TrimSpace(query.Get("utm_medium")), "email"):
		return Email
	case referrer == "":
		return Direct
	}
	if site := siteOf(referrer); site != "" {
		return site
	}
	return referrer
}

// campaign returns the label of a utm_source: the name of the site if it is a
// known one ("linkedin", "chatgpt.com"), otherwise the author's text, cleaned,
// cut and in lower case: spellings of one word are one source.
func campaign(utm string) string {
	utm = clean(utm)
	// Mailing programs put the reader's address there. No report may include
	// it.
	switch {
	case mailAddress.MatchString(utm):
		return Email
	case revealing(utm):
		return Other
	}
	if name, ok := campaigns[campaignKey(utm)]; ok {
		return name
	}
	if strings.Contains(utm, ".") {
		if site := siteOf(hostName(utm)); site != "" {
			return site
		}
	}
	return strings.ToLower(utm)
}

// campaignLabel returns the label of another utm parameter: the author's text,
// cleaned, cut and in lower case. It returns "" for a text with a reader's
// address, which no report may include.
func campaignLabel(s string) string {
	switch s = clean(s); {
	case mailAddress.MatchString(s):
		return ""
	case revealing(s):
		return Other
	}
	return strings.ToLower(s)
}

var mailAddress = regexp.MustCompile(`[^\s@]@[^\s@]`)

// clean removes control and format characters (including bidi overrides) and
// broken UTF-8, turns every space into a plain one, trims, and cuts at
// maxSource characters.
func clean(s string) string {
	if len(s) <= maxSource && strings.IndexFunc(s, notPlain) < 0 {
		return strings.Trim(s, " ")
	}
	var b strings.Builder
	n := 0
	for _, r := range bounded(s, 16*maxSource) {
		switch {
		case r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl,
			unicode.Zp):
			continue
		case unicode.IsSpace(r):
			r = ' '
		}
		if r == ' ' && n == 0 {
			continue
		}
		if n++; n > maxSource {
			break
		}
		b.WriteRune(r)
	}
	return strings.TrimRight(b.String(), " ")
}

func notPlain(r rune) bool { return r < ' ' || r > '~' }
