package inspect

import (
	"errors"
	"strings"
	"testing"

	"vitrine/internal/filetype"
)

// TestEICAR checks that the EICAR test file, and nothing else, is refused as
// malware wherever inspection looks.
func TestEICAR(t *testing.T) {
	file := string(filetype.Eicar)
	attachment := "<</Type/Filespec/F(a.txt)/EF<</F 5 0 R>>>>"
	nested := zipOf("a.txt", file)
	deep := zipOf("a.zip", string(zipOf("a.zip", string(nested))))
	for _, s := range []sample{
		{"plain", "txt", filetype.Eicar},
		{"line end", "txt", []byte(file + "\r\n")},
		{"128 bytes", "txt", []byte(file + strings.Repeat(" ", 60))},
		{"Control-Z", "txt", []byte(file + "\x1a")},
		{"CSV", "csv", filetype.Eicar},
		{"ZIP", "zip", nested},
		{"ZIP in ZIP", "zip", zipOf("a.zip", string(nested))},
		{"as deep as archives go", "zip", deep},
		{"stored", "zip", zipFile(member{name: "a.dat", data: file, store: true})},
		{"ZIP in tar", "tar", tarOf("a.zip", string(nested))},
		{"tar", "tar", tarOf("a.txt", file)},
		{"tar.gz", "tgz", gzipFile("", tarOf("a.txt", file))},
		{"gzip", "gz", gzipFile("a.txt", filetype.Eicar)},
		{"7z", "7z", sevenOf(sevenFile{name: "a.txt", data: file})},
		{"RAR", "rar", rar5Of(rarMember{name: "a.txt", data: file})},
		{"part of a document", "docx", ooxmlFile("docx", "", member{name: "word/embeddings/a.bin", data: file})},
		{"behind a PDF", "pdf", behind(pdfPages(1), filetype.Eicar)},
		{"behind a PDF, line end", "pdf", behind(pdfPages(1), []byte(file+"\n"))},
		{"behind a PDF in a ZIP", "zip", zipOf("a.pdf", string(behind(pdfPages(1), filetype.Eicar)))},
		{"attached to a PDF", "pdf", pdfWith(attachment,
			pdfStream("/Type/EmbeddedFile/Filter/FlateDecode", deflated(file)))},
	} {
		var p *filetype.Problem
		if _, err := inspected(t, s); !errors.As(err, &p) || p.Code != filetype.CodeMalware ||
			p.Reason != filetype.ReasonMalware || !strings.Contains(p.Message, "EICAR-Test-File") {
			t.Errorf("%s (%s): %v", s.what, s.ext, err)
		}
	}
	if _, _, err := inspectedSite(t, siteOf(member{name: "a.txt", data: file})); err == nil ||
		!strings.HasPrefix(err.Error(), filetype.CodeMalware+":") {
		t.Errorf("website: %v", err)
	}
	for _, s := range []sample{
		{"129 bytes", "txt", []byte(file + strings.Repeat(" ", 61))},
		{"other text behind", "txt", []byte(file + " is the test file.")},
		{"other text before", "txt", []byte("The test file: " + file)},
		{"cut short", "txt", filetype.Eicar[:67]},
		{"other text in a ZIP", "zip", zipOf("a.txt", "The test file: "+file)},
	} {
		if facts, err := inspected(t, s); err != nil || facts.Hold != "" {
			t.Errorf("%s (%s): %q, %v", s.what, s.ext, facts.Hold, err)
		}
	}
}
