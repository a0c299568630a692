package front_test

import (
	"encoding/xml"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
)

// TestHome checks that the home page says what Vitrine is, how to use it, and
// how to get an account.
func TestHome(t *testing.T) {
	d := webtest.NewDesk(t)
	r := d.Status(d.Get("/"), 200)
	for _, want := range []string{"What your readers see", "front/pictures/viewer-dark", `href="/docs/quick-start"`, `<h2 id="plans">Plans</h2>`, "25 MB", "2 GB", "No tracking cookies",
		`href="/docs/self-hosting"`, `href="/sign-in"`,
		`<link rel="canonical" href="` + d.URL + `/">`,
		`<meta property="og:image" content="` + d.URL + `/picture.png">`, "bot views excluded", "Unique viewers",
		"Average time", "This instance is invite-only.", "A website uses one"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, bad := range []string{"curl", "/api/v1", `id="drop"`, "home.js", "noindex", `href="/sign-up"`, "/dashboard\">Dashboard",
		" style="} {
		if strings.Contains(r.Text, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
	if private, title := strings.Index(r.Text, "This instance is"), strings.Index(r.Text, "<h1>"); private > title {
		t.Error("the page does not say first who may have an account")
	}
	if got := r.Header.Get("Cache-Control"); got != "private, no-cache" ||
		!slices.Contains(r.Header.Values("Vary"), "Cookie") || len(r.Cookies()) > 0 {
		t.Errorf("headers = %v", r.Header)
	}
	for _, path := range []string{"/", "/plans", "/docs", "/docs/api", "/nothing-here", "/p/nothing-here"} {
		h := d.Get(path).Header
		if h.Get("Cross-Origin-Opener-Policy") != "same-origin" ||
			h.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%s differs when signed in, so another site must not measure it: %v", path, h)
		}
	}
	if n := r.Wire; n > 9<<10 {
		t.Errorf("the page has %d bytes, want at most 9216", n)
	}
	pic := d.Status(d.Get("/picture.png"), 200)
	if pic.Header.Get("Content-Type") != "image/png" {
		t.Errorf("headers of the picture = %v", pic.Header)
	}
	for _, path := range []string{"/favicon.svg", "/favicon.ico"} {
		d.Status(d.Get(path), 302)
	}

	in := d.Status(d.Get("/", d.SignIn(d.Member)), 200)
	if !strings.Contains(in.Text, `href="/dashboard">Dashboard</a>`) || strings.Contains(in.Text, `href="/sign-in"`) ||
		!strings.Contains(in.Text, `id="drop"`) || !strings.Contains(in.Text, `data-next="/dashboard"`) {
		t.Errorf("home page of a signed-in user:\n%s", in.Text)
	}
	if strings.Contains(in.Text, d.Member.Email) {
		t.Error("the home page contains the user's email address")
	}
}

// TestHomeWithOpenSignUp checks that with open sign-up the pages say so, and
// that a chosen file waits for the sign-up.
func TestHomeWithOpenSignUp(t *testing.T) {
	d := webtest.NewDesk(t)
	d.Server.Accounts.SignUp = ""
	if !strings.Contains(d.Get("/").Text, "This instance is closed to new accounts.") ||
		strings.Contains(d.Get("/", d.SignIn(d.Member)).Text, "closed to new accounts") {
		t.Error("only a visitor must see that the instance is closed to new accounts")
	}
	d.Server.Accounts.SignUp = auth.SignUpOpen
	r := d.Status(d.Get("/"), 200)
	if strings.Contains(r.Text, "invite-only") || !strings.Contains(r.Text, `id="drop"`) ||
		!strings.Contains(r.Text, `href="/sign-up">Sign up</a>`) ||
		!strings.Contains(r.Text, `data-next="/sign-up?next=/dashboard"`) {
		t.Errorf("home page with open sign-up: %s", r.Text)
	}
}

// TestPlans checks that the page of plans shows the configured limits, the
// account's usage, and the upgrade link.
func TestPlans(t *testing.T) {
	d := webtest.NewDesk(t)
	d.Server.Uploads.Plans[vitrine.PlanFree] = vitrine.Limits{Links: 7, FileBytes: 3 * vitrine.MB,
		StorageBytes: 9 * vitrine.MB, HourlyUploads: 4}
	r := d.Status(d.Get("/plans"), 200)
	for _, want := range []string{"<dd>7</dd>", "up to 3 MB", "9 MB", "<dd>4</dd>", "unlimited", "100 GB",
		`href="https://share.example/buy"`} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(r.Text, "Your plan") {
		t.Error("a visitor sees a plan as their own")
	}
	d.Publish("notes.txt", []byte("What a member has here."))
	d.Server.UpgradeURL = "https://pay.example/vitrine?a=1&b=2"
	r = d.Status(d.Get("/plans", d.SignIn(d.Member)), 200)
	if !strings.Contains(r.Text, `href="https://pay.example/vitrine?a=1&amp;b=2"`) ||
		strings.Count(r.Text, "Your plan") != 1 ||
		!strings.Contains(r.Text, "You have 1 link with 23 B and started 1 upload in the last hour.") ||
		!strings.Contains(r.Text, "Another plan") ||
		!regexp.MustCompile(`Pro <span class="tag">Your plan`).MatchString(r.Text) {
		t.Errorf("page of a free account: %s", r.Text)
	}
	h := webtest.NewHosting(t)
	_, err := h.Server.Sites.Create(t.Context(), h.Member, "Papers", "")
	h.Check(err)
	if r = h.Get("/plans", h.SignIn(h.Member)); !strings.Contains(r.Text, "You have 0 links and 1 website with") {
		t.Errorf("page of another account: %s", r.Text)
	}
}

// TestSitemap checks that search engines may list the pages in the sitemap and
// no others, and that each of these pages exists.
func TestSitemap(t *testing.T) {
	d := webtest.NewDesk(t)
	var m struct {
		URL []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal([]byte(d.Status(d.Get("/sitemap.xml"), 200).Text), &m); err != nil {
		t.Fatal(err)
	}
	if len(m.URL) < 9 {
		t.Errorf("%d pages, want at least 9", len(m.URL))
	}
	for _, u := range m.URL {
		r := d.Status(d.Get(u.Loc), 200)
		if strings.Contains(r.Text, "noindex") || r.Header.Get("X-Robots-Tag") != "" ||
			!strings.Contains(r.Text, `rel="canonical" href="`+u.Loc+`"`) {
			t.Errorf("%s may not be listed", u.Loc)
		}
	}
	if robots := d.Get("/robots.txt").Text; !strings.Contains(robots, "Sitemap: "+d.URL+"/sitemap.xml\n") {
		t.Errorf("robots.txt = %s", robots)
	}
	for _, path := range []string{"/sign-in", "/dashboard", "/moderation", "/nowhere"} {
		if r := d.Get(path); r.StatusCode != http.StatusSeeOther && !strings.Contains(r.Text, "noindex") {
			t.Errorf("%s may be listed: status %d", path, r.StatusCode)
		}
	}
}
