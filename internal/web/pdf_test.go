package web_test

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
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

// noise returns a JPEG of 512 x 512 random pixels.
func noise() []byte {
	m := image.NewRGBA(image.Rect(0, 0, 512, 512))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(r.Uint32())
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 91}); err != nil {
		panic(err)
	}
	return b.Bytes()
}
