package inspect

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// pdfFile returns a PDF of objects, numbered from 1, with a table and a
// trailer. Object 1 is the catalog.
func pdfFile(trailer string, objects ...string) []byte {
	var b buf
	b.str("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	var offsets []int
	for i, o := range objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, trailer, start)
	return b.Bytes()
}

const pdfCatalog = "<</Type/Catalog/Pages 2 0 R>>"

func pdfPages(n int) []byte {
	objects := []string{pdfCatalog, ""}
	var kids strings.Builder
	for i := range n {
		fmt.Fprintf(&kids, "%d 0 R ", 3+2*i)
		content := fmt.Sprintf("q %d 0 0 %d 5 5 cm Q", i+1, i+2)
		objects = append(objects, fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R>>",
			4+2*i),
			fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), n)
	return pdfFile("", objects...)
}

// pdfWith returns a PDF with one page and additional objects.
func pdfWith(objects ...string) []byte {
	return pdfFile("", append([]string{pdfCatalog, "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R>>"}, objects...)...)
}

func deflated(s string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

// objectStream returns an object stream. Objects are numbered from first on.
func objectStream(first int, objects ...string) (header, body string) {
	var table, content strings.Builder
	for i, o := range objects {
		fmt.Fprintf(&table, "%d %d ", first+i, content.Len())
		content.WriteString(o + " ")
	}
	z := deflated(table.String() + content.String())
	return fmt.Sprintf("<</Type/ObjStm/N %d/First %d/Filter/FlateDecode/Length %d>>", len(objects), table.Len(),
		len(z)), z
}

// compressedPDF returns a PDF with all objects in an object stream, as in PDF
// 1.5.
func compressedPDF(objects ...string) []byte {
	header, body := objectStream(1, objects...)
	return rawPDF(fmt.Sprintf("10 0 obj\n%s\nstream\n%s\nendstream\nendobj\n", header, body),
		"11 0 obj\n<</Type/XRef/Size 12/W[1 2 1]/Root 1 0 R/Length 4>>\nstream\n\x01\x00\x10\x00\nendstream\nendobj\n")
}

func rawPDF(parts ...string) []byte {
	return []byte("%PDF-1.5\n" + strings.Join(parts, "") + "startxref\n9\n%%EOF\n")
}
