package web_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"

	"vitrine/internal/test/webtest"
)

// makePicturePDF returns a PDF whose pages have a picture of noise each, a
// little over a quarter of a megabyte.
func makePicturePDF(pages int) []byte {
	f := webtest.NewPDF()
	picture := noise()
	for i := range pages {
		f.Page(fmt.Sprintf("Page %d", i+1), []string{"Publish a file."}, picture)
	}
	return f.Bytes()
}

// makeDeck returns a PDF of 12 landscape pages and 3 MB, with pictures. The
// first page has a photograph.
func makeDeck() []byte {
	f := webtest.NewPDF()
	f.Rotate = 90
	f.Page("Series A", []string{"Halden Robotics"}, photograph())
	picture := noise()
	for range 11 {
		f.Page("Where we are", []string{"Three warehouses use it each day."}, picture)
	}
	return f.Bytes()
}

// photograph returns a JPEG of 512 x 512 pixels that is as smooth as a
// photograph: hills of light, and a little grain.
func photograph() []byte {
	m := image.NewRGBA(image.Rect(0, 0, 512, 512))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 512 * 512 {
		x, y := float64(i%512), float64(i/512)
		light := uint8(128 + 50*math.Sin(x/31+y/77) + 50*math.Cos(y/23-x/59) + 12*r.Float64())
		m.SetRGBA(i%512, i/512, color.RGBA{light, light / 2, 255 - light, 255})
	}
	return encode(m)
}

// noise returns a JPEG of 512 x 512 random pixels.
func noise() []byte {
	m := image.NewRGBA(image.Rect(0, 0, 512, 512))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(r.Uint32())
	}
	return encode(m)
}

func encode(m image.Image) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 91}); err != nil {
		panic(err)
	}
	return b.Bytes()
}
