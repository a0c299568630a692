package inspect

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"testing"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/pdf"
)

func TestPDFPages(t *testing.T) {
	tree := func(count string) string { return "<</Type/Pages/Kids[]/Count " + count + ">>" }
	header, body := objectStream(1, pdfCatalog, tree("12"))
	for _, c := range []struct {
		what string
		data []byte
		want int
	}{
		{"table", pdfPages(400), 400},
		{"object stream", compressedPDF(pdfCatalog, tree("7")), 7},
		{"the last revision counts", append(pdfFile("", pdfCatalog, tree("3")),
			pdfFile("", pdfCatalog, tree("5"))[9:]...), 5},
		{"revision in an object stream", append(pdfFile("", pdfCatalog, tree("3")),
			fmt.Sprintf("10 0 obj\n%s\nstream\r\n%s\nendstream\nendobj\n", header, body)...), 12},
		{"revision behind an object stream", append(compressedPDF(pdfCatalog, tree("3")),
			"2 0 obj"+tree("5")+"endobj"...), 5},
		{"another root", []byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj" + tree("3") +
			"endobj 5 0 obj<</Type/Catalog/Pages 6 0 R>>endobj " +
			"6 0 obj" + tree("9") + "endobj trailer<</Root 5 0 R>>"), 9},
		{"odd white space and comments", []byte("%PDF-1.4\n1\t0\r\nobj%x\n<</Pages%y\r2 0 R/Type/Cat#61log>>2 0 obj <<  /Count\n8 /Kids [ << /Count 99 >> (>>) <3e3e> ] /Type /Pages>> trailer <</Root 1 0 R>>"), 8},
		{"across a window", append(append([]byte("%PDF-1.4\n"), bytes.Repeat([]byte(" "), pdf.PdfWindow-16)...),
			"1 0 obj"+pdfCatalog+"endobj 2 0 obj"+tree("4")+"endobj trailer<</Root 1 0 R>>"...), 4},
		{"linearized, tree encrypted", []byte("%PDF-1.5\n8 0 obj<</Linearized 1/L 99/N 6>>endobj 9 0 obj<</Type/XRef/Root 1 0 R/Encrypt 3 0 R>>endobj"), 6},
		{"negative", pdfFile("", pdfCatalog, tree("-3")), 0},
		{"beyond belief", pdfFile("", pdfCatalog, tree("100001")), 0},
		{"no number", pdfFile("", pdfCatalog, tree("(3)")), 0},
		{"catalog refers to itself", pdfFile("", "<</Type/Catalog/Pages 1 0 R>>"), 0},
	} {
		facts, err := inspectBytes(t, "pdf", c.data)
		if err != nil || facts.Pages != c.want {
			t.Errorf("%s: %d pages, %v, want %d", c.what, facts.Pages, err, c.want)
		}
	}
}

// TestHostilePDFs checks files that exhaust the memory, stack or time of
// readers that follow cross-references.
func TestHostilePDFs(t *testing.T) {
	xref := func(dict, data string) []byte {
		return rawPDF(fmt.Sprintf("9 0 obj\n<</Type/XRef %s/Length %d>>\nstream\n%s\nendstream\nendobj\n", dict,
			len(data), data))
	}
	bomb := func(n int, s string) []byte {
		header, body := objectStream(1, pdfCatalog, strings.Repeat(s, n))
		return rawPDF(fmt.Sprintf("10 0 obj\n%s\nstream\n%s\nendstream\nendobj trailer<</Root 1 0 R>>", header, body))
	}
	end := " 1 0 obj" + pdfCatalog + "endobj trailer<</Root 1 0 R>>"
	for _, c := range []struct {
		what string
		data []byte
		hold string
	}{
		{"an object stream within itself", xref("/Size 10/W[1 1 1]/Index[1 1]/Root 1 0 R", "\x02\x01\x00"), ""},
		{"entries of no width", xref("/Size 10/W[0 0 0]/Index[0 400000000]/Root 1 0 R", "x"), ""},
		{"size of a petabyte", xref("/Size 900000000000000/W[1 1 1]/Root 1 0 R", "x"), ""},
		{"tables in a circle", rawPDF("xref\n0 0\ntrailer\n<</Root 1 0 R/Prev 9>>" + end), ""},
		{"deep nesting", rawPDF(strings.Repeat("[", filetype.MiB) + strings.Repeat("<<", filetype.MiB) + end), ""},
		{"objects that never end", rawPDF(end + strings.Repeat(" 1 0 obj<<", 300_000)), filetype.HoldNotFullyInspected},
		{"names of files that never end", rawPDF(end + strings.Repeat("/F(", 300_000)), filetype.HoldNotFullyInspected},
		{"stream of blanks", bomb(filetype.MaxObjectStream+1, " "), filetype.HoldNotFullyInspected},
		{"stream of names", bomb(2*filetype.MiB, "/F("), filetype.HoldNotFullyInspected},
		{"more objects than bytes", rawPDF("10 0 obj<</N 999999999999/First 1/Length 3>>stream\n1 0\nendstream" + end),
			""},
		{"offsets outside", rawPDF("10 0 obj<</N 2/First 40/Length 60>>stream\n1 -99 2 999999999999999999                                     \nendstream" + end), ""},
	} {
		facts, err := inspectBytes(t, "pdf", c.data)
		if err != nil || facts.Hold != c.hold {
			t.Errorf("%s: held for %q, %v, want %q", c.what, facts.Hold, err, c.hold)
		}
	}
}

// cryptID is the file identifier of the vectors, whose encryption dictionaries
// another program has written.
const cryptID = "00112233445566778899aabbccddeeff"

var cryptVectors = []struct {
	what, dict string
	open       bool
}{
	{"RC4, 40 bits", `<</Length 40/O<c92422687facee686e373f10b5c7d04738053152f7e2ee30e11c69ec442576ab>/P -4/R 2
		/U<adb43c8d5c0a904ecd6878928abf0a1ef65fa75e1632b2134005fa3b1d844c68>/V 1>>`, true},
	{"RC4, 128 bits", `<</Length 128/O<566fa873ee33c797cd3b904fdadf814afa34df9a38f6ed41b984e2c6da2aa6f5>/P -4/R 3
		/U<60cb14e897d58381f951427876a780410122456a91bae5134273a6db134c87c4>/V 2>>`, true},
	{"AES, 128 bits", `<</CF<</StdCF<</CFM/AESV2>>>>/Length 128/O<566fa873ee33c797cd3b904fdadf814afa34df9a38f6ed41b984e2c6da2aa6f5>/P -4/R 4
		/U<60cb14e897d58381f951427876a780410122456a91bae5134273a6db134c87c4>/V 4>>`, true},
	{"plain metadata", `<</CF<</StdCF<</CFM/AESV2>>>>/EncryptMetadata false/Length 128/O<77b8fb098022d3ab34237ea5643c08710ea5123fc5f88bf993a68cca5f12b40f>/P -4/R 4
		/U<98f51689044af10e8a1f59caccdd1f0e0122456a91bae5134273a6db134c87c4>/V 4>>`, true},
	{"AES, 256 bits, revision 5", `<</CF<</StdCF<</CFM/AESV3>>>>/Length 256/P -4/R 5/V 5/O<00>
		/U<69b0aac93e2e48779bb0f66bd8c80a6e1ff777fdbffa0ca3f8d528378ad5f344822c700ab2ac3af86aac060a87524e7b>
		/UE<15a5546bbe58a8623b70626001dac7c5d257b732bcebf550d71b3ba341d3e63c>>>`, true},
	{"AES, 256 bits", `<</CF<</StdCF<</CFM/AESV3>>>>/Length 256/P -4/R 6/V 5/O<00>
		/U<a39913152e04c4f0d5372c6bd33db4c848e9e6438c5569ecbcde467993e8a017c4793443e1f7241c8e0c518d28153c72>
		/UE<fb543a0df293ddc85c30b8ee0a9c5963b7d7267fe8e0b32823ff37fb53f85b8a>>>`, true},
	{"a password", `<</CF<</StdCF<</CFM/AESV3>>>>/Length 256/P -4/R 6/V 5/O<00>
		/U<3c0b03dd1cf726c6cef2fa3c00c7063656572907205631bba3c09ed0c1892081cadfc7a839171297eedd04775d0d18c6>
		/UE<a2f2cede2fca09a3b27d5e46baf126c541254926ee4a41753d1b9ed15532e1b1>>>`, false},
}

// TestEncryptedPDFs checks that a PDF that is encrypted without a password is
// read: its pages, and what it would launch.
func TestEncryptedPDFs(t *testing.T) {
	for _, v := range cryptVectors {
		l := pdf.Lexer{P: []byte(v.dict)}
		d, ok := l.Dict()
		id, _ := hex.DecodeString(cryptID)
		d.Crypt.ID = string(id)
		key, open := d.Crypt.Key()
		if !ok || open != v.open || !d.Crypt.Known() {
			t.Fatalf("%s: dictionary found = %v, open = %v", v.what, ok, open)
		}
		for _, action := range []string{"", "<</S/Launch/F(x)>>"} {
			header, body := objectStream(1, pdfCatalog, "<</Type/Pages/Count 21>>", action)
			body = encryptedStream(d.Crypt, key, 10, body)
			file := rawPDF(fmt.Sprintf("10 0 obj%s stream\n%s\nendstream endobj 4 0 obj%s endobj ",
				lengthOf(header, body), body, v.dict),
				"11 0 obj<</Type/XRef/Root 1 0 R/Encrypt 4 0 R/ID[<"+cryptID+"><00>]>>stream\nx\nendstream endobj ")
			want := filetype.Facts{Encrypted: true}
			if v.open {
				want.Pages = 21
				if action != "" {
					want.Hold = filetype.HoldLaunchAction
				}
			}
			facts, err := inspectBytes(t, "pdf", file)
			if err != nil || facts.Pages != want.Pages || facts.Hold != want.Hold || !facts.Encrypted {
				t.Errorf("%s: %+v, %v, want %+v", v.what, facts, err, want)
			}
		}
	}
}

func lengthOf(header, body string) string {
	return header[:strings.Index(header, "/Length")] + fmt.Sprintf("/Length %d>>", len(body))
}

// encryptedStream is the inverse of what pdf.Encryption does with a stream.
func encryptedStream(e pdf.Encryption, key []byte, object byte, body string) string {
	if key == nil {
		return body
	}
	if e.Revision < 5 {
		salted := append(bytes.Clone(key), object, 0, 0, 0, 0)
		if e.Method != "" {
			salted = append(salted, "sAlT"...)
		}
		sum := md5.Sum(salted)
		key = sum[:min(16, len(key)+5)]
	}
	if e.Method == "" {
		c, _ := rc4.NewCipher(key)
		out := []byte(body)
		c.XORKeyStream(out, out)
		return string(out)
	}
	n := 16 - len(body)%16
	padded := append([]byte(body), bytes.Repeat([]byte{byte(n)}, n)...)
	block, _ := aes.NewCipher(key)
	iv := []byte("initial vector..")
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(padded, padded)
	return string(iv) + string(padded)
}

// TestHiddenBehindEncryption checks that encryption hides nothing: a file with
// an unknown or missing scheme is held.
func TestHiddenBehindEncryption(t *testing.T) {
	header, body := objectStream(1, pdfCatalog)
	for _, dict := range []string{"<</Filter/Standard/V 9/R 9/U(x)>>", "<</Filter/Other>>", "null"} {
		file := rawPDF(fmt.Sprintf("10 0 obj%s stream\n%s\nendstream endobj 4 0 obj%s endobj trailer<</Root 1 0 R/Encrypt 4 0 R>>", header, body, dict))
		if facts, err := inspectBytes(t, "pdf", file); err != nil || facts.Hold != filetype.HoldNotFullyInspected {
			t.Errorf("%s: Inspect = %+v, %v, want it held", dict, facts, err)
		}
	}
	attached := pdfFile("/Encrypt 3 0 R", pdfCatalog, "<</Type/Pages/Count 1>>", "<</Filter/Standard>>",
		"<</Type/Filespec/F(\x8a\x01\x92)/EF<</F 5 0 R>>>>")
	if facts, err := inspectBytes(t, "pdf", attached); err != nil || facts.Hold != filetype.HoldNotFullyInspected {
		t.Errorf("attachment with an encrypted name: %+v, %v", facts, err)
	}
}

func TestPDFLexer(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"/Name", "name Name"}, {"/A#42C", "name ABC"}, {"/", "name "}, {"/A#4", "name A#4"}, {"/A#", "name A#"},
		{"12", "int 12"}, {"-3", "int -3"}, {"+4", "int 4"}, {"1.5", "word 1.5"},
		{"9999999999999999999", "word 9999999999999999999"}, {"-", "word -"},
		{"(a(b)c)", "string a(b)c"}, {`(\(\)\\\n\101\1012\x)`, "string ()\\\nAA2x"}, {"(a\\\r\nb\\\nc)", "string abc"},
		{"(open", "string open"}, {`(\`, "string "},
		{"<48 65 6C6c6F>", "string Hello"}, {"<4>", "string @"}, {"<zz41", "string A"},
		{"<<", "open <<"}, {"[", "open ["}, {">>", "close >>"}, {"]", "close ]"}, {">", "word >"}, {")", "word )"},
		{"% comment\n 7", "int 7"}, {"%", "end "}, {"", "end "}, {"null", "word null"},
	} {
		l := pdf.Lexer{P: []byte(c.in)}
		tok := l.Next()
		kind := [...]string{"end", "name", "int", "string", "open", "close", "word"}[tok.Kind]
		got := kind + " " + tok.Text
		if tok.Kind == pdf.PdfInt {
			got = fmt.Sprintf("int %d", tok.N)
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

// TestPDFIsReadOnce checks that a file of any size is read in windows, each
// byte about once.
func TestPDFIsReadOnce(t *testing.T) {
	data := append(pdfPages(3), bytes.Repeat([]byte("%\n"), 3*filetype.MiB)...)
	r := &countingAt{r: bytes.NewReader(data)}
	typ, _ := filetype.ByExt(".pdf")
	if _, err := Inspect(r, int64(len(data)), typ); err != nil {
		t.Fatal(err)
	}
	windows := int64(len(data)/pdf.PdfWindow + 1)
	if limit := int64(len(data)) + windows*(filetype.PdfLookahead+pdf.PdfLookbehind) + filetype.HeadBytes +
		64*filetype.KiB; r.n > limit {
		t.Errorf("%d of %d bytes read", r.n, len(data))
	}
}

type countingAt struct {
	r io.ReaderAt
	n int64
}

func (c *countingAt) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.r.ReadAt(p, off)
	c.n += int64(n)
	return n, err
}
