package web_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	pngfile "image/png"
	"math"
	"testing"
	"time"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// rect is a rectangle in the window.
type rect struct{ Left, Top, Width, Height float64 }

func (r rect) String() string {
	return fmt.Sprintf("%.1f×%.1f at %.1f, %.1f", r.Width, r.Height, r.Left, r.Top)
}

// imageRect returns the rectangle of the image after it has stopped moving.
func (tb *tab) imageRect() (r rect) {
	tb.t.Helper()
	tb.until(`document.querySelector(".picture img").getAnimations().length === 0`)
	tb.run(chromedp.Evaluate(`(({left, top, width, height}) => ({Left: left, Top: top, Width: width, Height: height}))(document.querySelector(".picture img").getBoundingClientRect())`, &r))
	return r
}

// at returns the position in the image, as fractions of its size, of a point of
// the window.
func (r rect) at(x, y float64) (float64, float64) {
	return (x - r.Left) / r.Width, (y - r.Top) / r.Height
}

func near(a, b, within float64) bool { return math.Abs(a-b) <= within }

// solid returns a picture of one colour, half of it transparent.
func solid(width, height int) []byte {
	m := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.NRGBA{0, 128, 128, 255}, color.NRGBA{}})
	for i := len(m.Pix) / 2; i < len(m.Pix); i++ {
		m.Pix[i] = 1
	}
	var b bytes.Buffer
	if err := pngfile.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func drawing(width, height int) []byte {
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d"><rect width="100%%" height="100%%" fill="teal"/></svg>`, width, height)
}

func wheel(x, y, dy float64, modifiers input.Modifier) chromedp.Action {
	return input.DispatchMouseEvent(input.MouseWheel, x, y).WithDeltaX(0).WithDeltaY(dy).WithModifiers(modifiers)
}

func mouse(kind input.MouseType, x, y float64, clicks int64) *input.DispatchMouseEventParams {
	return input.DispatchMouseEvent(kind, x, y).WithButton(input.Left).WithButtons(1).WithClickCount(clicks)
}

func touch(kind input.TouchType, points ...float64) *input.DispatchTouchEventParams {
	var all []*input.TouchPoint
	for i := 0; i < len(points); i += 2 {
		all = append(all, &input.TouchPoint{X: points[i], Y: points[i+1], ID: float64(i/2 + 1)})
	}
	return input.DispatchTouchEvent(kind, all)
}

const shownImage = `document.querySelector(".picture img").complete && !document.getElementById("bar").hidden`

func TestBrowserImage(t *testing.T) {
	s := newSite(t)
	tb := newTab(t, s.page(s.sample("picture.png")))
	tb.until(shownImage + ` && document.querySelector(".picture img").getBoundingClientRect().width === 64`) // a small image is not enlarged
	tb.quiet()
}

// TestBrowserZoom checks how the wheel, the mouse, the keys and the bar zoom
// and move a large image, for pixels and for vector graphics.
func TestBrowserZoom(t *testing.T) {
	for name, content := range map[string][]byte{"wide.svg": drawing(2400, 1800), "wide.png": solid(2400, 1800)} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			tb := newTab(t, chromedp.EmulateViewport(1280, 800), s.page(s.publish(name, content)))
			tb.until(shownImage)
			fitted := tb.imageRect()
			if fitted.Left < 0 || fitted.Top < 0 || fitted.Left+fitted.Width > 1280 || fitted.Top+fitted.Height > 800 ||
				!near(fitted.Width/fitted.Height, 4.0/3, .01) {
				t.Fatalf("fitted image: %v", fitted)
			}
			percent := func(want string) {
				t.Helper()
				tb.until(`document.getElementById("scale").textContent === "` + want + ` %"`)
			}
			back := func() {
				t.Helper()
				tb.run(chromedp.KeyEvent("0"))
				if r := tb.imageRect(); !near(r.Width, fitted.Width, 1) || !near(r.Left, fitted.Left, 1) ||
					!near(r.Top, fitted.Top, 1) {
					t.Fatalf("fitted again: %v, want %v as at first", r, fitted)
				}
				tb.until(`document.getElementById("fit").getAttribute("aria-pressed") === "true" && document.getElementById("smaller").disabled`)
			}

			for _, modifiers := range []input.Modifier{0, input.ModifierCtrl} {
				before := tb.imageRect()
				tb.run(wheel(600, 300, -120, modifiers), wheel(600, 300, -120, modifiers))
				tb.until(fmt.Sprintf(`document.querySelector(".picture img").getBoundingClientRect().width > %g`,
					before.Width*1.5))
				after := tb.imageRect()
				bx, by := before.at(600, 300)
				ax, ay := after.at(600, 300)
				if !near(ax, bx, .05) || !near(ay, by,
					.05) { // the image stays centred until it is wider than the window
					t.Errorf("zoomed at %.3f, %.3f, which is now at %.3f, %.3f", bx, by, ax, ay)
				}
				tb.run(wheel(600, 300, 5000, modifiers))
				tb.until(fmt.Sprintf(`document.querySelector(".picture img").getBoundingClientRect().width < %g`,
					after.Width-10))
				back()
			}

			tb.run(chromedp.KeyEvent("1"))
			percent("100")
			if r := tb.imageRect(); !near(r.Width, 2400, 1) {
				t.Errorf("at 100 %%: %v, want width 2400", r)
			}
			tb.run(chromedp.KeyEvent("+"))
			percent("125")
			tb.run(chromedp.Click("#larger"))
			percent("156")
			tb.run(chromedp.KeyEvent("-"), chromedp.Click("#smaller"))
			percent("100")

			// Dragging moves the image with the pointer, but not beyond its
			// edge.
			before := tb.imageRect()
			tb.run(mouse(input.MousePressed, 640, 400, 1), mouse(input.MouseMoved, 600, 380, 0),
				mouse(input.MouseMoved, 540, 350, 0), mouse(input.MouseReleased, 540, 350, 1))
			after := tb.imageRect()
			if !near(after.Left, before.Left-100, 1) || !near(after.Top, before.Top-50, 1) {
				t.Errorf("dragged by -100, -50: from %v to %v", before, after)
			}
			tb.run(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowDown))
			if r := tb.imageRect(); !near(r.Left, after.Left-80, 1) || !near(r.Top, after.Top-80, 1) {
				t.Errorf("moved by keys from %v to %v", after, r)
			}
			for _, far := range []float64{-9000, 9000} {
				tb.run(mouse(input.MousePressed, 640, 400, 1), mouse(input.MouseMoved, 640+far, 400+far, 0),
					mouse(input.MouseReleased, 640+far, 400+far, 1))
				if r := tb.imageRect(); r.Left > 100 || r.Top > 200 || r.Left+r.Width < 1180 || r.Top+r.Height < 650 {
					t.Errorf("the image was dragged out of the window: %v", r)
				}
			}
			back()

			// A double click shows the full size with that point under the
			// pointer; another one fits the image again.
			double := func(until string) {
				t.Helper()
				when := input.TimeSinceEpoch(time.Now())
				for clicks := range int64(2) {
					tb.run(mouse(input.MousePressed, 500, 300, clicks+1).WithTimestamp(&when),
						mouse(input.MouseReleased, 500, 300, clicks+1).WithTimestamp(&when))
				}
				tb.until(until + ` && document.getAnimations().length === 0`) // the animation has ended
			}
			double(`document.getElementById("scale").textContent === "100 %"`)
			bx, by := fitted.at(500, 300)
			if ax, ay := tb.imageRect().at(500, 300); !near(ax, bx, .01) || !near(ay, by, .01) {
				t.Errorf("zoomed at %.3f, %.3f, which is now at %.3f, %.3f", bx, by, ax, ay)
			}
			double(`document.getElementById("fit").getAttribute("aria-pressed") === "true"`)
			back()

			// The image adapts to the size of the window.
			tb.run(chromedp.EmulateViewport(600, 700))
			tb.until(`document.querySelector(".picture img").getBoundingClientRect().right <= 600`)
			if r := tb.imageRect(); r.Width < 500 || !near(r.Left+r.Width/2, 300, 1) {
				t.Errorf("in a smaller window: %v", r)
			}
			tb.quiet()
		})
	}
}

// TestBrowserPinch checks touch: two fingers zoom, one moves, a double tap
// zooms, and the page itself is not scaled.
func TestBrowserPinch(t *testing.T) {
	s := newSite(t)
	l := s.publish("wide.png", solid(1500, 1000))
	tb := newTab(t, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch),
		emulation.SetTouchEmulationEnabled(true).WithMaxTouchPoints(5), s.page(l))
	tb.until(shownImage)
	fitted := tb.imageRect()
	tb.run(touch(input.TouchStart, 150, 450), touch(input.TouchStart, 150, 450, 250, 450))
	for _, d := range []float64{20, 50} {
		tb.run(touch(input.TouchMove, 150-d, 450, 250+d, 450))
	}
	tb.run(touch(input.TouchEnd))
	pinched := tb.imageRect()
	bx, by := fitted.at(200, 450)
	if ax, ay := pinched.at(200, 450); !near(pinched.Width, 2*fitted.Width, 2) || !near(ax, bx, .02) ||
		!near(ay, by, .3) {
		t.Errorf("zoomed to twice the size: %v to %v", fitted, pinched)
	}
	tb.run(touch(input.TouchStart, 200, 450), touch(input.TouchMove, 180, 450), touch(input.TouchMove, 150, 450),
		touch(input.TouchEnd))
	if r := tb.imageRect(); !near(r.Left, pinched.Left-50, 1) {
		t.Errorf("moved from %v to %v", pinched, r)
	}
	double := func(until string) {
		t.Helper()
		when := input.TimeSinceEpoch(time.Now())
		for range 2 {
			tb.run(touch(input.TouchStart, 200, 450).WithTimestamp(&when), touch(input.TouchEnd).WithTimestamp(&when))
		}
		tb.until(until)
	}
	double(`document.getElementById("fit").getAttribute("aria-pressed") === "true"`)
	double(`document.getElementById("scale").textContent === "100 %" && visualViewport.scale === 1`)
	tb.quiet()
}

// TestBrowserTallImage checks that a tall screenshot is shown from its top in
// the width of the window, that the wheel scrolls it, and that the page reports
// how far it was seen.
func TestBrowserTallImage(t *testing.T) {
	s := newTimed(t, nil)
	l := s.publish("tall.png", solid(900, 9000))
	r := s.open(newTab(t, chromedp.EmulateViewport(800, 600)), l)
	tb := r.tab
	tb.until(shownImage)
	first := tb.imageRect()
	if first.Width < 700 || first.Top < 68 || first.Top > 120 || first.Height < 7000 {
		t.Errorf("rectangle at first: %v", first)
	}
	r.read(time.Second)
	scroll := func() {
		tb.run(wheel(400, 300, 1500, 0), wheel(400, 300, 1500, 0))
		tb.until(fmt.Sprintf(`document.querySelector(".picture img").getBoundingClientRect().top === %g`,
			first.Top-3000))
	}
	scroll()
	r.read(time.Second)
	var percent int64
	tb.run(chromedp.Evaluate(`(r => Math.round((innerHeight - r.top) / r.height * 100))(document.querySelector(".picture img").getBoundingClientRect())`, &percent))
	tb.leave()
	if n := r.measured(0); n.Depth != percent*10_000 || percent >= 70 {
		t.Errorf("%d %% were seen, but the session is %+v", percent, n)
	}

	tb = newTab(t, chromedp.EmulateViewport(800, 600), s.page(l))
	tb.until(shownImage)
	tb.run(chromedp.Click("#fit")) // the whole image
	if r := tb.imageRect(); r.Height > 600 {
		t.Errorf("whole image: %v, want at most 600 high", r)
	}
	tb.run(chromedp.Click("#fit"))
	if r := tb.imageRect(); r != first {
		t.Errorf("fitted again: %v, want %v as at first", r, first)
	}
	scroll()
	tb.run(chromedp.EmulateViewport(790, 600))
	tb.until(`document.querySelector(".picture img").getBoundingClientRect().right <= 790`)
	tb.until(`document.querySelector(".picture img").getBoundingClientRect().top < -2500`) // the position from before
	tb.quiet()
}

// TestBrowserOtherImages checks animated, transparent and unreadable images.
func TestBrowserOtherImages(t *testing.T) {
	s := newSite(t)
	var b bytes.Buffer
	frame := func(c color.Color) *image.Paletted {
		return image.NewPaletted(image.Rect(0, 0, 1600, 900), color.Palette{c})
	}
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{frame(color.Black), frame(color.White)},
		Delay: []int{10, 10}}); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"moving.gif": b.Bytes(), "clear.png": solid(2000, 1000),
		"endless.svg": []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 20"><rect width="10" height="20"/></svg>`)} {
		tb := newTab(t, chromedp.EmulateViewport(1000, 700), s.page(s.publish(name, content)))
		tb.until(shownImage + ` && getComputedStyle(document.querySelector(".picture img")).backgroundImage.includes("conic")`)
		before := tb.imageRect()
		tb.run(chromedp.KeyEvent("+"))
		if r := tb.imageRect(); !near(r.Width, 1.25*before.Width, 1) || before.Width < 20 {
			t.Errorf("%s: from %v to %v", name, before, r)
		}
		tb.quiet()
	}
	broken := s.publish("scan.tiff", makeTIFF(t)) // no preview is made of it here
	tb := newTab(t, s.page(broken))
	tb.until(`document.querySelector("#cannot").checkVisibility() && document.getElementById("bar").hidden && document.querySelector("#cannot a[data-download]") !== null`)
}

// TestBrowserImageWithoutScripting checks that without scripting an image is
// fitted and a switch shows it in full size.
func TestBrowserImageWithoutScripting(t *testing.T) {
	s := newSite(t)
	l := s.publish("wide.png", solid(1500, 1000))
	tb := newTab(t, chromedp.EmulateViewport(1000, 700), emulation.SetScriptExecutionDisabled(true), s.page(l))
	width := func() float64 {
		t.Helper()
		var box *dom.BoxModel
		tb.run(chromedp.Dimensions(".picture img", &box, chromedp.ByQuery))
		return float64(box.Width)
	}
	if w := width(); w > 1000 {
		t.Errorf("fitted width = %g, want at most 1000", w)
	}
	tb.run(chromedp.MouseClickXY(500, 400))
	if w := width(); w != 1500 {
		t.Errorf("full width = %g, want 1500", w)
	}
}
