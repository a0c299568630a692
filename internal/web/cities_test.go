package web_test

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/visitor/geo"
	"vitrine/report"
)

// addCities adds a city file with London and Berlin to a site.
func (s *site) addCities() {
	s.t.Helper()
	s.trustProxy()
	path := filepath.Join(s.t.TempDir(), "any.mmdb")
	s.check(os.WriteFile(path, vitrinetest.MMDB("DBIP-City-Lite", map[string]any{
		"81.2.69.0/24":    vitrinetest.CityRecord("GB", "London"),
		"85.214.132.0/24": vitrinetest.CityRecord("DE", "Berlin (Mitte)")}), 0o600))
	s.server.Cities = &geo.File{Path: path, Temp: s.t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	s.check(s.server.Cities.Open(s.t.Context()))
}

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
	o := newReportSite(t)
	o.trustProxy()
	member := o.cookie
	theirs := o.publish("theirs.txt", samples["notes.txt"])
	owner := o.join("admin@example.org", vitrine.RoleOwner)
	o.account, o.cookie = owner, o.signIn(owner)
	l := o.publish("notes.txt", samples["notes.txt"])
	load := func(l *vitrine.Link, from string) {
		t.Helper()
		o.status(o.get("/p/"+string(l.Slug), readerChrome, from), http.StatusOK)
	}
	load(l, fromLondon)
	load(theirs, fromLondon)
	card := func(path string, headers ...string) string {
		t.Helper()
		return o.parse(o.status(o.get(path, headers...), http.StatusOK).body).id("by-cities").text()
	}
	address := statsPath(l) + "?range=7d"
	same(t, "for an administrator", card(address, o.cookie), "Cities "+noCities+" Add a city file")
	same(t, "for a member", card(statsPath(theirs), member), "Cities "+noCities+" Its administrator can add one.")
	shared := o.share(t, statsPath(l), "label=The+board&life=7d")
	same(t, "for a reader", card(shared), "Cities "+noCities)
	o.status(o.get("/docs/self-hosting"), http.StatusOK)

	o.addCities()
	for _, from := range []string{fromLondon, fromLondon, fromBerlin, "X-Forwarded-For: 192.168.1.1"} {
		load(l, from)
	}
	r, err := o.server.Analytics.Link(t.Context(), owner, string(l.Slug), analytics.In(report.Range7d))
	o.check(err)
	same(t, "cities", buckets(r.Breakdowns.Cities), "London, GB 2, Berlin, DE 1")
	same(t, "countries", buckets(r.Breakdowns.Countries), "GB 3, DE 1")
	if got := card(address, o.cookie); !strings.HasPrefix(got, "Cities CSV ") || !strings.Contains(got, "London") ||
		!strings.HasSuffix(got, " IP geolocation by DB-IP") {
		t.Errorf("card = %q", got)
	}
	// Each page with cities names the file's maker.
	beacon := o.beaconOf(o.get("/p/"+string(l.Slug), readerChrome, fromLondon).body)
	o.ahead.Add(int64(time.Minute))
	o.status(o.do(http.MethodPost, beacon, `{"engaged":5000,"present":6000,"depth":90}`, plainText), 204)
	all := statsPath(l) + "/visits"
	one := o.attr(o.get(all, o.cookie).body, `href="(`+all+`/[0-9a-z]+)"`)
	for _, path := range []string{address, shared, all, one} {
		page := o.status(o.get(path, o.cookie), http.StatusOK).body
		if !strings.Contains(page, "London") || !strings.Contains(page, madeByDBIP) {
			t.Errorf("%s lacks the city or the maker of the city file", path)
		}
	}
}

// TestSamplesHaveNoCities checks that sample reports have no cities.
func TestSamplesHaveNoCities(t *testing.T) {
	o := newReportSite(t)
	o.setPlan(vitrine.PlanFree)
	for _, path := range []string{statsPath(o.links[report.ContentPages]), "/analytics", "/"} {
		page := o.status(o.get(path, o.cookie), http.StatusOK).body
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
	h := newHosting(t)
	garden := h.newWebsite("Garden")
	h.deployed(garden, "index.html=<p>Home")
	path, cookie := "/websites/"+string(garden.Slug)+"/analytics?range=7d", h.signIn(h.member)
	h.status(h.visit(garden, "/", readerChrome), http.StatusOK)
	if page := h.status(h.get(path, cookie), http.StatusOK).body; strings.Contains(page, "by-cities") {
		t.Error("a card of cities without a city file")
	}
	h.addCities()
	h.status(h.visit(garden, "/", readerChrome, fromBerlin), http.StatusOK)
	same(t, "cities", buckets(h.numbers(garden, report.Range7d).Breakdowns.Cities), "Berlin, DE 1")
	if page := h.status(h.get(path, cookie), http.StatusOK).body; !strings.Contains(page, "Berlin") ||
		!strings.Contains(page, madeByDBIP) {
		t.Error("the website's numbers lack the city or the maker of the city file")
	}
}
