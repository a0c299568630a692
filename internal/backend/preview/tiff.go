package preview

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"time"

	"vitrine"
)

// Limits of the pages of a TIFF, which become a PDF of JPEGs.
const (
	scanSide     = 2200 // longer side of a page, in pixels: A4 at 190 dots an inch
	scanSideMany = 1400 // of each of more than manyScans pages
	manyScans    = 100
	scanTime     = 20 * time.Second // CPU time for all of them
	maxScans     = maxPart - 4*mib  // bytes of the PDF
)

// scan makes the parts of a TIFF: the image of one page, or a PDF of several.
func (j *job) scan() error {
	pages, err := tiffPages(j.file)
	if err != nil {
		return err
	}
	if len(pages) == 1 {
		img, err := scanned(pages[0], maxImage)
		if err != nil {
			return err
		}
		return j.putImage(img, true)
	}
	side := scanSide
	if len(pages) > manyScans {
		side = scanSideMany
	}
	first, err := scanned(pages[0], side)
	for i := 1; err != nil && i < len(pages); i++ { // any page tells whether pages can be shown
		_, err = scanned(pages[i], side)
	}
	if err != nil {
		return err
	}
	if err := j.put(vitrine.PartPages, func(w io.Writer) error { return scans(w, pages, side) }); err != nil {
		return err
	}
	if first == nil {
		return nil
	}
	if err := j.putPicture(pageCard(smaller(first, maxShown))); err != nil {
		return err
	}
	width, height, ok := firstSize(pageSize(first.Bounds().Size()))
	if ok {
		err = j.putFirst(onWhite(first, image.Pt(width, height)))
	}
	if err != nil {
		return err
	}
	return j.putThumb(first)
}

// scanned returns a page as it is read: upright, with square pixels, and at
// most longer pixels on its longer side.
func scanned(p *tiffPage, longer int) (image.Image, error) {
	if err := hasPixels(p.Width, p.Height); err != nil {
		return nil, err
	}
	img, err := p.Decode()
	if err != nil {
		return nil, err
	}
	img = smaller(img, longer)
	if size := img.Bounds().Size(); p.Stretch > 1.05 || p.Stretch < 0.95 { // a fax
		size.X, size.Y = int(float64(size.X)*max(1, 1/p.Stretch)), int(float64(size.Y)*max(1, p.Stretch))
		img = smaller(onWhite(img, size), longer)
	}
	return upright(img, p.Orientation), nil
}

// scans writes a PDF with all pages. A page that cannot be drawn says so, so
// that the pages keep their numbers.
func scans(w io.Writer, pages []*tiffPage, side int) error {
	d := &pdfWriter{w: w}
	d.printf("%%PDF-1.4\n")
	until := ownTime() + scanTime
	for i, p := range pages {
		img, err := image.Image(nil), errors.New("no room or time for it")
		if ownTime() < until && d.size < maxScans {
			img, err = scanned(p, side)
		}
		if err != nil {
			d.note(fmt.Sprintf("Page %d cannot be shown here. It is in the file.", i+1))
			continue
		}
		d.picture(img)
	}
	return d.end()
}

// pdfWriter writes a PDF whose pages are pictures.
type pdfWriter struct {
	w     io.Writer
	size  int
	at    []int // offsets of objects; the first two are written last
	pages []int // objects of pages
	err   error
}

func (d *pdfWriter) Write(b []byte) (int, error) {
	if d.err == nil {
		_, d.err = d.w.Write(b)
	}
	d.size += len(b)
	return len(b), d.err
}

func (d *pdfWriter) printf(format string, args ...any) { fmt.Fprintf(d, format, args...) }

// object begins an object and returns its number.
func (d *pdfWriter) object() int {
	if d.at == nil {
		d.at = make([]int, 3) // catalog, pages, font
	}
	d.at = append(d.at, d.size)
	d.printf("%d 0 obj\n", len(d.at))
	return len(d.at)
}

func (d *pdfWriter) stream(dict string, b []byte) int {
	n := d.object()
	d.printf("<<%s/Length %d>>\nstream\n", dict, len(b))
	_, _ = d.Write(b)
	d.printf("\nendstream\nendobj\n")
	return n
}

func (d *pdfWriter) page(width, height float64, resources, operators string) {
	content := d.stream("", []byte(operators))
	d.pages = append(d.pages, d.object())
	d.printf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 %.2f %.2f]/Contents %d 0 R/Resources<<%s>>>>\nendobj\n", width, height,
		content, resources)
}

// a4 is the longer side of a page, in points.
const a4 = 842

func (d *pdfWriter) picture(img image.Image) {
	size := img.Bounds().Size()
	colors := "DeviceRGB"
	if _, ok := img.(*image.Gray); ok {
		colors = "DeviceGray"
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: pictureQuality}); err != nil {
		d.err = errors.Join(d.err, err)
		return
	}
	n := d.stream(fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/%s/BitsPerComponent 8/Filter/DCTDecode",
		size.X, size.Y, colors), b.Bytes())
	width, height := pageSize(size)
	d.page(width, height, fmt.Sprintf("/XObject<</I %d 0 R>>", n),
		fmt.Sprintf("%.2f 0 0 %.2f 0 0 cm /I Do", width, height))
}

// pageSize returns the size of the page of a picture, in points.
func pageSize(picture image.Point) (width, height float64) {
	scale := a4 / float64(max(picture.X, picture.Y))
	return float64(picture.X) * scale, float64(picture.Y) * scale
}

func (d *pdfWriter) note(text string) {
	d.page(595, a4, "/Font<</F 3 0 R>>", fmt.Sprintf("BT /F 16 Tf 72 %d Td (%s) Tj ET", a4-100, text))
}

// end writes what the pages belong to, and the table of objects.
func (d *pdfWriter) end() error {
	begin := func(n int) {
		d.at[n-1] = d.size
		d.printf("%d 0 obj\n", n)
	}
	begin(1)
	d.printf("<</Type/Catalog/Pages 2 0 R>>\nendobj\n")
	begin(2)
	d.printf("<</Type/Pages/Count %d/Kids[", len(d.pages))
	for _, n := range d.pages {
		d.printf("%d 0 R ", n)
	}
	d.printf("]>>\nendobj\n")
	begin(3)
	d.printf("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj\n")
	table := d.size
	d.printf("xref\n0 %d\n0000000000 65535 f \n", len(d.at)+1)
	for _, at := range d.at {
		d.printf("%010d 00000 n \n", at)
	}
	d.printf("trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(d.at)+1, table)
	return d.err
}
