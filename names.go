package vitrine

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"vitrine/internal/filetype"

	"golang.org/x/text/unicode/norm"
)

// The Store assigns AccountID, LinkID, KeyID and similar IDs, from 1, and never
// assigns one twice.
type (
	AccountID      int64
	LinkID         int64
	KeyID          int64
	SessionID      int64
	IdentityID     int64
	SiteID         int64
	AlbumID        int64
	OneTimeTokenID int64
	AttemptID      int64
	LetterID       int64
	LoginID        int64
	SharedReportID int64
)

// ViewID identifies a view of a link. The upper 42 bits are its time in
// milliseconds (UTC), the lower 21 a counter. IDs sort by time, and
// (link, ViewID) is unique.
type ViewID int64

const viewCounterBits = 21

// Time returns the time of the view, to the millisecond.
func (id ViewID) Time() time.Time { return time.UnixMilli(int64(id) >> viewCounterBits).UTC() }

// Ms returns Time in milliseconds since 1970.
func (id ViewID) Ms() int64 { return int64(id) >> viewCounterBits }

// ViewIDAt returns the n-th ID of a millisecond, counted from 0.
func ViewIDAt(ms int64, n int) ViewID {
	return ViewID(ms<<viewCounterBits | int64(n)&(1<<viewCounterBits-1))
}

// ViewIDs generates ViewIDs. The counter starts at a random value and has two
// million values, so a clock that is set back, or a second process, is unlikely
// to generate an ID twice. The log detects it (ViewLog.Append).
type ViewIDs struct{ counter atomic.Uint32 }

// NewViewIDs returns a generator.
func NewViewIDs() *ViewIDs {
	g := new(ViewIDs)
	var b [4]byte
	rand.Read(b[:])
	g.counter.Store(binary.LittleEndian.Uint32(b[:]))
	return g
}

// Next returns an ID for a view at a time.
func (g *ViewIDs) Next(at time.Time) ViewID {
	return ViewIDAt(at.UnixMilli(), int(g.counter.Add(1)))
}

// Base32 writes random bytes in names: in lower case, without padding.
var Base32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// UploadID identifies an upload and, once it is complete, its bytes. It has 26
// characters, cannot be guessed, and is safe as a path in any file system or
// bucket.
type UploadID string

// NewUploadID returns a new random ID.
func NewUploadID() UploadID {
	var b [16]byte
	rand.Read(b[:])
	return UploadID(Base32.EncodeToString(b[:]))
}

// ParseUploadID accepts exactly what NewUploadID returns.
func ParseUploadID(s string) (UploadID, bool) {
	if len(s) != 26 || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz234567") != "" {
		return "", false
	}
	return UploadID(s), true
}

// Slug is the public name of a link: the part of its address after /p/
// (contract, Slugs).
type Slug string

const (
	slugLength   = 10
	slugAlphabet = "abcdefghjkmnpqrstuvwxyz23456789" // without 0 o 1 l i, because slugs are read aloud and typed

	// SlugRest is how long the slug of a deleted link, or a former slug, stays
	// blocked. Package links applies it.
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
		e := Errorf(CodeInvalidSlug, "An address has 3 to 50 letters a–z, digits and single hyphens, and begins and ends with a letter or digit.")
		if like := filetype.Hyphenated(norm.NFKD.String(s), 50); slugPattern.MatchString(like) && !reservedSlugs[like] {
			e.Message += " For example: " + like
		}
		e.Field = "slug"
		return "", e
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

// Bounds of texts. Further words of a search are ignored.
const maxSearch, maxSearchWords, titleRunes = 300, 8, 200

// FoldWords returns the folded words of a search text. Errors name the field q.
func FoldWords(text string) ([]string, error) {
	if utf8.RuneCountInString(text) > maxSearch {
		return nil, &Error{Code: CodeInvalidRequest, Field: "q", Message: "A search has at most 300 characters."}
	}
	words := strings.Fields(folded(filetype.OneLine(text)))
	return words[:min(len(words), maxSearchWords)], nil
}

// folded removes differences of case and of Unicode composition.
func folded(s string) string {
	return strings.ToLower(norm.NFKC.String(strings.ToValidUTF8(s, "\uFFFD")))
}

// ParseTitle checks the title of a link (contract, createUpload).
func ParseTitle(s string) (string, error) {
	if utf8.RuneCountInString(s) > titleRunes || !strings.ContainsFunc(s, filetype.Visible) || filetype.HasControl(s) {
		return "", &Error{Code: CodeInvalidRequest, Field: "linkName",
			Message: "A title has 1 to 200 characters, at least one of them visible, and no control or text-direction characters."}
	}
	return s, nil
}

// Labels are the labels of a link, which only its owner sees: one per line, in
// order. Labels that differ only in case are the same one.
type Labels string

// All lists the labels.
func (l Labels) All() []string {
	if l == "" {
		return nil
	}
	return strings.Split(string(l), "\n")
}

// Has reports whether a label is one of them.
func (l Labels) Has(label string) bool {
	return slices.ContainsFunc(l.All(), func(one string) bool { return folded(one) == folded(label) })
}

// SearchLabels returns the text in which a store looks for LabelWord: each
// folded label between line breaks.
func (l Labels) SearchLabels() string {
	if l == "" {
		return ""
	}
	return "\n" + folded(string(l)) + "\n"
}

// LabelWord returns what SearchLabels contains if a label is one of them.
func LabelWord(label string) string { return "\n" + folded(filetype.OneLine(label)) + "\n" }
