package inspect

import (
	"bytes"
	"path"
	"strings"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
)

// inspectPackage checks OpenDocument files and EPUB books: ZIPs with a member
// called mimetype. Scripts in books are allowed: EPUB 3 has them, and readers
// confine them to the book.
func inspectPackage(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	return newInspection(s, facts).pack(s, t, 0)
}

func (z *inspection) pack(s *filetype.Source, t filetype.Type, depth int) *filetype.Problem {
	var mimetype, manifest *archive.ZipMember
	var inner []archive.ZipMember
	f := familyODF
	if t.Ext == "epub" {
		f = familyEPUB
	}
	p := z.walk(s, t, depth, func(m *archive.ZipMember) *filetype.Problem {
		copied := *m
		name := strings.ToLower(m.Name)
		folder, _, _ := strings.Cut(name, "/")
		switch {
		case m.Encrypted:
			return heldEncrypted(z.facts)
		case name == "mimetype":
			if mimetype != nil {
				return filetype.UnsafeFile(filetype.ReasonForgedDocument,
					"The document names its type twice, as only forged ones do.")
			}
			mimetype = &copied
		case name == "meta-inf/manifest.xml":
			manifest = &copied
		case t.Ext != "epub" && !m.Dir() && (folder == "basic" || folder == "scripts"):
			return filetype.MacroProblem()
		case strings.HasPrefix(path.Base(name), "vbaproject"):
			return filetype.MacroProblem()
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
		return filetype.NotThe(s, t)
	}
	if says, ok := archive.ReadAll(s, mimetype, 256); !ok || string(bytes.TrimSpace(says)) != t.MIME {
		return filetype.NotThe(s, t)
	}
	if t.Ext != "epub" && manifest != nil {
		if xml, ok := archive.ReadAll(s, manifest, filetype.MaxPart); ok &&
			bytes.Contains(asUTF8(xml), []byte("encryption-data")) {
			return heldEncrypted(z.facts)
		}
	}
	return z.openAll(s, inner, depth)
}
