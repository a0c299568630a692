package vitrine

import (
	"crypto/rand"
	"regexp"
	"strings"
	"time"
)

// Slug is the public name of a link: the part of its address after /p/
// (contract, Slugs).
type Slug string

const (
	slugLength   = 10
	slugAlphabet = "abcdefghjkmnpqrstuvwxyz23456789" // without 0 o 1 l i, because slugs are read aloud and typed

	// SlugRest is how long the slug of a deleted link, or a former slug, stays
	// blocked. Link.Move and package links apply it.
	SlugRest = 90 * 24 * time.Hour
)

var slugPattern = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{1,48}[a-z0-9])$`)

// reservedSlugs look like pages of the service itself.
var reservedSlugs = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`about abuse account accounts admin album albums analytics api app assets auth billing blog contact content
		dashboard docs download embed error faq feed help home imprint index legal link links login logout mail moderation new null
		oembed openapi plans pricing privacy public register report reset robots security settings signin signup site sites static
		status storage support terms undefined upgrade upload uploads user users vitrine website websites well-known www`) {
		m[w] = true
	}
	return m
}()

// ParseSlug folds and checks a custom slug.
func ParseSlug(s string) (Slug, error) {
	// A non-ASCII letter whose lower case is ASCII is not valid in a slug.
	f := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
	switch {
	case !slugPattern.MatchString(f) || strings.Contains(f, "--"):
		return "", &Error{Code: CodeInvalidSlug, Field: "slug",
			Message: "An address has 3 to 50 letters a–z, digits and single hyphens, and begins and ends with a letter or digit."}
	case reservedSlugs[f]:
		return "", &Error{Code: CodeInvalidSlug, Field: "slug", Message: "This address is reserved. Choose another."}
	}
	return Slug(f), nil
}

// NewSlug returns a random slug.
func NewSlug() Slug {
	b := make([]byte, 0, slugLength)
	var r [32]byte
	for len(b) < slugLength {
		rand.Read(r[:])
		for _, c := range r {
			// 248 = 8 × 31. Larger values are discarded, so that each character
			// is equally likely.
			if c < 248 && len(b) < slugLength {
				b = append(b, slugAlphabet[int(c)%len(slugAlphabet)])
			}
		}
	}
	return Slug(b)
}
