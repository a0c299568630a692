package reportpage_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/internal/test/webtest"
	"vitrine/report"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestNotesOnPage adds, changes and deletes a note with the forms of the page.
// Readers of a shared report see it and cannot change it.
func TestNotesOnPage(t *testing.T) {
	t.Parallel()
	o := webtest.NewReportSite(t)
	l := o.Links[report.ContentPages]
	root := webtest.StatsPath(l)
	today := o.Server.Now().UTC().Format(time.DateOnly)
	send := func(path, day, text string, status int) webtest.Reply {
		t.Helper()
		form := url.Values{"day": {day}, "text": {text}, "view": {"range=7d"}}
		return o.Status(o.Do("POST", root+"/notes"+path, form.Encode(), webtest.Form, o.Cookie), status)
	}
	listed := func(address string, headers ...string) string {
		t.Helper()
		page := o.Parse(o.Status(o.Get(address, headers...), http.StatusOK).Text)
		var texts []string
		for _, li := range page.ID("marks").Tags("li") {
			texts = append(texts, strings.TrimSuffix(li.Tags("span")[0].Text(), " Edit"))
		}
		return strings.Join(texts, "; ")
	}
	r := send("", today, "  Sent to the board ", http.StatusSeeOther)
	webtest.Same(t, "where it leads", r.Header.Get("Location"), root+"?range=7d#marks")
	send("", today, "<b>Talk</b>", http.StatusSeeOther)
	webtest.Same(t, "notes", listed(root+"?range=7d", o.Cookie), "Sent to the board; <b>Talk</b>")
	for day, text := range map[string]string{"2020-01-01": "early", "yesterday": "when", today: strings.Repeat("x", 201)} {
		page := o.Parse(send("", day, text, http.StatusBadRequest).Text)
		webtest.Same(t, "messages about "+text, len(page.ID("note-0").Class("wrong")), 1)
		webtest.Same(t, "what was typed", strings.Contains(send("", day, text, http.StatusBadRequest).Text, text), true)
	}
	send("/9", today, "unknown", http.StatusNotFound)
	send("/2", today, "Talk in Oslo", http.StatusSeeOther)
	send("/1/delete", "", "", http.StatusSeeOther)
	shared := o.Share(t, root, url.Values{"life": {"7d"}}.Encode())
	webtest.Same(t, "shared notes", listed(shared), "Talk in Oslo")
	if text := o.Get(shared).Text; strings.Contains(text, root+"/notes") {
		t.Error("readers of a shared report have the forms of notes")
	}
	o.Status(o.Do("POST", root+"/notes", url.Values{"day": {today}, "text": {"x"}}.Encode(), webtest.Form,
		o.SignIn(o.Member)), http.StatusNotFound)
}

// TestBrowserNotes adds a note with the keyboard, reads it at its point of the
// chart, and deletes it. The flag is above the plot, where no curve is.
func TestBrowserNotes(t *testing.T) {
	o := webtest.NewReportSite(t)
	tb := webtest.NewMember(t, o.Site, o.Account)
	tb.Run(chromedp.EmulateViewport(390, 844), chromedp.Navigate(o.URL+webtest.StatsPath(o.Links[report.ContentPages])+
		"?range=7d"))
	opens := func(id string) {
		t.Helper()
		tb.Run(chromedp.Evaluate(`document.querySelector("[popovertarget='`+id+`']").focus()`, nil), webtest.Keys(kb.Enter))
		tb.Until(`document.querySelector("#` + id + `").matches(":popover-open")`)
	}
	opens("note-0")
	tb.Run(webtest.Type("#note-text-0", "Sent to the board"), webtest.Keys(kb.Enter))
	tb.Until(`document.querySelector("#marks li span")?.textContent === "Sent to the board"`)
	last := `document.querySelector(".over-time .marks g:last-child")`
	tb.Until(last + `?.getAttribute("aria-label").endsWith("Note Sent to the board")`)
	// The script of the chart may not listen yet.
	tb.Until(`(() => { ` + last + `.blur(); ` + last + `.focus({ focusVisible: true });
		return document.querySelector(".tip")?.textContent.includes("Sent to the board"); })()`)
	tb.Until(`(([flag, plot]) => flag.bottom <= plot.top && Math.abs(flag.left + flag.width / 2 - plot.right) < 3)(
		[".flags path", ".over-time .plot"].map((s) => document.querySelector(s).getBoundingClientRect()))`)
	tb.Until(`document.documentElement.scrollWidth <= innerWidth`)
	opens("note-1")
	tb.Run(chromedp.Click("#note-1 .danger", chromedp.ByQuery))
	tb.Until(`document.querySelector("#marks") !== null && document.querySelector("#marks li") === null`)
	tb.Quiet()
}
