package app_test

import (
	"regexp"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
)

// TestPlansNotSold checks that no page mentions plans on an instance that does
// not sell them: neither for visitors, nor for members with and without
// analytics, nor for owner and moderators. Limits are still shown.
func TestPlansNotSold(t *testing.T) {
	d := webtest.NewDemo(t)
	plans := regexp.MustCompile(`\b[Pp]lans?\b|\bPro\b|\bLifetime\b|\bFree\b`)
	tags := regexp.MustCompile(`(?s)<head>.*</head>|<script.*?</script>|<[^>]*>`)
	pages := append(webtest.SitePages(d), webtest.SitePage{Name: "moderation", Path: "/moderation", As: d.Moderator},
		webtest.SitePage{Name: "case", Path: webtest.CasePath(d.Held), As: d.Moderator},
		webtest.SitePage{Name: "moderation account", Path: webtest.AccountPath(d.Member), As: d.Moderator},
		webtest.SitePage{Name: "limits of Free", Path: "/plans", As: d.Free})
	cookies := d.Cookies()
	page := func(p webtest.SitePage) string {
		t.Helper()
		var headers []string
		if c := cookies[p.As]; c != "" {
			headers = append(headers, c)
		}
		return d.Get(p.Path, headers...).Text
	}
	sold := 0
	for _, p := range pages {
		sold += len(plans.FindAllString(tags.ReplaceAllString(page(p), " "), -1))
	}
	if sold < 50 {
		t.Errorf("on an instance that sells plans they are mentioned %d times, want at least 50", sold)
	}
	d.Server.UpgradeURL = ""
	for _, p := range pages {
		if strings.HasPrefix(p.Path,
			"/docs/api") || p.Path == "/docs/errors" || p.Path == "/docs/self-hosting" || p.Path == "/docs/accounts" {
			continue // codes of the API, and flags
		}
		if p.Name == "gallery" {
			continue // components, with example text
		}
		body := page(p)
		if p.Path != "/plans" && strings.Contains(body, `href="/plans"`) {
			t.Errorf("%s links to the plans", p.Name)
		}
		text := strings.ReplaceAll(tags.ReplaceAllString(body, " "), "Floor plan", "")
		for _, at := range plans.FindAllStringIndex(text, -1) {
			t.Errorf("%s mentions a plan: %s", p.Name,
				strings.Join(strings.Fields(text[max(at[0]-60, 0):min(at[1]+60, len(text))]),
					" "))
		}
	}
	d.Server.Uploads.Plans[vitrine.PlanFree] = vitrine.Limits{Links: 7, FileBytes: 3 * vitrine.MB,
		StorageBytes: 9 * vitrine.MB, HourlyUploads: 4}
	for _, path := range []string{"/plans", "/account", "/docs/limits"} {
		if body := page(webtest.SitePage{Path: path, As: d.Free}); !regexp.MustCompile(`9(\.0)? MB`).MatchString(body) ||
			!strings.Contains(body, "7") {
			t.Errorf("%s shows no limits", path)
		}
	}
	if body := d.Get("/sitemap.xml").Text; strings.Contains(body, "/plans<") {
		t.Errorf("the sitemap contains the plans: %s", body)
	}
}

// TestProRequiredNotSold checks that the API keeps the code and the URL of
// pro_required, and that the message says who can help.
func TestProRequiredNotSold(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanFree)
	for _, upgrade := range []string{"", "https://share.example/buy"} {
		f.Server.UpgradeURL = upgrade
		words := map[string]string{"": "Ask the administrator",
			"https://share.example/buy": "part of the Pro plan"}[upgrade]
		for _, a := range []webtest.Answer{f.Call(key, "GET", "/analytics", nil),
			f.Call(key, "POST", "/uploads", webtest.NoteFile.With(webtest.Fields{"slug": "mine"}))} {
			a.Want(403, "pro_required")
			if !strings.Contains(a.Text("error"), words) || a.Text("upgradeUrl") != f.URL+"/plans" {
				t.Errorf("answer = %s", a.Body)
			}
		}
	}
}

// TestInviteHasInvitersPlan checks that an invited user gets the inviter's
// plan, both on the page and on the command line.
func TestInviteHasInvitersPlan(t *testing.T) {
	d := webtest.NewAccountSite(t, auth.SignUpInvite, false)
	d.Server.UpgradeURL = ""
	owner := d.SignIn(d.Owner)
	r := d.Status(d.Get("/people", owner), 200)
	if !strings.Contains(r.Text, `<input type="hidden" name="plan" value="`+string(d.Owner.Plan)+`">`) {
		t.Error("the form lacks the owner's plan")
	}
	_, err := d.Server.Accounts.Invite(t.Context(), "friend@example.org", "", vitrine.Decision{By: vitrine.Administrator})
	d.Check(err)
	_, err = d.Server.Accounts.Invite(t.Context(), "guest@example.org", "",
		vitrine.Decision{By: vitrine.Moderator(d.Owner)})
	d.Check(err)
	list, err := d.Server.Accounts.Invitations(t.Context())
	d.Check(err)
	if len(list) != 2 || list[0].Plan != d.Owner.Plan || list[1].Plan != d.Owner.Plan {
		t.Errorf("invitations = %+v", list)
	}
	if r = d.Get("/people", owner); !strings.Contains(r.Text, "Access") ||
		!strings.Contains(r.Text, ">Full access</option>") {
		t.Error("the page offers no change of access")
	}
}

// TestUpgradeAddress checks that the page to which the error pro_required leads
// says how to get analytics, to readers with and without a session, whether or
// not plans are sold.
func TestUpgradeAddress(t *testing.T) {
	d := webtest.NewDemo(t)
	_, key, err := d.Server.Accounts.Create(t.Context(), "second@example.org", vitrine.PlanFree)
	d.Check(err)
	for _, sold := range []bool{true, false} {
		if !sold {
			d.Server.UpgradeURL = ""
		}
		refused := (&webtest.Fixture{Site: d.Site}).Call(string(key), "GET", "/analytics", nil).Want(403,
			"pro_required")
		path, ok := strings.CutPrefix(refused.Text("upgradeUrl"), d.URL)
		if !ok {
			t.Fatalf("upgradeUrl = %q", refused.Text("upgradeUrl"))
		}
		for _, cookie := range []string{"Cookie: none=1", d.Cookies()[d.Free]} {
			text := d.Get(path, cookie).Text
			_, text, _ = strings.Cut(text, "<main")
			want := "Analytics show how a link is read"
			if sold {
				want = "Analytics"
			}
			if !strings.Contains(text, want) || !sold && !strings.Contains(text, "ask them") {
				t.Errorf("plans sold: %v, session %q: %s says nothing about analytics", sold, cookie, path)
			}
		}
	}
	d.Server.UpgradeURL = ""
	if text := d.Get("/plans", d.Cookies()[d.Member]).Text; strings.Contains(text, "come with full access") {
		t.Error("a member with analytics is told how to get them")
	}
}
