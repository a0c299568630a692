package preview

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"testing"

	"vitrine/internal/test/vitrinetest"
)

const tiffSide = vitrinetest.TIFFSide

// halves returns rows of pixels whose left half is one pixel and whose right
// half another one.
func halves(left, right []byte, rows int) []byte {
	row := append(bytes.Repeat(left, tiffSide/2), bytes.Repeat(right, tiffSide/2)...)
	return bytes.Repeat(row, rows)
}

func packedRow(bits string) []byte {
	var b []byte
	for len(bits)%8 != 0 {
		bits += "0"
	}
	for i := 0; i < len(bits); i += 8 {
		v := byte(0)
		for _, c := range bits[i : i+8] {
			v = v<<1 | byte(c-'0')
		}
		b = append(b, v)
	}
	return b
}

func repeatedText(s string, n int) (all string) {
	for range n {
		all += s
	}
	return all
}

func deflated(b []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// literally packs bytes without compressing them.
func literally(b []byte) (out []byte) {
	for len(b) > 0 {
		n := min(len(b), 100)
		out = append(append(out, byte(n-1)), b[:n]...)
		b = b[n:]
	}
	return append(out, 0x80)
}

// lzwed packs bytes as LZW of 9 bits: a clear code before each hundred.
func lzwed(b []byte) []byte {
	bits := ""
	code := func(c int) {
		for i := 8; i >= 0; i-- {
			bits += string(rune('0' + c>>i&1))
		}
	}
	for i, c := range b {
		if i%100 == 0 {
			code(256)
		}
		code(int(c))
	}
	code(257)
	return packedRow(bits)
}

func predicted(b []byte, each int) []byte {
	out := bytes.Clone(b)
	for y := range len(b) / (tiffSide * each) {
		row, from := out[y*tiffSide*each:(y+1)*tiffSide*each], b[y*tiffSide*each:]
		for i := each; i < len(row); i++ {
			row[i] = from[i] - from[i-each]
		}
	}
	return out
}

func jpegOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func halvesPicture(left, right color.Color, gray bool) image.Image {
	var img interface {
		image.Image
		Set(x, y int, c color.Color)
	} = image.NewRGBA(image.Rect(0, 0, tiffSide, tiffSide))
	if gray {
		img = image.NewGray(image.Rect(0, 0, tiffSide, tiffSide))
	}
	for i := range tiffSide * tiffSide {
		if img.Set(i%tiffSide, i/tiffSide, left); i%tiffSide >= tiffSide/2 {
			img.Set(i%tiffSide, i/tiffSide, right)
		}
	}
	return img
}

// TestForms checks that each form of file has its picture: another color on the
// left than on the right.
func TestForms(t *testing.T) {
	blue, orange := color.RGBA{0x20, 0x60, 0xa0, 0xff}, color.RGBA{0xe0, 0x80, 0x10, 0xff}
	white, black, gray := color.RGBA{255, 255, 255, 255}, color.RGBA{0, 0, 0, 255}, color.RGBA{0x88, 0x88, 0x88, 255}
	rgb := halves([]byte{0x20, 0x60, 0xa0}, []byte{0xe0, 0x80, 0x10}, tiffSide)
	bilevel := bytes.Repeat([]byte{0xff, 0}, tiffSide)
	four := bytes.Repeat(append(bytes.Repeat([]byte{0xff}, tiffSide/4), bytes.Repeat([]byte{0x88}, tiffSide/4)...), tiffSide)
	fax4 := packedRow("001" + "10011" + "000101" + repeatedText("11", tiffSide-1) + "000000000001000000000001")
	fax3 := packedRow(repeatedText("000000000001"+"10011"+"000101", tiffSide) + repeatedText("000000000001", 6))
	tile := func(at int) []byte { // of 16 pixels, over the edge of a page
		return bytes.Repeat(map[bool][]byte{true: {0x20, 0x60, 0xa0}, false: {0xe0, 0x80, 0x10}}[at%2 == 0], 64)
	}
	float := func(v float32) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)) }
	type tags = vitrinetest.TIFFTags
	for name, c := range map[string]struct {
		chunks [][]byte
		tags   tags
		left   color.RGBA
		right  color.RGBA
	}{
		"grey":           {[][]byte{halves([]byte{0xff}, []byte{0x88}, tiffSide)}, tags{258: {8}, 262: {1}}, white, gray},
		"white is zero":  {[][]byte{halves([]byte{0}, []byte{0x77}, tiffSide)}, tags{258: {8}, 262: {0}}, white, gray},
		"bilevel":        {[][]byte{bilevel}, tags{258: {1}, 262: {1}}, white, black},
		"bilevel 0":      {[][]byte{bilevel}, tags{258: {1}, 262: {0}}, black, white},
		"reversed":       {[][]byte{bytes.Repeat([]byte{0x0f, 0}, tiffSide)}, tags{258: {1}, 262: {1}, 266: {2}}, white, black},
		"2 bits":         {[][]byte{bytes.Repeat([]byte{0xff, 0xff, 0, 0}, tiffSide)}, tags{258: {2}, 262: {1}}, white, black},
		"4 bits":         {[][]byte{four}, tags{258: {4}, 262: {1}}, white, gray},
		"16 bits":        {[][]byte{halves([]byte{0, 0xff}, []byte{0, 0x88}, tiffSide)}, tags{258: {16}, 262: {1}}, white, gray},
		"float":          {[][]byte{halves(float(1), float(0), tiffSide)}, tags{258: {32}, 262: {1}, 339: {3}}, white, black},
		"palette":        {[][]byte{four}, tags{258: {4}, 262: {3}, 320: paletteTag(blue, orange)}, orange, blue},
		"rgb":            {[][]byte{rgb}, tags{258: {8, 8, 8}, 262: {2}, 277: {3}}, blue, orange},
		"without colors": {[][]byte{rgb}, tags{258: {8, 8, 8}, 277: {3}}, blue, orange},
		"rgba": {[][]byte{halves([]byte{0x20, 0x60, 0xa0, 0xff}, []byte{0xe0, 0x80, 0x10, 0xff}, tiffSide)},
			tags{258: {8, 8, 8, 8}, 262: {2}, 277: {4}, 338: {2}}, blue, orange},
		"strips": {[][]byte{rgb[:5*tiffSide*3], rgb[:5*tiffSide*3], rgb[:5*tiffSide*3], rgb[:tiffSide*3]},
			tags{258: {8, 8, 8}, 262: {2}, 277: {3}, 278: {5}}, blue, orange},
		"tiles": {[][]byte{tile(0), tile(1), tile(0), tile(1)},
			tags{258: {8, 8, 8}, 262: {2}, 277: {3}, 322: {8}, 323: {8}}, blue, orange},
		"planes": {[][]byte{halves([]byte{0x20}, []byte{0xe0}, tiffSide), halves([]byte{0x60}, []byte{0x80}, tiffSide),
			halves([]byte{0xa0}, []byte{0x10}, tiffSide)}, tags{258: {8, 8, 8}, 262: {2}, 277: {3}, 284: {2}}, blue, orange},
		"cmyk": {[][]byte{halves([]byte{0, 0, 0, 0}, []byte{0, 0, 0, 0x77}, tiffSide)},
			tags{258: {8, 8, 8, 8}, 262: {5}, 277: {4}}, white, gray},
		"lab": {[][]byte{halves([]byte{255, 0, 0}, []byte{0, 0, 0}, tiffSide)}, tags{258: {8, 8, 8}, 262: {8}, 277: {3}},
			white, black},
		"icc lab": {[][]byte{halves([]byte{255, 128, 128}, []byte{0, 128, 128}, tiffSide)},
			tags{258: {8, 8, 8}, 262: {9}, 277: {3}}, white, black},
		"packbits": {[][]byte{literally(rgb)}, tags{258: {8, 8, 8}, 259: {32773}, 262: {2}, 277: {3}}, blue, orange},
		"packed runs": {[][]byte{bytes.Repeat([]byte{0xf9, 0xff, 0xf9, 0x88}, tiffSide)},
			tags{258: {8}, 259: {32773}, 262: {1}}, white, gray},
		"deflate": {[][]byte{deflated(rgb)}, tags{258: {8, 8, 8}, 259: {8}, 262: {2}, 277: {3}}, blue, orange},
		"predicted": {[][]byte{deflated(predicted(rgb, 3))},
			tags{258: {8, 8, 8}, 259: {32946}, 262: {2}, 277: {3}, 317: {2}}, blue, orange},
		"lzw": {[][]byte{lzwed(rgb)}, tags{258: {8, 8, 8}, 259: {5}, 262: {2}, 277: {3}}, blue, orange},
		"lzw, predicted": {[][]byte{lzwed(predicted(rgb, 3))},
			tags{258: {8, 8, 8}, 259: {5}, 262: {2}, 277: {3}, 317: {2}}, blue, orange},
		"group 4":    {[][]byte{fax4}, tags{258: {1}, 259: {4}, 262: {0}}, white, black},
		"group 4 1":  {[][]byte{fax4}, tags{258: {1}, 259: {4}, 262: {1}}, black, white},
		"group 3":    {[][]byte{fax3}, tags{258: {1}, 259: {3}, 262: {0}}, white, black},
		"group 3 1":  {[][]byte{fax3}, tags{258: {1}, 259: {3}, 262: {1}}, black, white},
		"jpeg, grey": {[][]byte{jpegOf(t, halvesPicture(white, gray, true))}, tags{258: {8}, 259: {7}, 262: {1}}, white, gray},
		"jpeg": {[][]byte{jpegOf(t, halvesPicture(blue, orange, false))}, tags{258: {8, 8, 8}, 259: {7}, 262: {6}, 277: {3}},
			blue, orange},
	} {
		for _, f := range []vitrinetest.TIFFForm{{}, {Big: true}, {Swapped: true}, {Big: true, Swapped: true}} {
			if f.Swapped && (name == "16 bits" || name == "float") {
				continue // the samples here are little-endian
			}
			pages, err := tiffPages(bytes.NewReader(vitrinetest.TIFF(f, vitrinetest.TIFFPage{Chunks: c.chunks, Tags: c.tags})))
			if err != nil || len(pages) != 1 || pages[0].Width != tiffSide || pages[0].Height != tiffSide {
				t.Errorf("%s %+v: %v, %v", name, f, pages, err)
				continue
			}
			img, err := pages[0].Decode()
			if err != nil {
				t.Errorf("%s %+v: %v", name, f, err)
				continue
			}
			nearColor(t, name, img, 1, 2, c.left)
			nearColor(t, name, img, 2, tiffSide-1, c.left)
			nearColor(t, name, img, tiffSide-2, tiffSide-1, c.right)
		}
	}
}

func paletteTag(colors ...color.RGBA) (all []uint64) {
	table := [3][16]uint64{}
	for i, at := range []int{8, 15} {
		for s, v := range []uint8{colors[i].R, colors[i].G, colors[i].B} {
			table[s][at] = uint64(v) << 8
		}
	}
	for _, s := range table {
		all = append(all, s[:]...)
	}
	return all
}

func nearColor(t *testing.T, name string, img image.Image, x, y int, want color.RGBA) {
	t.Helper()
	got := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
	for _, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B)} {
		if d > 3 || d < -3 {
			t.Errorf("%s: %v at %d, %d, want %v", name, got, x, y, want)
			return
		}
	}
}

// TestPages checks the chain of pages: reduced copies are none, a circle ends,
// and a fax has high pixels.
func TestPages(t *testing.T) {
	grey := [][]byte{bytes.Repeat([]byte{0x80}, tiffSide*tiffSide)}
	page := func(more vitrinetest.TIFFTags) vitrinetest.TIFFPage {
		tags := vitrinetest.TIFFTags{258: {8}, 262: {1}}
		for k, v := range more {
			tags[k] = v
		}
		return vitrinetest.TIFFPage{Chunks: grey, Tags: tags}
	}
	b := vitrinetest.TIFF(vitrinetest.TIFFForm{}, page(nil), page(vitrinetest.TIFFTags{254: {1}}), page(vitrinetest.TIFFTags{254: {2}, 274: {6}}),
		page(vitrinetest.TIFFTags{254: {4}}), page(vitrinetest.TIFFTags{282: {204}, 283: {98}}))
	pages, err := tiffPages(bytes.NewReader(b))
	if err != nil || len(pages) != 3 || pages[1].Orientation != 6 || pages[2].Stretch < 2 || pages[2].Stretch > 2.2 {
		t.Errorf("%d pages, %v", len(pages), err)
	}
	if pages, err := tiffPages(bytes.NewReader(vitrinetest.TIFF(vitrinetest.TIFFForm{Circle: true}, page(nil), page(nil)))); err != nil ||
		len(pages) != 2 {
		t.Errorf("a circle: %d pages, %v", len(pages), err)
	}
	if _, err := tiffPages(bytes.NewReader(b[:20])); err == nil {
		t.Error("a file without a directory has pages")
	}
}

// FuzzDecode checks that no file panics or has more pixels than it says.
func FuzzDecode(f *testing.F) {
	f.Add(vitrinetest.TIFF(vitrinetest.TIFFForm{}, vitrinetest.TIFFPage{Chunks: [][]byte{bytes.Repeat([]byte{0x80}, tiffSide*tiffSide)},
		Tags: vitrinetest.TIFFTags{258: {8}, 262: {1}}}))
	f.Add(vitrinetest.TIFF(vitrinetest.TIFFForm{Big: true}, vitrinetest.TIFFPage{Chunks: [][]byte{{1, 2, 3}, {4}, {5}},
		Tags: vitrinetest.TIFFTags{258: {4, 4, 4}, 262: {2}, 277: {3}, 284: {2}, 259: {32773}}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		pages, err := tiffPages(bytes.NewReader(b))
		if err != nil {
			return
		}
		for _, p := range pages[:min(len(pages), 3)] {
			if p.Width > 1<<16/p.Height {
				continue
			}
			if img, err := p.Decode(); err == nil && img.Bounds().Dx()*img.Bounds().Dy() > 1<<16 {
				t.Fatalf("%v from a page of %d × %d", img.Bounds(), p.Width, p.Height)
			}
		}
	})
}
