package reportpage_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

const (
	fromLondon = "X-Forwarded-For: 81.2.69.142"
	fromBerlin = "X-Forwarded-For: 85.214.132.117"
	noCities   = "Cities are not known, because this instance has no city file."
	madeByDBIP = `<a href="https://db-ip.com" rel="noreferrer">IP geolocation by DB-IP</a>`
)

// TestCitiesOfLinks checks that without a city file the card says so, and tells
// the administrator what to do. With a file the card has cities and names the
// file's maker.
func TestCitiesOfLinks(t *testing.T) {
	o := webtest.NewReportSite(t)
	o.TrustProxy()
	member := o.Cookie
	theirs := o.Publish("theirs.txt", webtest.Samples["notes.txt"])
	owner := o.Join("admin@example.org", vitrine.RoleOwner)
	o.Account, o.Cookie = owner, o.SignIn(owner)
	l := o.Publish("notes.txt", webtest.Samples["notes.txt"])
	load := func(l *vitrine.Link, from string) {
		t.Helper()
		o.Status(o.Get("/p/"+string(l.Slug), webtest.ReaderChrome, from), http.StatusOK)
	}
	load(l, fromLondon)
	load(theirs, fromLondon)
	card := func(path string, headers ...string) string {
		t.Helper()
		return o.Parse(o.Status(o.Get(path, headers...), http.StatusOK).Text).ID("by-cities").Text()
	}
	address := webtest.StatsPath(l) + "?range=7d"
	webtest.Same(t, "for an administrator", card(address, o.Cookie), "Cities "+noCities+" Add a city file")
	webtest.Same(t, "for a member", card(webtest.StatsPath(theirs), member),
		"Cities "+noCities+" Its administrator can add one.")
	shared := o.Share(t, webtest.StatsPath(l), "label=The+board&life=7d")
	webtest.Same(t, "for a reader", card(shared), "Cities "+noCities)
	o.Status(o.Get("/docs/self-hosting"), http.StatusOK)

	o.AddCities()
	for _, from := range []string{fromLondon, fromLondon, fromBerlin, "X-Forwarded-For: 192.168.1.1"} {
		load(l, from)
	}
	r, err := o.Server.Analytics.Link(t.Context(), owner, string(l.Slug), analytics.In(report.Range7d))
	o.Check(err)
	webtest.Same(t, "cities", buckets(r.Breakdowns.Cities), "London, GB 2, Berlin, DE 1")
	webtest.Same(t, "countries", buckets(r.Breakdowns.Countries), "GB 3, DE 1")
	if got := card(address, o.Cookie); !strings.HasPrefix(got, "Cities CSV ") || !strings.Contains(got, "London") ||
		!strings.HasSuffix(got, " IP geolocation by DB-IP") {
		t.Errorf("card = %q", got)
	}
	// Each page with cities names the file's maker.
	beacon := o.BeaconOf(o.Get("/p/"+string(l.Slug), webtest.ReaderChrome, fromLondon).Text)
	o.Ahead.Add(int64(time.Minute))
	o.Status(o.Do(http.MethodPost, beacon, `{"engaged":5000,"present":6000,"depth":90}`, webtest.PlainText), 204)
	all := webtest.StatsPath(l) + "/visits"
	one := o.Attr(o.Get(all, o.Cookie).Text, `href="(`+all+`/[0-9a-z]+)"`)
	for _, path := range []string{address, shared, all, one} {
		page := o.Status(o.Get(path, o.Cookie), http.StatusOK).Text
		if !strings.Contains(page, "London") || !strings.Contains(page, madeByDBIP) {
			t.Errorf("%s lacks the city or the maker of the city file", path)
		}
	}
}

// TestSamplesHaveNoCities checks that sample reports have no cities.
func TestSamplesHaveNoCities(t *testing.T) {
	o := webtest.NewReportSite(t)
	o.SetPlan(vitrine.PlanFree)
	for _, path := range []string{webtest.StatsPath(o.Links[report.ContentPages]), "/analytics", "/"} {
		page := o.Status(o.Get(path, o.Cookie), http.StatusOK).Text
		for _, word := range []string{"Berlin", "London", "Cities", "New York"} {
			if strings.Contains(page, word) {
				t.Errorf("%s contains %q", path, word)
			}
		}
	}
}

// TestCitiesOfWebsites checks that page loads of websites have cities, too, if
// there is a city file.
func TestCitiesOfWebsites(t *testing.T) {
	h := webtest.NewHosting(t)
	garden := h.NewWebsite("Garden")
	h.Deployed(garden, "index.html=<p>Home")
	path, cookie := "/websites/"+string(garden.Slug)+"/analytics?range=7d", h.SignIn(h.Member)
	h.Status(h.Visit(garden, "/", webtest.ReaderChrome), http.StatusOK)
	if page := h.Status(h.Get(path, cookie), http.StatusOK).Text; strings.Contains(page, "by-cities") {
		t.Error("a card of cities without a city file")
	}
	h.AddCities()
	h.Status(h.Visit(garden, "/", webtest.ReaderChrome, fromBerlin), http.StatusOK)
	webtest.Same(t, "cities", buckets(h.Numbers(garden, report.Range7d).Breakdowns.Cities), "Berlin, DE 1")
	if page := h.Status(h.Get(path, cookie), http.StatusOK).Text; !strings.Contains(page, "Berlin") ||
		!strings.Contains(page, madeByDBIP) {
		t.Error("the website's numbers lack the city or the maker of the city file")
	}
}
