package viewer_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"

	"vitrine/internal/test/webtest"
)

// makeLargePDF returns a PDF with padding between its pages that no page needs.
func makeLargePDF(pages, padding int) []byte {
	f := webtest.NewPDF()
	f.Between = append([]byte("\n"), bytes.Repeat([]byte("%"), padding/pages)...)
	return f.Pages(pages).Bytes()
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
	f := webtest.NewPDF()
	f.Trailer = fmt.Sprintf("/ID [<00> <00>] /Encrypt << /Filter /Standard /V 5 /R 6 /Length 256 /P -4 /U <%x> /UE <%x> /O <%x> /OE <%x> /Perms <%x> "+
		"/CF << /StdCF << /CFM /AESV3 /AuthEvent /DocOpen /Length 32 >> >> /StmF /StdCF /StrF /StdCF >> ", u, ue, o, oe,
		perms)
	f.Seal = func(_ int, stream []byte) []byte {
		iv, pad := []byte("not by chance..."), aes.BlockSize-len(stream)%aes.BlockSize
		return append(iv, encryptCBC(file, iv, append(bytes.Clone(stream), bytes.Repeat([]byte{byte(pad)}, pad)...))...)
	}
	return f.Pages(1).Bytes()
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
