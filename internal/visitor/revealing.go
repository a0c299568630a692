package visitor

import (
	"net/netip"
	"regexp"
	"strings"
)

var (
	// phone is all of a label: a number that begins with + or 0, or has groups.
	phone = regexp.MustCompile(`^(?:tel:)? ?(?:\+|0|\(|\d{1,4}[ ./-])[\d ()./-]+$`)
	// longNumber is a label of digits alone that may be a phone number without
	// its mark. Longer ones are IDs of advertisements.
	longNumber = regexp.MustCompile(`^\d{9,15}$`)
	date       = regexp.MustCompile(`^(?:19|20)\d\d[ ./-]?(?:0[1-9]|1[0-2])(?:[ ./-]?(?:0[1-9]|[12]\d|3[01])|$)`)
	dayFirst   = regexp.MustCompile(`^\d\d?[./-]\d\d?[./-](?:19|20)\d\d$`)
	encoded    = regexp.MustCompile(`=\?[^?\s]+\?[BbQq]\?|[^\s%]%40[^\s%]`)
	inText     = regexp.MustCompile(`[0-9A-Fa-f:.]+`)
)

// revealing reports whether a label looks like an IP address, a phone number,
// or an encoded text, in which mail programs write names and addresses.
func revealing(label string) bool {
	if encoded.MatchString(label) {
		return true
	}
	if (phone.MatchString(label) || longNumber.MatchString(label)) && !date.MatchString(label) &&
		!dayFirst.MatchString(label) {
		if n := digits(label); n >= 7 && n <= 15 {
			return true
		}
	}
	for _, word := range inText.FindAllString(label, -1) {
		if hasAddress(word) {
			return true
		}
	}
	return false
}

func digits(s string) (n int) {
	for _, r := range s {
		if '0' <= r && r <= '9' {
			n++
		}
	}
	return n
}

// hasAddress reports whether a word is an IP address, also with a port or a dot
// after it.
func hasAddress(word string) bool {
	word = strings.Trim(word, ".")
	if _, err := netip.ParseAddrPort(word); err == nil {
		return true
	}
	addr, err := netip.ParseAddr(word)
	return err == nil && (addr.Is4() || strings.Count(word, ":") > 2)
}
