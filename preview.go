package vitrine

import (
	"context"
	"io"
	"slices"
	"strings"

	"vitrine/internal/filetype"

	"golang.org/x/text/language"
)

// The limits of captions.
const (
	// MaxCaptions is the largest size of one text, in bytes.
	MaxCaptions = 1 << 20
	// maxLanguage is the longest language tag, in characters (RFC 5646, section
	// 4.4.1).
	maxLanguage = 35
)

// ParseLanguage parses a BCP 47 tag of a known language and returns its
// canonical form. Error: CodeInvalidRequest.
func ParseLanguage(s string) (string, error) {
	bad := &Error{Code: CodeInvalidRequest, Field: "language",
		Message: "The language is not one that is known. Send a BCP 47 tag such as en, de or pt-BR."}
	if s == "" || len(s) > maxLanguage {
		return "", bad
	}
	tag, err := language.Parse(s)
	if base, _, _ := tag.Raw(); err != nil || base.String() == "und" {
		return "", bad
	}
	canonical := tag.String()
	if _, ok := ParsePart(string(CaptionsPart(canonical))); !ok || len(canonical) > maxLanguage {
		return "", bad
	}
	return canonical, nil
}

// Part is the name of something stored beside a blob. It is made from the blob,
// for pages and other sites, or added to it. It has lower-case letters, digits
// and hyphens.
type Part string

const (
	PartPicture Part = "picture" // JPEG, PictureWidth × PictureHeight: the picture of a link on other sites
	PartImage   Part = "image"   // JPEG: an image that browsers cannot decode (HEIC, TIFF of one page), or the cover of a sound
	PartPages   Part = "pages"   // PDF: an office document as printed, or the pages of a TIFF
	PartSheets  Part = "sheets"  // JSON lines: a filetype.Workbook with the first rows of its sheets, then all rows of these
	PartEntries Part = "entries" // JSON, a filetype.Listing: the members of an archive
	PartThumbs  Part = "thumbs"  // ZIP of small JPEGs, 1.jpg and so on: the first pages, or all of an image or video
	PartText    Part = "text"    // text.Pages: the text of the pages of a PDF or office document
	PartFirst   Part = "first"   // JPEG: the first page of a PDF; 120 pixels are an inch of a page that is not wider than high
)

// Size of PartPicture in pixels, which large networks ask for, and the most
// pages in PartThumbs.
const PictureWidth, PictureHeight, MaxThumbs = 1200, 630, 50 // MaxThumbs: pages in PartThumbs

// captionsPrefix is the prefix of the parts that are captions. The language
// follows.
const captionsPrefix = "captions-"

// CaptionsPart returns the part with the captions in a language, a BCP 47 tag.
// They are WebVTT.
func CaptionsPart(language string) Part { return Part(captionsPrefix + strings.ToLower(language)) }

// Language returns the language of captions, or "" for any other part.
func (p Part) Language() string {
	language, ok := strings.CutPrefix(string(p), captionsPrefix)
	if !ok {
		return ""
	}
	return language
}

// ParsePart accepts valid names of parts, which are safe as file names.
func ParsePart(s string) (Part, bool) {
	ok := s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
	return Part(s), ok
}

// Parts is the set of parts of a link: their sorted names, separated by spaces.
type Parts string

// All lists the parts.
func (s Parts) All() []Part {
	var all []Part
	for name := range strings.FieldsSeq(string(s)) {
		all = append(all, Part(name))
	}
	return all
}

// Has reports whether a part is in the set.
func (s Parts) Has(p Part) bool { return slices.Contains(s.All(), p) }

// With returns the set with further parts.
func (s Parts) With(more ...Part) Parts { return partsOf(append(s.All(), more...)) }

// Without returns the set without a part.
func (s Parts) Without(p Part) Parts {
	return partsOf(slices.DeleteFunc(s.All(), func(q Part) bool { return p == q }))
}

func partsOf(all []Part) Parts {
	slices.Sort(all)
	names := make([]string, 0, len(all))
	for _, p := range slices.Compact(all) {
		names = append(names, string(p))
	}
	return Parts(strings.Join(names, " "))
}

// PreviewState is the progress of making parts from a file.
type PreviewState string

const (
	PreviewDue  PreviewState = ""     // to be made once the link is live
	PreviewDone PreviewState = "done" // everything that can be made exists, which may be nothing
)

// Previewer makes parts from files. A file that it cannot read is not an error
// but has fewer parts.
//
// Every implementation passes the suite porttest.Previewer.
type Previewer interface {
	// Preview calls put once for each part that it can make of a file. It
	// returns errors of put, of reading the file, and of the machine (no
	// memory, no space); the caller may then try again. Files come from
	// strangers, so its time and memory are bounded, and it never accesses
	// anything that a file names (promises 12, 18).
	Preview(ctx context.Context, f PreviewFile, put func(Part, io.Reader) error) error

	// Makes reports whether files with an extension may have the part on this
	// machine, so that a page can wait for it.
	Makes(p Part, ext string) bool
}

// PreviewFile is a file from which parts are made.
type PreviewFile struct {
	Name string // including the extension
	Kind filetype.Kind
	Blob Blob
}

// NoPreviewer is the Previewer of an instance without previews.
type NoPreviewer struct{}

func (NoPreviewer) Preview(context.Context, PreviewFile, func(Part, io.Reader) error) error {
	return nil
}

func (NoPreviewer) Makes(Part, string) bool { return false }
