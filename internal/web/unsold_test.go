package web_test

import (
	"regexp"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/auth"
)

// TestPlansNotSold checks that no page mentions plans on an instance that does
// not sell them: neither for visitors, nor for members with and without
// analytics, nor for owner and moderators. Limits are still shown.
func TestPlansNotSold(t *testing.T) {
	d := newDemo(t)
	plans := regexp.MustCompile(`\b[Pp]lans?\b|\bPro\b|\bLifetime\b|\bFree\b`)
	tags := regexp.MustCompile(`(?s)<head>.*</head>|<script.*?</script>|<[^>]*>`)
	pages := append(sitePages(d), sitePage{name: "moderation", path: "/moderation", as: d.moderator},
		sitePage{name: "case", path: casePath(d.held), as: d.moderator},
		sitePage{name: "moderation account", path: accountPath(d.member), as: d.moderator},
		sitePage{name: "limits of Free", path: "/plans", as: d.free})
	cookies := d.cookies()
	page := func(p sitePage) string {
		t.Helper()
		var headers []string
		if c := cookies[p.as]; c != "" {
			headers = append(headers, c)
		}
		return d.get(p.path, headers...).body
	}
	sold := 0
	for _, p := range pages {
		sold += len(plans.FindAllString(tags.ReplaceAllString(page(p), " "), -1))
	}
	if sold < 50 {
		t.Errorf("on an instance that sells plans they are mentioned %d times, want at least 50", sold)
	}
	d.server.UpgradeURL = ""
	for _, p := range pages {
		if strings.HasPrefix(p.path, "/docs/api") || p.path == "/docs/errors" || p.path == "/docs/self-hosting" || p.path == "/docs/accounts" {
			continue // codes of the API, and flags
		}
		if p.name == "gallery" {
			continue // components, with example text
		}
		body := page(p)
		if p.path != "/plans" && strings.Contains(body, `href="/plans"`) {
			t.Errorf("%s links to the plans", p.name)
		}
		text := strings.ReplaceAll(tags.ReplaceAllString(body, " "), "Floor plan", "")
		for _, at := range plans.FindAllStringIndex(text, -1) {
			t.Errorf("%s mentions a plan: %s", p.name,
				strings.Join(strings.Fields(text[max(at[0]-60, 0):min(at[1]+60, len(text))]),
					" "))
		}
	}
	d.server.Uploads.Plans[vitrine.PlanFree] = vitrine.Limits{Links: 7, FileBytes: 3 * vitrine.MB,
		StorageBytes: 9 * vitrine.MB, HourlyUploads: 4}
	for _, path := range []string{"/plans", "/account", "/docs/limits"} {
		if body := page(sitePage{path: path, as: d.free}); !regexp.MustCompile(`9(\.0)? MB`).MatchString(body) ||
			!strings.Contains(body, "7") {
			t.Errorf("%s shows no limits", path)
		}
	}
	if body := d.get("/sitemap.xml").body; strings.Contains(body, "/plans<") {
		t.Errorf("the sitemap contains the plans: %s", body)
	}
}

// TestProRequiredNotSold checks that the API keeps the code and the URL of
// pro_required, and that the message says who can help.
func TestProRequiredNotSold(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanFree)
	for _, upgrade := range []string{"", "https://share.example/buy"} {
		f.server.UpgradeURL = upgrade
		words := map[string]string{"": "Ask the administrator",
			"https://share.example/buy": "part of the Pro plan"}[upgrade]
		for _, a := range []answer{f.call(key, "GET", "/analytics", nil),
			f.call(key, "POST", "/uploads", noteFile.with(fields{"slug": "mine"}))} {
			a.want(403, "pro_required")
			if !strings.Contains(a.text("error"), words) || a.text("upgradeUrl") != f.url+"/plans" {
				t.Errorf("answer = %s", a.Body)
			}
		}
	}
}

// TestInviteHasInvitersPlan checks that an invited user gets the inviter's
// plan, both on the page and on the command line.
func TestInviteHasInvitersPlan(t *testing.T) {
	d := newAccountSite(t, auth.SignUpInvite, false)
	d.server.UpgradeURL = ""
	owner := d.signIn(d.owner)
	r := d.status(d.get("/people", owner), 200)
	if !strings.Contains(r.body, `<input type="hidden" name="plan" value="`+string(d.owner.Plan)+`">`) {
		t.Error("the form lacks the owner's plan")
	}
	_, err := d.server.Accounts.Invite(t.Context(), "friend@example.org", "", vitrine.Decision{By: vitrine.Operator})
	d.check(err)
	_, err = d.server.Accounts.Invite(t.Context(), "guest@example.org", "",
		vitrine.Decision{By: vitrine.Moderator(d.owner)})
	d.check(err)
	list, err := d.server.Accounts.Invitations(t.Context())
	d.check(err)
	if len(list) != 2 || list[0].Plan != d.owner.Plan || list[1].Plan != d.owner.Plan {
		t.Errorf("invitations = %+v", list)
	}
	if r = d.get("/people", owner); !strings.Contains(r.body, "Access") ||
		!strings.Contains(r.body, ">Full access</option>") {
		t.Error("the page offers no change of access")
	}
}

// TestUpgradeAddress checks that the page to which the error pro_required leads
// says how to get analytics, to readers with and without a session, whether or
// not plans are sold.
func TestUpgradeAddress(t *testing.T) {
	d := newDemo(t)
	_, key, err := d.server.Accounts.Create(t.Context(), "second@example.org", vitrine.PlanFree)
	d.check(err)
	for _, sold := range []bool{true, false} {
		if !sold {
			d.server.UpgradeURL = ""
		}
		refused := (&fixture{site: d.site}).call(string(key), "GET", "/analytics", nil).want(403, "pro_required")
		path, ok := strings.CutPrefix(refused.text("upgradeUrl"), d.url)
		if !ok {
			t.Fatalf("upgradeUrl = %q", refused.text("upgradeUrl"))
		}
		for _, cookie := range []string{"Cookie: none=1", d.cookies()[d.free]} {
			text := d.get(path, cookie).body
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
	d.server.UpgradeURL = ""
	if text := d.get("/plans", d.cookies()[d.member]).body; strings.Contains(text, "come with full access") {
		t.Error("a member with analytics is told how to get them")
	}
}
