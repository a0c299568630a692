package filetype

import (
	"bytes"
	"path"
	"strings"
)

// inspectPackage checks OpenDocument files and EPUB books: ZIPs that name their type in a member called mimetype. Scripts in books
// pass: EPUB 3 has them, and readers keep them from all but the book.
func inspectPackage(s *source, t Type, facts *Facts) *Problem {
	return newInspection(s, facts).pack(s, t, 0)
}

func (z *inspection) pack(s *source, t Type, depth int) *Problem {
	var mimetype, manifest *zipMember
	var inner []zipMember
	f := familyODF
	if t.Ext == "epub" {
		f = familyEPUB
	}
	p := z.walk(s, t, depth, func(m *zipMember) *Problem {
		copied := *m
		name := strings.ToLower(m.name)
		folder, _, _ := strings.Cut(name, "/")
		switch {
		case m.encrypted:
			return heldEncrypted(z.facts)
		case name == "mimetype":
			if mimetype != nil {
				return unsafeFile(ReasonForgedDocument, "The document names its type twice, as only forged ones do.")
			}
			mimetype = &copied
		case name == "meta-inf/manifest.xml":
			manifest = &copied
		case t.Ext != "epub" && !m.dir() && (folder == "basic" || folder == "scripts"):
			return macroProblem()
		case strings.HasPrefix(path.Base(name), "vbaproject"):
			return macroProblem()
		case nestable(m):
			inner = append(inner, copied)
			return nil
		}
		return z.part(s, m, f, depth)
	})
	if p != nil {
		return p
	}
	if mimetype == nil {
		return notThe(s, t)
	}
	if says, ok := s.readAll(mimetype, 256); !ok || string(bytes.TrimSpace(says)) != t.MIME {
		return notThe(s, t)
	}
	if t.Ext != "epub" && manifest != nil {
		if xml, ok := s.readAll(manifest, maxPart); ok && bytes.Contains(asUTF8(xml), []byte("encryption-data")) {
			return heldEncrypted(z.facts)
		}
	}
	return z.openAll(s, inner, depth)
}
