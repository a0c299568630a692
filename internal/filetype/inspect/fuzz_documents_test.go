package inspect

import (
	"bytes"
	"compress/zlib"
	"io"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/pdf"
	"vitrine/internal/filetype/text"
)

// fuzzTypes inspects any bytes as each of the types, starting with samples of
// them.
func fuzzTypes(f *testing.F, exts ...string) {
	for _, s := range goodFiles() {
		if slices.Contains(exts, s.ext) && len(s.data) < 20*filetype.KiB {
			f.Add(s.data)
		}
	}
	for _, s := range slices.Concat(judgedOLE(), judgedRTF(), judgedPDF(), judgedImages(), judgedSVG(), judgedHTML(),
		judgedText(), judgedMedia()) {
		if slices.Contains(exts, s.ext) && len(s.data) < 20*filetype.KiB {
			f.Add(s.data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, ext := range exts {
			inspectAny(t, ext, data)
		}
	})
}

func FuzzPDF(f *testing.F)  { fuzzTypes(f, "pdf") }
func FuzzOLE(f *testing.F)  { fuzzTypes(f, "doc", "xls", "ppt") }
func FuzzRTF(f *testing.F)  { fuzzTypes(f, "rtf") }
func FuzzJPEG(f *testing.F) { fuzzTypes(f, "jpg") }
func FuzzGIF(f *testing.F)  { fuzzTypes(f, "gif") }
func FuzzWebP(f *testing.F) { fuzzTypes(f, "webp") }
func FuzzBMP(f *testing.F)  { fuzzTypes(f, "bmp") }
func FuzzTIFF(f *testing.F) { fuzzTypes(f, "tiff") }
func FuzzSVG(f *testing.F)  { fuzzTypes(f, "svg") }
func FuzzHTML(f *testing.F) { fuzzTypes(f, "html") }
func FuzzText(f *testing.F) { fuzzTypes(f, "txt", "csv", "xml", "json") }
func FuzzBMFF(f *testing.F) { fuzzTypes(f, "mp4", "m4a", "heic", "avif") }
func FuzzWebM(f *testing.F) { fuzzTypes(f, "webm") }
func FuzzOgg(f *testing.F)  { fuzzTypes(f, "ogg", "ogv", "opus") }
func FuzzMP3(f *testing.F)  { fuzzTypes(f, "mp3", "aac") }
func FuzzWAV(f *testing.F)  { fuzzTypes(f, "wav", "flac") }

// FuzzPNG corrects the checksums, because otherwise nearly every input would be
// refused at once.
func FuzzPNG(f *testing.F) {
	for _, s := range slices.Concat(goodFiles(), samplesOf(judgedImages())) {
		if s.ext == "png" && len(s.data) < 20*filetype.KiB && len(s.data) > 33 {
			f.Add(s.data[33:])
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := pngOf(9, 9)[:33]
		for len(data) >= 12 {
			n := int(filetype.BigEndian.Uint32(data))
			if n < 0 || n > len(data)-12 {
				break
			}
			p = append(p, pngChunk(string(data[4:8]), data[8:8+n])...)
			data = data[12+n:]
		}
		inspectAny(t, "png", append(p, data...))
	})
}

func samplesOf(files []otherFile) (out []sample) {
	for _, f := range files {
		out = append(out, f.sample)
	}
	return out
}

// FuzzOOXML makes a document with any part.
func FuzzOOXML(f *testing.F) {
	for _, part := range []member{relation("oleObject", "https://evil.example/a", "External"),
		wordPart("a", "hdr", wordField(" DDE ", "cmd")), sheetLink("cmd", "x"), slideAction("ppaction://program"),
		{data: `<!DOCTYPE x [<!ENTITY a "b">]><x y='1' z=2/><![CDATA[ ]]><?x ?>`},
		{data: string(oleFile(stream("\x01Ole10Native", packaged("a", "b")), stream("Equation Native", equation("a")),
			stream("\x01Ole", moniker(classURL, "a"))))}} {
		f.Add("word/x.xml", []byte(part.data))
	}
	f.Add("[Content_Types].xml", []byte("<Types/>"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		inspectAny(t, "docx", ooxmlFile("docx", "", member{name: name, data: string(data)}))
		inspectAny(t, "odt", packageFile(odtMIME, member{name: name, data: string(data)}))
		inspectAny(t, "epub", packageFile(epubMIME, member{name: name, data: string(data)}))
	})
}

// FuzzObject inspects any bytes as the data of embedded objects.
func FuzzObject(f *testing.F) {
	for _, s := range []string{packaged("a.txt", "data"), equation("Times"), moniker(classURL, "http://a.example"),
		string(oldObjectHexBytes("Package", []byte(packaged("a", "b")))), jpx(1, 2, 3)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, judge := range objectStreams {
			judge(filetype.NewSource(bytes.NewReader(nil), 0), new(filetype.Facts), data)
		}
		oldObject(new(filetype.Facts), filetype.NewSource(bytes.NewReader(data), int64(len(data))), data)
		pdf.JPXSize(data)
		pdf.JBIG2Size(data)
		filetype.RemoteHost(string(data))
	})
}

// FuzzMarkup checks that reading ends, stays within its limits, and finds the
// tags that an XML parser finds.
func FuzzMarkup(f *testing.F) {
	f.Add([]byte(`<!DOCTYPE a [<!-- ' --><!ENTITY b "c">]><a b="1>" c='&lt;'><!-- <x> --><d/><![CDATA[<e>]]></a>`))
	f.Add(utf16Text("<a b='1'>x</a>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := text.NewMarkup(bytes.NewReader(data))
		for steps := 0; ; steps++ {
			if steps > 2*len(data)+2 {
				t.Fatal("reading does not end")
			}
			if m.Next() == text.MarkupEnd {
				break
			}
			total := 0
			for _, a := range m.Tag.Attrs {
				total += len(a.Value)
			}
			if len(m.Text) > text.MaxMarkupText || total > text.MaxMarkupTag+text.MaxMarkupValue {
				t.Fatalf("%d bytes of text, %d of attributes", len(m.Text), total)
			}
		}
	})
}

// FuzzPDFStream checks that any stream of a PDF is inspected within limits,
// however it is compressed.
func FuzzPDFStream(f *testing.F) {
	f.Add("/Filter/FlateDecode", []byte("q Q"))
	f.Add("/Filter[/FlateDecode/FlateDecode]/Type/EmbeddedFile", []byte(deflated("q Q")))
	f.Add("/Subtype/Image/Width 9/Height 9/Filter/JPXDecode", []byte(jpx(9, 9, 9)))
	f.Fuzz(func(t *testing.T, dict string, data []byte) {
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		w.Write(data)
		w.Close()
		attached := "<</Type/Filespec/JS 5 0 R/F(a)/EF<</F 6 0 R>>>>"
		inspectAny(t, "pdf", pdfWith(attached, pdfStream(dict, z.String()), pdfStream(dict, string(data))))
	})
}

// TestMarkupOfAnySize checks that the memory for a document does not grow with
// its size.
func TestMarkupOfAnySize(t *testing.T) {
	body := io.MultiReader(strings.NewReader("<a b='"), io.LimitReader(endless('x'), 8*filetype.MiB),
		strings.NewReader("' on='1'/>"), io.LimitReader(endless('y'), 8*filetype.MiB), strings.NewReader("<z/>"))
	m := text.NewMarkup(body)
	if m.Next() != text.MarkupOpen || m.Tag.Attr("on") != "1" || len(m.Tag.Attr("b")) != text.MaxMarkupValue ||
		cap(m.Text) > 2*text.MaxMarkupText {
		t.Errorf("%d attributes, %d bytes", len(m.Tag.Attrs), cap(m.Text))
	}
	total := 0
	for kind := m.Next(); kind != text.MarkupOpen; kind = m.Next() {
		if kind != text.MarkupText {
			t.Fatal(kind)
		}
		total += len(m.Text)
	}
	if total != 8*filetype.MiB || m.Tag.Name != "z" {
		t.Errorf("%d bytes of text, then %q", total, m.Tag.Name)
	}
}

// endless is a file that repeats one character.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}
