package web_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"strings"
)

// pdfFile builds a PDF of A4 pages with text, pictures and bookmarks (ISO
// 32000-1).
type pdfFile struct {
	b       bytes.Buffer
	offsets []int
	kids    []int  // numbers of the page objects
	branch  int    // pages in a node of the tree; 0 for a flat tree
	nodes   []int  // numbers of these nodes
	root    string // additional members of the catalog
	trailer string // additional members of the trailer
	rotate  int    // of each page, in degrees
	between []byte // after each page's text
	seal    func(number int, stream []byte) []byte
}

const pdfCatalog, pdfTree, pdfFont = 1, 2, 3 // numbers of the objects that are written last

func newPDF() *pdfFile {
	f := &pdfFile{offsets: make([]int, pdfFont), seal: func(_ int, stream []byte) []byte { return stream }}
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
	data = f.seal(len(f.offsets)+1, data)
	return f.object(fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data))
}

// page adds a page with a large heading, more lines, and a picture (a JPEG, or
// nil) below them.
func (f *pdfFile) page(heading string, lines []string, picture []byte) {
	var text strings.Builder
	fmt.Fprintf(&text, "BT /F1 48 Tf 72 720 Td (%s) Tj ET BT /F1 14 Tf 18 TL 72 680 Td ", heading)
	for _, line := range lines {
		fmt.Fprintf(&text, "(%s) Tj T* ", line)
	}
	text.WriteString("ET")
	parent := pdfTree
	if f.branch > 0 {
		if len(f.kids)%f.branch == 0 {
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
	contents := append(f.seal(number+1, []byte(text.String())), f.between...)
	f.put(number, fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 595 842] /Rotate %d /Contents %d 0 R /Resources << /Font << /F1 %d 0 R >> %s >> >>",
		parent, f.rotate, number+1, pdfFont, resources))
	f.object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(contents), contents))
	if picture != nil {
		f.stream("/Type /XObject /Subtype /Image /Width 512 /Height 512 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode", picture)
	}
	f.kids = append(f.kids, number)
}

// outline adds bookmarks, each to a position below the top of a page.
func (f *pdfFile) outline(titles map[int]string) {
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

// bytes finishes the file. The catalog, the page tree (flat, as many programs
// write it, unless it branches) and the table of objects are at its end.
func (f *pdfFile) bytes() []byte {
	references := func(numbers []int) string {
		var b strings.Builder
		for _, n := range numbers {
			fmt.Fprintf(&b, "%d 0 R ", n)
		}
		return b.String()
	}
	kids := f.kids
	if f.branch > 0 {
		kids = f.nodes
		for i, node := range f.nodes {
			pages := f.kids[i*f.branch : min((i+1)*f.branch, len(f.kids))]
			f.put(node, fmt.Sprintf("<< /Type /Pages /Parent %d 0 R /Count %d /Kids [ %s] >>", pdfTree, len(pages),
				references(pages)))
		}
	}
	f.put(pdfFont, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [1 /fi] >> >>")
	f.put(pdfTree, fmt.Sprintf("<< /Type /Pages /Count %d /Kids [ %s] >>", len(f.kids), references(kids)))
	f.put(pdfCatalog, fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R%s >>", pdfTree, f.root))
	xref := f.b.Len()
	fmt.Fprintf(&f.b, "xref\n0 %d\n0000000000 65535 f \n", len(f.offsets)+1)
	for _, o := range f.offsets {
		fmt.Fprintf(&f.b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&f.b, "trailer\n<< /Size %d /Root %d 0 R %s>>\nstartxref\n%d\n%%%%EOF\n", len(f.offsets)+1, pdfCatalog,
		f.trailer, xref)
	return f.b.Bytes()
}

func (f *pdfFile) pages(n int) *pdfFile {
	for i := range n {
		f.page(fmt.Sprintf("Page %d", i+1), []string{"Publish a file."}, nil)
	}
	return f
}

// makePDF returns a PDF with the given number of pages, each with its number
// and a line of text.
func makePDF(pages int) []byte { return newPDF().pages(pages).bytes() }

// makeLargePDF returns a PDF with padding between its pages that no page needs.
func makeLargePDF(pages, padding int) []byte {
	f := newPDF()
	f.between = append([]byte("\n"), bytes.Repeat([]byte("%"), padding/pages)...)
	return f.pages(pages).bytes()
}

// makePicturePDF returns a PDF whose pages have a picture of noise each, a
// little over a quarter of a megabyte.
func makePicturePDF(pages int) []byte {
	f := newPDF()
	picture := noise()
	for i := range pages {
		f.page(fmt.Sprintf("Page %d", i+1), []string{"Publish a file."}, picture)
	}
	return f.bytes()
}

// noise returns a JPEG of 512 x 512 random pixels.
func noise() []byte {
	m := image.NewRGBA(image.Rect(0, 0, 512, 512))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(r.Uint32())
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 91}); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// makeLockedPDF returns a PDF of one page that is encrypted with a password
// (ISO 32000-1, 7.6.3: revision 2, RC4 with 40 bits).
func makeLockedPDF(password string) []byte {
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
	f := newPDF()
	f.trailer = fmt.Sprintf("/ID [<%x> <%[1]x>] /Encrypt << /Filter /Standard /V 1 /R 2 /P %d /O <%x> /U <%x> >> ", id,
		permissions, owner, user)
	f.seal = func(number int, stream []byte) []byte {
		return encrypt(key(file, []byte{byte(number), byte(number >> 8), byte(number >> 16), 0, 0})[:10], stream)
	}
	return f.pages(1).bytes()
}

// makeAESLockedPDF returns a PDF of one page that is encrypted with a password
// (ISO 32000-2, 7.6.4: revision 6, AES with 256 bits).
func makeAESLockedPDF(password string) []byte {
	file, salts, pw := bytes.Repeat([]byte{7}, 32), []byte("validkeyvaluekey"), []byte(password)
	entries := func(more []byte) (entry, sealed []byte) {
		entry = append(hashR6(pw, salts[:8], more), salts...)
		return entry, encryptCBC(hashR6(pw, salts[8:], more), make([]byte, 16), file)
	}
	u, ue := entries(nil)
	o, oe := entries(u)
	c, err := aes.NewCipher(file)
	if err != nil {
		panic(err)
	}
	perms := []byte("\xfc\xff\xff\xff\xff\xff\xff\xffTadb1234")
	c.Encrypt(perms, perms)
	f := newPDF()
	f.trailer = fmt.Sprintf("/ID [<00> <00>] /Encrypt << /Filter /Standard /V 5 /R 6 /Length 256 /P -4 /U <%x> /UE <%x> /O <%x> /OE <%x> /Perms <%x> "+
		"/CF << /StdCF << /CFM /AESV3 /AuthEvent /DocOpen /Length 32 >> >> /StmF /StdCF /StrF /StdCF >> ", u, ue, o, oe,
		perms)
	f.seal = func(_ int, stream []byte) []byte {
		iv, pad := []byte("not by chance..."), aes.BlockSize-len(stream)%aes.BlockSize
		return append(iv, encryptCBC(file, iv, append(bytes.Clone(stream), bytes.Repeat([]byte{byte(pad)}, pad)...))...)
	}
	return f.pages(1).bytes()
}

func encryptCBC(key, iv, data []byte) []byte {
	c, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	out := make([]byte, len(data))
	cipher.NewCBCEncrypter(c, iv).CryptBlocks(out, data)
	return out
}

// hashR6 computes algorithm 2.B of ISO 32000-2.
func hashR6(password, salt, more []byte) []byte {
	sum := sha256.Sum256(bytes.Join([][]byte{password, salt, more}, nil))
	k := sum[:]
	for round := 1; ; round++ {
		e := encryptCBC(k[:16], k[16:32], bytes.Repeat(bytes.Join([][]byte{password, k, more}, nil), 64))
		remainder := 0
		for _, b := range e[:16] {
			remainder += int(b)
		}
		switch remainder % 3 {
		case 0:
			s := sha256.Sum256(e)
			k = s[:]
		case 1:
			s := sha512.Sum384(e)
			k = s[:]
		case 2:
			s := sha512.Sum512(e)
			k = s[:]
		}
		if round >= 64 && int(e[len(e)-1]) <= round-32 {
			return k[:32]
		}
	}
}
