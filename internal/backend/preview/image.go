package preview

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"vitrine"

	"golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

var errTooLarge = errors.New("more pixels than are decoded")

// raster makes the parts of an image in a format that Go decodes.
func (j *job) raster() error {
	img, err := j.decode()
	if err != nil {
		return err
	}
	return j.putImage(upright(smaller(img, maxShown), j.orientation()), false)
}

// putImage stores the picture of an image. With too, it also stores the image,
// for formats that browsers do not support.
func (j *job) putImage(img image.Image, too bool) error {
	if too {
		if err := j.putJPEG(vitrine.PartImage, smaller(img, maxImage), imageQuality); err != nil {
			return err
		}
	}
	return j.putCover(img)
}

// decode decodes an image without turning it. The number of pixels must have
// been checked.
func (j *job) decode() (image.Image, error) {
	var img image.Image
	var err error
	r := j.reader()
	config, err := configOf(j.Ext, r)
	if err != nil {
		return nil, err
	}
	if err := fits(config); err != nil {
		return nil, err
	}
	if err := hasPixels(j.facts.Width, j.facts.Height); j.facts.Width > 0 && err != nil {
		return nil, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, machineError{err}
	}
	switch j.Ext {
	case "png":
		img, err = png.Decode(r)
	case "jpg":
		img, err = jpeg.Decode(r)
	case "gif":
		img, err = gif.Decode(r)
	case "webp":
		img, err = webp.Decode(r)
	case "bmp":
		img, err = bmp.Decode(r)
	}
	return img, err
}

func configOf(ext string, r io.Reader) (image.Config, error) {
	switch ext {
	case "png":
		return png.DecodeConfig(r)
	case "jpg":
		return jpeg.DecodeConfig(r)
	case "gif":
		return gif.DecodeConfig(r)
	case "webp":
		return webp.DecodeConfig(r)
	case "bmp":
		return bmp.DecodeConfig(r)
	}
	return image.Config{}, fmt.Errorf("no image %q", ext)
}

// fits reports an error if a decoded image takes more than maxDecoded.
func fits(c image.Config) error {
	if err := hasPixels(c.Width, c.Height); err != nil {
		return err
	}
	bytes := 4 // for each pixel
	if c.ColorModel == color.RGBA64Model || c.ColorModel == color.NRGBA64Model {
		bytes = 8
	}
	if c.Width*c.Height > maxDecoded/bytes {
		return errTooLarge
	}
	return nil
}

func hasPixels(width, height int) error {
	if width <= 0 || height <= 0 || width > maxPixels/height {
		return errTooLarge
	}
	return nil
}

// smaller scales an image down to at most longer pixels on its longer side, on
// a white background. It halves large images first. That averages all pixels
// and needs memory only for the half, while a sharper filter takes up to 32
// bytes per pixel.
func smaller(img image.Image, longer int) image.Image {
	whole := img.Bounds().Size()
	for {
		size := img.Bounds().Size()
		side := max(size.X, size.Y)
		switch o, ok := img.(interface{ Opaque() bool }); {
		case side > 2*longer:
			size = image.Pt(max(1, size.X/2), max(1, size.Y/2))
		case side > longer:
			side = max(whole.X, whole.Y)
			size = image.Pt(max(1, whole.X*longer/side), max(1, whole.Y*longer/side))
		case ok && o.Opaque():
			return img
		}
		img = onWhite(img, size)
	}
}

func onWhite(img image.Image, size image.Point) *image.RGBA {
	out := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(out, out.Bounds(), image.White, image.Point{}, draw.Src)
	draw.ApproxBiLinear.Scale(out, out.Bounds(), img, img.Bounds(), draw.Over, nil)
	return out
}

// pictureOf decodes the output image of a program.
func pictureOf(b []byte) (image.Image, error) {
	config, _, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	if err := fits(config); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(bytes.NewReader(b))
	return img, err
}
