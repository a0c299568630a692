package inspect

import (
	"bytes"
	"encoding/xml"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf16"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
	"vitrine/internal/filetype/text"
)

// ooxmlMain has, for each format, the folder of its parts and the suffix of its
// main part's content type: for documents, templates and shows.
var ooxmlMain = map[string]struct {
	folder string
	types  []string
}{
	"docx": {"word/", []string{"wordprocessingml.document.main+xml", "wordprocessingml.template.main+xml",
		"ms-word.document.macroenabled.main+xml"}},
	"xlsx": {"xl/", []string{"spreadsheetml.sheet.main+xml", "spreadsheetml.template.main+xml",
		"ms-excel.sheet.macroenabled.main+xml"}},
	"pptx": {"ppt/", []string{"presentationml.presentation.main+xml", "presentationml.slideshow.main+xml",
		"presentationml.template.main+xml", "ms-powerpoint.presentation.macroenabled.main+xml"}},
}

// inspectOOXML checks docx, xlsx and pptx: parts of the right format, no macros
// under any name or content type, and packaged files (security, Files are
// checked by their bytes). The formats for macros are accepted without macros.
func inspectOOXML(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	if bytes.HasPrefix(s.Head, []byte(filetype.OleMagic)) {
		return protectedOOXML(s, t, facts)
	}
	return newInspection(s, facts).ooxml(s, t, 0)
}

// protectedOOXML checks a compound file that may be a password-protected OOXML
// file.
func protectedOOXML(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	c, ok := archive.OpenCompound(s)
	if !ok {
		return filetype.NotThe(s, t)
	}
	if p := c.Check(); p != nil {
		return p
	}
	if !encryptedPackage(c) {
		return filetype.NotThe(s, t)
	}
	return heldEncrypted(facts)
}

// ooxmlParts is what a walk through a package records.
type ooxmlParts struct {
	contentTypes *archive.ZipMember
	folder       bool
	inner        []archive.ZipMember
	exts         map[string]bool // of all members, in lower case
	names        map[string]bool // of all members, in lower case and without escapes
	escaped      bool            // a member's name may be read as having another extension
}

// uses reports whether a declaration for an extension may apply to an existing
// part.
func (p *ooxmlParts) uses(ext string) bool { return p.escaped || p.exts[ext] }

// note records the name and extension of a part, whose name is in lower case.
// It reports whether the name is a duplicate.
func (p *ooxmlParts) note(name string) (again bool) {
	if plain, err := url.PathUnescape(name); err == nil {
		again = p.names[plain]
		p.names[plain] = true
	}
	ext := strings.TrimPrefix(path.Ext(name), ".")
	p.exts[ext] = true
	p.escaped = p.escaped || strings.Contains(name, "%") || strings.HasSuffix(name, ".") || ext != "" && !plainExt(ext)
	return again
}

// plainExt reports whether all programs read an extension, in lower case, in
// the same way.
func plainExt(ext string) bool {
	return ext != "" && strings.Trim(ext, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

func (z *inspection) ooxml(s *filetype.Source, t filetype.Type, depth int) *filetype.Problem {
	parts := ooxmlParts{exts: map[string]bool{}, names: map[string]bool{}}
	outer := z.macros
	z.macros = macroParts{}
	defer func() { z.macros = outer }()
	p := z.walk(s, t, depth, func(m *archive.ZipMember) *filetype.Problem {
		return z.ooxmlPart(s, t, &parts, m, depth)
	})
	if p != nil {
		return p
	}
	if parts.contentTypes == nil || !parts.folder {
		return filetype.NotThe(s, t)
	}
	types, ok := contentTypes(s, parts.contentTypes)
	if !ok {
		return filetype.Damaged(t)
	}
	for _, ct := range types {
		// Some libraries always declare a type for .bin. A declaration for an
		// extension that no part has is irrelevant.
		if ct.ext != "" && !parts.uses(ct.ext) {
			continue
		}
		if strings.Contains(ct.name, "macrosheet") {
			return filetype.MacroProblem()
		}
		z.macros.enabled = z.macros.enabled || strings.Contains(ct.name, "macroenabled")
		z.macros.declared = z.macros.declared || strings.Contains(ct.name, "vbaproject") ||
			strings.Contains(ct.name, "vbadata")
	}
	if z.macros.found() {
		return filetype.MacroProblem()
	}
	if !slices.ContainsFunc(types, func(ct contentType) bool {
		return slices.ContainsFunc(ooxmlMain[t.Ext].types,
			func(main string) bool { return strings.HasSuffix(ct.name, main) })
	}) {
		return filetype.NotThe(s, t)
	}
	return z.openAll(s, parts.inner, depth)
}

func (z *inspection) ooxmlPart(s *filetype.Source, t filetype.Type, parts *ooxmlParts, m *archive.ZipMember,
	depth int) *filetype.Problem {
	name := strings.ToLower(m.Name)
	again := parts.note(name)
	parts.folder = parts.folder || strings.HasPrefix(name, ooxmlMain[t.Ext].folder)
	switch base := path.Base(name); {
	case m.Encrypted:
		return heldEncrypted(z.facts)
	case again && name == "[content_types].xml":
		return filetype.UnsafeFile(filetype.ReasonForgedDocument,
			"The document has two tables of contents, as only forged ones do.")
	case again && !m.Dir():
		return filetype.UnsafeFile(filetype.ReasonDuplicatePart,
			"The document has two parts of one name. Save it again from an office program.").SetContext(m.Name)
	case strings.HasSuffix(name, ".piece") && strings.Contains(name, "/["):
		return filetype.UnsafeFile(filetype.ReasonForgedDocument,
			"The document has parts in pieces, as no office program writes them. Save it again in one.")
	case base == "vbaproject.bin":
		return z.projectPart(s, m, depth)
	case base == "vbadata.xml":
		z.macros.declared = true
	case strings.HasPrefix(base, "vbaproject"), strings.HasPrefix(base, "vbadata"),
		strings.Contains(name, "/macrosheets/"):
		return filetype.MacroProblem()
	case strings.Contains(name, "/activex/"):
		z.facts.HoldFor(filetype.HoldActiveContent)
	case name == "[content_types].xml":
		copied := *m
		parts.contentTypes = &copied
	case nestable(m):
		parts.inner = append(parts.inner, *m)
		return nil
	}
	return z.part(s, m, familyOOXML, depth)
}

// macroParts is what a package says of macros and has of them. A project that
// was judged to have no code is no macro.
type macroParts struct {
	declared bool // some part is called a project
	enabled  bool // the package is of a format for macros
	names    bool // a name of a workbook is that of a macro
	projects int  // projects without code
}

func (m macroParts) found() bool { return m.declared && m.projects != 1 || m.enabled && m.names }

// projectPart judges a project of Visual Basic by its name.
func (z *inspection) projectPart(s *filetype.Source, m *archive.ZipMember, depth int) *filetype.Problem {
	z.macros.declared = true
	before := z.macros.projects
	if p := z.part(s, m, familyOOXML, depth); p != nil {
		return p
	}
	if z.macros.projects == before {
		return filetype.MacroProblem().SetContext(m.Name)
	}
	return nil
}

// contentType is a content type that a package declares, in lower case.
type contentType struct {
	name string
	ext  string // it is surely of nothing but the parts of this extension; "": it may be of any part
}

// contentTypes lists the declared content types of a package.
func contentTypes(s *filetype.Source, m *archive.ZipMember) (types []contentType, ok bool) {
	p, ok := archive.ReadAll(s, m, filetype.MaxPart)
	if !ok {
		return nil, false
	}
	d := xml.NewDecoder(bytes.NewReader(asUTF8(p)))
	d.CharsetReader = text.CharsetReader
	for {
		token, err := d.Token()
		if err == io.EOF {
			return types, true
		}
		if err != nil {
			return nil, false
		}
		if e, ok := token.(xml.StartElement); ok {
			ext := defaultExt(e)
			for _, a := range e.Attr {
				if a.Name.Local == "ContentType" {
					types = append(types, contentType{strings.ToLower(a.Value), ext})
				}
			}
		}
	}
}

// defaultExt returns the extension, in lower case, whose content type an
// element declares. It returns "" if programs could read another extension or
// type: with duplicate attributes, each program may use a different one.
func defaultExt(e xml.StartElement) (ext string) {
	if e.Name.Local != "Default" {
		return ""
	}
	exts, types := 0, 0
	for _, a := range e.Attr {
		switch {
		case a.Name.Local != "Extension" && a.Name.Local != "ContentType":
		case a.Name.Space != "":
			return ""
		case a.Name.Local == "Extension":
			ext = strings.ToLower(a.Value)
			exts++
		default:
			types++
		}
	}
	if exts != 1 || types != 1 || !plainExt(ext) {
		return ""
	}
	return ext
}

// asUTF8 decodes UTF-16 with a byte order mark, which XML parts may use.
func asUTF8(p []byte) []byte {
	order := text.OrderOf(p)
	if order == nil {
		return p
	}
	var units []uint16
	for p = p[2:]; len(p) >= 2; p = p[2:] {
		units = append(units, order(p))
	}
	return []byte(string(utf16.Decode(units)))
}
