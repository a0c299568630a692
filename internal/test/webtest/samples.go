package webtest

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/md5"
	"crypto/rc4"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	pngfile "image/png"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/backend/s3"
	"vitrine/internal/base/signer"
	"vitrine/internal/filetype"
	"vitrine/internal/test/vitrinetest"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/xuri/excelize/v2"
)

// MakeDOCX returns a Word document with paragraphs, a picture, links of several
// kinds, and a picture at another host.
func MakeDOCX(t testing.TB, paragraphs int, elsewhere string) []byte {
	t.Helper()
	const namespaces = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
		`xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"`
	const types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	picture := func(embed string) string {
		return `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="914400" cy="914400"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic>` +
			`<pic:nvPicPr><pic:cNvPr id="1" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip ` + embed +
			`/></pic:blipFill>` +
			`<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="914400" cy="914400"/></a:xfrm></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
	}
	link := func(id, text string) string {
		return `<w:p><w:hyperlink r:id="` + id + `"><w:r><w:t>` + text + `</w:t></w:r></w:hyperlink></w:p>`
	}
	var body strings.Builder
	body.WriteString(`<w:p><w:r><w:rPr><w:b/><w:sz w:val="48"/></w:rPr><w:t>A contract</w:t></w:r></w:p>` +
		picture(`r:embed="rId1"`) + picture(`r:embed="rId2"`) + picture(`r:link="rId2"`) +
		link("rId3", "web") + link("rId4", "script") + link("rId5", "file"))
	for i := range paragraphs {
		fmt.Fprintf(&body, `<w:p><w:r><w:t>Paragraph %d says what paragraphs of contracts say.</w:t></w:r></w:p>`, i+1)
	}
	files := [][2]string{
		{"[Content_Types].xml", `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		{"_rels/.rels", `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + types + `officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/document.xml", `<?xml version="1.0"?><w:document ` + namespaces + `><w:body>` + body.String() +
			`<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440"/></w:sectPr></w:body></w:document>`},
		{"word/_rels/document.xml.rels", `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + types + `image" Target="media/image1.png"/>` +
			`<Relationship Id="rId2" Type="` + types + `image" Target="` + elsewhere +
			`/picture.png" TargetMode="External"/><Relationship Id="rId3" Type="` + types + `hyperlink" Target="` +
			elsewhere + `/page" TargetMode="External"/>` +
			`<Relationship Id="rId4" Type="` + types +
			`hyperlink" Target="javascript:parent.postMessage('run','*')" TargetMode="External"/><Relationship Id="rId5" Type="` + types + `hyperlink" Target="file:///etc/passwd" TargetMode="External"/></Relationships>`},
		{"word/media/image1.png", string(Png)},
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.Create(f[0])
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, f[1])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (s *Site) Docx(l *vitrine.Link) string { return s.ContentAddress(l, "docx") + "?embed" }

// archived is a file in an archive.
type archived struct{ Name, Content string }

// InArchive returns the files of an archive, in this order.
func InArchive(t testing.TB) []archived {
	return []archived{
		{"kit/", ""},
		{"kit/readme.md", "# Read me\n\nHello <b>there</b>.\n"},
		{"kit/picture.png", string(Png)},
		{"kit/report.pdf", string(Samples["report.pdf"])},
		{"kit/page.html", "<!doctype html><script>alert(1)</script><p>Hello"},
		{"kit/main.go", "package main // <script>\n"},
		{"kit/data.bin", "\x00\x01"},
		{"kit/clip.webm", string(MustRead("testdata/clip.webm"))},
		{"kit/song.mp3", string(MustRead("testdata/song.mp3"))},
		{"kit/contract.docx", string(MakeDOCX(t, 3, "http://a.test"))},
	}
}

func Zipped(t testing.TB, method uint16) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range InArchive(t) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.Name, Method: method})
		if err == nil && f.Content != "" {
			_, err = w.Write([]byte(f.Content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// rect is a rectangle in the window.
type rect struct{ Left, Top, Width, Height float64 }

func (r rect) String() string {
	return fmt.Sprintf("%.1f×%.1f at %.1f, %.1f", r.Width, r.Height, r.Left, r.Top)
}

// ImageRect returns the rectangle of the image after it has stopped moving.
func (tb *Tab) ImageRect() (r rect) {
	tb.t.Helper()
	tb.Until(`document.querySelector(".picture img").getAnimations().length === 0`)
	tb.Run(chromedp.Evaluate(`(({left, top, width, height}) => ({Left: left, Top: top, Width: width, Height: height}))(document.querySelector(".picture img").getBoundingClientRect())`, &r))
	return r
}

// At returns the position in the image, as fractions of its size, of a point of
// the window.
func (r rect) At(x, y float64) (float64, float64) {
	return (x - r.Left) / r.Width, (y - r.Top) / r.Height
}

// Solid returns a picture of one colour, half of it transparent.
func Solid(width, height int) []byte {
	m := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.NRGBA{0, 128, 128, 255}, color.NRGBA{}})
	for i := len(m.Pix) / 2; i < len(m.Pix); i++ {
		m.Pix[i] = 1
	}
	var b bytes.Buffer
	if err := pngfile.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func Wheel(x, y, dy float64, modifiers input.Modifier) chromedp.Action {
	return input.DispatchMouseEvent(input.MouseWheel, x, y).WithDeltaX(0).WithDeltaY(dy).WithModifiers(modifiers)
}

const ShownImage = `document.querySelector(".picture img").complete && !document.getElementById("bar").hidden`

// Played returns the one range that was played according to the browser, in
// millionths of the duration.
func (tb *Tab) Played() (from, to int64) {
	tb.t.Helper()
	var all []int64
	tb.Run(chromedp.Evaluate(`(({played, duration}) => {
		const part = (s) => Math.round(Math.floor(s * 1000) / Math.floor(duration * 1000) * 1e6);
		return Array.from(played, (_, i) => [part(played.start(i)), part(played.end(i))]).flat();
	})(document.querySelector("video, audio"))`, &all))
	if len(all) != 2 {
		tb.t.Fatalf("played ranges = %v, want one", all)
	}
	return all[0], all[1]
}

// ManyRows returns a table of 250 rows with a header.
func ManyRows() []byte {
	var b strings.Builder
	b.WriteString("City,Visitors,Note\n")
	for i := range 250 {
		fmt.Fprintf(&b, "Town %d,\"%d,%03d\",%s\n", i, (i*7)%250, i, map[bool]string{true: "Café closed"}[i%50 == 3])
	}
	return []byte(b.String())
}

// MakeBook returns a workbook with a sheet of rows below a row of names, and a
// sheet without names.
func MakeBook(t *testing.T, rows int) []byte {
	f := excelize.NewFile()
	defer f.Close()
	_, err := f.NewSheet("Notes")
	for i := range rows + 1 {
		cells := &[]any{fmt.Sprintf("Customer %d", i), i * 100, 0.25}
		if i == 0 {
			cells = &[]any{"Name", "Amount", "Share"}
		}
		err = errors.Join(err, f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), cells))
	}
	for i, n := range []int{-2, 10, 9} {
		err = errors.Join(err, f.SetSheetRow("Notes", fmt.Sprintf("A%d", i+1), &[]any{n, "of customer 29"}))
	}
	var b bytes.Buffer
	if err := errors.Join(err, f.Write(&b)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pdfFile builds a PDF of A4 pages with text, pictures and bookmarks (ISO
// 32000-1).
type pdfFile struct {
	b       bytes.Buffer
	offsets []int
	kids    []int  // numbers of the page objects
	Branch  int    // pages in a node of the tree; 0 for a flat tree
	nodes   []int  // numbers of these nodes
	root    string // additional members of the catalog
	Trailer string // additional members of the trailer
	Rotate  int    // of each page, in degrees
	Between []byte // after each page's text
	Link    string // from the heading of the first page; "" for none
	Seal    func(number int, stream []byte) []byte
}

const pdfCatalog, pdfTree, pdfFont = 1, 2, 3 // numbers of the objects that are written last

func NewPDF() *pdfFile {
	f := &pdfFile{offsets: make([]int, pdfFont), Seal: func(_ int, stream []byte) []byte { return stream }}
	f.b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	return f
}

// object writes an object and returns its number.
func (f *pdfFile) object(body string) int {
	f.offsets = append(f.offsets, 0)
	f.put(len(f.offsets), body)
	return len(f.offsets)
}

func (f *pdfFile) put(number int, body string) {
	f.offsets[number-1] = f.b.Len()
	fmt.Fprintf(&f.b, "%d 0 obj\n%s\nendobj\n", number, body)
}

func (f *pdfFile) stream(dict string, data []byte) int {
	data = f.Seal(len(f.offsets)+1, data)
	return f.object(fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data))
}

// Page adds a page with a large heading, more lines, and a picture (a JPEG, or
// nil) below them.
func (f *pdfFile) Page(heading string, lines []string, picture []byte) {
	var text strings.Builder
	fmt.Fprintf(&text, "BT /F1 48 Tf 72 720 Td (%s) Tj ET BT /F1 14 Tf 18 TL 72 680 Td ", heading)
	for _, line := range lines {
		fmt.Fprintf(&text, "(%s) Tj T* ", line)
	}
	text.WriteString("ET")
	parent := pdfTree
	if f.Branch > 0 {
		if len(f.kids)%f.Branch == 0 {
			f.offsets = append(f.offsets, 0)
			f.nodes = append(f.nodes, len(f.offsets))
		}
		parent = f.nodes[len(f.nodes)-1]
	}
	number, resources := len(f.offsets)+1, ""
	f.offsets = append(f.offsets, 0)
	if picture != nil {
		text.WriteString(" q 451 0 0 451 72 100 cm /P Do Q")
		resources = fmt.Sprintf("/XObject << /P %d 0 R >>", number+2)
	}
	if f.Link != "" && len(f.kids) == 0 {
		resources += fmt.Sprintf(">> /Annots [<< /Subtype /Link /Rect [72 700 300 770] /A << /S /URI /URI (%s) >> >>] /X <<", f.Link)
	}
	contents := append(f.Seal(number+1, []byte(text.String())), f.Between...)
	f.put(number,
		fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 595 842] /Rotate %d /Contents %d 0 R /Resources << /Font << /F1 %d 0 R >> %s >> >>",
			parent, f.Rotate, number+1, pdfFont, resources))
	f.object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(contents), contents))
	if picture != nil {
		f.stream("/Type /XObject /Subtype /Image /Width 512 /Height 512 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode", picture)
	}
	f.kids = append(f.kids, number)
}

// Outline adds bookmarks, each to a position below the top of a page.
func (f *pdfFile) Outline(titles map[int]string) {
	root, first := len(f.offsets)+1, len(f.offsets)+2
	n, items := len(titles), make([]string, 0, len(titles))
	for page := range f.kids {
		title, ok := titles[page+1]
		if !ok {
			continue
		}
		i := len(items)
		item := fmt.Sprintf("<< /Title (%s) /Parent %d 0 R /Dest [%d 0 R /XYZ 0 700 null]", title, root, f.kids[page])
		if i > 0 {
			item += fmt.Sprintf(" /Prev %d 0 R", first+i-1)
		}
		if i < n-1 {
			item += fmt.Sprintf(" /Next %d 0 R", first+i+1)
		}
		items = append(items, item+" >>")
	}
	f.object(fmt.Sprintf("<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>", first, first+n-1, n))
	for _, item := range items {
		f.object(item)
	}
	f.root += fmt.Sprintf(" /Outlines %d 0 R", root)
}

// Bytes finishes the file. The catalog, the page tree (flat, as many programs
// write it, unless it branches) and the table of objects are at its end.
func (f *pdfFile) Bytes() []byte {
	references := func(numbers []int) string {
		var b strings.Builder
		for _, n := range numbers {
			fmt.Fprintf(&b, "%d 0 R ", n)
		}
		return b.String()
	}
	kids := f.kids
	if f.Branch > 0 {
		kids = f.nodes
		for i, node := range f.nodes {
			pages := f.kids[i*f.Branch : min((i+1)*f.Branch, len(f.kids))]
			f.put(node, fmt.Sprintf("<< /Type /Pages /Parent %d 0 R /Count %d /Kids [ %s] >>", pdfTree, len(pages),
				references(pages)))
		}
	}
	f.put(pdfFont,
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [1 /fi] >> >>")
	f.put(pdfTree, fmt.Sprintf("<< /Type /Pages /Count %d /Kids [ %s] >>", len(f.kids), references(kids)))
	f.put(pdfCatalog, fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R%s >>", pdfTree, f.root))
	xref := f.b.Len()
	fmt.Fprintf(&f.b, "xref\n0 %d\n0000000000 65535 f \n", len(f.offsets)+1)
	for _, o := range f.offsets {
		fmt.Fprintf(&f.b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&f.b, "trailer\n<< /Size %d /Root %d 0 R %s>>\nstartxref\n%d\n%%%%EOF\n", len(f.offsets)+1, pdfCatalog,
		f.Trailer, xref)
	return f.b.Bytes()
}

func (f *pdfFile) Pages(n int) *pdfFile {
	for i := range n {
		f.Page(fmt.Sprintf("Page %d", i+1), []string{"Publish a file."}, nil)
	}
	return f
}

// Guide is Markdown with four sections that are higher than a window. The last
// one is as long as the others, so none is where a quarter of the text is.
var Guide = []byte("# Guide\n\n## Start\n\n" + guideText + "\n## Prices\n\n" + guideText + "\n## Terms\n\n" +
	guideText + "\n## Contact\n\n" + guideText + guideText + guideText)

var guideText = strings.Repeat("A paragraph of a few words.\n\n", 40)

// GuidePage is a web page with the same four sections. Its script adds
// headings, writes one anew and removes another.
var GuidePage = []byte(`<!doctype html><title>Guide</title><style>h2 { margin: 0 }</style>
<h1>Guide</h1><h2>Start</h2>` + guideHTML + `<h2 id="part2">Prices</h2>` + guideHTML + `<h2 id="part3">Terms</h2>` + guideHTML +
	`<h2 id="part4">Contact</h2>` + guideHTML + guideHTML + guideHTML + `<script>
for (let i = 0; i < 200; i++) document.body.prepend(document.createElement("h2"));
document.getElementById("part2").textContent = "Other";
document.querySelector("h1").remove();
</script>`)

var guideHTML = strings.Repeat("<p>A paragraph of a few words.", 40)

// MakePDF returns a PDF with the given number of pages, each with its number
// and a line of text.
func MakePDF(pages int) []byte { return NewPDF().Pages(pages).Bytes() }

// MakeLockedPDF returns a PDF of one page that is encrypted with a password
// (ISO 32000-1, 7.6.3: revision 2, RC4 with 40 bits).
func MakeLockedPDF(password string) []byte {
	const padding = "\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a"
	const permissions, id = -4, "0123456789abcdef"
	key := func(parts ...[]byte) []byte {
		sum := md5.Sum(bytes.Join(parts, nil))
		return sum[:]
	}
	encrypt := func(key, data []byte) []byte {
		out := make([]byte, len(data))
		c, err := rc4.NewCipher(key)
		if err != nil {
			panic(err)
		}
		c.XORKeyStream(out, data)
		return out
	}
	padded := []byte((password + padding)[:32])
	owner := encrypt(key(padded)[:5], padded)
	p := binary.LittleEndian.AppendUint32(nil, 0xffffffff+permissions+1)
	file := key(padded, owner, p, []byte(id))[:5]
	user := encrypt(file, []byte(padding))
	f := NewPDF()
	f.Trailer = fmt.Sprintf("/ID [<%x> <%[1]x>] /Encrypt << /Filter /Standard /V 1 /R 2 /P %d /O <%x> /U <%x> >> ", id,
		permissions, owner, user)
	f.Seal = func(number int, stream []byte) []byte {
		return encrypt(key(file, []byte{byte(number), byte(number >> 8), byte(number >> 16), 0, 0})[:10], stream)
	}
	return f.Pages(1).Bytes()
}

var Png = MustRead("testdata/tiny.png")

//go:embed testdata
var testdata embed.FS

// MustRead returns a file of testdata.
func MustRead(name string) []byte {
	b, err := testdata.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return b
}

// Samples has one small file of each kind.
var Samples = map[string][]byte{
	"report.pdf":   MakePDF(12),
	"picture.png":  Png,
	"drawing.svg":  []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30" fill="teal"/></svg>`),
	"clip.webm":    MustRead("testdata/clip.webm"),
	"song.mp3":     MustRead("testdata/song.mp3"),
	"notes.txt":    []byte("First line.\nSecond line.\n"),
	"page.html":    []byte("<!doctype html>\n<html lang=en><head><title>Invitation</title></head><body><p>You are invited.</p></body></html>\n"),
	"book.rtf":     []byte(`{\rtf1\ansi\deff0 {\fonttbl {\f0 Times;}} Hello, reader.\par}`),
	"archive.tgz":  MustRead("testdata/archive.tgz"),
	"data.json":    []byte(`{"a": [1, 2, 3]}`),
	"view-only.md": []byte("# Title\n"),
}

// ContentAddress returns the URL of a link's bytes as its page has it.
func (s *Site) ContentAddress(l *vitrine.Link, what string) string {
	u := s.Server.ContentURL
	return u.Scheme + "://" + u.Host + "/c/" + s.Server.Signer.ContentToken(signer.Content{Link: l.ID, Version: 1,
		Pass: vitrine.Pass{Round: l.Access.Round}}, s.Server.Now().Add(time.Hour)) + "/" + what
}

// BrokenLog is a view log that fails on request.
type BrokenLog struct {
	vitrine.ViewLog
	mu     sync.Mutex
	Exists int  // the number of IDs that it reports as taken
	Down   bool // fails every write
}

func (b *BrokenLog) Append(ctx context.Context, batch vitrine.Batch) (vitrine.Outcome, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Down {
		return vitrine.Outcome{}, vitrine.Unavailable(errors.New("disk full"))
	}
	if b.Exists > 0 && len(batch.Views) == 1 {
		b.Exists--
		return vitrine.Outcome{Refused: []error{vitrine.ErrExists}}, nil
	}
	return b.ViewLog.Append(ctx, batch)
}

// NewBucketSite returns a site whose files are in a bucket.
func NewBucketSite(t *testing.T) (*Site, *s3.Blobs) {
	t.Helper()
	return NewBucketSiteOn(t, vitrinetest.S3(t))
}

func NewBucketSiteOn(t *testing.T, server *vitrinetest.S3Server) (*Site, *s3.Blobs) {
	t.Helper()
	d := NewDesk(t)
	b, err := s3.Open(t.Context(), server.Address(server.Bucket(t), ""), d.Server.Now)
	d.Check(err)
	d.Check(b.Cors(t.Context(), d.URL))
	s := d.Server
	s.Blobs, s.Receiver, s.StorageOrigin = b, nil, b.Origin()
	s.Uploads.Blobs, s.Links.Blobs, s.Captions.Blobs, s.Previews.Blobs = b, b, b, b
	d.Handler = &LiveHandler{Server: s}
	return d, b
}

// Sent publishes a file with a signed URL.
func (s *Site) Sent(name, content string) *vitrine.Link {
	s.T.Helper()
	t, _ := filetype.ByExt(name)
	u, ctx := s.Server.Uploads, s.T.Context()
	begun, err := u.Create(ctx, s.Account, publish.UploadRequest{Name: name, Type: t.MIME, Size: int64(len(content))})
	s.Check(err)
	s.Status(s.Do(http.MethodPut, begun.SignedURL, content, "Content-Type: "+t.MIME), 200)
	l, err := u.Complete(ctx, s.Account, publish.CompleteRequest{Path: string(begun.Path), Name: name, Type: t.MIME})
	s.Check(err)
	return l
}
