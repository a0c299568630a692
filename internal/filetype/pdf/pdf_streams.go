package pdf

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"io"

	"vitrine/internal/filetype"
)

// pdfObjectStream is a compressed stream of objects and its position.
type pdfObjectStream struct {
	at, object, gen int64
	n, first        int64 // number of objects; position of the first
	length          int64 // 0 unknown
	codec           pdfCodec
}

type pdfCodec byte

const (
	pdfFlate pdfCodec = iota
	pdfPlain
	pdfOther // not used for objects
)

func (d *pdfDict) codec() pdfCodec {
	switch {
	case len(d.filters) == 1 && d.filters[0] == "FlateDecode" && !d.predicted:
		return pdfFlate
	case len(d.filters) == 0 && d.length > 0:
		return pdfPlain
	}
	return pdfOther
}

// scanObjectStreams reads compressed objects. Streams hidden by a password are
// skipped; any other unreadable stream means that the file is not fully
// inspected.
func (p *pdfScan) scanObjectStreams() {
	if p.named > len(p.streams) {
		p.unread = true // an object stream was not recognized as an object
	}
	c := p.cipher()
	if p.encrypted && !c.open && !c.crypt.Known() && len(p.streams) > 0 {
		p.unread = true
	}
	u := pdfUnpacker{s: p.s, left: filetype.MaxObjectStreams}
	for _, st := range p.streams {
		r, readable := c.stream(st)
		if !readable {
			continue
		}
		content, ok := u.unpack(r, st.codec)
		if !ok {
			p.unread = true
		}
		p.objectStream(content, st)
	}
}

// pdfCipher reads streams and decrypts them if the file is encrypted.
type pdfCipher struct {
	p     *pdfScan
	crypt Encryption
	key   []byte
	open  bool
}

// cipher returns the cipher of the file. The file must have been scanned
// completely.
func (p *pdfScan) cipher() *pdfCipher {
	c := &pdfCipher{p: p, crypt: p.crypts[p.encrypt.value]}
	c.crypt.ID = p.id
	c.key, c.open = c.crypt.Key()
	return c
}

// stream returns a reader of a stream's decrypted bytes. It reports false
// without the password.
func (c *pdfCipher) stream(st pdfObjectStream) (r io.Reader, readable bool) {
	r = c.p.s.Rest(st.at)
	if st.length > 0 {
		r = io.LimitReader(r, st.length)
	}
	if !c.p.encrypted {
		return r, true
	}
	if !c.open {
		return nil, false
	}
	return c.crypt.decrypt(r, c.key, st.object, st.gen), true
}

// objectStream reads the table of numbers and offsets, and then the
// dictionaries.
func (p *pdfScan) objectStream(content []byte, st pdfObjectStream) {
	p.names(content, 0, len(content))
	table := Lexer{P: content[:min(int64(len(content)), st.first)]}
	for range st.n {
		object, off := table.Next(), table.Next()
		if object.Kind != PdfInt || off.Kind != PdfInt {
			return
		}
		start := st.first + off.N
		if start < 0 || start >= int64(len(content)) || !p.countLexed(0) {
			continue
		}
		l := Lexer{P: content, I: int(start)}
		if d, ok := p.dict(&l); ok {
			p.register(d, object.N, st.at)
		} else {
			p.stringObject(content, int(start))
		}
	}
}

// pdfUnpacker decodes object streams one after the other and reuses its memory.
type pdfUnpacker struct {
	s        *filetype.Source
	left     filetype.Allowance
	buffered *bufio.Reader
	inflater io.Reader
	content  bytes.Buffer
}

// unpack decodes a stream. Like readers, it returns the content as far as it
// can be decoded; the content is valid until the next call. It reports false if
// there is none or it exceeds the limits.
func (u *pdfUnpacker) unpack(r io.Reader, codec pdfCodec) (content []byte, ok bool) {
	if codec == pdfFlate {
		r = u.inflate(r)
	}
	if r == nil || codec == pdfOther {
		return nil, false
	}
	u.content.Reset()
	u.content.ReadFrom(u.s.Unfold(io.LimitReader(r, filetype.MaxObjectStream+1), &u.left, filetype.KiB))
	n := u.content.Len()
	return u.content.Bytes(), 0 < n && n <= filetype.MaxObjectStream && u.left > 0 && u.s.Work.Unfolded > 0
}

// inflate returns a decompressing reader of r, or nil if r is not compressed.
func (u *pdfUnpacker) inflate(r io.Reader) io.Reader {
	if u.buffered == nil {
		u.buffered = bufio.NewReaderSize(r, 4*filetype.KiB)
	}
	u.buffered.Reset(r)
	var err error
	if z, ok := u.inflater.(zlib.Resetter); ok {
		err = z.Reset(u.buffered, nil)
	} else {
		u.inflater, err = zlib.NewReader(u.buffered)
	}
	if err != nil {
		return nil
	}
	return u.inflater
}
