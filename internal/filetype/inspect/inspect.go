// Package inspect checks the bytes of a file: whether they are what the name
// says, and whether they may be published. Archives and documents are in one
// package because they contain each other: a document is a ZIP archive, and an
// archive may contain documents.
//
// Programs rely on few reason codes (contract, Link states), so that checks can
// be split, merged or made more exact. The checks stay although a malware
// scanner may find the same, because an instance has none by default, and they
// look at what a file does. A check may only go if an instance without a
// scanner still refuses or holds all hostile samples (TestReasonsGiven). The
// history of links keeps its codes, so none is reused for another finding.
package inspect

import (
	"fmt"
	"io"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/media"
	"vitrine/internal/filetype/pdf"
	"vitrine/internal/filetype/text"
)

// Inspect checks that the size bytes of r are of type t and safe to publish. It
// only calls r.ReadAt. Problems: content_mismatch, unsafe_file. Any other error
// comes from r or is a defect of this package; the file was then not judged.
func Inspect(r io.ReaderAt, size int64, t filetype.Type) (facts filetype.Facts, err error) {
	// The last line of defence: a defect in a parser must neither end the
	// process nor count as a verdict.
	defer func() {
		if p := recover(); p != nil {
			facts, err = filetype.Facts{}, fmt.Errorf("inspect %s file: panic: %v", t.Ext, p)
		}
	}()
	return inspectFile(r, size, t)
}

func inspectFile(r io.ReaderAt, size int64, t filetype.Type) (filetype.Facts, error) {
	if inspectorOf(t.Ext) == nil {
		return filetype.Facts{}, &filetype.Problem{Code: filetype.CodeUnsupportedType,
			Reason: filetype.ReasonUnlistedType, Message: "Files of this type are not accepted."}
	}
	if size <= 0 {
		return filetype.Facts{}, filetype.Mismatch(filetype.ReasonEmpty, "The file is empty.")
	}
	return judgeSource(filetype.NewSource(r, size), t)
}

// judgeSource inspects a non-empty file of a supported type.
func judgeSource(s *filetype.Source, t filetype.Type) (filetype.Facts, error) {
	var facts filetype.Facts
	problem := filetype.MalwareAt("", s.Head)
	if problem == nil {
		problem = filetype.ProgramAt(s.Head, t)
	}
	if problem == nil {
		problem = inspectorOf(t.Ext)(s, t, &facts)
	}
	if problem == nil && s.Err == nil {
		problem = secondFormat(s, t, &facts)
	}
	if s.Work.Used() {
		facts.HoldFor(filetype.HoldNotFullyInspected)
	}
	switch {
	case s.Err != nil:
		return filetype.Facts{}, fmt.Errorf("read file: %w", s.Err)
	case problem != nil:
		return filetype.Facts{}, problem
	}
	return facts, nil
}

// inspector checks one format. It adds to facts and returns why the file is
// refused, or nil. The source remembers read failures, and they take
// precedence.
type inspector func(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem

func inspectorOf(ext string) inspector {
	switch ext {
	case "pdf":
		return pdf.Inspect
	case "png":
		return media.InspectPNG
	case "jpg":
		return media.InspectJPEG
	case "gif":
		return media.InspectGIF
	case "webp":
		return media.InspectWebP
	case "bmp":
		return media.InspectBMP
	case "tiff":
		return media.InspectTIFF
	case "svg":
		return text.InspectSVG
	case "avif", "heic":
		return media.InspectStillBMFF
	case "mp4", "m4v", "mov", "m4a":
		return media.InspectBMFF
	case "webm":
		return media.InspectWebM
	case "ogg", "ogv", "opus":
		return media.InspectOgg
	case "mp3":
		return media.InspectMP3
	case "aac":
		return media.InspectAAC
	case "wav":
		return media.InspectWAV
	case "flac":
		return media.InspectFLAC
	case "doc", "xls", "ppt":
		return inspectOLE
	case "docx", "xlsx", "pptx":
		return inspectOOXML
	case "odt", "ods", "odp", "epub":
		return inspectPackage
	case "rtf":
		return inspectRTF
	case "txt", "md", "csv", "tsv", "json", "xml", "yaml", "log":
		return text.InspectText
	case "html":
		return text.InspectHTML
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
