package web_test

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
)

// makePDF is a PDF of some pages of A4 size, each with its number and a line of text.
func makePDF(pages int) []byte {
	return writePDF(pages, "", func(_ int, stream []byte) []byte { return stream })
}

// makeLockedPDF is a PDF of one page that opens with a password (ISO 32000-1, 7.6.3: revision 2, RC4 with 40 bits).
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
	trailer := fmt.Sprintf("/ID [<%x> <%[1]x>] /Encrypt << /Filter /Standard /V 1 /R 2 /P %d /O <%x> /U <%x> >> ", id, permissions, owner, user)
	return writePDF(1, trailer, func(number int, stream []byte) []byte {
		return encrypt(key(file, []byte{byte(number), byte(number >> 8), byte(number >> 16), 0, 0})[:10], stream)
	})
}

// makeLargePDF is a PDF of some pages with much between them that no page needs.
func makeLargePDF(pages, padding int) []byte {
	comment := bytes.Repeat([]byte("%"), padding/pages)
	return writePDF(pages, "", func(_ int, stream []byte) []byte { return append(append(stream, '\n'), comment...) })
}

func writePDF(pages int, trailer string, seal func(number int, stream []byte) []byte) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(body string) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	var kids bytes.Buffer
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	object(fmt.Sprintf("<< /Type /Pages /Count %d /Kids [ %s] >>", pages, kids.String()))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	for i := range pages {
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>", 5+2*i))
		text := seal(5+2*i, fmt.Appendf(nil, "BT /F1 48 Tf 72 720 Td (Page %d) Tj ET BT /F1 14 Tf 72 680 Td (Put a file on display.) Tj ET", i+1))
		object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(text), text))
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R %s>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, trailer, xref)
	return b.Bytes()
}
