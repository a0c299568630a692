package web_test

import (
	"testing"

	"vitrine/internal/visitor"
	"vitrine/report"

	"github.com/chromedp/chromedp"
)

// TestBrowserOwnVisits opens a link as its owner. The page says that the visit
// does not count; the visit is in the list of excluded views, where the owner
// includes it.
func TestBrowserOwnVisits(t *testing.T) {
	o := newReportSite(t)
	l := o.links[report.ContentScroll]
	o.addExcluded(l, [2]string{visitor.BotAIAssistant, "ChatGPT-User"}, [2]string{visitor.BotAITraining, "GPTBot"})
	tb := newMember(t, o.site, o.account)
	tb.run(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(o.url+"/p/"+string(l.Slug)))
	tb.until(`document.querySelector(".own")?.innerText.includes("your visit is not counted")`)
	tb.run(chromedp.Navigate(o.url + statsPath(l) + "?range=7d"))
	tb.until(`document.querySelector("#ledger summary").innerText.includes("· 1 of your own ·")`)
	tb.until(`document.querySelector("#by-assistants").innerText.includes("ChatGPT-User")`)
	tb.run(chromedp.Click("#ledger summary"))
	tb.accessible("excluded views")
	tb.run(chromedp.Click("#own button"))
	tb.until(`location.hash === "#own" && document.querySelector("#ledger").open && document.querySelector("#own").innerText.includes("Count my own visits: on.")`)
	o.check(o.server.OwnViews.Apply(t.Context()))
	tb.run(chromedp.Reload())
	tb.until(`!document.querySelector("#ledger summary").innerText.includes("of your own")`)
	tb.quiet()
}
