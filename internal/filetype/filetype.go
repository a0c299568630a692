// Package filetype turns a file's name, declared MIME type and bytes into a
// Kind, or refuses the file.
//
// It only reads bytes through an io.ReaderAt. It does not write, log or use the
// time, and never holds a whole file in memory. The constants in limits.go
// bound work and memory for any input.
//
// A file passes two checks. ByName checks what the uploader declares (contract,
// createUpload); Inspect checks the bytes (contract, completeUpload). See also
// (security, Files are checked by their bytes). There are three outcomes: a
// *Problem refuses the file, Facts.Hold holds it for a moderator, and otherwise
// it is accepted.
//
// The package has its own bounded parsers. General parsers of PDF, ZIP and
// images trust lengths stated in the file; these check every length against the
// file's size and a limit before they use it.
package filetype

import "fmt"

// Kind is the family of a file. It determines how the file is shown and
// measured (contract, createUpload).
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

// Type is a supported type, identified by its extension.
type Type struct {
	Ext     string // lower case, without the dot; the one of the row, whatever the file's name has (see Spellings)
	Kind    Kind
	MIME    string   // the MIME type in our table; ContentType returns the one for serving
	Accepts []string // declared MIME types that match Ext: lower case, without parameters; MIME is first
	Label   string   // for a sentence: "a PNG image"
}

// Problem is the reason why a file is refused. Everything wrong with the file
// itself is a *Problem; any other error of this package is a failure to read
// it.
type Problem struct {
	Code    string // a Code constant
	Reason  string // a Reason constant
	Message string // for the uploader, one or two sentences
	Detail  string // what exactly it was, such as the name of a member: untrusted text of at most 200 bytes; "" if Message is complete without it
}

func (p *Problem) Error() string { return p.Code + ": " + p.Message }

// SetContext sets what the problem was found in.
func (p *Problem) SetContext(text string) *Problem {
	p.Detail = SafeDetail(text)
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

// Mismatch returns the problem of bytes that are not what the file claims.
func Mismatch(reason, format string, args ...any) *Problem {
	return &Problem{Code: CodeContentMismatch, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// UnsafeFile returns the problem of a file that could harm who opens it.
func UnsafeFile(reason, format string, args ...any) *Problem {
	return &Problem{Code: CodeUnsafeFile, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// Facts is what inspection found out about an accepted file.
type Facts struct {
	Pages         int     // of a PDF, or of a TIFF with several; 0 if unknown
	Width, Height int     // of a raster image, in pixels; 0 if unknown
	DurationMs    int64   // of audio or video; 0 if unknown
	SoundOnly     bool    // of a file that is a video by its name: it has sound and no pictures
	Entries       []Entry // of a listed archive: the first MaxListed, in order
	EntriesTotal  int     // of a listed archive: all entries
	Encrypted     bool    // a password protects all or part of it
	Hold          string  // a Hold constant: why a person must look before it is public; "" for none
	Detail        string  // what Hold is about, such as the name of a member: untrusted text of at most 200 bytes
}

// Entry is one member of an archive.
type Entry struct {
	Name string `json:"name"`           // made valid UTF-8; untrusted text
	Size int64  `json:"size,omitempty"` // unpacked, according to the archive
	Dir  bool   `json:"dir,omitempty"`
	// Sealed: its bytes are not unpacked for readers. It is too far inside the
	// archive, encrypted, or packed by a method that is not known here.
	Sealed bool `json:"sealed,omitempty"`
}

// HoldFor sets Hold unless it is set.
func (f *Facts) HoldFor(reason string) { f.HoldAbout(reason, "") }

// HoldAbout sets Hold and Detail unless Hold is set.
func (f *Facts) HoldAbout(reason, text string) {
	if f.Hold == "" {
		f.Hold, f.Detail = reason, SafeDetail(text)
	}
}

// SetSize records the dimensions of an image. It returns a problem for too many
// pixels
// (security, Files are checked by their bytes).
func (f *Facts) SetSize(width, height int64) *Problem {
	if width > MaxPixels || height > MaxPixels || width*height > MaxPixels {
		return UnsafeFile(ReasonHugeImage, "The image has %d × %d pixels, more than browsers can show.", width, height)
	}
	f.Width, f.Height = int(width), int(height)
	return nil
}
