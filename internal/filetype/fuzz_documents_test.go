package filetype

import (
	"bytes"
	"compress/zlib"
	"io"
	"slices"
	"strings"
	"testing"
)

// fuzzTypes inspects any bytes as each of the types, from the samples of those types on.
func fuzzTypes(f *testing.F, exts ...string) {
	for _, s := range goodFiles() {
		if slices.Contains(exts, s.ext) && len(s.data) < 20*kib {
			f.Add(s.data)
		}
	}
	for _, s := range slices.Concat(judgedOLE(), judgedRTF(), judgedPDF(), judgedImages(), judgedSVG(), judgedHTML(), judgedText(), judgedMedia()) {
		if slices.Contains(exts, s.ext) && len(s.data) < 20*kib {
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

// FuzzPNG makes the checksums right, without which nearly every attempt would end at once.
func FuzzPNG(f *testing.F) {
	for _, s := range slices.Concat(goodFiles(), samplesOf(judgedImages())) {
		if s.ext == "png" && len(s.data) < 20*kib && len(s.data) > 33 {
			f.Add(s.data[33:])
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := pngOf(9, 9)[:33]
		for len(data) >= 12 {
			n := int(be.Uint32(data))
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

// FuzzOOXML makes a document of any part.
func FuzzOOXML(f *testing.F) {
	for _, part := range []member{relation("oleObject", "https://evil.example/a", "External"), wordPart("a", "hdr", wordField(" DDE ", "cmd")), sheetLink("cmd", "x"), slideAction("ppaction://program"),
		{data: `<!DOCTYPE x [<!ENTITY a "b">]><x y='1' z=2/><![CDATA[ ]]><?x ?>`}, {data: string(oleFile(stream("\x01Ole10Native", packaged("a", "b")), stream("Equation Native", equation("a")), stream("\x01Ole", moniker(classURL, "a"))))}} {
		f.Add("word/x.xml", []byte(part.data))
	}
	f.Add("[Content_Types].xml", []byte("<Types/>"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		inspectAny(t, "docx", ooxmlFile("docx", "", member{name: name, data: string(data)}))
		inspectAny(t, "odt", packageFile(odtMIME, member{name: name, data: string(data)}))
		inspectAny(t, "epub", packageFile(epubMIME, member{name: name, data: string(data)}))
	})
}

// FuzzObject inspects any bytes as what documents say of their objects.
func FuzzObject(f *testing.F) {
	for _, s := range []string{packaged("a.txt", "data"), equation("Times"), moniker(classURL, "http://a.example"), string(oldObjectHexBytes("Package", []byte(packaged("a", "b")))), jpx(1, 2, 3)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, judge := range objectStreams {
			judge(new(Facts), data)
		}
		new(Facts).oldObject(newSource(bytes.NewReader(data), int64(len(data))), data)
		jpxSize(data)
		jbig2Size(data)
		remoteHost(string(data))
	})
}

// FuzzMarkup: reading ends, keeps within its bounds, and finds the tags that a parser of XML finds.
func FuzzMarkup(f *testing.F) {
	f.Add([]byte(`<!DOCTYPE a [<!-- ' --><!ENTITY b "c">]><a b="1>" c='&lt;'><!-- <x> --><d/><![CDATA[<e>]]></a>`))
	f.Add(utf16Text("<a b='1'>x</a>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := newMarkup(bytes.NewReader(data))
		for steps := 0; ; steps++ {
			if steps > 2*len(data)+2 {
				t.Fatal("no end")
			}
			if m.next() == markupEnd {
				break
			}
			total := 0
			for _, a := range m.tag.attrs {
				total += len(a.value)
			}
			if len(m.text) > maxMarkupText || total > maxMarkupTag+maxMarkupValue {
				t.Fatalf("%d of text, %d of attributes", len(m.text), total)
			}
		}
	})
}

// FuzzPDFStream: a stream of a PDF is judged within bounds, however it is packed.
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

// Reading a large document takes memory that does not grow with it.
func TestMarkupOfAnySize(t *testing.T) {
	body := io.MultiReader(strings.NewReader("<a b='"), io.LimitReader(endless('x'), 8*mib), strings.NewReader("' on='1'/>"), io.LimitReader(endless('y'), 8*mib), strings.NewReader("<z/>"))
	m := newMarkup(body)
	if m.next() != markupOpen || m.tag.attr("on") != "1" || len(m.tag.attr("b")) != maxMarkupValue || cap(m.text) > 2*maxMarkupText {
		t.Errorf("%d attributes, %d bytes", len(m.tag.attrs), cap(m.text))
	}
	total := 0
	for kind := m.next(); kind != markupOpen; kind = m.next() {
		if kind != markupText {
			t.Fatal(kind)
		}
		total += len(m.text)
	}
	if total != 8*mib || m.tag.name != "z" {
		t.Errorf("%d bytes of text, then %q", total, m.tag.name)
	}
}

// endless is a file of nothing but one character.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestRemoteHost(t *testing.T) {
	for target, want := range map[string]string{
		"https://a.example/x":           "a.example",
		"HTTP://user@a.example:80/x":    "a.example:80",
		`\\a.example\share\x`:           "a.example",
		"//203.0.113.7/x":               "203.0.113.7",
		"file://a.example/x":            "a.example",
		`file:///\\a.example\x`:         "a.example",
		"file:///%5C%5Ca.example%5Cx":   "a.example",
		"http://3405803783/x":           "3405803783",
		"http://[2001:db8::1]/":         "[2001:db8::1]",
		"&#104;ttp://a.example":         "a.example",
		`file:///C:\Users\a.b\x.dotx`:   "",
		`\\fileserver\templates\x.dotx`: "",
		"http://intranet/x":             "",
		"word/media/image1.png":         "",
		"mailto:a@b.example":            "",
		"#anchor":                       "",
		"file:///home/a.b/x":            "",
		"":                              "",
		"https:":                        "",
	} {
		if got := remoteHost(target); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
}
