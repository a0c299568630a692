package web_test

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/webhooks"
	"vitrine/internal/test/webtest"
)

// listPages are the lists with more than a page, by the source that reads where
// a page begins: their address and the parameter.
var listPages = map[string][2]string{
	"api/access.go":             {"/api/v1/links/SLUG/readers", "cursor"},
	"api/events.go":             {"/api/v1/events", "cursor"},
	"api/links.go":              {"/api/v1/links", "cursor"},
	"api/recipients.go":         {"/api/v1/links/SLUG/recipients", "cursor"},
	"api/webhooks.go":           {"/api/v1/webhooks/HOOK/deliveries", "cursor"},
	"api/trash.go":              {"/api/v1/trash", "cursor"},
	"api/visits.go":             {"/api/v1/links/SLUG/visits", "cursor"},
	"app/eventpage/events.go":   {"/events", "before"},
	"app/link_access.go":        {"/links/SLUG/readers", "cursor"},
	"app/trash.go":              {"/trash", "cursor"},
	"app/eventpage/webhooks.go": {"/webhooks/HOOK", "before"},
	"app/people.go":             {"/people", "after"},
	"moderator/account.go":      {"/moderation/accounts/ACCOUNT", "after"},
	"moderator/queue.go after":  {"/moderation", "after"}, "moderator/queue.go before": {"/moderation/history",
		"before"},
	"app/reportpage/visits.go":  {"/links/SLUG/analytics/visits", "cursor"},
	"app/reportpage/explain.go": {"/links/SLUG/analytics/explain", "cursor"},
	"api/analytics.go":          {"/api/v1/links/SLUG/analytics?explain=/totals/views", "cursor"},
}

// TestListPages checks that every list answers a wrong beginning of a page with
// 400 and its parameter, and that no source reads one that is not in the table.
func TestListPages(t *testing.T) {
	reads := regexp.MustCompile(`Get\("(after|before|cursor)"\)`)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, m := range reads.FindAllSubmatch(b, -1) {
			if listPages[filepath.ToSlash(path)][1] != string(m[1]) &&
				listPages[filepath.ToSlash(path)+" "+string(m[1])][1] != string(m[1]) {
				t.Errorf("%s reads the parameter %s: add its list to listPages", path, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	d := webtest.NewDesk(t)
	d.Account = d.Owner
	cookie := d.SignIn(d.Owner)
	l := d.Publish("a.txt", []byte("text"))
	hook, err := d.Server.Webhooks.Create(t.Context(), d.Owner, webhooks.Request{URL: new("https://hook.example/a")})
	d.Check(err)
	fill := strings.NewReplacer("SLUG", string(l.Slug), "HOOK", fmt.Sprint(hook.ID), "ACCOUNT", fmt.Sprint(d.Member.ID))
	made, err := d.Server.Keys.CreateFor(t.Context(), d.Owner.Email, auth.KeyRequest{Name: "test",
		Scope: vitrine.ScopeFull})
	d.Check(err)
	key := "Authorization: Bearer " + string(made.Text)
	for source, list := range listPages {
		address := fill.Replace(list[0])
		d.Status(d.Get(address, cookie, key), 200)
		separator := "?"
		if strings.Contains(address, "?") {
			separator = "&"
		}
		for _, wrong := range []string{"x", "!!", "1.", "-1", "1x", "99999999999999999999", "a.b.c", "\x00", "é"} {
			r := d.Get(address+separator+url.Values{list[1]: {wrong}}.Encode(), cookie, key)
			if r.StatusCode != 400 {
				t.Errorf("%s: %s with %s=%q = %d, want 400", source, address, list[1], wrong, r.StatusCode)
			}
			if strings.HasPrefix(address, "/api/") && !strings.Contains(r.Text, `"field":"`+list[1]+`"`) {
				t.Errorf("%s: %s", source, r.Text)
			}
		}
	}
}
