package filetype

import (
	"bufio"
	"bytes"
	"strings"
)

// secondFormat looks at a file that is what its name says for a file of another kind in the same bytes. Programs that read a ZIP seek
// its directory at the end of whatever they are given, those for RAR and 7z seek its beginning, and browsers and readers of PDF look
// at more than the first bytes. With a program in it, such a file is refused: the other kind is the one it was made for. Without, a
// person looks. What documents embed in the middle, and the film behind a motion photograph, are no second format.
func secondFormat(s *source, t Type, facts *Facts) *Problem {
	if !bytes.HasPrefix(s.head, []byte(zipLocal)) && !bytes.HasPrefix(s.head, []byte(zipEnd)) {
		if p := zipBehind(s, facts); p != nil {
			return p
		}
	}
	raster := t.Kind == Image && t.Ext != "svg"
	if (raster || t.Kind == Audio || t.Kind == Video) && archiveWithin(s) {
		facts.holdAbout(HoldSecondFormat, "an archive")
	}
	if raster && bytes.Contains(s.head[:min(len(s.head), sniffed)], []byte("%PDF-")) {
		facts.holdAbout(HoldSecondFormat, "a PDF document")
	}
	head := s.head[:min(len(s.head), sniffed)]
	if t.Kind == PDF { // forms carry markup of their own in objects
		head, _, _ = bytes.Cut(head, []byte(" obj"))
	}
	if (raster || t.Kind == PDF) && markupWithin(head) {
		facts.holdAbout(HoldSecondFormat, "a web page")
	}
	return nil
}

// sniffed is how much browsers and readers of PDF look at to find out what a file is.
const sniffed = kib

func markupWithin(head []byte) bool {
	head = lower(bytes.Clone(head))
	for _, tag := range []string{"<html", "<!doctype html", "<script", "<iframe", "<?php", "<hta:", "<svg"} {
		if bytes.Contains(head, []byte(tag)) {
			return true
		}
	}
	return false
}

// archiveWithin finds a RAR or 7z archive where programs would: in the first 8 MiB.
func archiveWithin(s *source) bool {
	found, _ := contains(s.section(0, min(s.size, 8*mib)), []byte(rar4Magic), []byte(rar5Magic), []byte(sevenMagic))
	return found
}

// zipBehind finds a ZIP's directory at the end of a file that does not begin as one.
func zipBehind(s *source, facts *Facts) *Problem {
	d, end, ok := s.zipEndRecord()
	if !ok || d.size < 46 || d.size > end || d.entries == 0 {
		return nil
	}
	r := bufio.NewReader(s.section(end-d.size, d.size))
	for n := 0; n < maxEntries; n++ {
		m, _, _, ok := readMember(r)
		if !ok {
			if n > 0 {
				break
			}
			return nil
		}
		if p := memberName(m.name, m.dir()); p != nil || strings.EqualFold(m.name, "META-INF/MANIFEST.MF") {
			return unsafeFile(ReasonPolyglot, "The file is a ZIP archive as well, with a program in it. Save it again from the program that made it.").about(m.name)
		}
	}
	facts.holdAbout(HoldSecondFormat, "a ZIP archive")
	return nil
}
