package app_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"testing"

	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

// photo returns a PNG with shapes and grain, which compresses like a photo.
func photo(t *testing.T, width, height, seed int) []byte {
	t.Helper()
	img, grain := image.NewRGBA(image.Rect(0, 0, width, height)), rand.New(rand.NewPCG(1, uint64(seed)))
	wave := func(x float64) float64 { return 100 + 90*math.Sin(x) + 60*grain.Float64() }
	for y := range height {
		for x := range width {
			at, down := float64(x)/float64(width), float64(y)/float64(height)
			img.Set(x, y, color.RGBA{uint8(wave(at * float64(9+seed))), uint8(wave(down * float64(40-seed))),
				uint8(wave(at * down * 30)), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// mostOfList is the most that a list of 25 links transfers to an empty cache,
// in bytes.
const mostOfList = 100_000

// TestBrowserThumbnails checks that lists show the pictures of files whole and
// in their proportions, that a page of 25 of them is light, and that a title
// from right to left is beside its icon.
func TestBrowserThumbnails(t *testing.T) {
	d := webtest.NewDesk(t)
	webtest.Previewer(t, d)
	shapes := [][2]int{{1600, 900}, {600, 1200}, {800, 800}}
	for n := range 23 {
		shape := shapes[n%len(shapes)]
		d.Publish("picture.png", photo(t, shape[0]/2, shape[1]/2, n+1), webtest.Titled(fmt.Sprint("Photo ", n)))
	}
	d.Publish("report.pdf", webtest.Samples["report.pdf"], webtest.Titled("Report"))
	d.Publish("notes.txt", []byte("text"), webtest.Titled("تقرير المبيعات"))
	d.Check(d.Server.Previews.Make(t.Context()))
	tb := d.MemberTab(d.Member, "/links")
	tb.Run(chromedp.EmulateViewport(1440, 900))
	const pictures = `[...document.querySelectorAll(".badge img")]`
	tb.Run(chromedp.Evaluate(pictures+`.forEach((i) => (i.loading = "eager"))`, nil))
	tb.Until(pictures + `.length === 24 && ` + pictures + `.every((i) => i.complete && i.naturalWidth > 0)`)
	webtest.Same(t, "pictures that are cut or stretched", tb.Text(pictures+`.filter((i) => {
		const shown = i.getBoundingClientRect(), box = i.closest(".badge").getBoundingClientRect();
		const ratio = (shown.width - 2) / (shown.height - 2) / (i.naturalWidth / i.naturalHeight);
		return getComputedStyle(i).objectFit !== "fill" || ratio < 0.95 || ratio > 1.05 || shown.left < box.left - 1 ||
			shown.right > box.right + 1 || shown.top < box.top - 1 || shown.bottom > box.bottom + 1;
	}).map((i) => i.outerHTML).join()`), "")
	const beside = `(() => {
		const title = [...document.querySelectorAll(".title, h1")].find((a) => a.textContent.includes("تقرير"));
		const words = document.createRange();
		words.selectNodeContents(title);
		const left = (e) => e.getBoundingClientRect().left;
		return String(left(words) - left(title.parentElement) < 12);
	})()`
	webtest.Same(t, "title from right to left beside its icon", tb.Text(beside), "true")
	var sent int
	tb.Run(chromedp.Evaluate(`[...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")].reduce((sum, e) => sum + e.encodedBodySize, 0)`, &sent))
	t.Logf("a list of 25 links transfers %d bytes", sent)
	if sent > mostOfList {
		t.Errorf("a list of 25 links transfers %d bytes, want at most %d", sent, mostOfList)
	}
	for _, path := range []string{"/dashboard"} {
		tb.Run(chromedp.Navigate(d.URL + path))
		tb.Until(`document.querySelector(".title") !== null`)
		webtest.Same(t, "title from right to left on "+path, tb.Text(beside), "true")
	}
	tb.Quiet()
}
