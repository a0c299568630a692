package reportpage_test

import (
	"net/http"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// A view without a session has no time and no progress: no page or file shows 0
// in their place. Numbers of the API stay as they are.
func TestUnmeasured(t *testing.T) {
	t.Parallel()
	o := webtest.NewReportSite(t)
	a, key, err := o.Server.Accounts.Create(t.Context(), "quiet@example.org", vitrine.PlanPro)
	o.Check(err)
	o.Account, o.Key = a, string(key)
	o.Cookie = o.SignIn(a)
	l := o.Publish("deck.pdf", webtest.Samples["report.pdf"])
	at := o.Server.Now().UnixMilli()
	_, err = o.Log.Append(t.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{{Account: l.Account,
		View: report.View{ID: int64(vitrine.ViewIDAt(at, 1)), At: at, Link: int64(l.ID), Viewer: 7}}}})
	o.Check(err)

	root := webtest.StatsPath(l)
	var visits struct {
		Visits []struct {
			ID, Progress string
			EngagedMs    int64
		}
	}
	o.API("/links/"+string(l.Slug)+"/visits", &visits)
	visit := visits.Visits[0]
	webtest.Same(t, "what the API says of the visit", visit.Progress, "opened")
	for _, path := range []string{"/links/" + string(l.Slug), root, root + "?range=7d&filter=qr:is:no",
		root + "/visits", root + "/visits/" + visit.ID, "/analytics", "/analytics?range=7d&timezone=Asia%2FTokyo"} {
		text := o.Parse(o.Status(o.Get(path, o.Cookie), http.StatusOK).Text).Text()
		for _, never := range []string{" 0 s ", " opened ", "0 of 12 pages", "0% of 0", "median"} {
			if _, after, found := strings.Cut(text, never); found && !strings.HasPrefix(after, "the page") {
				before, _, _ := strings.Cut(text, never)
				t.Errorf("%s has %s%q%s", path, before[max(len(before)-60, 0):], never, after[:min(len(after), 60)])
			}
		}
	}
	page := o.Parse(o.Get(root, o.Cookie).Text)
	for card, want := range map[string]string{"views": "1", "engaged": "–", "completion": "–", "bounce": "–",
		"returning": "0%"} {
		webtest.Same(t, card, page.ID("card-" + card).Class("value")[0].Text(), want)
	}
	row := o.Parse(o.Get(root+"/visits", o.Cookie).Text).Class("visits")[0].Tags("tbody")[0].Tags("tr")[0]
	webtest.Same(t, "a visit", row.Class("spent")[0].Text()+" "+row.Class("progress")[0].Text(), "– Reading now")

	for path, cards := range map[string]map[string]string{
		root + "?range=7d":    {"totals": ",1,1,0,,,0,,", "series": ",1,1,", "content": "1,0,,,"},
		"/analytics?range=7d": {"totals": ",1,1,0,,,0,,", "series": ",1,1,", "top_links": ",1,1,,,"},
	} {
		for card, want := range cards {
			found := false
			for _, row := range o.File(t, path, card)[1:] {
				found = found || strings.Contains(strings.Join(row, ",")+",", want)
			}
			if !found {
				t.Errorf("%s of %s has no %q: %q", card, path, want, o.File(t, path, card))
			}
		}
	}
}

// TestStatsTruncated checks that a truncated report says so.
func TestStatsTruncated(t *testing.T) {
	o := webtest.NewReportSite(t)
	for _, path := range []string{"/analytics?range=all",
		webtest.StatsPath(o.Links[report.ContentMedia]) + "?range=all"} {
		const notice = "Some views are not counted"
		if strings.Contains(o.Get(path, o.Cookie).Text, notice) {
			t.Errorf("%s: a complete report says that it is truncated", path)
		}
		o.Server.Analytics.MaxViews = 20
		if !strings.Contains(o.Get(path, o.Cookie).Text, notice) {
			t.Errorf("%s: the report does not say that it is truncated", path)
		}
		o.Server.Analytics.MaxViews = 0
	}
}
