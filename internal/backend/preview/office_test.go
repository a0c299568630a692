package preview

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/filetype/inspect"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
)

// converted converts a sample to another format with LibreOffice.
func converted(t testing.TB, from string, content []byte, to string) []byte {
	t.Helper()
	office := vitrinetest.Program(t, "soffice")
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, from), content, 0o600))
	cmd := exec.Command(office, "-env:UserInstallation=file://"+dir+"/profile", "--headless", "--convert-to", to,
		"--outdir", dir+"/out", filepath.Join(dir, from))
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("LibreOffice: %v: %s", err, said)
	}
	found, err := filepath.Glob(dir + "/out/*")
	must(t, err)
	if len(found) != 1 {
		t.Fatalf("converting %s to %s made %v", from, to, found)
	}
	b, err := os.ReadFile(found[0])
	must(t, err)
	return b
}

// TestDocuments checks that documents of every kind become a PDF and a picture.
func TestDocuments(t *testing.T) {
	vitrinetest.Program(t, "soffice")
	m, w := newMaker(t, Options{})
	text := func(*testing.T) []byte { return docx(t, paragraph("Hello")) }
	from := func(name string, content []byte, to string) func(*testing.T) []byte {
		return func(t *testing.T) []byte { return converted(t, name, content, to) }
	}
	slide := []byte(flatSlides)
	for i, c := range []struct {
		name    string
		content func(*testing.T) []byte
	}{
		// In the gate, one for each of LibreOffice's programs.
		{"a.docx", text}, {"a.odp", from("a.fodp", slide, "odp")},
		{"a.odt", func(*testing.T) []byte { return odt(t, "<text:p>Hello</text:p>") }},
		{"a.doc", from("a.docx", text(t), "doc")}, {"a.rtf", from("a.docx", text(t), "rtf")},
		{"a.pptx", from("a.fodp", slide, "pptx")}, {"a.ppt", from("a.fodp", slide, "ppt")},
	} {
		if i >= tier.Pick(2, 7) {
			break
		}
		parts := mustPreview(t, m, c.name, c.content(t))
		pdf, _ := filetype.ByExt(".pdf")
		facts, err := inspect.Inspect(bytes.NewReader(parts[vitrine.PartPages]), int64(len(parts[vitrine.PartPages])),
			pdf)
		if err != nil || facts.Pages != 1 {
			t.Errorf("%s: %d pages (%v), want 1", c.name, facts.Pages, err)
			continue
		}
		parts.picture(t)
	}
	for _, ext := range []string{"ods", "xls"}[:tier.Pick(1, 2)] {
		book := mustPreview(t, m, "a."+ext, converted(t, "a.xlsx", accounts(t), ext)).book(t)
		if len(book.Sheets) == 0 || book.Sheets[0].Name != "Ausgaben" || len(book.Sheets[0].Rows) != 4 ||
			book.Sheets[0].Rows[1][1] != "1,234,567.50" {
			t.Errorf("%s: workbook = %+v", ext, book)
		}
	}
	if w.list() != nil {
		t.Errorf("warnings = %v, want none", w.list())
	}
}

const flatSlides = `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation><draw:page draw:name="p"><draw:frame svg:x="2cm" svg:y="2cm" svg:width="20cm" svg:height="5cm"><draw:text-box><text:p>Quarterly results</text:p></draw:text-box></draw:frame></draw:page></office:presentation></office:body></office:document>`
