package viewer_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"math"
	"testing"
	"time"

	"vitrine/internal/test/webtest"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func near(a, b, within float64) bool { return math.Abs(a-b) <= within }

func drawing(width, height int) []byte {
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d"><rect width="100%%" height="100%%" fill="teal"/></svg>`, width, height)
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

func TestBrowserImage(t *testing.T) {
	s := webtest.NewSite(t)
	tb := webtest.NewTab(t, s.Page(s.Sample("picture.png")))
	tb.Until(webtest.ShownImage + ` && document.querySelector(".picture img").getBoundingClientRect().width === 64`) // a small image is not enlarged
	tb.Quiet()
}

// TestBrowserZoom checks how the wheel, the mouse, the keys and the bar zoom
// and move a large image, for pixels and for vector graphics.
func TestBrowserZoom(t *testing.T) {
	for name, content := range map[string][]byte{"wide.svg": drawing(2400, 1800), "wide.png": webtest.Solid(2400,
		1800)} {
		t.Run(name, func(t *testing.T) {
			s := webtest.NewSite(t)
			tb := webtest.NewTab(t, chromedp.EmulateViewport(1280, 800), s.Page(s.Publish(name, content)))
			tb.Until(webtest.ShownImage)
			fitted := tb.ImageRect()
			if fitted.Left < 0 || fitted.Top < 0 || fitted.Left+fitted.Width > 1280 || fitted.Top+fitted.Height > 800 ||
				!near(fitted.Width/fitted.Height, 4.0/3, .01) {
				t.Fatalf("fitted image: %v", fitted)
			}
			percent := func(want string) {
				t.Helper()
				tb.Until(`document.getElementById("scale").textContent === "` + want + ` %"`)
			}
			back := func() {
				t.Helper()
				tb.Run(webtest.Keys("0"))
				if r := tb.ImageRect(); !near(r.Width, fitted.Width, 1) || !near(r.Left, fitted.Left, 1) ||
					!near(r.Top, fitted.Top, 1) {
					t.Fatalf("fitted again: %v, want %v as at first", r, fitted)
				}
				tb.Until(`document.getElementById("fit").getAttribute("aria-pressed") === "true" && document.getElementById("smaller").disabled`)
			}

			for _, modifiers := range []input.Modifier{0, input.ModifierCtrl} {
				before := tb.ImageRect()
				tb.Run(webtest.Wheel(600, 300, -120, modifiers), webtest.Wheel(600, 300, -120, modifiers))
				tb.Until(fmt.Sprintf(`document.querySelector(".picture img").getBoundingClientRect().width > %g`,
					before.Width*1.5))
				after := tb.ImageRect()
				bx, by := before.At(600, 300)
				ax, ay := after.At(600, 300)
				if !near(ax, bx, .05) || !near(ay, by,
					.05) { // the image stays centred until it is wider than the window
					t.Errorf("zoomed at %.3f, %.3f, which is now at %.3f, %.3f", bx, by, ax, ay)
				}
				tb.Run(webtest.Wheel(600, 300, 5000, modifiers))
				tb.Until(fmt.Sprintf(`document.querySelector(".picture img").getBoundingClientRect().width < %g`,
					after.Width-10))
				back()
			}

			tb.Run(webtest.Keys("1"))
			percent("100")
			if r := tb.ImageRect(); !near(r.Width, 2400, 1) {
				t.Errorf("at 100 %%: %v, want width 2400", r)
			}
			tb.Run(webtest.Keys("+"))
			percent("125")
			tb.Run(chromedp.Click("#larger"))
			percent("156")
			tb.Run(webtest.Keys("-"), chromedp.Click("#smaller"))
			percent("100")

			// Dragging moves the image with the pointer, but not beyond its
			// edge.
			before := tb.ImageRect()
			tb.Run(mouse(input.MousePressed, 640, 400, 1), mouse(input.MouseMoved, 600, 380, 0),
				mouse(input.MouseMoved, 540, 350, 0), mouse(input.MouseReleased, 540, 350, 1))
			after := tb.ImageRect()
			if !near(after.Left, before.Left-100, 1) || !near(after.Top, before.Top-50, 1) {
				t.Errorf("dragged by -100, -50: from %v to %v", before, after)
			}
			tb.Run(webtest.Keys(kb.ArrowRight), webtest.Keys(kb.ArrowDown))
			if r := tb.ImageRect(); !near(r.Left, after.Left-80, 1) || !near(r.Top, after.Top-80, 1) {
				t.Errorf("moved by keys from %v to %v", after, r)
			}
			for _, far := range []float64{-9000, 9000} {
				tb.Run(mouse(input.MousePressed, 640, 400, 1), mouse(input.MouseMoved, 640+far, 400+far, 0),
					mouse(input.MouseReleased, 640+far, 400+far, 1))
				if r := tb.ImageRect(); r.Left > 100 || r.Top > 200 || r.Left+r.Width < 1180 || r.Top+r.Height < 650 {
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
					tb.Run(mouse(input.MousePressed, 500, 300, clicks+1).WithTimestamp(&when),
						mouse(input.MouseReleased, 500, 300, clicks+1).WithTimestamp(&when))
				}
				tb.Until(until + ` && document.getAnimations().length === 0`) // the animation has ended
			}
			double(`document.getElementById("scale").textContent === "100 %"`)
			bx, by := fitted.At(500, 300)
			if ax, ay := tb.ImageRect().At(500, 300); !near(ax, bx, .01) || !near(ay, by, .01) {
				t.Errorf("zoomed at %.3f, %.3f, which is now at %.3f, %.3f", bx, by, ax, ay)
			}
			double(`document.getElementById("fit").getAttribute("aria-pressed") === "true"`)
			back()

			// The image adapts to the size of the window.
			tb.Run(chromedp.EmulateViewport(600, 700))
			tb.Until(`document.querySelector(".picture img").getBoundingClientRect().right <= 600`)
			if r := tb.ImageRect(); r.Width < 500 || !near(r.Left+r.Width/2, 300, 1) {
				t.Errorf("in a smaller window: %v", r)
			}
			tb.Quiet()
		})
	}
}

// TestBrowserPinch checks touch: two fingers zoom, one moves, a double tap
// zooms, and the page itself is not scaled.
func TestBrowserPinch(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("wide.png", webtest.Solid(1500, 1000))
	tb := webtest.NewTab(t, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch),
		emulation.SetTouchEmulationEnabled(true).WithMaxTouchPoints(5), s.Page(l))
	tb.Until(webtest.ShownImage)
	fitted := tb.ImageRect()
	tb.Run(touch(input.TouchStart, 150, 450), touch(input.TouchStart, 150, 450, 250, 450))
	for _, d := range []float64{20, 50} {
		tb.Run(touch(input.TouchMove, 150-d, 450, 250+d, 450))
	}
	tb.Run(touch(input.TouchEnd))
	pinched := tb.ImageRect()
	bx, by := fitted.At(200, 450)
	if ax, ay := pinched.At(200, 450); !near(pinched.Width, 2*fitted.Width, 2) || !near(ax, bx, .02) ||
		!near(ay, by, .3) {
		t.Errorf("zoomed to twice the size: %v to %v", fitted, pinched)
	}
	tb.Run(touch(input.TouchStart, 200, 450), touch(input.TouchMove, 180, 450), touch(input.TouchMove, 150, 450),
		touch(input.TouchEnd))
	if r := tb.ImageRect(); !near(r.Left, pinched.Left-50, 1) {
		t.Errorf("moved from %v to %v", pinched, r)
	}
	double := func(until string) {
		t.Helper()
		when := input.TimeSinceEpoch(time.Now())
		for range 2 {
			tb.Run(touch(input.TouchStart, 200, 450).WithTimestamp(&when), touch(input.TouchEnd).WithTimestamp(&when))
		}
		tb.Until(until)
	}
	double(`document.getElementById("fit").getAttribute("aria-pressed") === "true"`)
	double(`document.getElementById("scale").textContent === "100 %" && visualViewport.scale === 1`)
	tb.Quiet()
}

// TestBrowserTallImage checks that a tall screenshot is shown from its top in
// the width of the window, that the wheel scrolls it, and that the page reports
// how far it was seen.
func TestBrowserTallImage(t *testing.T) {
	s := webtest.NewTimed(t, nil)
	l := s.Publish("tall.png", webtest.Solid(900, 9000))
	r := s.Open(webtest.NewTab(t, chromedp.EmulateViewport(800, 600)), l)
	tb := r.Tab
	tb.Until(webtest.ShownImage)
	first := tb.ImageRect()
	if first.Width < 700 || first.Top < 68 || first.Top > 120 || first.Height < 7000 {
		t.Errorf("rectangle at first: %v", first)
	}
	r.Read(time.Second)
	scroll := func() {
		tb.Run(webtest.Wheel(400, 300, 1500, 0), webtest.Wheel(400, 300, 1500, 0))
		tb.Until(fmt.Sprintf(`document.querySelector(".picture img").getBoundingClientRect().top === %g`,
			first.Top-3000))
	}
	scroll()
	r.Read(time.Second)
	var percent int64
	tb.Run(chromedp.Evaluate(`(r => Math.round((innerHeight - r.top) / r.height * 100))(document.querySelector(".picture img").getBoundingClientRect())`, &percent))
	tb.Leave()
	if n := r.Measured(0); n.Depth != percent*10_000 || percent >= 70 {
		t.Errorf("%d %% were seen, but the session is %+v", percent, n)
	}

	tb = webtest.NewTab(t, chromedp.EmulateViewport(800, 600), s.Page(l))
	tb.Until(webtest.ShownImage)
	tb.Run(chromedp.Click("#fit")) // the whole image
	if r := tb.ImageRect(); r.Height > 600 {
		t.Errorf("whole image: %v, want at most 600 high", r)
	}
	tb.Run(chromedp.Click("#fit"))
	if r := tb.ImageRect(); r != first {
		t.Errorf("fitted again: %v, want %v as at first", r, first)
	}
	scroll()
	tb.Run(chromedp.EmulateViewport(790, 600))
	tb.Until(`document.querySelector(".picture img").getBoundingClientRect().right <= 790`)
	tb.Until(`document.querySelector(".picture img").getBoundingClientRect().top < -2500`) // the position from before
	tb.Quiet()
}

// TestBrowserOtherImages checks animated, transparent and unreadable images.
func TestBrowserOtherImages(t *testing.T) {
	s := webtest.NewSite(t)
	var b bytes.Buffer
	frame := func(c color.Color) *image.Paletted {
		return image.NewPaletted(image.Rect(0, 0, 1600, 900), color.Palette{c})
	}
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{frame(color.Black), frame(color.White)},
		Delay: []int{10, 10}}); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"moving.gif": b.Bytes(), "clear.png": webtest.Solid(2000, 1000),
		"endless.svg": []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 20"><rect width="10" height="20"/></svg>`)} {
		tb := webtest.NewTab(t, chromedp.EmulateViewport(1000, 700), s.Page(s.Publish(name, content)))
		tb.Until(webtest.ShownImage + ` && getComputedStyle(document.querySelector(".picture img")).backgroundImage.includes("conic")`)
		before := tb.ImageRect()
		tb.Run(webtest.Keys("+"))
		if r := tb.ImageRect(); !near(r.Width, 1.25*before.Width, 1) || before.Width < 20 {
			t.Errorf("%s: from %v to %v", name, before, r)
		}
		tb.Quiet()
	}
	broken := s.Publish("scan.tiff", webtest.MakeTIFF(t)) // no preview is made of it here
	tb := webtest.NewTab(t, s.Page(broken))
	tb.Until(`document.querySelector("#cannot").checkVisibility() && document.getElementById("bar").hidden && document.querySelector("#cannot a[data-download]") !== null`)
}

// TestBrowserImageWithoutScripting checks that without scripting an image is
// fitted and a switch shows it in full size.
func TestBrowserImageWithoutScripting(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("wide.png", webtest.Solid(1500, 1000))
	tb := webtest.NewTab(t, chromedp.EmulateViewport(1000, 700), emulation.SetScriptExecutionDisabled(true), s.Page(l))
	width := func() float64 {
		t.Helper()
		var box *dom.BoxModel
		tb.Run(chromedp.Dimensions(".picture img", &box, chromedp.ByQuery))
		return float64(box.Width)
	}
	if w := width(); w > 1000 {
		t.Errorf("fitted width = %g, want at most 1000", w)
	}
	tb.Run(chromedp.MouseClickXY(500, 400))
	if w := width(); w != 1500 {
		t.Errorf("full width = %g, want 1500", w)
	}
}
