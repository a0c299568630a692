package filetype

import (
	"bytes"

	"github.com/gabriel-vasile/mimetype"
)

// inspectPDF checks that a PDF has objects and a root, counts its pages and looks for what a person must see first (security: "PDF
// for launch actions and embedded executables (review)").
//
// Readers search for the header in the first 1024 bytes: mail and print jobs leave lines before it. What is there must not begin as
// another file does.
//
// The file is read once from its start to its end, objects being recognised where they stand. Its cross-reference tables, which say
// where a reader should look, are not followed: they may point in circles, state any size, and hide objects from one reader that
// another shows. General PDF libraries follow them; a hundred bytes then suffice to exhaust a process's memory or stack.
func inspectPDF(s *source, t Type, facts *Facts) *Problem {
	if lead, ok := pdfStart(s.head); !ok {
		if lead > 0 {
			return mismatch(ReasonDataAround, "There is other data before the beginning of the PDF. Print or save it as a PDF again.")
		}
		return notThe(s, t)
	}
	if p := malwareBehind(s); p != nil {
		return p
	}
	p := newPDFScan(s)
	p.scanFile()
	p.scanObjectStreams()
	p.scanReferred()
	if p.problem != nil {
		return p.problem
	}
	if !p.rooted() && !p.unread {
		return damaged(t)
	}
	facts.Pages = p.pages()
	facts.Encrypted = p.encrypted
	switch {
	case p.launch:
		facts.hold(HoldLaunchAction)
	case p.attachment && p.program:
		facts.hold(HoldEmbeddedProgram)
	case p.network != "":
		facts.holdAbout(HoldPDFNetworkPath, p.network)
	case p.script:
		facts.hold(HoldPDFScript)
	case p.flash:
		facts.hold(HoldPDFActiveContent)
	case p.unread, p.attachment && p.encrypted: // names of attachments are encrypted too
		facts.hold(HoldNotFullyInspected)
	}
	return nil
}

// What a PDF may do that is neither held nor refused, and why: JavaScript as forms have it, XFA forms, forms that are sent and links
// to embedded PDF documents do nothing in the reader that shows the file here (security, surfaces), and ask first in others. Pages of any
// size are shown reduced.

// pdfStart tells where the header begins: in the first 1024 bytes, and behind nothing that another program takes for a file of its own.
// A header behind such a file has a lead but is not ok.
func pdfStart(head []byte) (lead int, ok bool) {
	if pdfHeader(head) {
		return 0, true
	}
	head = head[:min(len(head), 1024)]
	lead = bytes.Index(head, []byte("%PDF-"))
	if lead < 0 {
		return 0, false
	}
	if m := mimetype.Detect(head[:lead]); !m.Is(unknown) && !m.Is("text/plain") || formOf("", head[:lead]) != formOther || otherText(head[:lead]) != "" {
		return lead, false
	}
	return lead, pdfHeader(head[lead:])
}

// pdfHeader tells a header that comes first, but for white space or a byte order mark.
func pdfHeader(head []byte) bool {
	head = bytes.TrimPrefix(head[:min(len(head), 1024)], []byte("\xef\xbb\xbf"))
	head = bytes.TrimLeft(head, " \t\r\n\f\x00")
	return len(head) >= 8 && bytes.HasPrefix(head, []byte("%PDF-")) && '1' <= head[5] && head[5] <= '9'
}
