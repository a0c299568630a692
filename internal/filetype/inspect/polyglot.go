package inspect

import (
	"bufio"
	"bytes"
	"strings"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
	"vitrine/internal/filetype/text"
)

// secondFormat looks at a file that is what its name says for a file of another
// kind in the same bytes. Programs that read a ZIP seek its directory at the
// end of whatever they are given, those for RAR and 7z seek its beginning, and
// browsers and readers of PDF look at more than the first bytes. With a program
// in it, such a file is refused: the other kind is the one it was made for.
// Without, a person looks. What documents embed in the middle, and the film
// behind a motion photograph, are no second format.
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
	if t.Kind == filetype.PDF { // forms carry markup of their own in objects
		head, _, _ = bytes.Cut(head, []byte(" obj"))
	}
	if (raster || t.Kind == filetype.PDF) && markupWithin(head) {
		facts.HoldAbout(filetype.HoldSecondFormat, "a web page")
	}
	return nil
}

// sniffed is how much browsers and readers of PDF look at to find out what a
// file is.
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

// zipBehind finds a ZIP's directory at the end of a file that does not begin as
// one.
func zipBehind(s *filetype.Source, facts *filetype.Facts) *filetype.Problem {
	d, end, ok := archive.ZipEndRecord(s)
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
				"The file is a ZIP archive as well, with a program in it. Save it again from the program that made it.").About(m.Name)
		}
	}
	facts.HoldAbout(filetype.HoldSecondFormat, "a ZIP archive")
	return nil
}
