// Package filetype turns a file's name, declared MIME type and bytes into a Kind, or refuses the file.
//
// It is pure: bytes come through an io.ReaderAt, nothing is written, logged or timed, and no file is held in memory. Work and
// memory are bounded by the constants in limits.go, whatever the input.
//
// A file passes two gates. ByName looks at what the uploader says (contract, createUpload); Inspect looks at the bytes (contract,
// completeUpload; security, "Files are checked by their bytes"). Both answer with a *Problem when the file is refused. A file that
// may be published only after a person has looked is not refused: Inspect gives the reason in Facts.Hold.
//
// Reading formats is own work here and bounded on purpose. General parsers of PDF, ZIP and images trust lengths that the file
// states; here every length is checked against the file's size and a named bound before it is used.
package filetype

import (
	"fmt"
	"io"
)

// Kind is the family that a file is shown and measured as (contract, createUpload).
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

// Problem says why a file is refused. Whatever is wrong with the file itself is a *Problem; any other error of this package is a
// failure to read it.
type Problem struct {
	Code    string // a Code constant
	Reason  string // a Reason constant
	Message string // one plain sentence, or two, for the uploader
	Detail  string // what exactly it was, such as the name of a member: a stranger's text of at most 200 bytes; "" where Message says it all
}

func (p *Problem) Error() string { return p.Code + ": " + p.Message }

// about adds what the problem was found in.
func (p *Problem) about(text string) *Problem {
	p.Detail = detail(text)
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

func mismatch(reason, format string, args ...any) *Problem {
	return &Problem{Code: CodeContentMismatch, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

func unsafeFile(reason, format string, args ...any) *Problem {
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

// hold keeps the first reason.
func (f *Facts) hold(reason string) { f.holdAbout(reason, "") }

// holdAbout keeps the first reason and what it was found in.
func (f *Facts) holdAbout(reason, text string) {
	if f.Hold == "" {
		f.Hold, f.Detail = reason, detail(text)
	}
}

// Inspect checks that the size bytes of r are what t says, and safe to publish. It reads r through ReadAt only.
// Problems: content_mismatch, unsafe_file. Any other error is r's, or a defect of this package; the file was not judged then.
func Inspect(r io.ReaderAt, size int64, t Type) (facts Facts, err error) {
	// The last line of defence: a defect in a parser must not end the process, and must not pass for a verdict either.
	defer func() {
		if p := recover(); p != nil {
			facts, err = Facts{}, fmt.Errorf("inspect %s file: panic: %v", t.Ext, p)
		}
	}()
	return inspect(r, size, t)
}

func inspect(r io.ReaderAt, size int64, t Type) (Facts, error) {
	if inspectorOf(t.Ext) == nil {
		return Facts{}, &Problem{Code: CodeUnsupportedType, Reason: ReasonUnlistedType, Message: "Files of this type are not accepted."}
	}
	if size <= 0 {
		return Facts{}, mismatch(ReasonEmpty, "The file is empty.")
	}
	return judgeSource(newSource(r, size), t)
}

// judgeSource inspects a file of a listed type that is not empty.
func judgeSource(s *source, t Type) (Facts, error) {
	var facts Facts
	problem := malwareAt("", s.head)
	if problem == nil {
		problem = programAt(s.head)
	}
	if problem == nil {
		problem = inspectorOf(t.Ext)(s, t, &facts)
	}
	if problem == nil && s.err == nil {
		problem = secondFormat(s, t, &facts)
	}
	if s.work.used() {
		facts.hold(HoldNotFullyInspected)
	}
	switch {
	case s.err != nil:
		return Facts{}, fmt.Errorf("read file: %w", s.err)
	case problem != nil:
		return Facts{}, problem
	}
	return facts, nil
}

// inspector checks one format. It adds to facts what it learns and returns why the file is refused, or nil. Failures to read are
// kept by the source and outrank its answer.
type inspector func(s *source, t Type, facts *Facts) *Problem

func inspectorOf(ext string) inspector {
	switch ext {
	case "pdf":
		return inspectPDF
	case "png":
		return inspectPNG
	case "jpg", "jpeg":
		return inspectJPEG
	case "gif":
		return inspectGIF
	case "webp":
		return inspectWebP
	case "bmp":
		return inspectBMP
	case "tiff":
		return inspectTIFF
	case "svg":
		return inspectSVG
	case "avif", "heic":
		return inspectStillBMFF
	case "mp4", "m4v", "mov", "m4a":
		return inspectBMFF
	case "webm":
		return inspectWebM
	case "ogg", "ogv", "opus":
		return inspectOgg
	case "mp3":
		return inspectMP3
	case "aac":
		return inspectAAC
	case "wav":
		return inspectWAV
	case "flac":
		return inspectFLAC
	case "doc", "xls", "ppt":
		return inspectOLE
	case "docx", "xlsx", "pptx":
		return inspectOOXML
	case "odt", "ods", "odp", "epub":
		return inspectPackage
	case "rtf":
		return inspectRTF
	case "txt", "md", "csv", "tsv", "json", "xml", "yaml", "yml", "log":
		return inspectText
	case "html", "htm":
		return inspectHTML
	case "zip":
		return inspectZIP
	case "tar":
		return inspectTar
	case "gz", "tgz":
		return inspectGzip
	case "7z":
		return inspect7z
	case "rar":
		return inspectRAR
	}
	return nil
}
