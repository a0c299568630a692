package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/links"

	"github.com/chromedp/chromedp"
)

// limit sets how many people may read a link; 0 removes the limit.
func (s *site) limit(l *vitrine.Link, readers int) {
	s.t.Helper()
	changed, err := s.server.Links.Edit(s.t.Context(), s.account, string(l.Slug),
		links.Edit{Access: &access.Change{Readers: &readers}})
	s.check(err)
	*l = *changed
}

// left returns how many more people may read a link.
func (s *site) left(l *vitrine.Link) int64 {
	s.t.Helper()
	left, err := s.server.Gates.Left(s.t.Context(), l)
	s.check(err)
	return left
}

// readFor sends the beacon of a page that was read for a time.
func (s *site) readFor(page reply, ms int, cookie string) {
	s.t.Helper()
	s.status(s.do(http.MethodPost, s.beaconOf(page.body), fmt.Sprintf(`{"engaged":%d,"present":%[1]d}`, ms),
		"Content-Type: text/plain", cookie), 204)
}

// TestLimitOfReaders checks that a link with a limit of one is used up by one
// person who reads, and by nobody else.
func TestLimitOfReaders(t *testing.T) {
	s := newSite(t)
	s.trustProxy()
	l := s.publish("report.pdf", samples["report.pdf"])
	here := "/p/" + string(l.Slug)
	s.limit(l, 1)
	for range 50 {
		s.status(s.do(http.MethodHead, here, ""), 200)
		for _, program := range []string{"User-Agent: curl/8.5.0", "User-Agent: Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
			"X-Forwarded-For: 104.47.1.7"} { // a browser in a network of mail scanners
			if r := s.get(here, program); r.StatusCode != 200 && r.StatusCode != 403 {
				t.Fatalf("%s gets %d", program, r.StatusCode)
			}
		}
		s.status(s.get(here), 200) // hides as a browser, and fetches nothing
	}
	if left := s.left(l); left != 1 {
		t.Fatalf("after programs, %d readers are left", left)
	}
	page := s.status(s.get(here), 200)
	pass := passOf(page)
	c := page.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" {
		t.Errorf("the pass is %v", c)
	}
	s.status(s.get(s.contentOf(page.body), "Sec-Fetch-Dest: iframe"), 200)
	s.ahead.Add(int64(2 * time.Second))
	s.readFor(page, 900, pass)
	if left := s.left(l); left != 1 {
		t.Errorf("after 900 ms, %d readers are left", left)
	}
	s.readFor(page, 1500, pass)
	s.readFor(page, 1800, pass)
	if left := s.left(l); left != 0 {
		t.Errorf("after a person, %d readers are left", left)
	}
	late := s.status(s.get(here), 410)
	if len(late.Cookies()) != 0 || strings.Contains(late.body, "report.pdf") {
		t.Errorf("who is too late gets %v\n%s", late.Cookies(), late.body)
	}
	again := s.status(s.get(here, pass), 200)
	if len(again.Cookies()) != 0 {
		t.Errorf("a reader who comes again gets %v", again.Cookies())
	}
	s.status(s.get(s.contentOf(again.body), "Sec-Fetch-Dest: iframe"), 200)
	s.status(s.get(here+"/download", pass), 200)
	s.status(s.get(here+"/download"), 403)
	if embed := s.status(s.get(here+"/embed"), 403); !strings.Contains(embed.body, "Open in a new tab") {
		t.Errorf("the embed is\n%s", embed.body)
	}
	s.status(s.get(here, s.signIn(s.account)), 200)
	s.limit(l, 2)
	s.status(s.get(here), 200)
	s.limit(l, 0)
	if r := s.status(s.get(here), 200); len(r.Cookies()) != 0 {
		t.Errorf("a link without a limit sets %v", r.Cookies())
	}
}

// TestLimitWithoutScripts checks that a loop without scripts gets the bytes a
// bounded number of times, that each of them counts after an hour, and that
// one pass is worth nothing at another link.
func TestLimitWithoutScripts(t *testing.T) {
	s := newSite(t)
	l := s.publish("notes.txt", []byte("marker")) // its page has the text
	here := "/p/" + string(l.Slug)
	s.limit(l, 3)
	loop := func() (got int) {
		for range 60 {
			if r := s.get(here); strings.Contains(r.body, "marker") {
				got++
			} else if r.StatusCode == 403 && r.Header.Get("Retry-After") == "" {
				t.Fatalf("the page without a place has no time\n%s", r.body)
			}
		}
		return got
	}
	if got := loop(); got != 20 {
		t.Errorf("a loop got the text %d times, want 20", got)
	}
	if left := s.left(l); left != 3 {
		t.Errorf("%d readers are left within the hour, want 3", left)
	}
	s.ahead.Add(int64(time.Hour + time.Second))
	if left := s.left(l); left != 0 {
		t.Errorf("%d readers are left after the hour, want 0", left)
	}
	if got := loop(); got != 0 {
		t.Errorf("a loop got the text %d times after the limit", got)
	}

	other := s.publish("other.pdf", samples["report.pdf"])
	s.limit(other, 1)
	first := s.status(s.get("/p/"+string(other.Slug)), 200) // fetches nothing, so it makes room
	for range 20 {
		s.status(s.get("/p/"+string(other.Slug)), 200)
	}
	s.status(s.get(s.contentOf(first.body), "Sec-Fetch-Dest: iframe"), 403)
	if r := s.status(s.get("/p/"+string(other.Slug), passOf(first)), 200); len(r.Cookies()) != 1 {
		t.Error("a reader whose place is gone gets no other one")
	}
}

// TestLimitAndPassword checks that a link with both asks for the password, and
// that only its readers take places.
func TestLimitAndPassword(t *testing.T) {
	s := newSite(t)
	l := s.publish("notes.txt", []byte("marker"))
	here := "/p/" + string(l.Slug)
	s.limit(l, 1)
	s.protect(l, "right")
	for range 30 {
		s.status(s.get(here), 403)
	}
	entered := passOf(s.status(s.enter(l, "right", "192.0.2.1"), 303))
	s.status(s.get(here+"/download", entered), 403)
	page := s.status(s.get(here, entered), 200)
	s.ahead.Add(int64(2 * time.Second))
	s.readFor(page, 1500, passOf(page))
	s.status(s.get(here, passOf(page)), 200)
	s.status(s.get(here, passOf(s.status(s.enter(l, "right", "192.0.2.1"), 303))), 410)
}

// TestReadersAPI checks the limit of readers in the API, and bad input.
func TestReadersAPI(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanPro)
	path := "/links/" + f.published(key, fields{"name": "notes.txt", "type": "text/plain", "size": 5}, "hello")
	for _, bad := range []string{"0", "-1", "1.5", "1e12", "10001", `"5"`, "true"} {
		a := f.call(key, "PATCH", path, `{"access":{"readers":`+bad+`}}`).want(400, "invalid_request")
		if a.text("field") != "access.readers" {
			t.Errorf("%s: field %q", bad, a.text("field"))
		}
	}
	if a := f.call(key, "PATCH", path, `{"access":{"readers":5}}`).want(200, ""); fmt.Sprint(a.json()["access"]) != "map[readers:5 readersLeft:5]" {
		t.Errorf("with a limit, the link is %s", a.Body)
	}
	if a := f.call(key, "PATCH", path, `{"access":{"readers":false}}`).want(200, ""); a.json()["access"] != nil {
		t.Errorf("without a limit, the link is %s", a.Body)
	}
}

// TestBrowserLimitOfReaders checks that a browser under automation, which
// presses every button, uses no place, and that one which reads uses one.
func TestBrowserLimitOfReaders(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	l := s.publish("notes.txt", []byte(strings.Repeat("a line to read\n", 200)))
	s.limit(l, 1)
	automated := newVisitor(t, chromedp.ActionFunc(onNewDocument(`Object.defineProperty(navigator, "webdriver", {get: () => true})`)),
		withClock(), s.page(l), chromedp.Evaluate(`document.querySelectorAll("button").forEach((b) => b.click())`, nil))
	s.tick(automated, 3*time.Second)
	automated.leave()
	s.ahead.Add(int64(2 * time.Hour))
	if left := s.left(l); left != 1 {
		t.Errorf("after automation, %d readers are left", left)
	}
	person := newVisitor(t, withClock(), s.page(l))
	s.tick(person, 3*time.Second)
	person.leave()
	eventually(t, "no reader is left", func() bool { return s.left(l) == 0 })
	s.status(s.get("/p/"+string(l.Slug)), 410)
}
