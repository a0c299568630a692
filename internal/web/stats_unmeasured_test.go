package web_test

import (
	"net/http"
	"strings"
	"testing"

	"vitrine"
	"vitrine/report"
)

// A view without a session has no time and no progress: no page or file shows 0
// in their place. Numbers of the API stay as they are.
func TestUnmeasured(t *testing.T) {
	t.Parallel()
	o := newReportSite(t)
	a, key, err := o.server.Accounts.Create(t.Context(), "quiet@example.org", vitrine.PlanPro)
	o.check(err)
	o.account, o.key = a, string(key)
	o.cookie = o.signIn(a)
	l := o.publish("deck.pdf", samples["report.pdf"])
	at := o.server.Now().UnixMilli()
	_, err = o.log.Append(t.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{{Account: l.Account,
		View: report.View{ID: int64(vitrine.ViewIDAt(at, 1)), At: at, Link: int64(l.ID), Viewer: 7}}}})
	o.check(err)

	root := statsPath(l)
	var visits struct {
		Visits []struct {
			ID, Progress string
			EngagedMs    int64
		}
	}
	o.api("/links/"+string(l.Slug)+"/visits", &visits)
	visit := visits.Visits[0]
	same(t, "what the API says of the visit", visit.Progress, "opened")
	for _, path := range []string{"/links/" + string(l.Slug), root, root + "?range=7d&filter=qr:is:no", root + "/visits",
		root + "/visits/" + visit.ID, "/analytics", "/analytics?range=7d&timezone=Asia%2FTokyo"} {
		text := o.parse(o.status(o.get(path, o.cookie), http.StatusOK).body).text()
		for _, never := range []string{" 0 s ", " opened ", "0 of 12 pages", "0% of 0", "median"} {
			if _, after, found := strings.Cut(text, never); found && !strings.HasPrefix(after, "the page") {
				before, _, _ := strings.Cut(text, never)
				t.Errorf("%s has %s%q%s", path, before[max(len(before)-60, 0):], never, after[:min(len(after), 60)])
			}
		}
	}
	page := o.parse(o.get(root, o.cookie).body)
	for card, want := range map[string]string{"views": "1", "engaged": "–", "completion": "–", "bounce": "–",
		"returning": "0%"} {
		same(t, card, page.id("card-" + card).class("value")[0].text(), want)
	}
	row := o.parse(o.get(root+"/visits", o.cookie).body).class("visits")[0].tags("tbody")[0].tags("tr")[0]
	same(t, "a visit", row.class("spent")[0].text()+" "+row.class("progress")[0].text(), "– Opened")

	for path, cards := range map[string]map[string]string{
		root + "?range=7d":    {"totals": ",1,1,0,,,0,,", "series": ",1,1,", "content": "1,0,,,"},
		"/analytics?range=7d": {"totals": ",1,1,0,,,0,,", "series": ",1,1,", "top_links": ",1,1,,,"},
	} {
		for card, want := range cards {
			found := false
			for _, row := range o.file(t, path, card)[1:] {
				found = found || strings.Contains(strings.Join(row, ",")+",", want)
			}
			if !found {
				t.Errorf("%s of %s has no %q: %q", card, path, want, o.file(t, path, card))
			}
		}
	}
}

// TestStatsTruncated checks that a truncated report says so.
func TestStatsTruncated(t *testing.T) {
	o := newReportSite(t)
	for _, path := range []string{"/analytics?range=all", statsPath(o.links[report.ContentMedia]) + "?range=all"} {
		const notice = "Some views are not counted"
		if strings.Contains(o.get(path, o.cookie).body, notice) {
			t.Errorf("%s: a complete report says that it is truncated", path)
		}
		o.server.Analytics.MaxViews = 20
		if !strings.Contains(o.get(path, o.cookie).body, notice) {
			t.Errorf("%s: the report does not say that it is truncated", path)
		}
		o.server.Analytics.MaxViews = 0
	}
}
