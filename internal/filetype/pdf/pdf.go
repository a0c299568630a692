// Package pdf inspects PDF files: pages, encryption, scripts, and what they
// open.
package pdf

import "vitrine/internal/filetype"

// Inspect checks that a PDF has objects and a root, counts its pages, and
// searches for what a person must see first
// (security, Files are checked by their bytes).
//
// Readers search for the header in the first 1024 bytes, because mail and print
// jobs leave lines before it. Those lines must not begin like another file.
//
// The file is read once from start to end, and objects are recognized where
// they are. The cross-reference tables, with which readers find objects, are
// not followed: they may be circular, state any size, and hide objects from one
// reader that another shows. General PDF libraries follow them, and a hundred
// bytes are then enough to exhaust the memory or stack of a process.
func Inspect(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	if lead, ok := filetype.PdfStart(s.Head); !ok {
		if lead > 0 {
			return filetype.Mismatch(filetype.ReasonDataAround,
				"There is other data before the beginning of the PDF. Print or save it as a PDF again.")
		}
		return filetype.NotThe(s, t)
	}
	if p := filetype.MalwareBehind(s); p != nil {
		return p
	}
	p := newPDFScan(s)
	p.scanFile()
	p.scanObjectStreams()
	p.scanReferred()
	if p.problem != nil {
		return p.problem
	}
	if !p.hasRoot() && !p.unread {
		return filetype.Damaged(t)
	}
	facts.Pages = p.pages()
	facts.Encrypted = p.encrypted
	switch {
	case p.launch:
		facts.HoldFor(filetype.HoldLaunchAction)
	case p.attachment && p.program:
		facts.HoldFor(filetype.HoldEmbeddedProgram)
	case p.network != "":
		facts.HoldAbout(filetype.HoldPDFNetworkPath, p.network)
	case p.script:
		facts.HoldFor(filetype.HoldPDFScript)
	case p.flash:
		facts.HoldFor(filetype.HoldPDFActiveContent)
	case p.unread, p.attachment && p.encrypted: // names of attachments are encrypted too
		facts.HoldFor(filetype.HoldNotFullyInspected)
	}
	return nil
}
