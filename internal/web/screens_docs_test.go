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
