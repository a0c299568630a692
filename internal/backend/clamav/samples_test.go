package clamav

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"testing"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// file is a file in an archive.
type file struct {
	name    string
	content []byte
}

func zipped(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.Create(f.name)
		must(t, err)
		_, err = w.Write(f.content)
		must(t, err)
	}
	must(t, z.Close())
	return b.Bytes()
}

func gzipped(t testing.TB, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(content)
	must(t, err)
	must(t, z.Close())
	return b.Bytes()
}

func tarred(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		must(t, w.WriteHeader(&tar.Header{Name: f.name, Size: int64(len(f.content)), Mode: 0o600}))
		_, err := w.Write(f.content)
		must(t, err)
	}
	must(t, w.Close())
	return b.Bytes()
}

func docx(t testing.TB, inside file) []byte {
	t.Helper()
	return zipped(t,
		file{"[Content_Types].xml", []byte(`<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`)},
		file{"_rels/.rels", []byte(`<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`)},
		file{"word/document.xml", []byte(`<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body/></w:document>`)},
		inside)
}

// pdf returns a PDF with a compressed attachment.
func pdf(t testing.TB, attachment []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, err := z.Write(attachment)
	must(t, err)
	must(t, z.Close())
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var at []int
	for i, object := range []string{
		"<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(a.bin)4 0 R]>>>>>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>", "<</Type/Filespec/F(a.bin)/EF<</F 5 0 R>>>>",
		fmt.Sprintf("<</Type/EmbeddedFile/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream", packed.Len(),
			packed.String()),
	} {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	b.WriteString("xref\n0 6\n0000000000 65535 f \n")
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", start)
	return b.Bytes()
}
