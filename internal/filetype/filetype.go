// Package filetype turns a file's name, declared MIME type and bytes into a
// Kind, or refuses the file.
//
// It is pure: bytes come through an io.ReaderAt, nothing is written, logged or
// timed, and no file is held in memory. Work and memory are bounded by the
// constants in limits.go, whatever the input.
//
// A file passes two gates. ByName looks at what the uploader says (contract,
// createUpload); Inspect looks at the bytes (contract, completeUpload). See
// also (security, Files are checked by their bytes). Both return a *Problem
// when the file is refused. A file that may be published only after a person
// has looked is not refused: Inspect gives the reason in Facts.Hold.
//
// Reading formats is own work here and bounded on purpose. General parsers of
// PDF, ZIP and images trust lengths that the file states; here every length is
// checked against the file's size and a named bound before it is used.
package filetype

import "fmt"

// Kind is the family that a file is shown and measured as (contract,
// createUpload).
type Kind string

const (
	PDF      Kind = "pdf"
	Image    Kind = "image"
	Video    Kind = "video"
	Audio    Kind = "audio"
	Document Kind = "document"
	Text     Kind = "text"
	HTML     Kind = "html"
	Archive  Kind = "archive"
)

// Type is one entry of the supported list, named by its extension.
type Type struct {
	Ext     string // lower case, without the dot
	Kind    Kind
	MIME    string   // what the type is, by our own table; ContentType says how its bytes are served
	Accepts []string // declared MIME types that belong to Ext; lower case, without parameters; MIME is the first
	Label   string   // for a sentence: "a PNG image"
}

// Problem says why a file is refused. Whatever is wrong with the file itself is
// a *Problem; any other error of this package is a failure to read it.
type Problem struct {
	Code    string // a Code constant
	Reason  string // a Reason constant
	Message string // one plain sentence, or two, for the uploader
	Detail  string // what exactly it was, such as the name of a member: a stranger's text of at most 200 bytes; "" where Message says it all
}

func (p *Problem) Error() string { return p.Code + ": " + p.Message }

// About adds what the problem was found in.
func (p *Problem) About(text string) *Problem {
	p.Detail = Detail(text)
	return p
}

// The codes of a Problem (contract, Errors).
const (
	CodeInvalidName     = "invalid_name"
	CodeUnsupportedType = "unsupported_type"
	CodeTypeMismatch    = "type_mismatch"
	CodeContentMismatch = "content_mismatch"
	CodeUnsafeFile      = "unsafe_file"
	CodeMalware         = "malware"
)

func Mismatch(reason, format string, args ...any) *Problem {
	return &Problem{Code: CodeContentMismatch, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

func UnsafeFile(reason, format string, args ...any) *Problem {
	return &Problem{Code: CodeUnsafeFile, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// Facts is what inspection learned about a file that it did not refuse.
type Facts struct {
	Pages         int     // of a PDF; 0 unknown
	Width, Height int     // of a raster image, in pixels; 0 unknown
	DurationMs    int64   // of audio or video; 0 unknown
	Entries       []Entry // of a listed archive: the first MaxListed, in its own order
	EntriesTotal  int     // entries of a listed archive, those beyond Entries included
	Opaque        bool    // an archive whose directory could not be read (7z, rar)
	Encrypted     bool    // a password protects all or part of it
	Hold          string  // a Hold constant: why a person must look before it is public; "" for none
	Detail        string  // what exactly Hold is about, such as the name of a member: a stranger's text of at most 200 bytes
}

// Entry is one member of an archive.
type Entry struct {
	Name string `json:"name"`           // as stored, made valid UTF-8: a stranger's text
	Size int64  `json:"size,omitempty"` // bytes unpacked, as the archive declares them
	Dir  bool   `json:"dir,omitempty"`
}

// HoldFor keeps the first reason.
func (f *Facts) HoldFor(reason string) { f.HoldAbout(reason, "") }

// HoldAbout keeps the first reason and what it was found in.
func (f *Facts) HoldAbout(reason, text string) {
	if f.Hold == "" {
		f.Hold, f.Detail = reason, Detail(text)
	}
}

// Sized records the dimensions of an image and refuses pixel floods (security:
// "images by header for pixel floods").
func (f *Facts) Sized(width, height int64) *Problem {
	if width > MaxPixels || height > MaxPixels || width*height > MaxPixels {
		return UnsafeFile(ReasonHugeImage, "The image has %d × %d pixels, more than browsers can show.", width, height)
	}
	f.Width, f.Height = int(width), int(height)
	return nil
}
