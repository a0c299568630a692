package inspect

import (
	"bufio"
	"bytes"
	"strings"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
	"vitrine/internal/filetype/text"
)

// secondFormat searches for a file of another kind in the bytes of a file that
// is what its name says. Programs find the directory of a ZIP at the end of a
// file, those for RAR and 7z search its beginning, and browsers and PDF readers
// look beyond the first bytes. A file with a program in it is refused, because
// the other kind is its purpose; any other is held. Files embedded in
// documents, and the film in a motion photograph, are not second formats.
func secondFormat(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	if !bytes.HasPrefix(s.Head, []byte(filetype.ZipLocal)) && !bytes.HasPrefix(s.Head, []byte(filetype.ZipEnd)) {
		if p := zipBehind(s, facts); p != nil {
			return p
		}
	}
	raster := t.Kind == filetype.Image && t.Ext != "svg"
	if (raster || t.Kind == filetype.Audio || t.Kind == filetype.Video) && archiveWithin(s) {
		facts.HoldAbout(filetype.HoldSecondFormat, "an archive")
	}
	if raster && bytes.Contains(s.Head[:min(len(s.Head), sniffed)], []byte("%PDF-")) {
		facts.HoldAbout(filetype.HoldSecondFormat, "a PDF document")
	}
	head := s.Head[:min(len(s.Head), sniffed)]
	if t.Kind == filetype.PDF { // forms contain markup in objects
		head, _, _ = bytes.Cut(head, []byte(" obj"))
	}
	if (raster || t.Kind == filetype.PDF) && markupWithin(head) {
		facts.HoldAbout(filetype.HoldSecondFormat, "a web page")
	}
	return nil
}

// sniffed is how far browsers and PDF readers look to determine the type of a
// file.
const sniffed = filetype.KiB

func markupWithin(head []byte) bool {
	head = text.Lower(bytes.Clone(head))
	for _, tag := range []string{"<html", "<!doctype html", "<script", "<iframe", "<?php", "<hta:", "<svg"} {
		if bytes.Contains(head, []byte(tag)) {
			return true
		}
	}
	return false
}

// archiveWithin finds a RAR or 7z archive where programs would: in the first 8
// MiB.
func archiveWithin(s *filetype.Source) bool {
	found, _ := contains(s.Section(0, min(s.Size, 8*filetype.MiB)), []byte(filetype.Rar4Magic),
		[]byte(filetype.Rar5Magic), []byte(filetype.SevenMagic))
	return found
}

// zipBehind finds a ZIP directory at the end of a file that does not begin as a
// ZIP.
func zipBehind(s *filetype.Source, facts *filetype.Facts) *filetype.Problem {
	d, end, ok := archive.ZipEndRecord(s, 0)
	if !ok || d.Size < 46 || d.Size > end || d.Entries == 0 {
		return nil
	}
	r := bufio.NewReader(s.Section(end-d.Size, d.Size))
	for n := 0; n < filetype.MaxEntries; n++ {
		m, _, _, ok := archive.ReadMember(r)
		if !ok {
			if n > 0 {
				break
			}
			return nil
		}
		if p := filetype.MemberName(m.Name, m.Dir()); p != nil || strings.EqualFold(m.Name, "META-INF/MANIFEST.MF") {
			return filetype.UnsafeFile(filetype.ReasonPolyglot,
				"The file is a ZIP archive as well, with a program in it. Save it again from the program that made it.").SetContext(m.Name)
		}
	}
	facts.HoldAbout(filetype.HoldSecondFormat, "a ZIP archive")
	return nil
}
