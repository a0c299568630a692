package preview

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math"
	"math/bits"

	"golang.org/x/image/ccitt"
	"golang.org/x/image/tiff/lzw"
)

// Photometric interpretations.
const (
	colorsWhiteIsZero = 0
	colorsBlackIsZero = 1
	colorsRGB         = 2
	colorsPalette     = 3
	colorsCMYK        = 5
	colorsYCbCr       = 6
	colorsLab         = 8
	colorsICCLab      = 9
)

// Compressions.
const (
	packedNone    = 1
	packedFax3    = 3
	packedFax4    = 4
	packedLZW     = 5
	packedOldJPEG = 6
	packedJPEG    = 7
	packedDeflate = 8
	packedOldZip  = 32946
	packedBits    = 32773
)

// Decode returns the picture of a page, not yet upright. The caller has checked
// its size. What a damaged strip or tile lacks is blank.
func (p *tiffPage) Decode() (image.Image, error) {
	if p.compressed == packedOldJPEG && p.wholeJPEG[0] > 0 {
		return jpeg.Decode(io.NewSectionReader(p.f.r, p.wholeJPEG[0], max(p.wholeJPEG[1], 1<<31)))
	}
	c, err := p.newCanvas()
	if err != nil {
		return nil, err
	}
	across := (p.Width + p.tileWidth - 1) / p.tileWidth
	down := (p.Height + p.tileHeight - 1) / p.tileHeight
	planes := 1
	if p.planar {
		planes = min(p.samples, c.used)
	}
	drawn := 0
	for i := range across * down * planes {
		if i >= len(p.offsets) {
			break
		}
		plane, at := i/(across*down), i%(across*down)
		area := image.Rect(0, 0, p.tileWidth, p.tileHeight).Add(image.Pt(at%across*p.tileWidth, at/across*p.tileHeight))
		if p.compressed == packedJPEG {
			err = p.drawJPEG(c, i, area, plane)
		} else {
			err = p.drawRows(c, i, area, plane)
		}
		if err == nil {
			drawn++
		}
	}
	if drawn == 0 && err != nil {
		return nil, err
	}
	return c.picture(), nil
}

// tiffCanvas has the samples of a page in 8 bits: one for a pixel in grey or of
// a palette, otherwise four, of which up to four are used.
type tiffCanvas struct {
	*tiffPage
	pix  []byte
	step int // bytes of a pixel
	used int // samples of it
}

func (p *tiffPage) newCanvas() (*tiffCanvas, error) {
	c := &tiffCanvas{tiffPage: p, step: 4}
	switch p.colors {
	case colorsWhiteIsZero, colorsBlackIsZero, colorsPalette:
		c.step, c.used = 1, 1
	case colorsRGB, colorsYCbCr, colorsLab, colorsICCLab:
		c.used = 3
		if p.alpha && p.colors == colorsRGB {
			c.used = 4
		}
	case colorsCMYK:
		c.used = 4
	default:
		return nil, unsupportedTIFF("colors", p.colors)
	}
	if p.samples < c.used {
		return nil, errTIFF
	}
	jpeged := p.compressed == packedJPEG
	switch {
	case p.colors == colorsYCbCr && !jpeged:
		return nil, errors.New("tiff: unsupported YCbCr without JPEG")
	case p.bits < 1 || p.bits > 32, p.format == 3 && p.bits != 32, p.format == 2, p.predicted > 2,
		p.predicted == 2 && p.bits%8 != 0, p.colors == colorsPalette && p.bits > 8:
		return nil, unsupportedTIFF("samples of bits", p.bits)
	}
	c.pix = make([]byte, p.Width*p.Height*c.step)
	if c.step == 4 || p.colors != colorsWhiteIsZero { // blank is white
		for i := range c.pix {
			c.pix[i] = 0xff
		}
	}
	if p.colors == colorsCMYK || p.colors == colorsPalette {
		clear(c.pix)
	}
	return c, nil
}

// chunk returns the bytes of a strip or tile, as they are in the file.
func (p *tiffPage) chunk(i int) io.Reader {
	size := int64(math.MaxInt64 >> 1)
	if i < len(p.sizes) && p.sizes[i] > 0 {
		size = int64(min(p.sizes[i], 1<<40))
	}
	return bufio.NewReader(io.NewSectionReader(p.f.r, int64(min(p.offsets[i], 1<<60)), size))
}

// unpacked returns the rows of a strip or tile.
func (p *tiffPage) unpacked(i, width, height int) (io.Reader, error) {
	r := p.chunk(i)
	order := ccitt.MSB
	if p.reversed {
		order = ccitt.LSB
	}
	fax := &ccitt.Options{Invert: true} // black is 1; the colors say how it is shown
	switch p.compressed {
	case packedNone:
		return p.inOrder(r), nil
	case packedBits:
		return p.inOrder(&packedRuns{r: r.(*bufio.Reader)}), nil
	case packedFax3:
		return ccitt.NewReader(r, order, ccitt.Group3, width, height, fax), nil
	case packedFax4:
		return ccitt.NewReader(r, order, ccitt.Group4, width, height, fax), nil
	case packedLZW:
		return lzw.NewReader(r, lzw.MSB, 8), nil
	case packedDeflate, packedOldZip:
		return zlib.NewReader(r)
	}
	return nil, unsupportedTIFF("compression", p.compressed)
}

func (p *tiffPage) inOrder(r io.Reader) io.Reader {
	if p.reversed && p.bits < 8 {
		return reverser{r}
	}
	return r
}

// reverser reverses the bits of each byte.
type reverser struct{ io.Reader }

func (r reverser) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	for i := range n {
		b[i] = bits.Reverse8(b[i])
	}
	return n, err
}

// packedRuns unpacks PackBits.
type packedRuns struct {
	r       *bufio.Reader
	left    int
	repeats bool
	value   byte
}

func (u *packedRuns) Read(b []byte) (int, error) {
	for n := range b {
		for u.left == 0 {
			c, err := u.r.ReadByte()
			if err != nil {
				return n, err
			}
			switch head := int8(c); {
			case head >= 0:
				u.left, u.repeats = int(head)+1, false
			case head != -128:
				if u.value, err = u.r.ReadByte(); err != nil {
					return n, err
				}
				u.left, u.repeats = 1-int(head), true
			}
		}
		if u.left--; !u.repeats {
			var err error
			if u.value, err = u.r.ReadByte(); err != nil {
				return n, err
			}
		}
		b[n] = u.value
	}
	return len(b), nil
}

// drawRows draws a strip or tile, row by row. It returns an error if it has not
// a whole row.
func (p *tiffPage) drawRows(c *tiffCanvas, i int, area image.Rectangle, plane int) error {
	rows := area.Dy()
	if !p.tiled { // the last strip is shorter
		rows = min(rows, p.Height-area.Min.Y)
	}
	r, err := p.unpacked(i, area.Dx(), rows)
	if err != nil {
		return err
	}
	each := p.samples
	if p.planar {
		each = 1
	}
	if area.Dx() > 1<<28/(each*p.bits) {
		return errTIFF
	}
	row := make([]byte, (area.Dx()*each*p.bits+7)/8)
	for y := area.Min.Y; y < min(area.Max.Y, p.Height); y++ {
		if _, err := io.ReadFull(r, row); err != nil {
			if y == area.Min.Y {
				return err
			}
			return nil
		}
		if p.predicted == 2 {
			p.undoPredictor(row, each)
		}
		for x := area.Min.X; x < min(area.Max.X, p.Width); x++ {
			to := c.pix[(y*p.Width+x)*c.step:]
			if p.planar {
				to[plane] = p.sample(row, x-area.Min.X)
				continue
			}
			for s := range min(each, c.used) {
				to[s] = p.sample(row, (x-area.Min.X)*each+s)
			}
		}
	}
	return nil
}

// undoPredictor adds to each sample the one of the pixel before it.
func (p *tiffPage) undoPredictor(row []byte, each int) {
	size := p.bits / 8
	for i := each * size; i+size <= len(row); i += size {
		before, now := row[i-each*size:], row[i:]
		switch size {
		case 1:
			now[0] += before[0]
		case 2:
			p.f.order.PutUint16(now, p.f.order.Uint16(now)+p.f.order.Uint16(before))
		case 4:
			p.f.order.PutUint32(now, p.f.order.Uint32(now)+p.f.order.Uint32(before))
		}
	}
}

// sample returns a sample of a row in 8 bits; of a palette, its index.
func (p *tiffPage) sample(row []byte, i int) byte {
	switch p.bits {
	case 8:
		return row[i]
	case 16:
		return byte(p.f.order.Uint16(row[2*i:]) >> 8)
	case 32:
		v := p.f.order.Uint32(row[4*i:])
		if p.format == 3 {
			return byte(max(0, min(255, 255*float64(math.Float32frombits(v))+0.5)))
		}
		return byte(v >> 24)
	}
	v := 0
	for b := i * p.bits; b < (i+1)*p.bits; b++ {
		v = v<<1 | int(row[b/8]>>(7-b%8)&1)
	}
	if p.colors == colorsPalette {
		return byte(v)
	}
	return byte(v * 255 / (1<<p.bits - 1))
}

// drawJPEG draws a strip or tile that is a JPEG.
func (p *tiffPage) drawJPEG(c *tiffCanvas, i int, area image.Rectangle, plane int) error {
	// Adobe's marker says that RGB and CMYK are not transformed. Without it, a
	// decoder takes three components for YCbCr.
	head := "\xff\xd8"
	if p.colors == colorsRGB || p.colors == colorsCMYK {
		head += "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"
	}
	if t := p.jpegTables; len(t) > 4 {
		head += string(bytes.TrimSuffix(t[2:], []byte("\xff\xd9")))
	}
	open := func() io.Reader {
		r := p.chunk(i)
		_, _ = io.CopyN(io.Discard, r, 2)
		return io.MultiReader(bytes.NewReader([]byte(head)), r)
	}
	config, err := jpeg.DecodeConfig(open())
	if err != nil {
		return err
	}
	if config.Width > area.Dx()+64 || config.Height > area.Dy()+64 {
		return errTIFF
	}
	img, err := jpeg.Decode(open())
	if err != nil {
		return err
	}
	c.draw(img, area, plane)
	return nil
}

func (c *tiffCanvas) draw(img image.Image, area image.Rectangle, plane int) {
	size := img.Bounds().Size()
	for y := range min(size.Y, c.Height-area.Min.Y) {
		for x := range min(size.X, c.Width-area.Min.X) {
			to := c.pix[((area.Min.Y+y)*c.Width+area.Min.X+x)*c.step:]
			switch img := img.(type) {
			case *image.Gray:
				to[plane] = img.GrayAt(x, y).Y
			case *image.CMYK: // a decoder inverts it, as Adobe's files are
				v := img.CMYKAt(x, y)
				to[0], to[1], to[2], to[3] = 255-v.C, 255-v.M, 255-v.Y, 255-v.K
			default:
				r, g, b, _ := img.At(x, y).RGBA()
				to[0] = byte(r >> 8)
				if c.step == 4 {
					to[1], to[2] = byte(g>>8), byte(b>>8)
				}
			}
		}
	}
}

// picture turns the samples into a picture, in place.
func (c *tiffCanvas) picture() image.Image {
	area := image.Rect(0, 0, c.Width, c.Height)
	switch c.colors {
	case colorsWhiteIsZero:
		for i, v := range c.pix {
			c.pix[i] = 255 - v
		}
		fallthrough
	case colorsBlackIsZero:
		return &image.Gray{Pix: c.pix, Stride: c.Width, Rect: area}
	case colorsPalette:
		return &image.Paletted{Pix: c.pix, Stride: c.Width, Rect: area, Palette: c.colorTable()}
	}
	if c.colors == colorsRGB && c.used == 4 {
		return &image.NRGBA{Pix: c.pix, Stride: 4 * c.Width, Rect: area}
	}
	for i := 0; i < len(c.pix); i += 4 {
		p := c.pix[i : i+4]
		switch c.colors {
		case colorsCMYK:
			p[0], p[1], p[2] = color.CMYKToRGB(p[0], p[1], p[2], p[3])
		case colorsLab:
			p[0], p[1], p[2] = labToRGB(p[0], float64(int8(p[1])), float64(int8(p[2])))
		case colorsICCLab:
			p[0], p[1], p[2] = labToRGB(p[0], float64(p[1])-128, float64(p[2])-128)
		}
		p[3] = 0xff
	}
	return &image.RGBA{Pix: c.pix, Stride: 4 * c.Width, Rect: area}
}

// colorTable has 256 colors, so that no index is beyond it.
func (c *tiffCanvas) colorTable() color.Palette {
	table := make(color.Palette, 256)
	n := len(c.palette) / 3
	for i := range table {
		table[i] = color.Black
		if i < n {
			table[i] = color.RGBA64{uint16(c.palette[i]), uint16(c.palette[n+i]), uint16(c.palette[2*n+i]), 0xffff}
		}
	}
	return table
}

// labToRGB converts CIE L*a*b* under D50 to the screen's RGB.
func labToRGB(lightness byte, a, b float64) (byte, byte, byte) {
	f := func(t float64) float64 {
		if t > 6.0/29 {
			return t * t * t
		}
		return 3 * 36.0 / 841 * (t - 4.0/29)
	}
	fy := (float64(lightness)*100/255 + 16) / 116
	x, y, z := 0.9642*f(fy+a/500), f(fy), 0.8249*f(fy-b/200)
	to := func(v float64) byte {
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		return byte(max(0, min(255, 255*v+0.5)))
	}
	return to(3.1339*x - 1.6169*y - 0.4906*z), to(-0.9788*x + 1.9161*y + 0.0335*z), to(0.0719*x - 0.2290*y + 1.4052*z)
}
