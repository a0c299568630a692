package public_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

// programs are headers of chat previews, of mail scanners by name and by
// network, and of a program without a browser.
var programs = []string{"User-Agent: curl/8.5.0",
	"User-Agent: Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
	"User-Agent: facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
	"User-Agent: Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5",
	"User-Agent: Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
	"User-Agent: TelegramBot (like TwitterBot)", "User-Agent: WhatsApp/2.23.20.0", "User-Agent: Twitterbot/1.0",
	"User-Agent: LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
	"User-Agent: Mozilla/5.0 (compatible; Proofpoint URL Defense)", "X-Forwarded-For: 104.47.1.7"}

// TestLimitOfReaders checks that a link with a limit of one is used up by one
// person who reads, and by nobody else.
func TestLimitOfReaders(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	l := s.Publish("report.pdf", webtest.Samples["report.pdf"])
	here := "/p/" + string(l.Slug)
	s.Limit(l, 1)
	shown := 0
	for range 50 {
		if r := s.Status(s.Do(http.MethodHead, here, ""), 200); len(r.Cookies()) != 0 {
			t.Fatalf("HEAD gets %v", r.Cookies())
		}
		for _, program := range programs {
			if r := s.Get(here, program); r.StatusCode != 200 && r.StatusCode != 403 {
				t.Fatalf("%s gets %d", program, r.StatusCode)
			} else if r.StatusCode == 200 {
				shown++
			}
		}
		s.Status(s.Get(here), 200) // hides as a browser, and fetches nothing
	}
	if left := s.Left(l); left != 1 {
		t.Fatalf("after programs, %d readers are left", left)
	}
	if shown != 20 {
		t.Errorf("programs see the page %d times, want 20", shown)
	}
	page := s.Status(s.Get(here), 200)
	pass := webtest.PassOf(page)
	c := page.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" {
		t.Errorf("the pass is %v", c)
	}
	s.Status(s.Get(s.ContentOf(page.Text), "Sec-Fetch-Dest: iframe"), 200)
	s.Ahead.Add(int64(2 * time.Second))
	s.ReadFor(page, 900, pass)
	if left := s.Left(l); left != 1 {
		t.Errorf("after 900 ms, %d readers are left", left)
	}
	s.ReadFor(page, 1500, pass)
	s.ReadFor(page, 1800, pass)
	if left := s.Left(l); left != 0 {
		t.Errorf("after a person, %d readers are left", left)
	}
	late := s.Status(s.Get(here), 410)
	if len(late.Cookies()) != 0 || strings.Contains(late.Text, "report.pdf") {
		t.Errorf("who is too late gets %v\n%s", late.Cookies(), late.Text)
	}
	again := s.Status(s.Get(here, pass), 200)
	if len(again.Cookies()) != 0 {
		t.Errorf("a reader who comes again gets %v", again.Cookies())
	}
	s.Status(s.Get(s.ContentOf(again.Text), "Sec-Fetch-Dest: iframe"), 200)
	s.Status(s.Get(here+"/download", pass), 200)
	s.Status(s.Get(here+"/download"), 403)
	if embed := s.Status(s.Get(here+"/embed"), 403); !strings.Contains(embed.Text, "Open in a new tab") ||
		strings.Contains(embed.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
		t.Errorf("the embed is %v\n%s", embed.Header, embed.Text)
	}
	if s.Limit(l, 2); s.Left(l) != 1 {
		t.Errorf("with one more reader, %d are left", s.Left(l))
	}
	s.Status(s.Get(here), 200)
	s.Limit(l, 0)
	if r := s.Status(s.Get(here), 200); len(r.Cookies()) != 0 {
		t.Errorf("a link without a limit sets %v", r.Cookies())
	}
}

// TestLimitWithoutScripts checks that a loop without scripts gets the bytes a
// bounded number of times, that each of them counts after an hour, and that
// one pass is worth nothing at another link.
func TestLimitWithoutScripts(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", []byte("marker")) // its page has the text
	here := "/p/" + string(l.Slug)
	s.Limit(l, 3)
	loop := func() (got int) {
		for range 60 {
			if r := s.Get(here); strings.Contains(r.Text, "marker") {
				got++
			} else if r.StatusCode == 403 && r.Header.Get("Retry-After") == "" {
				t.Fatalf("the page without a place has no time\n%s", r.Text)
			}
		}
		return got
	}
	if got := loop(); got != 20 {
		t.Errorf("a loop got the text %d times, want 20", got)
	}
	if left := s.Left(l); left != 3 {
		t.Errorf("%d readers are left within the hour, want 3", left)
	}
	s.Ahead.Add(int64(time.Hour + time.Second))
	if left := s.Left(l); left != 0 {
		t.Errorf("%d readers are left after the hour, want 0", left)
	}
	if got := loop(); got != 0 {
		t.Errorf("a loop got the text %d times after the limit", got)
	}

	other := s.Publish("other.pdf", webtest.Samples["report.pdf"])
	s.Limit(other, 1)
	first := s.Status(s.Get("/p/"+string(other.Slug)), 200) // fetches nothing, so it makes room
	for range 20 {
		s.Status(s.Get("/p/"+string(other.Slug)), 200)
	}
	s.Status(s.Get(s.ContentOf(first.Text), "Sec-Fetch-Dest: iframe"), 403)
	s.Status(s.Do(http.MethodHead, s.ContentOf(first.Text), "", "Sec-Fetch-Dest: iframe"), 403)
	if r := s.Status(s.Get("/p/"+string(other.Slug), webtest.PassOf(first)), 200); len(r.Cookies()) != 1 {
		t.Error("a reader whose place is gone gets no other one")
	}
	s.Ahead.Add(int64(time.Hour + time.Second))
	s.Status(s.Get("/p/"+string(other.Slug)), 200) // those who fetched nothing do not count
	if left := s.Left(other); left != 1 {
		t.Errorf("after browsers that fetched nothing, %d readers are left", left)
	}
}

// TestLimitAndPassword checks that a link with both asks for the password, and
// that only its readers take places.
func TestLimitAndPassword(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", []byte("marker"))
	here := "/p/" + string(l.Slug)
	s.Limit(l, 1)
	if r := s.Status(s.Enter(l, "", "192.0.2.1"), 303); len(r.Cookies()) != 0 { // there is no password yet
		t.Errorf("an empty password gets %v", r.Cookies())
	}
	s.Protect(l, "right")
	for range 30 {
		s.Status(s.Get(here), 403)
	}
	entered := webtest.PassOf(s.Status(s.Enter(l, "right", "192.0.2.1"), 303))
	s.Status(s.Get(here+"/download", entered), 403)
	page := s.Status(s.Get(here, entered), 200)
	s.Ahead.Add(int64(2 * time.Second))
	s.ReadFor(page, 1500, webtest.PassOf(page))
	s.Status(s.Get(here, webtest.PassOf(page)), 200)
	s.Status(s.Get(here, webtest.PassOf(s.Status(s.Enter(l, "right", "192.0.2.1"), 303))), 410)
}

// TestReadersAPI checks the limit of readers in the API, and bad input.
func TestReadersAPI(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	path := "/links/" + f.Published(key, webtest.Fields{"name": "notes.txt", "type": "text/plain", "size": 5}, "hello")
	for _, bad := range []string{"0", "-1", "1.5", "1e12", "10001", `"5"`, "true"} {
		a := f.Call(key, "PATCH", path, `{"access":{"readers":`+bad+`}}`).Want(400, "invalid_request")
		if a.Text("field") != "access.readers" {
			t.Errorf("%s: field %q", bad, a.Text("field"))
		}
	}
	if a := f.Call(key, "PATCH", path, `{"access":{"readers":5}}`).Want(200, ""); fmt.Sprint(a.JSON()["access"]) != "map[readers:5 readersLeft:5]" {
		t.Errorf("with a limit, the link is %s", a.Body)
	}
	if a := f.Call(key, "PATCH", path, `{"access":{"readers":false}}`).Want(200, ""); a.JSON()["access"] != nil {
		t.Errorf("without a limit, the link is %s", a.Body)
	}
}

// TestBrowserLimitOfReaders checks that a browser under automation, which
// presses every button, uses no place, and that one which reads uses one.
func TestBrowserLimitOfReaders(t *testing.T) {
	t.Parallel()
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", []byte(strings.Repeat("a line to read\n", 200)))
	s.Limit(l, 1)
	automated := webtest.NewVisitor(t, chromedp.ActionFunc(webtest.OnNewDocument(`Object.defineProperty(navigator, "webdriver", {get: () => true})`)),
		webtest.WithClock(), s.Page(l), chromedp.Evaluate(`document.querySelectorAll("button").forEach((b) => b.click())`, nil))
	s.Tick(automated, 3*time.Second)
	automated.Leave()
	s.Ahead.Add(int64(2 * time.Hour))
	if left := s.Left(l); left != 1 {
		t.Errorf("after automation, %d readers are left", left)
	}
	person := webtest.NewVisitor(t, webtest.WithClock(), s.Page(l))
	s.Tick(person, 3*time.Second)
	person.Leave()
	webtest.Eventually(t, "no reader is left", func() bool { return s.Left(l) == 0 })
	s.Status(s.Get("/p/"+string(l.Slug)), 410)
}

// TestOwnerOfALimitedLink checks that the owner sees the content of a link that
// limits its readers and uses none of its places, also when they are used up,
// and that the addresses which the owner gets end with the access.
func TestOwnerOfALimitedLink(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("report.pdf", webtest.Samples["report.pdf"])
	s.Limit(l, 1)
	owner := s.SignIn(s.Account)
	page := s.Status(s.Get("/p/"+string(l.Slug), owner), 200)
	if len(page.Cookies()) != 0 || s.Left(l) != 1 {
		t.Errorf("the owner gets %v, and %d readers are left", page.Cookies(), s.Left(l))
	}
	content := s.ContentOf(page.Text)
	s.Status(s.Get(content, "Sec-Fetch-Dest: iframe"), 200)
	other, _, err := s.Server.Accounts.Create(t.Context(), "bob@example.org", vitrine.PlanPro)
	s.Check(err)
	if r := s.Status(s.Get("/p/"+string(l.Slug), s.SignIn(other)), 200); len(r.Cookies()) != 1 {
		t.Errorf("the owner of another link gets %v, want a pass", r.Cookies())
	}
	if left := s.Left(l); left != 1 {
		t.Errorf("after the owner, %d readers are left", left)
	}
	s.Protect(l, "right")
	s.Status(s.Get(content, "Sec-Fetch-Dest: iframe"), 403)
}

// TestLimitCountsEveryDoor checks that a browser that fetched content by any
// address of a link, and never ran a script, counts after an hour.
func TestLimitCountsEveryDoor(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("report.pdf", webtest.Samples["report.pdf"]) // its page itself has nothing of it
	s.Part(l, vitrine.PartPicture, []byte("marker"))
	s.Part(l, vitrine.PartThumbs, webtest.Packed(t, "1.jpg=marker"))
	s.Member = s.Account
	album := s.Album("Album", l)
	secret, err := (&analytics.Sharing{Store: s.Server.Links.Store, Signer: s.Server.Signer, Now: s.Server.Now}).
		Create(t.Context(), s.Account, l, analytics.SharedOptions{Label: "all"})
	s.Check(err)
	here := "/p/" + string(l.Slug)
	for _, door := range []string{"", "/download", "/picture", "/a/" + string(album.Slug) + "/download",
		"/r/" + secret + "/pages/1", "/c/file", "/c/part/picture"} {
		s.Limit(l, 0)
		s.Limit(l, 1)
		page := s.Status(s.Get(here), 200)
		want := int64(0)
		switch at, in := strings.CutPrefix(door, "/c/"); {
		case door == "":
			s.Status(s.Do(http.MethodHead, here+"/download", "", webtest.PassOf(page)), 200)
			want = 1
		case in:
			s.Status(s.Get(strings.TrimSuffix(s.ContentOf(page.Text), "view")+at, "Sec-Fetch-Dest: empty"), 200)
		case strings.HasPrefix(door, "/a/"), strings.HasPrefix(door, "/r/"):
			s.Status(s.Get(door, webtest.PassOf(page)), 200)
		default:
			s.Status(s.Get(here+door, webtest.PassOf(page)), 200)
		}
		s.Ahead.Add(int64(time.Hour + time.Second))
		if left := s.Left(l); left != want {
			t.Errorf("an hour after %q, %d readers are left, want %d", door, left, want)
		}
	}
}

// TestProgramsUseNoPlace checks that recognized programs which fetch the file
// never count, that they get it a bounded number of times, and that a person in
// a network of mail scanners counts.
func TestProgramsUseNoPlace(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	l := s.Publish("notes.txt", []byte("marker")) // its page has the text
	here := "/p/" + string(l.Slug)
	s.Limit(l, 1)
	const scanner = "X-Forwarded-For: 104.47.1.7"
	var person webtest.Reply
	for _, program := range []string{"User-Agent: Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", scanner,
		"User-Agent: curl/8.5.0"} {
		person = s.Status(s.Get(here, program), 200)
		s.Ahead.Add(int64(2 * time.Second))
		if strings.Contains(program, "curl") {
			s.Status(s.Do(http.MethodPost, s.BeaconOf(person.Text), `{"engaged":1500,"present":1500}`,
				"Content-Type: text/plain", webtest.PassOf(person), program), 204)
		}
	}
	got := 3
	for range 30 {
		if r := s.Get(here, scanner); r.StatusCode == 200 {
			got, person = got+1, r
		}
	}
	s.Ahead.Add(int64(2 * time.Hour))
	if left := s.Left(l); left != 1 || got != 20 {
		t.Errorf("programs got the file %d times, want 20, and %d readers are left, want 1", got, left)
	}
	s.Status(s.Get(here), 200)
	s.ReadFor(person, 1500, webtest.PassOf(person))
	if left := s.Left(l); left != 0 {
		t.Errorf("after a person in a network of mail scanners, %d readers are left, want 0", left)
	}
}
