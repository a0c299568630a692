//go:build screens

package web_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

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

// TestDocPictures takes the pictures of the app in the documentation, in the
// directory VITRINE_PICTURES ("make pictures").
func TestDocPictures(t *testing.T) {
	d := newPicturedDemo(t)
	report := d.links["annual-report.pdf"]
	a := newAudience(t, d, d.cookies())
	for _, p := range []struct {
		name, path string
		height     int64
	}{
		{"upload", "/dashboard", 620},
		{"settings", "/links/" + string(report.Slug) + "/settings", 700},
		{"analytics", statsPath(report) + "?range=90d", 900},
	} {
		for _, theme := range []string{"light", "dark"} {
			var shot []byte
			tb := a.tab(d.pro)
			tb.run(inTheme(theme), chromedp.EmulateViewport(1200, p.height), chromedp.Navigate(d.url+p.path),
				chromedp.Evaluate(realAddress, nil),
				chromedp.Evaluate(`Promise.all([...document.images].filter((i) => i.loading !== "lazy").map((i) => i.decode().catch(() => {})))`, nil, awaited),
				chromedp.ActionFunc(func(ctx context.Context) (err error) {
					shot, err = page.CaptureScreenshot().WithFormat(page.CaptureScreenshotFormatWebp).WithQuality(60).Do(ctx)
					return err
				}))
			to := filepath.Join(os.Getenv("VITRINE_PICTURES"), p.name+"-"+theme+".webp")
			d.check(os.WriteFile(to, shot, 0o644))
		}
	}
}
