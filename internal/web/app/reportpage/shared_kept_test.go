package reportpage_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/test/webtest"
	"vitrine/report"

	"github.com/dustin/go-humanize"
)

// TestSharedKeeps checks that an address that keeps filters and dates shows
// exactly these, whatever its readers ask for, also in explanations; that it
// says who shared it and until when; that its owner can copy it again; and that
// it keeps no filter by recipient.
func TestSharedKeeps(t *testing.T) {
	o := webtest.NewReportSite(t)
	for _, root := range []string{webtest.StatsPath(o.Links[report.ContentPages]), "/analytics"} {
		view := "filter=device:is:Mobile&range=90d"
		form := url.Values{"label": {"Mobile"}, "life": {"7d"}, "keep": {"yes"}, "view": {view}}
		path := o.Share(t, root, form.Encode())
		var want, all report.Summary
		o.API(root+"?"+view, &want)
		o.API(root+"?range=90d", &all)
		if want.Totals.Views == all.Totals.Views || want.Totals.Views == 0 {
			t.Fatalf("the filter selects %d of %d views", want.Totals.Views, all.Totals.Views)
		}
		for _, query := range []string{"", "?range=7d", "?filter=device:is:Desktop", "?from=2020-01-01&to=2020-01-02", "?range=x"} {
			page := o.Parse(o.Status(o.Get(path+query), http.StatusOK).Text)
			webtest.Same(t, "views with "+query, page.ID("card-views").Class("value")[0].Text(),
				humanize.Comma(want.Totals.Views))
			webtest.Same(t, "filter", page.Class("conditions")[0].Text(), "Device is Mobile")
			webtest.Same(t, "choices of days", len(page.Class("report-tools")), 0)
			webtest.Same(t, "by whom", strings.HasPrefix(page.Class("crumb")[0].Text(), "Shared by office@example.org until "), true)
		}
		why := o.Parse(o.Status(o.Get(path+"/explain?explain=/totals/views&range=all"), http.StatusOK).Text)
		webtest.Same(t, "explained", why.ID("explain-title").Text(), "Views: "+humanize.Comma(want.Totals.Views))
		copies := 0
		for _, b := range o.Parse(o.Get(root, o.Cookie).Text).ID("share").Tags("button") {
			if b.Attribute("data-text") == o.Server.PublicURL.String()+path {
				copies++
			}
		}
		webtest.Same(t, "buttons that copy the address", copies, 1)
		form.Set("view", "range=90d&filter=recipient:is:1")
		r := o.Status(o.Do("POST", root+"/share", form.Encode(), "Content-Type: application/x-www-form-urlencoded", o.Cookie),
			http.StatusBadRequest)
		webtest.Same(t, "messages", len(o.Parse(r.Text).ID("share").Class("wrong")), 1)
		if root == "/analytics" {
			continue
		}
		form.Del("keep")
		free := o.Share(t, root, form.Encode())
		page := o.Parse(o.Status(o.Get(free+"?range=90d"), http.StatusOK).Text)
		webtest.Same(t, "views without keeping", page.ID("card-views").Class("value")[0].Text(), humanize.Comma(all.Totals.Views))
	}
}
