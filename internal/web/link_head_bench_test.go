package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
)

// BenchmarkLinkPages requests the pages of a link with a million views within a
// year, and for comparison the report that the head of each page reads.
func BenchmarkLinkPages(b *testing.B) {
	const views = 1_000_000
	d := webtest.NewDesk(b)
	l := d.Publish("report.pdf", webtest.Samples["report.pdf"])
	g := vitrinetest.NewTraffic(1, int(365*24*time.Hour/time.Millisecond/views))
	start := time.UnixMilli(1_767_225_600_000)
	d.Ahead.Add(int64(time.Until(start.Add(365 * 24 * time.Hour))))
	d.Check(d.Server.Links.Store.Update(b.Context(), func(tx vitrine.Tx) error {
		made, err := tx.Link(l.ID)
		if err != nil {
			return err
		}
		made.CreatedAt, l.CreatedAt = start, start
		return tx.PutLink(made)
	}))
	for n := 0; n < views; {
		some := make([]vitrine.ViewRecord, 10_000)
		for i := range some {
			some[i] = g.Imported()
			some[i].Account, some[i].Link = l.Account, int64(l.ID)
		}
		n += len(some)
		d.Check(d.Log.Import(b.Context(), vitrine.ImportReceipt{File: [32]byte{1}, Lines: int64(n)}, some))
	}
	d.Check(d.Server.Analytics.RollUp(b.Context()))
	h, cookie := d.Server.Handler(), d.SignIn(d.Member)
	b.Run("numbers of the head", func(b *testing.B) {
		for b.Loop() {
			if _, err := d.Server.Analytics.Numbers(b.Context(), l); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, page := range []string{"", "/analytics", "/analytics?range=all", "/share", "/versions", "/settings"} {
		b.Run(page, func(b *testing.B) {
			r := httptest.NewRequest(http.MethodGet, webtest.LinkPath(l)+page, nil)
			r.Header.Set("Accept-Encoding", "gzip")
			r.Header.Set("Cookie", cookie[len("Cookie: "):])
			measure(b, h, r)
		})
	}
}
