package inspect

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"vitrine/internal/filetype"
)

// Samples are made here, byte by byte where the standard library cannot make
// them, and never shipped.

// buf builds binary samples.
type buf struct{ bytes.Buffer }

func (b *buf) le(values ...any) *buf {
	for _, v := range values {
		binary.Write(b, binary.LittleEndian, v)
	}
	return b
}

func (b *buf) be(values ...any) *buf {
	for _, v := range values {
		binary.Write(b, binary.BigEndian, v)
	}
	return b
}

func (b *buf) str(s string) *buf { b.WriteString(s); return b }

func pad(p []byte, n int) []byte { return append(p, make([]byte, max(0, n-len(p)))...) }

func picture() image.Image {
	m := image.NewPaletted(image.Rect(0, 0, 7, 5), color.Palette{color.Black, color.White})
	m.Set(3, 3, color.White)
	return m
}

func pngFile() []byte {
	var b bytes.Buffer
	png.Encode(&b, picture())
	return b.Bytes()
}

// pngHeader returns a PNG whose header has the given size.
func pngHeader(width, height uint32) []byte {
	var b buf
	b.str("\x89PNG\r\n\x1a\n").be(uint32(13)).str("IHDR").be(width, height).str("\x08\x06\x00\x00\x00").be(uint32(0))
	return b.Bytes()
}

func jpegFile() []byte {
	var b bytes.Buffer
	jpeg.Encode(&b, picture(), nil)
	return b.Bytes()
}

// exifJPEG returns a JPEG with large application segments before its frame,
// like a photograph.
func exifJPEG() []byte {
	p := jpegFile()
	var b buf
	b.Write(p[:2])
	for range 3 {
		b.str("\xff\xe1").be(uint16(60_002)).str("Exif\x00\x00").Write(make([]byte, 59_994))
	}
	b.str("\xff\xff")
	b.Write(p[3:])
	return b.Bytes()
}

func gifFile() []byte {
	var b bytes.Buffer
	gif.Encode(&b, picture(), nil)
	return b.Bytes()
}

func webpFile(chunk string, payload []byte) []byte {
	var b buf
	b.str("RIFF").le(uint32(len(payload) + 12)).str("WEBP" + chunk).le(uint32(len(payload))).Write(payload)
	return b.Bytes()
}

var (
	webpLossy    = webpFile("VP8 ", []byte("\x30\x01\x00\x9d\x01\x2a\x40\x01\xf0\x00abcdef"))
	webpLossless = webpFile("VP8L", []byte("\x2f\x3f\x01\x3c\x00abcdefgh"))
	webpExtended = webpOf(webpCanvas(320, 240), webpLosslessChunk(320, 240))
)

func bmpFile(width, height int32) []byte {
	var b buf
	b.str("BM").le(uint32(58), uint32(0), uint32(54), uint32(40), width, height, uint16(1),
		uint16(24)).Write(make([]byte, 24))
	if height < 0 {
		height = -height
	}
	if pixels := int64(width) * int64(height); pixels < filetype.MiB {
		b.Write(make([]byte, 3*pixels+4*int64(height)))
	}
	return b.Bytes()
}

func bmpOS2() []byte {
	var b buf
	b.str("BM").le(uint32(30), uint32(0), uint32(26), uint32(12), uint16(4), uint16(3), uint16(1),
		uint16(24)).Write(make([]byte, 36))
	return b.Bytes()
}

// tiffFile returns a TIFF with a page of each size.
func tiffFile(order binary.ByteOrder, sizes ...uint32) []byte {
	var b bytes.Buffer
	w := func(v any) { binary.Write(&b, order, v) }
	if order == binary.LittleEndian {
		b.WriteString("II")
	} else {
		b.WriteString("MM")
	}
	w(uint16(42))
	w(uint32(8))
	for i, size := range sizes {
		w(uint16(2))
		w([]uint16{256, 4})
		w([]uint32{1, size})
		w([]uint16{257, 4})
		w([]uint32{1, size - 1})
		if i == len(sizes)-1 {
			w(uint32(0))
		} else {
			w(uint32(b.Len() + 4))
		}
	}
	return b.Bytes()
}

func bigTIFF() []byte {
	var b buf
	b.str("II").le(uint16(43), uint16(8), uint16(0), uint64(16))
	b.le(uint64(2), uint16(256), uint16(16), uint64(1), uint64(9), uint16(257), uint16(3), uint64(1), uint64(8),
		uint64(0))
	return b.Bytes()
}

// atom returns a box of a base media file.
func atom(typ string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	var b buf
	b.be(uint32(8 + len(body))).str(typ).Write(body)
	return b.Bytes()
}

func ftyp(brands string) []byte { return atom("ftyp", []byte(brands[:4]+"\x00\x00\x00\x00"+brands)) }

func stillFile(brands string, width, height uint32) []byte {
	var size buf
	size.be(uint32(0), width, height)
	meta := atom("meta", make([]byte, 4), atom("iprp",
		atom("ipco", atom("pixi", make([]byte, 8)), atom("ispe", size.Bytes()))))
	return slicesJoin(ftyp(brands), meta, atom("mdat", make([]byte, 64)))
}

func slicesJoin(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func track(handler string) []byte {
	return atom("trak", atom("tkhd", make([]byte, 84)),
		atom("mdia", atom("hdlr", make([]byte, 8), []byte(handler), make([]byte, 13))))
}

func moov(scale, duration uint32, handlers ...string) []byte {
	var b buf
	b.be(uint32(0), uint32(0), uint32(0), scale, duration).Write(make([]byte, 80))
	parts := [][]byte{atom("mvhd", b.Bytes())}
	for _, h := range handlers {
		parts = append(parts, track(h))
	}
	return atom("moov", parts...)
}

func mp4File(brands string, handlers ...string) []byte {
	return slicesJoin(ftyp(brands), atom("free"), atom("mdat", make([]byte, 5000)), moov(600, 1500, handlers...))
}

func ebml(id string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	var b buf
	b.str(id).be(uint32(len(body)) | 1<<28).Write(body)
	return b.Bytes()
}

func webmFile(docType string) []byte {
	var duration buf
	duration.be(float64(2500))
	return slicesJoin(
		ebml("\x1a\x45\xdf\xa3", ebml("\x42\x82", []byte(docType))),
		ebml("\x18\x53\x80\x67",
			ebml("\x15\x49\xa9\x66", ebml("\x2a\xd7\xb1", []byte{0x0f, 0x42, 0x40}),
				ebml("\x44\x89", duration.Bytes())),
			ebml("\x16\x54\xae\x6b", make([]byte, 20)),
			ebml("\x1f\x43\xb6\x75", make([]byte, 200))))
}

func oggPageBytes(flags byte, granule uint64, serial uint32, data string) []byte {
	var b buf
	b.str("OggS\x00").le(flags, granule, serial, uint32(0), uint32(0), byte(1), byte(len(data))).str(data)
	return b.Bytes()
}

const (
	vorbisHead = "\x01vorbis\x00\x00\x00\x00\x02\x44\xac\x00\x00............"
	opusHead   = "OpusHead\x01\x02\x38\x01\x80\xbb\x00\x00\x00\x00\x00"
	theoraHead = "\x80theora\x03\x02\x01\x00\x14\x00\x0f................"
)

func oggFile(heads ...string) []byte {
	var b bytes.Buffer
	for i, h := range heads {
		b.Write(oggPageBytes(2, 0, uint32(i+1), h))
	}
	for i := range heads {
		b.Write(oggPageBytes(0, 0, uint32(i+1), strings.Repeat("d", 200)))
		b.Write(oggPageBytes(4, 96312, uint32(i+1), "end"))
	}
	return b.Bytes()
}

// mp3Frames returns frames of MPEG 1 layer III, 128 kbit/s, 44.1 kHz.
func mp3Frames(n int) []byte {
	return bytes.Repeat(pad([]byte{0xff, 0xfb, 0x90, 0x64}, 417), n)
}

func xingMP3() []byte {
	first := pad([]byte{0xff, 0xfb, 0x90, 0x64}, 36)
	first = append(first, "Xing\x00\x00\x00\x01\x00\x00\x03\xe8"...)
	return append(pad(first, 417), mp3Frames(5)...)
}

func id3Tag(size int) []byte {
	return pad([]byte{'I', 'D', '3', 4, 0, 0, byte(size >> 21 & 0x7f), byte(size >> 14 & 0x7f), byte(size >> 7 & 0x7f),
		byte(size & 0x7f)}, 10+size)
}

func aacFrames(n int) []byte {
	return bytes.Repeat(pad([]byte{0xff, 0xf1, 0x50, 0x80, 100 >> 3, 100&7<<5 | 0x1f, 0xfc}, 100), n)
}

func wavFile(magic string) []byte {
	var b buf
	b.str(magic).le(uint32(40 + 8000)).str("WAVELIST").le(uint32(3)).str("abc\x00")
	b.str("fmt ").le(uint32(16), uint16(1), uint16(1), uint32(8000), uint32(8000), uint16(1), uint16(8))
	b.str("data").le(uint32(8000)).Write(make([]byte, 8000))
	return b.Bytes()
}

func flacFile() []byte {
	var b buf
	b.str("fLaC\x80\x00\x00\x22").Write(make([]byte, 10))
	b.be(uint64(44100)<<44 | uint64(1)<<41 | uint64(15)<<36 | 88200).Write(make([]byte, 16))
	b.str("\xff\xf8").Write(make([]byte, 62))
	return b.Bytes()
}

// member is one file of an archive sample.
type member struct {
	name, data string
	mode       uint32 // Unix mode
	flags      uint16
	store      bool
}

func zipFile(members ...member) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate, Flags: m.flags}
		if m.store {
			h.Method = zip.Store
		}
		if m.mode != 0 {
			h.CreatorVersion, h.ExternalAttrs = 3<<8, m.mode<<16
		}
		if m.flags&1 != 0 {
			h.Method, h.CompressedSize64, h.UncompressedSize64 = zip.Store, uint64(len(m.data)), uint64(len(m.data))
			f, _ := w.CreateRaw(h)
			f.Write([]byte(m.data))
			continue
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			panic(err)
		}
		if !strings.HasSuffix(m.name, "/") {
			f.Write([]byte(m.data))
		}
	}
	w.Close()
	return b.Bytes()
}

// named returns a ZIP of files whose content does not matter.
func named(names ...string) []byte {
	var members []member
	for _, n := range names {
		members = append(members, member{name: n, data: "content"})
	}
	return zipFile(members...)
}

func tarFile(headers ...tar.Header) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		if h.Typeflag != tar.TypeXGlobalHeader {
			h.Mode, h.ModTime = 0o644, time.Unix(1e9, 0)
		}
		if err := w.WriteHeader(&h); err != nil {
			panic(err)
		}
		w.Write(bytes.Repeat([]byte("x"), int(h.Size)))
	}
	w.Close()
	return b.Bytes()
}

// scriptTar returns a tar with a shell script named notes.
func scriptTar() []byte {
	p := tarFile(tar.Header{Name: "notes", Size: 100})
	copy(p[512:], "#!/bin/sh\n")
	return p
}

func gzipFile(name string, p []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	w.Name = name
	w.Write(p)
	w.Close()
	return b.Bytes()
}

func sevenZip(directory string) []byte {
	var start buf
	start.le(uint64(10), uint64(len(directory)), crc32.ChecksumIEEE([]byte(directory)))
	var b buf
	b.str("7z\xbc\xaf\x27\x1c\x00\x04").le(crc32.ChecksumIEEE(start.Bytes())).str(start.String()).str("packed....").str(directory)
	return b.Bytes()
}

func rar4(archiveFlags, fileFlags uint16) []byte {
	var b buf
	b.str("Rar!\x1a\x07\x00").le(uint16(0), byte(0x73), archiveFlags, uint16(13), uint16(0), uint32(0))
	b.le(uint16(0), byte(0x74), fileFlags|0x8000, uint16(37), uint32(5), uint32(5), byte(3), uint32(0), uint32(0),
		byte(29), byte(0x30), uint16(5), uint32(0))
	b.str("a.txthello").le(uint16(0), byte(0x7b), uint16(0), uint16(7))
	return b.Bytes()
}

func rar5(encryptedHeaders, encryptedFile bool) []byte {
	var b buf
	b.str("Rar!\x1a\x07\x01\x00")
	block := func(fields ...byte) { b.le(uint32(0), byte(len(fields))).Write(fields) }
	if encryptedHeaders {
		block(4, 0, 0, 0, 15)
		return b.Bytes()
	}
	block(1, 0, 0)
	if encryptedFile {
		block(2, 3, 4, 5, 0, 5, 0, 0, 0, 1, 'a', 3, 1, 0, 0)
	} else {
		block(2, 2, 5, 0, 5, 0, 0, 0, 1, 'a')
	}
	b.str("hello")
	block(5, 0, 0)
	return b.Bytes()
}

// inspectBytes inspects p as a file of the extension.
func inspectBytes(t testing.TB, ext string, p []byte) (filetype.Facts, error) {
	t.Helper()
	typ, ok := filetype.ByExt("." + ext)
	if !ok {
		t.Fatalf("no type %q", ext)
	}
	return inspectFile(bytes.NewReader(p), int64(len(p)), typ)
}

func encodeUTF16(s string) []uint16 { return utf16.Encode([]rune(s)) }
