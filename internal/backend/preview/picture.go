package preview

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math"

	"vitrine"

	"golang.org/x/image/draw"
)

// Sizes of a picture, in pixels. A picture is a card that shows the file like
// the public page.
const (
	cardWidth, cardHeight = vitrine.PictureWidth, vitrine.PictureHeight

	pageWidth = 840 // width of an upright page, which is cropped at the bottom
	pageTop   = 56
	thumbSide = 160 // longer side of a page in PartThumbs
	badgeSide = 96  // of the only image in PartThumbs: twice its size in lists
	mat       = 44  // margin around uncropped content

	pictureQuality = 82
	thumbQuality   = 75

	// Of PartFirst. Its size says that of an upright page. Other pages are
	// fitted into the window, so that only their shape is needed.
	firstDensity = 120  // pixels per inch; internal/web/viewer/pdf/view.js has it too
	firstWidth   = 1200 // pixels across, of other pages
	firstQuality = 70   // for slow networks

	imageQuality = 85
	maxImage     = 4096          // longer side of PartImage
	coverSide    = 720           // likewise, of the cover of a sound
	maxShown     = 2 * cardWidth // longer side of images drawn on a card, for sharper scaling

	// nearCard is the maximum difference between the proportions of an image
	// and the card for an image that fills the card. At most a fifth is
	// cropped.
	nearCard = 1.3
	// maxEnlarged is the maximum enlargement of a small image.
	maxEnlarged = 2
)

var wall = color.RGBA{0xe9, 0xe7, 0xe2, 0xff}

func newCard() *image.RGBA {
	card := image.NewRGBA(image.Rect(0, 0, cardWidth, cardHeight))
	draw.Draw(card, card.Bounds(), image.NewUniform(wall), image.Point{}, draw.Src)
	return card
}

// pageCard draws a page on a card: a slide uncropped, an upright page cropped
// at the bottom.
func pageCard(page image.Image) *image.RGBA {
	card, size := newCard(), page.Bounds().Size()
	at := uncropped(size, maxEnlarged)
	if size.X < size.Y {
		width := min(pageWidth, size.X)
		at = image.Rect(0, 0, width, size.Y*width/size.X).Add(image.Pt((cardWidth-width)/2, pageTop))
	}
	drawShadows(card, at)
	draw.CatmullRom.Scale(card, at, page, page.Bounds(), draw.Src, nil)
	return card
}

// imageCard draws an image on a card. It fills the card if little is cropped.
func imageCard(img image.Image) *image.RGBA {
	card, size := newCard(), img.Bounds().Size()
	grow := max(float64(cardWidth)/float64(size.X), float64(cardHeight)/float64(size.Y))
	off := float64(size.X) / float64(size.Y) * cardHeight / cardWidth
	if max(off, 1/off) <= nearCard && grow <= maxEnlarged {
		cut := image.Pt(int(cardWidth/grow+0.5), int(cardHeight/grow+0.5))
		from := image.Rectangle{Max: cut}.Add(size.Sub(cut).Div(2)).Add(img.Bounds().Min)
		draw.CatmullRom.Scale(card, card.Bounds(), img, from.Intersect(img.Bounds()), draw.Src, nil)
		return card
	}
	at := uncropped(size, maxEnlarged)
	drawShadows(card, at)
	draw.CatmullRom.Scale(card, at, img, img.Bounds(), draw.Src, nil)
	return card
}

// uncropped returns the centered rectangle for uncropped content.
func uncropped(size image.Point, enlarged float64) image.Rectangle {
	scale := min(float64(cardWidth-2*mat)/float64(size.X), float64(cardHeight-2*mat)/float64(size.Y), enlarged)
	w, h := max(1, int(float64(size.X)*scale+0.5)), max(1, int(float64(size.Y)*scale+0.5))
	return image.Rect(0, 0, w, h).Add(image.Pt((cardWidth-w)/2, (cardHeight-h)/2))
}

// drawShadows draws two shadows of a sheet: a narrow one for contrast with
// white, and a wide one below it.
func drawShadows(card *image.RGBA, at image.Rectangle) {
	shadow(card, at.Add(image.Pt(0, 1)), 2, 0.20)
	shadow(card, at.Add(image.Pt(0, 14)), 22, 0.26)
}

// shadow darkens a card below a rectangle, with a Gaussian blur of sigma
// pixels.
func shadow(card *image.RGBA, at image.Rectangle, sigma, strength float64) {
	across := blurred(at.Min.X, at.Max.X, cardWidth, sigma)
	down := blurred(at.Min.Y, at.Max.Y, cardHeight, sigma)
	ink := [3]float64{0x2a, 0x25, 0x1c}
	for y, b := range down {
		row := card.Pix[y*card.Stride:]
		for x, a := range across {
			alpha := a * b * strength
			for c, to := range ink {
				v := float64(row[4*x+c])
				row[4*x+c] = uint8(v + (to-v)*alpha + 0.5)
			}
		}
	}
}

// blurred returns the coverage of each pixel of a line by a blurred segment.
func blurred(from, to, length int, sigma float64) []float64 {
	line := make([]float64, length)
	for i := range line {
		at := float64(i) + 0.5
		line[i] = (math.Erf((float64(to)-at)/(sigma*math.Sqrt2)) - math.Erf((float64(from)-at)/(sigma*math.Sqrt2))) / 2
	}
	return line
}

// putCover stores the picture of a file that is one image, and a thumbnail of
// all of it.
func (j *job) putCover(img image.Image) error {
	if err := j.putPicture(imageCard(smaller(img, maxShown))); err != nil {
		return err
	}
	return j.putThumb(img)
}

// putThumb stores an image as the only one of PartThumbs.
func (j *job) putThumb(img image.Image) error {
	thumbs := newThumbs()
	if err := thumbs.add(1, smaller(img, badgeSide)); err != nil {
		return err
	}
	return j.putThumbs(thumbs)
}

// thumbs is a PartThumbs that is being made.
type thumbs struct {
	b bytes.Buffer
	z *zip.Writer
	n int
}

func newThumbs() *thumbs {
	t := new(thumbs)
	t.z = zip.NewWriter(&t.b)
	return t
}

// add adds the image of a page.
func (t *thumbs) add(page int, img image.Image) error {
	var thumb bytes.Buffer
	if err := jpeg.Encode(&thumb, img, &jpeg.Options{Quality: thumbQuality}); err != nil {
		return err
	}
	w, err := t.z.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("%d.jpg", page), Method: zip.Store})
	if err == nil {
		_, err = w.Write(thumb.Bytes())
		t.n++
	}
	return err
}

// putThumbs stores thumbnails, if there are any.
func (j *job) putThumbs(t *thumbs) error {
	if err := t.z.Close(); err != nil || t.n == 0 {
		return err
	}
	return j.put(vitrine.PartThumbs, func(w io.Writer) error { _, err := w.Write(t.b.Bytes()); return err })
}

// putPicture stores a card as PartPicture.
func (j *job) putPicture(card image.Image) error {
	return j.putJPEG(vitrine.PartPicture, card, pictureQuality)
}

// firstSize returns the size of PartFirst in pixels, for the size of a page in
// points. ok is false for a page that is too large or too narrow for a picture.
func firstSize(width, height float64) (w, h int, ok bool) {
	scale := firstDensity / 72.0
	if width > height {
		scale = firstWidth / width
	}
	w, h = int(width*scale+0.5), int(height*scale+0.5)
	return w, h, w > 0 && h > 0 && h <= maxPageRatio*w && w <= 2*firstWidth
}

// putFirst stores a picture of that size.
func (j *job) putFirst(page image.Image) error {
	return j.putJPEG(vitrine.PartFirst, page, firstQuality)
}

func (j *job) putJPEG(p vitrine.Part, img image.Image, quality int) error {
	return j.put(p, func(w io.Writer) error { return jpeg.Encode(w, img, &jpeg.Options{Quality: quality}) })
}
