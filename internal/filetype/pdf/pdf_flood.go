package pdf

import (
	"bytes"
	"compress/zlib"
	"slices"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/media"
)

// refuseBombs refuses streams that make a reader allocate or unpack far more
// than the file's size: by the dimensions of images, by many filters, or by
// unpacking to gigabytes.
func (p *pdfScan) refuseBombs(d *pdfDict, at int64) {
	if p.problem != nil {
		return
	}
	if len(d.filters) > filetype.MaxPDFFilters {
		p.problem = filetype.UnsafeFile(filetype.ReasonStreamBomb,
			"The PDF packs a part of itself more than %d times over. Print or save it as a PDF again.",
			filetype.MaxPDFFilters)
		return
	}
	if d.subtype == "Image" {
		p.problem = p.image(d, at)
		return
	}
	if flates := d.leadingDeflates(); flates > 0 && !p.encrypted && p.isBomb(at, d.length, flates) {
		p.problem = filetype.UnsafeFile(filetype.ReasonStreamBomb,
			"A part of the PDF unpacks to far more than its size. Print or save it as a PDF again.")
	}
}

// leadingDeflates returns how often a stream is deflated before another filter
// applies.
func (d *pdfDict) leadingDeflates() (n int) {
	for _, f := range d.filters {
		if f != "FlateDecode" && f != "Fl" {
			break
		}
		n++
	}
	return n
}

// isBomb reports whether a stream unpacks to more than filetype.BombFloor at a
// ratio that no honest one has.
func (p *pdfScan) isBomb(at, length int64, flates int) bool {
	if flates == 1 && 0 < length && length < filetype.BombSample || !p.sample(filetype.KiB) {
		return false
	}
	packed := &filetype.CountingReader{R: p.s.Rest(at)}
	r := p.sampler.inflate(packed)
	if r == nil {
		return false
	}
	for range flates - 1 {
		p.sample(filetype.OpenPrice)
		z, err := zlib.NewReader(r)
		if err != nil {
			return false
		}
		r = z
	}
	unpacked := int64(0)
	if p.sampleBuffer == nil {
		p.sampleBuffer = make([]byte, 32*filetype.KiB)
	}
	for packed.N <= filetype.BombSample || unpacked > filetype.BombRatio*packed.N {
		n, err := r.Read(p.sampleBuffer)
		unpacked += int64(n)
		more := p.sample(filetype.Allowance(n))
		if unpacked > filetype.BombFloor && unpacked > filetype.BombRatio*packed.N {
			return true
		}
		if err != nil || !more {
			return false
		}
	}
	return false
}

// sample counts the cost of the search for bombs and reports whether it may
// continue. A file that is not searched completely is held.
func (p *pdfScan) sample(n filetype.Allowance) bool {
	p.s.Work.Sampled -= n
	return p.s.Work.Sampled > 0
}

// image checks the dimensions in an image's dictionary and in its data, which
// decoders use.
func (p *pdfScan) image(d *pdfDict, at int64) *filetype.Problem {
	var f filetype.Facts
	if problem := f.SetSize(d.width, d.height); problem != nil && d.width > 0 && d.height > 0 {
		return problem
	}
	if p.encrypted || len(d.filters) == 0 || !p.sample(filetype.KiB) {
		return nil
	}
	head := p.s.Bytes(at, 4*filetype.KiB)
	switch last := d.filters[len(d.filters)-1]; {
	case len(d.filters) > 1:
	case last == "JPXDecode":
		return JPXSize(head)
	case last == "JBIG2Decode":
		return JBIG2Size(head)
	case last == "DCTDecode" || last == "DCT":
		picture := &filetype.Source{R: p.s, Size: p.s.Size, Head: head, Left: 100}
		width, height, _ := media.JPEGFrame(picture, at+2)
		p.sample(filetype.KiB * filetype.Allowance(100-picture.Left))
		return f.SetSize(width, height)
	}
	return nil
}

// JPXSize checks the SIZ segment of a JPEG 2000 image.
func JPXSize(head []byte) *filetype.Problem {
	i := bytes.Index(head, []byte("\xff\x4f\xff\x51"))
	if i < 0 || len(head) < i+40 {
		return nil
	}
	h := head[i+8:]
	var f filetype.Facts
	width, height := int64(filetype.BigEndian.Uint32(h))-int64(filetype.BigEndian.Uint32(h[8:])),
		int64(filetype.BigEndian.Uint32(h[4:]))-int64(filetype.BigEndian.Uint32(h[12:]))
	tileWidth, tileHeight := int64(filetype.BigEndian.Uint32(h[16:])), int64(filetype.BigEndian.Uint32(h[20:]))
	if width <= 0 || height <= 0 || tileWidth == 0 || tileHeight == 0 {
		return nil
	}
	if tiles := (width/tileWidth + 1) * (height/tileHeight + 1); tiles > 4*65535 {
		return f.SetSize(filetype.MaxPixels, 2)
	}
	return f.SetSize(width, height)
}

// jbig2Regions are the types of segments that begin with a width and a height.
var jbig2Regions = []byte{4, 6, 7, 20, 22, 23, 36, 38, 39, 40, 42, 43, 48}

// JBIG2Size checks the pages and regions of a JBIG2 image, as far as the data
// goes.
func JBIG2Size(p []byte) *filetype.Problem {
	var f filetype.Facts
	for range 64 {
		if len(p) < 11 || p[5]>>5 > 4 {
			return nil
		}
		number, typ := filetype.BigEndian.Uint32(p), p[4]&0x3f
		refs, size := int(p[5]>>5), 1
		if number > 65536 {
			size = 4
		} else if number > 256 {
			size = 2
		}
		at := 6 + refs*size + 1
		if p[4]&0x40 != 0 {
			at += 3
		}
		if len(p) < at+12 {
			return nil
		}
		length, body := int64(filetype.BigEndian.Uint32(p[at:])), p[at+4:]
		if slices.Contains(jbig2Regions, typ) {
			width, height := int64(filetype.BigEndian.Uint32(body)), int64(filetype.BigEndian.Uint32(body[4:]))
			if height == 0xffffffff { // unknown in advance
				height = 1
			}
			if problem := f.SetSize(width, height); problem != nil {
				return problem
			}
		}
		if length > int64(len(body)) {
			return nil
		}
		p = body[length:]
	}
	return nil
}
