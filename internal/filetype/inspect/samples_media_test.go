package inspect

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"vitrine/internal/filetype/media"
)

// pngChunk returns a chunk with its checksum.
func pngChunk(typ string, body []byte) []byte {
	var b buf
	b.be(uint32(len(body))).str(typ).Write(body)
	b.be(crc32.ChecksumIEEE(b.Bytes()[4:]))
	return b.Bytes()
}

// pngOf returns a black-and-white PNG of a size, with enough data for its
// pixels, and additional chunks before it.
func pngOf(width, height uint32, chunks ...[]byte) []byte {
	var head buf
	head.be(width, height).str("\x01\x00\x00\x00\x00")
	data := make([]byte, int64(height)*(int64(width)+7)/8/media.DeflateRatio+10)
	copy(data, "\x78\x9c")
	return slicesJoin([]byte(media.PngMagic), pngChunk("IHDR", head.Bytes()), slicesJoin(chunks...),
		pngChunk("IDAT", data), pngChunk("IEND", nil))
}

// pngCut returns a PNG whose compressed picture is in chunks of one byte, the
// first of them empty, and begins with first.
func pngCut(first string) []byte {
	whole := pngFile()
	at := bytes.Index(whole, []byte("IDAT"))
	data := whole[at+4:][:binary.BigEndian.Uint32(whole[at-4:])]
	chunks := [][]byte{whole[:at-4], pngChunk("IDAT", nil)}
	for i := range data {
		one := data[i : i+1]
		if i < len(first) {
			one = []byte(first[i : i+1])
		}
		chunks = append(chunks, pngChunk("IDAT", one))
	}
	return slicesJoin(append(chunks, pngChunk("IEND", nil))...)
}

// frameControl returns the header of one frame of an animated PNG.
func frameControl(width, height, x, y uint32) []byte {
	var b buf
	b.be(uint32(0), width, height, x, y, uint16(1), uint16(10), uint16(0))
	return pngChunk("fcTL", b.Bytes())
}

// pngText returns a compressed text chunk that decompresses to n bytes.
func pngText(n int) []byte {
	return pngChunk("zTXt", []byte("Comment\x00\x00"+deflated(string(make([]byte, n)))))
}

// gifOf returns a GIF with one screen and additional blocks.
func gifOf(width, height uint16, blocks ...string) []byte {
	var b buf
	b.str("GIF89a").le(width, height).str("\x00\x00\x00")
	for _, block := range blocks {
		b.str(block)
	}
	return b.Bytes()
}

func gifPicture(x, y, width, height uint16, code byte) string {
	var b buf
	b.str("\x2c").le(x, y, width, height).str("\x00").le(code).str("\x02\x4c\x01\x00")
	return b.String()
}

// riffChunk returns a chunk of a WebP or WAV file.
func riffChunk(typ string, body []byte) []byte {
	var b buf
	b.str(typ).le(uint32(len(body))).Write(body)
	if len(body)%2 == 1 {
		b.str("\x00")
	}
	return b.Bytes()
}

func webpOf(chunks ...[]byte) []byte {
	body := slicesJoin(chunks...)
	var b buf
	b.str("RIFF").le(uint32(len(body) + 4)).str("WEBP").Write(body)
	return b.Bytes()
}

// webpCanvas returns the header of an extended WebP image, and
// webpLosslessChunk a picture.
func webpCanvas(width, height uint32) []byte {
	return riffChunk("VP8X", []byte{0x10, 0, 0, 0, byte(width - 1), byte((width - 1) >> 8), 0, byte(height - 1),
		byte((height - 1) >> 8), 0})
}

func webpLosslessChunk(width, height uint32) []byte {
	var b buf
	b.str("\x2f").le(width - 1 | (height-1)<<14).str("abcd")
	return riffChunk("VP8L", b.Bytes())
}

func webpFrame(x, y, width, height uint32, picture []byte) []byte {
	word := func(v uint32) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16)} }
	return riffChunk("ANMF", slicesJoin(word(x/2), word(y/2), word(width-1), word(height-1), word(100), []byte{0},
		picture))
}

// jpegWith returns a JPEG with a repeated scan.
func jpegWith(scans int) []byte {
	p := jpegFile()
	at := bytes.Index(p, []byte("\xff\xda"))
	scan := p[at : len(p)-2]
	return slicesJoin(p[:at], bytes.Repeat(scan[:12], scans), scan, []byte("\xff\xd9"))
}

// tiffTags returns a TIFF with one directory in little-endian order. Its tags
// have the type LONG, each with a count and a value.
func tiffTags(next uint32, tags ...[3]uint32) []byte {
	var b buf
	b.str("II").le(uint16(42), uint32(8), uint16(len(tags)))
	for _, t := range tags {
		b.le(uint16(t[0]), uint16(4), t[1], t[2])
	}
	b.le(next)
	return pad(b.Bytes(), 200)
}

// sampleTable returns a film with one track, whose index has the table.
func sampleTable(typ string, body []byte) []byte {
	trak := atom("trak", atom("mdia", atom("hdlr", make([]byte, 8), []byte("vide"), make([]byte, 13)),
		atom("minf", atom("stbl", atom(typ, body)))))
	return slicesJoin(ftyp("isom"), atom("moov", atom("mvhd", make([]byte, 100)), trak))
}

// dataReference returns a film with one track, which says where its data is.
func dataReference(flags byte, address string) []byte {
	url := atom("url ", []byte{0, 0, 0, flags}, []byte(address), []byte{0})
	dref := atom("dref", []byte{0, 0, 0, 0, 0, 0, 0, 1}, url)
	trak := atom("trak", atom("mdia", atom("hdlr", make([]byte, 8), []byte("vide"), make([]byte, 13)),
		atom("minf", atom("dinf", dref))))
	return slicesJoin(ftyp("qt  "), atom("moov", trak))
}

// gridFile returns a HEIC image with one item, a grid of the given size, whose
// properties claim a smaller one.
func gridFile(width, height uint32) []byte {
	var size, iloc, infe, grid buf
	size.be(uint32(0), uint32(320), uint32(240))
	infe.be(uint32(0x02000000), uint16(1), uint16(0)).str("grid\x00")
	grid.be(byte(0), byte(1), byte(1), byte(1), width, height)
	iloc.be(uint32(0x01000000), byte(0x44), byte(0), uint16(1), uint16(1), uint16(1), uint16(0), uint16(1), uint32(0),
		uint32(grid.Len()))
	meta := atom("meta", make([]byte, 4), atom("iinf", []byte{0, 0, 0, 0, 0, 1}, atom("infe", infe.Bytes())),
		atom("iloc", iloc.Bytes()),
		atom("idat", grid.Bytes()), atom("iprp", atom("ipco", atom("ispe", size.Bytes()))))
	return slicesJoin(ftyp("heic"), meta)
}

// webmWith returns a WebM film with additional elements as tracks or
// attachments.
func webmWith(parts ...[]byte) []byte {
	return slicesJoin(ebml("\x1a\x45\xdf\xa3", ebml("\x42\x82", []byte("webm"))), ebml("\x18\x53\x80\x67", parts...))
}

func webmTrack(width, height uint32) []byte {
	var w, h buf
	w.be(width)
	h.be(height)
	return ebml("\x16\x54\xae\x6b", ebml("\xae", ebml("\xe0", ebml("\xb0", w.Bytes()), ebml("\xba", h.Bytes()))))
}

func webmAttachment(name string, data []byte) []byte {
	return ebml("\x19\x41\xa4\x69", ebml("\x61\xa7", ebml("\x46\x6e", []byte(name)), ebml("\x46\x5c", data)))
}

// attachedTag returns an ID3 tag with an attached file.
func attachedTag(data []byte) []byte {
	body := slicesJoin([]byte("\x00application/x\x00name\x00text\x00"), data)
	var b buf
	b.str("GEOB").be(uint32(len(body)), uint16(0)).Write(body)
	n := b.Len()
	return slicesJoin([]byte{'I', 'D', '3', 3, 0, 0, byte(n >> 21 & 0x7f), byte(n >> 14 & 0x7f), byte(n >> 7 & 0x7f),
		byte(n & 0x7f)}, b.Bytes())
}

// windowsProgram returns the beginning of a Windows program with valid headers.
func windowsProgram() []byte {
	p := pad([]byte("MZ\x90\x00\x03"), 0x3c)
	return pad(append(p, "\x80\x00\x00\x00"...), 0x200)
}
