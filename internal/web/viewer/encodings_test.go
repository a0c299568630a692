package viewer_test

import (
	"archive/zip"
	"bytes"
	"html"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/test/webtest"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// encodings are texts in the encodings that programs write, with two words of
// each.
var encodings = map[string]struct {
	encoding encoding.Encoding
	mark     string // before the text
	words    [2]string
}{
	"UTF-8 with a mark": {unicode.UTF8, "\xef\xbb\xbf", [2]string{"Größe", "Müller"}},
	"UTF-16": {unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "\xff\xfe", [2]string{"Größe",
		"Müller"}},
	"Windows-1252": {charmap.Windows1252, "", [2]string{"Größe", "Müller für"}},
	"Mac Roman":    {charmap.Macintosh, "", [2]string{"Größe", "Müller für"}},
	"Windows-1250": {charmap.Windows1250, "", [2]string{"źródło", "Małgorzata Wałęsa"}},
	"Windows-1251": {charmap.Windows1251, "", [2]string{"Имя", "Иван Петров"}},
	"KOI8-R":       {charmap.KOI8R, "", [2]string{"Имя", "Иван Петров"}},
	"Windows-1253": {charmap.Windows1253, "", [2]string{"Όνομα", "Γιώργος"}},
	"Shift JIS":    {japanese.ShiftJIS, "", [2]string{"名前", "山田太郎さん"}},
	"EUC-JP":       {japanese.EUCJP, "", [2]string{"名前", "山田太郎さん"}},
	"GB18030":      {simplifiedchinese.GB18030, "", [2]string{"姓名", "王伟在北京"}},
	"Big5":         {traditionalchinese.Big5, "", [2]string{"姓名", "王小明在台北"}},
	"EUC-KR":       {korean.EUCKR, "", [2]string{"이름", "김철수"}},
}

// texts are forms of text with two words in them: A, and B.
var texts = map[string]string{
	"table.csv": "A;Nr\r\nB;1\r\nB;2\r\n", "table.tsv": "A\tNr\nB\t1\nB\t2\n", "note.txt": "A\nB\n",
	"read.md":   "# A\n\nB, B\n",
	"data.json": `{"A": "B", "B": 1}`, "data.xml": "<a><b x=\"A\">B</b></a>\n", "set.yaml": "A: B\nB: x\n",
	"run.log": "2024-01-31 12:00:00 A\n2024-01-31 12:00:01 B\n", "page.html": "<!doctype html><title>A</title><p>B</p>",
}

func encoded(t *testing.T, name, form string) []byte {
	t.Helper()
	e := encodings[name]
	s, err := e.encoding.NewEncoder().String(strings.NewReplacer("A", e.words[0], "B", e.words[1]).Replace(form))
	if err != nil {
		t.Fatal(err)
	}
	return []byte(e.mark + s)
}

var anyTag = regexp.MustCompile(`<[^>]+>`)

// TestEncodings checks that pages show the right letters of texts in any
// encoding, whatever the form of the text is, and that downloads are as sent.
func TestEncodings(t *testing.T) {
	s := webtest.NewSite(t)
	shows := func(what, page string, words ...string) {
		t.Helper()
		for _, word := range words {
			if !strings.Contains(page, word) || strings.Contains(page, "\ufffd") {
				t.Errorf("%s: no %q, or replacement characters", what, word)
			}
		}
	}
	for name, e := range encodings {
		for file, form := range texts {
			content := encoded(t, name, form)
			l := s.Publish(file, content)
			page := s.Status(s.Get("/p/"+string(l.Slug)), http.StatusOK).Text
			if strings.HasSuffix(file, ".html") {
				r := s.Status(s.Get(s.ContentAddress(l, "frame")), http.StatusOK)
				shows(name+" "+file, asShown(t, r), e.words[:]...)
			} else {
				shows(name+" "+file, html.UnescapeString(anyTag.ReplaceAllString(page, "")), e.words[:]...)
			}
			if got := s.Status(s.Get("/p/"+string(l.Slug)+"/download"), http.StatusOK).Text; got != string(content) {
				t.Errorf("%s %s: the download differs", name, file)
			}
		}
		clip := s.Publish("clip.webm", webtest.Samples["clip.webm"])
		s.Caption(clip, "de", string(encoded(t, name, "1\n00:00:00,000 --> 00:00:01,000\nA B\n")))
		shows(name+" captions", s.Status(s.Get(s.ContentAddress(clip, "captions/de")), 200).Text, e.words[:]...)
	}
}

// asShown decodes an answer as a browser does, by its Content-Type.
func asShown(t *testing.T, r webtest.Reply) string {
	t.Helper()
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	e, err := htmlindex.Get(params["charset"])
	if err != nil {
		t.Fatal(err)
	}
	text, err := e.NewDecoder().String(r.Text)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestEntryEncodings checks the same of files in an archive, on the page that
// shows them without scripts.
func TestEntryEncodings(t *testing.T) {
	s := webtest.NewSite(t)
	webtest.Previewer(t, s)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	type member struct{ encoding, file string }
	var members []member
	for name := range encodings {
		for file, form := range texts {
			w, err := z.Create(strings.ReplaceAll(name, " ", "-") + "/" + file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(encoded(t, name, form)); err != nil {
				t.Fatal(err)
			}
			members = append(members, member{name, file})
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	l := s.Publish("texts.zip", b.Bytes())
	s.Check(s.Server.Previews.Make(t.Context()))
	l, err := s.Server.Links.BySlug(t.Context(), string(l.Slug))
	s.Check(err)
	for i, m := range members {
		page := s.Status(s.Get(s.ContentAddress(l, "entry/"+strconv.Itoa(i))), http.StatusOK).Text
		text := html.UnescapeString(anyTag.ReplaceAllString(page, ""))
		for _, word := range encodings[m.encoding].words {
			if !strings.Contains(text, word) || strings.Contains(text, "\ufffd") {
				t.Errorf("%s %s: no %q, or replacement characters: %.300s", m.encoding, m.file, word, text)
			}
		}
	}
}
