package viewer

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"sync"

	"vitrine"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// The colors of the page in daylight.
var (
	wallColor  = color.RGBA{0xe9, 0xe7, 0xe2, 0xff}
	lightColor = color.RGBA{0xf8, 0xf7, 0xf4, 0xff}
	glassColor = color.RGBA{0xfb, 0xfa, 0xf7, 0xff}
	inkColor   = color.RGBA{0x1d, 0x1b, 0x18, 0xff}
	softColor  = color.RGBA{0x64, 0x5f, 0x56, 0xff}
	brassColor = color.RGBA{0x7a, 0x59, 0x12, 0xff}
)

// fonts are read when the first card is drawn. They only have Latin letters, so
// cards have no title.
var fonts = sync.OnceValue(func() (f struct{ regular, medium, bold *opentype.Font }) {
	for _, x := range []struct {
		to  **opentype.Font
		ttf []byte
	}{{&f.regular, goregular.TTF}, {&f.medium, gomedium.TTF}, {&f.bold, gobold.TTF}} {
		var err error
		if *x.to, err = opentype.Parse(x.ttf); err != nil {
			panic(err) // it is part of the program
		}
	}
	return f
})

// canvas is a picture being drawn.
type canvas struct{ *image.RGBA }

// DrawCard draws a sheet of paper with a badge, as on the page of a link, a
// line below it, and the logo.
func DrawCard(badge, line string) ([]byte, error) {
	c := canvas{image.NewRGBA(image.Rect(0, 0, vitrine.PictureWidth, vitrine.PictureHeight))}
	const middle = vitrine.PictureWidth / 2
	c.lightFromAbove()
	for i := range 20 { // a shadow
		d := float32(i) * 2.5
		c.fill(color.RGBA{0, 0, 0, 2}, rounded(middle-132+30-d, 148+30-d, 264-60+2*d, 280-60+2*d, 12+d/2, 60+d/2))
	}
	c.fill(softColor, rounded(middle-120, 112, 240, 300, 20, 72))
	c.fill(glassColor, rounded(middle-115, 117, 230, 290, 16, 67))
	if err := c.text(fonts().bold, 68, 200, brassColor, middle, 370, badge); err != nil {
		return nil, err
	}
	if err := c.text(fonts().regular, 36, 1080, softColor, middle, 496, line); err != nil {
		return nil, err
	}
	c.mark(middle-82, 538, 44)
	if err := c.text(fonts().medium, 34, 300, inkColor, middle+22, 572, "Vitrine"); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := z.Encode(&b, c); err != nil {
		return nil, fmt.Errorf("draw a card: %w", err)
	}
	return b.Bytes(), nil
}

// lightFromAbove paints the wall.
func (c canvas) lightFromAbove() {
	size := c.Bounds().Size()
	between := func(a, b uint8, t float64) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*t + .5) }
	for y := range size.Y {
		for x := range size.X {
			dx, dy := (float64(x)/float64(size.X)-.5)/.75, (float64(y)/float64(size.Y)+.1)/1.1
			t := min(1, math.Sqrt(dx*dx+dy*dy))
			c.SetRGBA(x, y, color.RGBA{between(lightColor.R, wallColor.R, t), between(lightColor.G, wallColor.G, t),
				between(lightColor.B, wallColor.B, t), 0xff})
		}
	}
}

// outline adds a shape to the area to fill.
type outline func(*vector.Rasterizer)

func (c canvas) fill(with color.Color, shapes ...outline) {
	size := c.Bounds().Size()
	z := vector.NewRasterizer(size.X, size.Y)
	for _, add := range shapes {
		add(z)
	}
	z.DrawOp = draw.Over
	// Draw has a fast path for *image.RGBA, but not for a type that embeds one.
	z.Draw(c.RGBA, c.Bounds(), image.NewUniform(with), image.Point{})
}

// rounded returns a rectangle with rounded corners; the upper right one has its
// own radius.
func rounded(x, y, w, h, radius, upperRight float32) outline {
	return func(z *vector.Rasterizer) {
		z.MoveTo(x+radius, y)
		z.LineTo(x+w-upperRight, y)
		z.QuadTo(x+w, y, x+w, y+upperRight)
		z.LineTo(x+w, y+h-radius)
		z.QuadTo(x+w, y+h, x+w-radius, y+h)
		z.LineTo(x+radius, y+h)
		z.QuadTo(x, y+h, x, y+h-radius)
		z.LineTo(x, y+radius)
		z.QuadTo(x, y, x+radius, y)
		z.ClosePath()
	}
}

// polygon returns a shape of straight lines. Points are x and y in turn within
// a square of 24, which is drawn at a position and size.
func polygon(x, y, size float32, points ...float32) outline {
	return func(z *vector.Rasterizer) {
		at := func(i int) (float32, float32) { return x + points[i]*size/24, y + points[i+1]*size/24 }
		z.MoveTo(at(0))
		for i := 2; i < len(points); i += 2 {
			z.LineTo(at(i))
		}
		z.ClosePath()
	}
}

// mark draws the display case with its gem, as icon.svg has it.
func (c canvas) mark(x, y, size float32) {
	const thin = .75 // half a stroke
	bar := func(x0, y0, x1, y1 float32) outline {
		return polygon(x, y, size, x0-thin, y0-thin, x1+thin, y0-thin, x1+thin, y1+thin, x0-thin, y1+thin)
	}
	c.fill(inkColor, bar(4.75, 2.75, 19.25, 2.75), bar(4.75, 13.25, 19.25, 13.25), bar(4.75, 2.75, 4.75, 13.25),
		bar(19.25, 2.75, 19.25, 13.25),
		bar(7.25, 13.25, 7.25, 21.25), bar(16.75, 13.25, 16.75, 21.25), bar(7.25, 21.25, 16.75, 21.25))
	c.fill(brassColor, polygon(x, y, size, 12, 4.75, 14.5, 8.75, 12, 11.25, 9.5, 8.75))
}

// text writes a line centred at x with its baseline at y. A line that is too
// wide gets a smaller font.
func (c canvas) text(f *opentype.Font, size, widest float64, with color.Color, x, y int, s string) error {
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		return fmt.Errorf("draw a card: %w", err)
	}
	width := font.MeasureString(face, s)
	if w := float64(width) / 64; w > widest && size > 8 {
		return c.text(f, max(8, size*widest/w*.99), widest, with, x, y, s)
	}
	d := font.Drawer{Dst: c, Src: image.NewUniform(with), Face: face,
		Dot: fixed.Point26_6{X: fixed.I(x) - width/2, Y: fixed.I(y)}}
	d.DrawString(s)
	return nil
}
