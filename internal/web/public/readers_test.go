package public_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

// TestLimitOfReaders checks that a link with a limit of one is used up by one
// person who reads, and by nobody else.
func TestLimitOfReaders(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	l := s.Publish("report.pdf", webtest.Samples["report.pdf"])
	here := "/p/" + string(l.Slug)
	s.Limit(l, 1)
	for range 50 {
		s.Status(s.Do(http.MethodHead, here, ""), 200)
		for _, program := range []string{"User-Agent: curl/8.5.0",
			"User-Agent: Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
			"X-Forwarded-For: 104.47.1.7"} { // a browser in a network of mail scanners
			if r := s.Get(here, program); r.StatusCode != 200 && r.StatusCode != 403 {
				t.Fatalf("%s gets %d", program, r.StatusCode)
			}
		}
		s.Status(s.Get(here), 200) // hides as a browser, and fetches nothing
	}
	if left := s.Left(l); left != 1 {
		t.Fatalf("after programs, %d readers are left", left)
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
	if embed := s.Status(s.Get(here+"/embed"), 403); !strings.Contains(embed.Text, "Open in a new tab") {
		t.Errorf("the embed is\n%s", embed.Text)
	}
	s.Status(s.Get(here, s.SignIn(s.Account)), 200)
	s.Limit(l, 2)
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
	if r := s.Status(s.Get("/p/"+string(other.Slug), webtest.PassOf(first)), 200); len(r.Cookies()) != 1 {
		t.Error("a reader whose place is gone gets no other one")
	}
}

// TestLimitAndPassword checks that a link with both asks for the password, and
// that only its readers take places.
func TestLimitAndPassword(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", []byte("marker"))
	here := "/p/" + string(l.Slug)
	s.Limit(l, 1)
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
