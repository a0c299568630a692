package pdf

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"io"

	"vitrine/internal/filetype"
)

// Most encrypted PDFs have an empty user password: anyone may read them, and
// only printing or copying is restricted. Their object streams are decrypted,
// so that encryption hides neither the page count nor a launch action. ISO
// 32000-2, 7.6.

// Encryption is the dictionary of the standard security handler, and the file
// identifier.
type Encryption struct {
	version, Revision int64
	bits              int64 // of the key
	permissions       int64
	owner, user       string
	userKey           string // UE
	Method            string // CFM of the crypt filter: V2, AESV2, AESV3
	plainMetadata     bool
	ID                string // from the trailer, not the dictionary
}

// value sets the value of a key of the encryption dictionary.
func (e *Encryption) value(key string, t pdfToken) {
	switch {
	case t.Kind == PdfInt:
		switch key {
		case "V":
			e.version = t.N
		case "R":
			e.Revision = t.N
		case "Length":
			e.bits = t.N
		case "P":
			e.permissions = t.N
		}
	case t.Kind == pdfString:
		switch key {
		case "O":
			e.owner = t.Text
		case "U":
			e.user = t.Text
		case "UE":
			e.userKey = t.Text
		}
	case key == "EncryptMetadata":
		e.plainMetadata = t.Text == "false"
	}
}

// Key derives the file's key from the empty user password. It reports false if
// that is not the password or the scheme is unknown.
func (e *Encryption) Key() (key []byte, ok bool) {
	switch {
	case !e.Known():
		return nil, false
	case e.Revision >= 5:
		return e.key256()
	}
	key = e.keyMD5()
	return key, e.userMatches(key)
}

// Known reports whether Key supports the scheme. If it does and fails, another
// password is needed.
func (e *Encryption) Known() bool {
	return 2 <= e.Revision && e.Revision <= 4 && len(e.owner) >= 32 && len(e.user) >= 32 ||
		(e.Revision == 5 || e.Revision == 6) && len(e.user) >= 48 && len(e.userKey) >= 32
}

const pdfPad = "\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a"

// keyMD5 computes the key by algorithm 2.
func (e *Encryption) keyMD5() []byte {
	n := int64(5)
	if e.Revision >= 3 {
		n = min(max(e.bits/8, 5), 16)
	}
	if e.version == 4 {
		n = 16
	}
	h := md5.New()
	io.WriteString(h, pdfPad+e.owner[:32])
	binary.Write(h, filetype.LittleEndian, uint32(e.permissions))
	io.WriteString(h, e.ID)
	if e.Revision >= 4 && e.plainMetadata {
		h.Write([]byte{0xff, 0xff, 0xff, 0xff})
	}
	key := h.Sum(nil)
	if e.Revision >= 3 {
		for range 50 {
			sum := md5.Sum(key[:n])
			key = sum[:]
		}
	}
	return key[:n]
}

// userMatches reports whether the key fits the empty password (algorithm 6).
func (e *Encryption) userMatches(key []byte) bool {
	if e.Revision == 2 {
		return rc4With(key, []byte(pdfPad)) == e.user[:32]
	}
	sum := md5.Sum([]byte(pdfPad + e.ID))
	u := sum[:]
	for i := range byte(20) {
		step := bytes.Clone(key)
		for j := range step {
			step[j] ^= i
		}
		u = []byte(rc4With(step, u))
	}
	return string(u) == e.user[:16]
}

func rc4With(key, p []byte) string {
	c, err := rc4.NewCipher(key)
	if err != nil {
		return ""
	}
	out := make([]byte, len(p))
	c.XORKeyStream(out, p)
	return string(out)
}

// key256 computes the key by algorithm 2.A.
func (e *Encryption) key256() (key []byte, ok bool) {
	hash := hash2B
	if e.Revision == 5 {
		hash = func(salt []byte) []byte { sum := sha256.Sum256(salt); return sum[:] }
	}
	u := []byte(e.user)
	if !bytes.Equal(hash(u[32:40]), u[:32]) {
		return nil, false
	}
	block, err := aes.NewCipher(hash(u[40:48]))
	if err != nil {
		return nil, false
	}
	key = make([]byte, 32)
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(key, []byte(e.userKey)[:32])
	return key, true
}

// hash2B computes algorithm 2.B for the empty password. It ends after about 70
// rounds; the limit guarantees it.
func hash2B(salt []byte) []byte {
	first := sha256.Sum256(salt)
	k := first[:]
	for round := 0; round < 1024; round++ {
		k1 := bytes.Repeat(k, 64)
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(k1, k1)
		sum := 0
		for _, b := range k1[:16] {
			sum += int(b)
		}
		switch sum % 3 {
		case 0:
			h := sha256.Sum256(k1)
			k = h[:]
		case 1:
			h := sha512.Sum384(k1)
			k = h[:]
		default:
			h := sha512.Sum512(k1)
			k = h[:]
		}
		if round >= 63 && int(k1[len(k1)-1]) <= round-32 {
			break
		}
	}
	return k[:32]
}

// decrypt returns a reader that decrypts a stream of an object.
func (e *Encryption) decrypt(r io.Reader, key []byte, object, gen int64) io.Reader {
	isAES := e.Method == "AESV2" || e.Method == "AESV3"
	if e.Revision < 5 {
		tail := []byte{byte(object), byte(object >> 8), byte(object >> 16), byte(gen), byte(gen >> 8)}
		if isAES {
			tail = append(tail, "sAlT"...)
		}
		sum := md5.Sum(append(bytes.Clone(key), tail...))
		key = sum[:min(len(key)+5, 16)]
	}
	if !isAES {
		c, err := rc4.NewCipher(key)
		if err != nil {
			return filetype.Failing{Err: err}
		}
		return cipher.StreamReader{S: c, R: r}
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return filetype.Failing{Err: err}
	}
	iv := make([]byte, aes.BlockSize)
	if _, err := io.ReadFull(r, iv); err != nil {
		return filetype.Failing{Err: err}
	}
	return &cbcReader{r: r, mode: cipher.NewCBCDecrypter(block, iv)}
}

// cbcReader decrypts block by block. It keeps the padding, because the
// compressed data in it knows its own end.
type cbcReader struct {
	r     io.Reader
	mode  cipher.BlockMode
	block [aes.BlockSize]byte
	left  []byte
}

func (c *cbcReader) Read(p []byte) (int, error) {
	if len(c.left) == 0 {
		if _, err := io.ReadFull(c.r, c.block[:]); err != nil {
			return 0, io.EOF
		}
		c.mode.CryptBlocks(c.block[:], c.block[:])
		c.left = c.block[:]
	}
	n := copy(p, c.left)
	c.left = c.left[n:]
	return n, nil
}
