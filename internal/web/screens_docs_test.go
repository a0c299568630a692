//go:build screens

package web_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// realAddress writes the address of a real instance over that of the test.
const realAddress = `(() => {
	const real = (text) => text.replaceAll(location.host, "share.example");
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) texts.currentNode.data = real(texts.currentNode.data);
	for (const field of document.querySelectorAll("input")) {
		field.placeholder = real(field.placeholder);
		if (field.type !== "file") field.value = real(field.value);
	}
})()`

// TestDocPictures takes the pictures of the app in the documentation and of a
// link's page on the start page, in the directory VITRINE_PICTURES ("make
// pictures").
func TestDocPictures(t *testing.T) {
	d := newPicturedDemo(t)
	const viewer = "viewer"
	report := d.Links["annual-report.pdf"]
	a := newAudience(t, d, d.Cookies())
	for _, p := range []struct {
		name, path string
		height     int64
	}{
		{"upload", "/dashboard", 620},
		{"settings", "/links/" + string(report.Slug) + "/settings", 700},
		{"analytics", webtest.StatsPath(report) + "?range=90d", 900},
		{viewer, "/p/" + string(report.Slug), 640},
	} {
		for _, theme := range []string{"light", "dark"} {
			var shot []byte
			as := d.Pro
			if p.name == viewer {
				as = nil
			}
			tb := a.tab(as)
			tb.Run(webtest.InTheme(theme), chromedp.EmulateViewport(1200, p.height), chromedp.Navigate(d.URL+p.path))
			if p.name == viewer {
				f := tb.Frame("/view")
				f.Until(`document.querySelector(".page canvas") !== null`)
				f.Linger(2500 * time.Millisecond)
			}
			tb.Run(chromedp.Evaluate(realAddress, nil),
				chromedp.Evaluate(`Promise.all([...document.images].filter((i) => i.loading !== "lazy").map((i) => i.decode().catch(() => {})))`, nil, webtest.Awaited),
				chromedp.ActionFunc(func(ctx context.Context) (err error) {
					shot,
						err = page.CaptureScreenshot().WithFormat(page.CaptureScreenshotFormatWebp).WithQuality(60).Do(ctx)
					return err
				}))
			to := filepath.Join(os.Getenv("VITRINE_PICTURES"), p.name+"-"+theme+".webp")
			d.Check(os.WriteFile(to, shot, 0o644))
		}
	}
}

// A framed is a window of a picture of the README.
type framed struct {
	path, theme   string
	as            *vitrine.Account // nil for a reader
	width, height int64            // of the window
	shown         int              // its width in the picture
	act           func(*webtest.Tab)
}

// TestReadmePictures takes the two pictures of the README, in the directory
// VITRINE_README_PICTURES ("make pictures").
func TestReadmePictures(t *testing.T) {
	d := newPicturedDemo(t)
	a := newAudience(t, d, d.Cookies())
	slug := func(name string) string { return string(d.Links[name].Slug) }
	search := func(tb *webtest.Tab) {
		f := tb.Frame("/view")
		f.Until(`document.querySelector(".page canvas") !== null`)
		f.Run(chromedp.Evaluate(`document.getElementById("open-find").click()`, nil),
			webtest.Type("#query", "garden"))
		f.Linger(2500 * time.Millisecond)
	}
	report := d.Links["annual-report.pdf"]
	for name, windows := range map[string][]framed{
		"site.png": {
			{path: webtest.StatsPath(report) + "?range=90d", theme: "light", as: d.Pro, width: 1380, height: 1054,
				shown: 760},
			{path: "/links/" + string(report.Slug), theme: "light", as: d.Pro, width: 390, height: 844, shown: 268},
			{path: "/dashboard", theme: "dark", as: d.Pro, width: 390, height: 844, shown: 268},
		},
		"page.png": {
			{path: "/p/" + string(report.Slug), theme: "light", width: 1180, height: 745, shown: 820, act: search},
			{path: "/p/" + slug("hours.md"), theme: "dark", width: 390, height: 844, shown: 240},
			{path: "/p/" + slug("visitors.csv"), theme: "light", width: 390, height: 844, shown: 240},
		},
	} {
		var images strings.Builder
		for _, w := range windows {
			fmt.Fprintf(&images, `<img width="%d" src="data:image/png;base64,%s">`, w.shown,
				base64.StdEncoding.EncodeToString(a.window(w)))
		}
		var shot []byte
		tb := a.tab(nil)
		const style = "<style>body { margin: 0 } div { display: flex; gap: 28px; padding: 28px; width: max-content; background: #e2dfd7 }" +
			" img { border-radius: 8px; box-shadow: 0 12px 32px #0003 }</style>"
		var box page.Viewport
		tb.Run(chromedp.EmulateViewport(1440, 700), chromedp.Navigate("about:blank"),
			chromedp.Evaluate(fmt.Sprintf("document.body.innerHTML = %q", style+"<div>"+images.String()+"</div>"), nil),
			chromedp.Evaluate(`Promise.all([...document.images].map((i) => i.decode())).then(() => undefined)`, nil, webtest.Awaited),
			chromedp.Evaluate(`((r) => ({x: 0, y: 0, width: r.width, height: r.height, scale: 1}))(document.querySelector("div").getBoundingClientRect())`, &box),
			chromedp.ActionFunc(func(ctx context.Context) (err error) {
				shot, err = page.CaptureScreenshot().WithClip(&box).Do(ctx)
				return err
			}))
		d.Check(os.WriteFile(filepath.Join(os.Getenv("VITRINE_README_PICTURES"), name), shot, 0o644))
	}
}

// window takes the picture of a window.
func (a *audience) window(w framed) (shot []byte) {
	a.t.Helper()
	tb := a.tab(w.as)
	tb.Run(webtest.InTheme(w.theme), chromedp.EmulateViewport(w.width, w.height), chromedp.Navigate(a.d.URL+w.path))
	if w.act != nil {
		w.act(tb)
	}
	tb.Run(chromedp.Sleep(time.Second), chromedp.Evaluate(realAddress, nil), chromedp.CaptureScreenshot(&shot))
	return shot
}
