package vitrine

import (
	"context"
	"io"
	"slices"
	"strings"

	"vitrine/internal/filetype"

	"golang.org/x/text/language"
)

// Bounds of captions.
const (
	// MaxCaptions is how large one text may be, in bytes.
	MaxCaptions = 1 << 20
	// maxCaptionLanguages is how many languages one link may have.
	maxCaptionLanguages = 20
	// maxLanguage bounds a language tag, in characters (RFC 5646, section
	// 4.4.1).
	maxLanguage = 35
)

// ParseLanguage reads a BCP 47 tag of a known language and returns its
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

// Part names something that is kept beside a blob and made of it, or added to
// it: what a page shows where a browser cannot show the file itself, and what
// means it elsewhere. A part is lower-case letters, digits and hyphens.
type Part string

const (
	PartPicture Part = "picture" // JPEG, PictureWidth × PictureHeight: what other sites show of a link
	PartImage   Part = "image"   // JPEG: an image that browsers cannot decode (HEIC, TIFF)
	PartPages   Part = "pages"   // PDF: an office document as it would be printed
	PartSheets  Part = "sheets"  // JSON, a Workbook: the cells of a spreadsheet
	PartEntries Part = "entries" // JSON, a Listing: what is in an archive
	PartThumbs  Part = "thumbs"  // ZIP of small JPEGs, 1.jpg and so on: the first pages of a document
)

// Size of PartPicture, in pixels: what the large networks ask for.
const PictureWidth, PictureHeight, MostThumbs = 1200, 630, 50 // MostThumbs: pages in PartThumbs

// captionsPrefix begins the parts that are captions of a video or sound,
// followed by their language.
const captionsPrefix = "captions-"

// CaptionsPart is WebVTT in a language, which is a BCP 47 tag.
func CaptionsPart(language string) Part { return Part(captionsPrefix + strings.ToLower(language)) }

// Language is that of captions; "" for any other part.
func (p Part) Language() string {
	language, ok := strings.CutPrefix(string(p), captionsPrefix)
	if !ok {
		return ""
	}
	return language
}

// ParsePart accepts what can be the name of a part, so that it can be one of a
// file.
func ParsePart(s string) (Part, bool) {
	ok := s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
	return Part(s), ok
}

// Parts is the set of parts that a link has: their names, sorted, with a space
// between them.
type Parts string

// All lists the set.
func (s Parts) All() []Part {
	var all []Part
	for name := range strings.FieldsSeq(string(s)) {
		all = append(all, Part(name))
	}
	return all
}

// Has reports whether a part is in the set.
func (s Parts) Has(p Part) bool { return slices.Contains(s.All(), p) }

// With is the set and some parts more.
func (s Parts) With(more ...Part) Parts { return partsOf(append(s.All(), more...)) }

// Without is the set but for a part.
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

// PreviewState is how far the parts of a link are that are made of its file.
type PreviewState string

const (
	PreviewDue  PreviewState = ""     // they are made once the link is live
	PreviewDone PreviewState = "done" // what can be made is there, which may be nothing
)

// Previewer makes parts of files. What it makes is for show: a file that it
// cannot read is no error, but has fewer parts.
//
// Every implementation passes the suite previewtest.Run.
type Previewer interface {
	// Preview hands each part that it can make of a file to put, once, and
	// returns an error of put, of reading the file, or of the machine (no
	// memory, no space): then the file may be tried again. It reads what
	// strangers sent, so it must be bounded in time and memory and may not
	// reach out to anything that the file names (promises 12, 18).
	Preview(ctx context.Context, f PreviewFile, put func(Part, io.Reader) error) error

	// Makes reports whether a part may come of a file of an extension, on this
	// machine: then a page may wait for it.
	Makes(p Part, ext string) bool
}

// PreviewFile is a file to make parts of.
type PreviewFile struct {
	Name string // with its extension
	Kind filetype.Kind
	Blob Blob
}

// NoPreviewer is the Previewer of an instance that makes no parts.
type NoPreviewer struct{}

func (NoPreviewer) Preview(context.Context, PreviewFile, func(Part, io.Reader) error) error {
	return nil
}

func (NoPreviewer) Makes(Part, string) bool { return false }

// Listing is what is in an archive: PartEntries.
type Listing struct {
	Entries   []filetype.Entry `json:"entries"` // the first ones, in the archive's order
	Total     int              `json:"total"`
	Encrypted bool             `json:"encrypted,omitempty"`
}

// Workbook is the cells of a spreadsheet as they are shown, PartSheets.
type Workbook struct {
	Sheets []Sheet `json:"sheets"`
	Cut    bool    `json:"cut,omitempty"` // there are more sheets
}

// Sheet is one sheet of a workbook. Rows may differ in length.
type Sheet struct {
	Name string     `json:"name"`
	Rows [][]string `json:"rows"`
	Cut  bool       `json:"cut,omitempty"` // there are more rows or columns
}
