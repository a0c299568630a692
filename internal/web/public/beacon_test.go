package public_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/base/signer"
	"vitrine/internal/test/webtest"
	"vitrine/report"
	"vitrine/report/part"
)

func TestBeacon(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("report.pdf", webtest.Samples["report.pdf"])
	beacon := s.BeaconOf(s.Get("/p/" + string(l.Slug)).Text)
	s.Ahead.Store(int64(time.Minute))
	send := func(body, contentType string) {
		t.Helper()
		if r := s.Status(s.Do(http.MethodPost, beacon, body, contentType), 204); r.Text != "" ||
			r.Header["Set-Cookie"] != nil {
			t.Errorf("headers = %v, body = %q, want no body and no cookie", r.Header, r.Text)
		}
	}
	send(`{"engaged":6000,"present":7000,"width":1280,"pages":{"1":3000,"2":1000,"3":999},"unknown":[1]}`, webtest.PlainText)
	send(`{"engaged":3000,"present":4000,"pages":{"2":2000.7},"downloaded":true,"final":true}`,
		"Content-Type: application/json")
	send(`{}`, webtest.PlainText)
	v := s.CountViews(l, 1)[0]
	if v.Session == nil {
		t.Fatal("no session is stored")
	}
	got := *v.Session
	pages := []report.PageTime{{Page: 1, Ms: 3000}, {Page: 2, Ms: 2000}}
	if got.EngagedMs != 6000 || got.PresentMs != 7000 || got.Screen != "1200-1439" || !got.Downloaded ||
		!slices.Equal(got.Pages, pages) || v.Bot != "" {
		t.Errorf("session = %+v, bot = %q", got, v.Bot)
	}

	send(`{"engaged":1e300,"present":1e300,"width":-5,"pages":{"1":9e99,"13":5000,"-1":5,"0":0}}`, webtest.PlainText)
	v = s.Views(l)[0]
	if v.Session.EngagedMs > 70_000 || v.Session.PresentMs > 70_000 || len(v.Session.Pages) > 2 {
		t.Errorf("clamped session = %+v", v.Session)
	}
	send(`{"automation":true}`, webtest.PlainText)
	if v = s.Views(l)[0]; v.Bot != report.BotAutomation {
		t.Errorf("bot = %q, want automation", v.Bot)
	}
}

// TestBeaconOfParts checks that a beacon about the parts of a file adds no more
// than its page could have measured, whatever it claims.
func TestBeaconOfParts(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("guide.md", webtest.Guide)
	page := s.Get("/p/" + string(l.Slug)).Text
	for _, want := range []string{`data-parts="4"`, `data-part="1"`, `data-part="4"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	beacon := s.BeaconOf(page)
	s.Ahead.Store(int64(time.Minute))
	for _, body := range []string{
		`{"engaged":6000,"present":7000,"pages":{"1":3000,"2":999},"depth":40}`,
		`{"engaged":6000,"present":7000,"pages":{"5":4000,"101":4000,"0":4000,"-1":4000},"view":7,"link":7}`,
		`{"engaged":6000,"present":7000,"pages":{"3":-4000,"4":1e300}}`,
	} {
		s.Status(s.Do(http.MethodPost, beacon, body, webtest.PlainText), 204)
	}
	got := *s.CountViews(l, 1)[0].Session
	want := []report.PageTime{{Page: 1, Ms: 3000}, {Page: 4, Ms: 3000}}
	if !got.Outlined || !slices.Equal(got.Pages, want) {
		t.Errorf("session = %+v, want the parts %v", got, want)
	}
	plain := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	s.Status(s.Do(http.MethodPost, s.BeaconOf(s.Get("/p/"+string(plain.Slug)).Text),
		`{"engaged":2000,"present":2000,"pages":{"1":2000}}`, webtest.PlainText), 204)
	if got := *s.CountViews(plain, 1)[0].Session; got.Outlined || len(got.Pages) > 0 {
		t.Errorf("session of a file without parts = %+v", got)
	}
}

// TestBeaconOfBands checks which times on the quarters of a page are stored of
// what a beacon claims: no more than the page has, and none of what is no list
// of four numbers.
func TestBeaconOfBands(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("report.pdf", webtest.Samples["report.pdf"])
	for _, c := range []struct {
		bands string
		want  part.Bands
	}{
		{`{"2":[1000,0,0,2000.9]}`, part.Bands{1000, 0, 0, 2000}},
		{`{"2":[1000,0,0,2000],"3":[1,1,1,1],"999":[1,1,1,1],"0":[1,0,0,0],"x":[]}`, part.Bands{1000, 0, 0, 2000}},
		{`{"2":[-1000,2000,0,9000]}`, part.Bands{0, 2000, 0, 1000}},
		{`{"2":[1e300,-1e300,5,5]}`, part.Bands{3000}},
		{`{"2":[1,1,1,1,1]}`, part.Bands{}},
		{`{"2":[1,1,1]}`, part.Bands{}},
		{`{"2":[]}`, part.Bands{}},
		{`{"2":["1",1,1,1]}`, part.Bands{}},
		{`{"2":[1,1,[1],1]}`, part.Bands{}},
		{`{"2":[1e999,1,1,1]}`, part.Bands{}},
		{`{"2":5}`, part.Bands{}},
		{`{"2":null}`, part.Bands{}},
		{`{"02":[1,1,1,1]}`, part.Bands{}},
		{`[[1,1,1,1]]`, part.Bands{}},
		{`"2"`, part.Bands{}},
		{`null`, part.Bands{}},
		{`7`, part.Bands{}},
	} {
		beacon := s.BeaconOf(s.Get("/p/" + string(l.Slug)).Text)
		s.Ahead.Add(int64(10 * time.Second))
		body := `{"engaged":3000,"present":4000,"pages":{"2":3000},"bands":` + c.bands + `}`
		for range 2 {
			s.Status(s.Do(http.MethodPost, beacon, body, webtest.PlainText), 204)
		}
		all := s.Views(l)
		want := []report.PageTime{{Page: 2, Ms: 3000, Bands: c.want}}
		if got := all[len(all)-1].Session.Pages; !slices.Equal(got, want) {
			t.Errorf("bands %s: pages = %v, want %v", c.bands, got, want)
		}
	}
}

// TestBeaconOfClicks checks which clicks are stored of what a beacon claims.
func TestBeaconOfClicks(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("guide.md", webtest.Guide)
	long := "https://a.test/" + strings.Repeat("x", 300)
	many := `{"clicks":{"0 tel":10000`
	for i := range 99 {
		many += fmt.Sprintf(`,"4 https://z.test/%d":1`, i)
	}
	for _, c := range []struct {
		clicks string
		header string
		want   []part.Click
	}{
		{`{"clicks":{"2 https://a.test/b":1,"0 mailto":2},"view":7,"link":7}`, "",
			[]part.Click{{Part: 0, Target: "mailto", Count: 2}, {Part: 2, Target: "https://a.test/b", Count: 1}}},
		{`{"clicks":{"101 https://me:pw@A.test?q=1#x":1,"-1 HTTP://a.test/b":1}}`, "",
			[]part.Click{{Part: 0, Target: "http", Count: 1}, {Part: 0, Target: "https://a.test/", Count: 1}}},
		{`{"clicks":{"1 ` + long + `":1}}`, "", []part.Click{{Part: 1, Target: "https://a.test/", Count: 1}}},
		{`{"clicks":{"1 javascript:alert(1)":1,"1 data:text/html,x":1,"1 https://<b>/":1,"1 ":1,"x tel":1,"1 https":1,` +
			`"1 https://` + strings.Repeat("a", 250) + `/":1,"1 tel":0,"2 tel":-5}}`, "", nil},
		{`{"clicks":{"1 https://a.test/b":1}}`, "Sec-GPC: 1", nil},
	} {
		s.Ahead.Add(int64(time.Second))
		beacon := s.BeaconOf(s.Get("/p/" + string(l.Slug)).Text)
		headers := []string{webtest.PlainText}
		if c.header != "" {
			headers = append(headers, c.header)
		}
		s.Status(s.Do(http.MethodPost, beacon, c.clicks, headers...), 204)
		all := s.Views(l)
		if got := all[len(all)-1].Session.Clicks; !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.clicks, got, c.want)
		}
	}
	s.Ahead.Add(int64(time.Second))
	beacon := s.BeaconOf(s.Get("/p/" + string(l.Slug)).Text)
	for range 2 {
		s.Status(s.Do(http.MethodPost, beacon, many+"}}", webtest.PlainText), 204)
	}
	all := s.Views(l)
	if got := all[len(all)-1].Session.Clicks; len(got) != part.MaxTargets || got[0].Count != 100 {
		t.Errorf("of 100 links and 10,000 clicks: %v", got)
	}
	if got := s.Status(s.Do(http.MethodPost, beacon, `{"clicks":[1]}`, webtest.PlainText), 400); got.Text == "" {
		t.Error("no reason")
	}
	clip := s.Publish("clip.webm", webtest.Samples["clip.webm"])
	s.Status(s.Do(http.MethodPost, s.BeaconOf(s.Get("/p/"+string(clip.Slug)).Text), `{"clicks":{"1 tel":1}}`,
		webtest.PlainText), 204)
	if got := s.CountViews(clip, 1)[0].Session.Clicks; got != nil {
		t.Errorf("clicks in a video: %v", got)
	}
}

// TestBeaconOfMedia checks that the played time is a share of the duration,
// whatever the beacon claims.
func TestBeaconOfMedia(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("clip.webm", webtest.Samples["clip.webm"])
	for body, want := range map[string][2]int64{
		`{"engaged":2000,"present":2000,"duration":4000,"played":1000,"reached":3000}`: {250_000, 750_000},
		`{"duration":1e300,"played":1e300,"reached":1e300}`:                            {0, 1_000_000},
		`{"duration":-1,"played":5,"reached":5}`:                                       {0, 0},
		`{"duration":4000,"played":-7,"reached":-7}`:                                   {0, 0},
	} {
		beacon := s.BeaconOf(s.Get("/p/" + string(l.Slug)).Text)
		s.Status(s.Do(http.MethodPost, beacon, body, webtest.PlainText), 204)
		all := s.Views(l)
		if got := all[len(all)-1].Session; got.Played != want[0] || got.Reached != want[1] {
			t.Errorf("%s: played = %d, reached = %d, want %d", body, got.Played, got.Reached, want)
		}
	}
}

// TestBeaconRubbish checks that an invalid beacon is refused with a reason and
// stores nothing.
func TestBeaconRubbish(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	page := "/p/" + string(l.Slug)
	good := s.BeaconOf(s.Get(page).Text)
	token := strings.TrimPrefix(good, page+"/beacon?v=")
	content := s.Server.Signer.ContentToken(signer.Content{Link: l.ID, Version: 1}, s.Server.Now().Add(time.Hour))
	for _, c := range []struct {
		name, address, body, contentType string
		status                           int
		code                             string
	}{
		{"no token", page + "/beacon", "{}", webtest.PlainText, 403, "invalid_signature"},
		{"rubbish token", page + "/beacon?v=%00%ff", "{}", webtest.PlainText, 403, "invalid_signature"},
		{"token of content", page + "/beacon?v=" + content, "{}", webtest.PlainText, 403, "invalid_signature"},
		{"cut token", good[:len(good)-1], "{}", webtest.PlainText, 403, "invalid_signature"},
		{"token with more", good + ".x", "{}", webtest.PlainText, 403, "invalid_signature"},
		{"changed link", page + "/beacon?v=9" + token, "{}", webtest.PlainText, 403, "invalid_signature"},
		{"signature before body", page + "/beacon?v=x", "rubbish", "Content-Type: image/png", 403, "invalid_signature"},
		{"no body", good, "", webtest.PlainText, 400, "invalid_json"},
		{"no JSON", good, "engaged=1", webtest.PlainText, 400, "invalid_json"},
		{"array", good, "[]", webtest.PlainText, 400, "invalid_json"},
		{"null", good, "null", webtest.PlainText, 400, "invalid_json"},
		{"two objects", good, "{}{}", webtest.PlainText, 400, "invalid_json"},
		{"name twice", good, `{"engaged":1,"engaged":2}`, webtest.PlainText, 400, "invalid_json"},
		{"page twice", good, `{"pages":{"1":1,"1":2}}`, webtest.PlainText, 400, "invalid_json"},
		{"bad UTF-8", good, "{\"x\":\"\xff\"}", webtest.PlainText, 400, "invalid_json"},
		{"deep", good, `{"x":` + strings.Repeat("[", 9) + strings.Repeat("]", 9) + `}`, webtest.PlainText, 400, "invalid_json"},
		{"NaN", good, `{"engaged":NaN}`, webtest.PlainText, 400, "invalid_json"},
		{"large", good, `{"x":"` + strings.Repeat("a", 4<<10) + `"}`, webtest.PlainText, 400, "invalid_json"},
		{"form", good, "{}", "Content-Type: application/x-www-form-urlencoded", 400, "invalid_json"},
		{"no type", good, "{}", "Content-Type: ", 400, "invalid_json"},
		{"engaged is text", good, `{"engaged":"5"}`, webtest.PlainText, 400, "invalid_request"},
		{"engaged is null", good, `{"engaged":null}`, webtest.PlainText, 400, "invalid_request"},
		{"pages is a list", good, `{"pages":[1]}`, webtest.PlainText, 400, "invalid_request"},
		{"page is a word", good, `{"pages":{"one":1}}`, webtest.PlainText, 400, "invalid_request"},
		{"page has a zero", good, `{"pages":{"01":1}}`, webtest.PlainText, 400, "invalid_request"},
		{"page is huge", good, `{"pages":{"99999999999":1}}`, webtest.PlainText, 400, "invalid_request"},
		{"page time is text", good, `{"pages":{"1":"1"}}`, webtest.PlainText, 400, "invalid_request"},
		{"downloaded is 1", good, `{"downloaded":1}`, webtest.PlainText, 400, "invalid_request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := s.Do(http.MethodPost, c.address, c.body, c.contentType)
			var e struct{ Error, Code string }
			if err := json.Unmarshal([]byte(r.Text), &e); err != nil || r.StatusCode != c.status || e.Code != c.code ||
				e.Error == "" {
				t.Errorf("status %d, %s, want %d, %s", r.StatusCode, r.Text, c.status, c.code)
			}
		})
	}
	s.Status(s.Get(good), 405)
	if v := s.CountViews(l, 1)[0]; v.Session != nil {
		t.Errorf("an invalid beacon stored a session: %+v", v.Session)
	}
	s.Status(s.Do(http.MethodPost, good, `{"depth":50}`, webtest.PlainText), 204)
	s.Ahead.Store(int64(24 * time.Hour))
	r := s.Status(s.Do(http.MethodPost, good, `{"depth":90}`, webtest.PlainText), 403)
	if !strings.Contains(r.Text, "url_expired") {
		t.Error(r.Text)
	}
	s.Ahead.Store(0)
	if v := s.Views(l)[0]; v.Session == nil || v.Session.Depth != 500_000 {
		t.Errorf("session = %+v, want depth 500000", v.Session)
	}
}

// FuzzBeacon checks that any beacon is accepted or refused, and that the stored
// session is possible.
func FuzzBeacon(f *testing.F) {
	for _, seed := range []string{`{}`, `{"engaged":1,"present":2,"width":390,"pages":{"1":1200},"bands":{"1":[600,0,0,600]}}`,
		`{"pages":{"-1":-1}}`, `{"width":1e400}`, `{"a":{"b":[`, "\xff", `{"engaged":-0.0}`} {
		f.Add(seed)
	}
	s := webtest.NewSite(f)
	l := s.Publish("report.pdf", webtest.Samples["report.pdf"])
	beacon := s.BeaconOf(s.Get("/p/" + string(l.Slug)).Text)
	f.Fuzz(func(t *testing.T, body string) {
		s.T = t
		req := httptest.NewRequest(http.MethodPost, beacon, strings.NewReader(body))
		req.Header.Set("Content-Type", "text/plain")
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, req)
		if w.Code != 204 && w.Code != 400 {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		session := s.Views(l)[0].Session
		if session == nil {
			return
		}
		for _, p := range session.Pages {
			if p.Page < 1 || p.Page > 12 {
				t.Errorf("page = %d, want 1 to 12", p.Page)
			}
			if p.Bands.Within(p.Ms) != p.Bands {
				t.Errorf("impossible times on quarters: %v", p)
			}
		}
		if session.EngagedMs < 0 || session.EngagedMs > session.PresentMs ||
			session.PresentMs > time.Since(time.UnixMilli(s.Views(l)[0].At)).Milliseconds()+2001 {
			t.Errorf("impossible session: %+v", session)
		}
	})
}
