package web_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/test/webtest"
)

// TestPermissionsPolicy checks that every answer denies what no page of ours
// uses, on each route of the route table, and that a website on a host of its
// own may ask for it.
func TestPermissionsPolicy(t *testing.T) {
	h := webtest.NewHosting(t)
	denied := func(r webtest.Reply, what string) {
		t.Helper()
		for _, feature := range []string{"camera", "microphone", "geolocation", "payment", "usb"} {
			if !strings.Contains(r.Header.Get("Permissions-Policy"), feature+"=()") {
				t.Errorf("%s: Permissions-Policy = %q, want %s=()", what, r.Header.Get("Permissions-Policy"), feature)
			}
		}
	}
	b, err := os.ReadFile("routes.go")
	h.Check(err)
	routes := regexp.MustCompile(`"(?:([A-Z]+) )?(/[^"]*)"`).FindAllStringSubmatch(string(b), -1)
	if len(routes) < 150 {
		t.Errorf("%d routes", len(routes))
	}
	for _, m := range routes {
		method := m[1]
		if method == "" {
			method = http.MethodGet
		}
		path := regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(m[2], "x")
		denied(h.Do(method, path, ""), method+" "+path)
	}
	l := h.Publish("notes.txt", webtest.Samples["notes.txt"])
	denied(h.Status(h.Get("/p/"+string(l.Slug)), 200), "a link")
	site := h.NewWebsite("Garden")
	h.Deployed(site, "index.html=<p>Roses")
	if r := h.Status(h.Visit(site, "/"), 200); r.Header.Get("Permissions-Policy") != "" {
		t.Errorf("a website's own host: Permissions-Policy = %q", r.Header.Get("Permissions-Policy"))
	}
	h.Server.SitesURL = nil
	denied(h.Visit(site, "/"), "a website below the content host")
}
