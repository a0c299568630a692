package web_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/base/signer"
	"vitrine/internal/web/public"
	"vitrine/report"
)

const plainText = "Content-Type: text/plain;charset=UTF-8"

func TestBeacon(t *testing.T) {
	s := newSite(t)
	l := s.publish("report.pdf", samples["report.pdf"])
	beacon := s.beaconOf(s.get("/p/" + string(l.Slug)).body)
	s.ahead.Store(int64(time.Minute))
	send := func(body, contentType string) {
		t.Helper()
		if r := s.status(s.do(http.MethodPost, beacon, body, contentType), 204); r.body != "" ||
			r.Header["Set-Cookie"] != nil {
			t.Errorf("headers = %v, body = %q, want no body and no cookie", r.Header, r.body)
		}
	}
	send(`{"engaged":6000,"present":7000,"width":1280,"pages":{"1":3000,"2":1000,"3":999},"unknown":[1]}`, plainText)
	send(`{"engaged":3000,"present":4000,"pages":{"2":2000.7},"downloaded":true,"final":true}`,
		"Content-Type: application/json")
	send(`{}`, plainText)
	o := s.countOpens(l, 1)[0]
	if o.Session == nil {
		t.Fatal("no session is stored")
	}
	got := *o.Session
	pages := []report.PageTime{{Page: 1, Ms: 3000}, {Page: 2, Ms: 2000}}
	if got.EngagedMs != 6000 || got.PresentMs != 7000 || got.Screen != "1200-1439" || !got.Downloaded ||
		!slices.Equal(got.Pages, pages) || o.Bot != "" {
		t.Errorf("session = %+v, bot = %q", got, o.Bot)
	}

	clamped := public.ClampedBeacons()
	send(`{"engaged":1e300,"present":1e300,"width":-5,"pages":{"1":9e99,"13":5000,"-1":5,"0":0}}`, plainText)
	if public.ClampedBeacons() != clamped+1 {
		t.Error("an impossible claim did not increase the count of clamped beacons")
	}
	o = s.views(l)[0]
	if o.Session.EngagedMs > 70_000 || o.Session.PresentMs > 70_000 || len(o.Session.Pages) > 2 {
		t.Errorf("clamped session = %+v", o.Session)
	}
	send(`{"automation":true}`, plainText)
	if o = s.views(l)[0]; o.Bot != vitrine.BotAutomation {
		t.Errorf("bot = %q, want automation", o.Bot)
	}
}

// TestBeaconOfMedia checks that the played time is a share of the duration,
// whatever the beacon claims.
func TestBeaconOfMedia(t *testing.T) {
	s := newSite(t)
	l := s.publish("clip.webm", samples["clip.webm"])
	for body, want := range map[string][2]int64{
		`{"engaged":2000,"present":2000,"duration":4000,"played":1000,"reached":3000}`: {250_000, 750_000},
		`{"duration":1e300,"played":1e300,"reached":1e300}`:                            {0, 1_000_000},
		`{"duration":-1,"played":5,"reached":5}`:                                       {0, 0},
		`{"duration":4000,"played":-7,"reached":-7}`:                                   {0, 0},
	} {
		beacon := s.beaconOf(s.get("/p/" + string(l.Slug)).body)
		s.status(s.do(http.MethodPost, beacon, body, plainText), 204)
		all := s.views(l)
		if got := all[len(all)-1].Session; got.Played != want[0] || got.Reached != want[1] {
			t.Errorf("%s: played = %d, reached = %d, want %d", body, got.Played, got.Reached, want)
		}
	}
}

// TestBeaconRubbish checks that an invalid beacon is refused with a reason and
// stores nothing.
func TestBeaconRubbish(t *testing.T) {
	s := newSite(t)
	l := s.publish("notes.txt", samples["notes.txt"])
	page := "/p/" + string(l.Slug)
	good := s.beaconOf(s.get(page).body)
	token := strings.TrimPrefix(good, page+"/beacon?v=")
	content := s.server.Signer.ContentToken(signer.Content{Link: l.ID, Version: 1}, s.server.Now().Add(time.Hour))
	for _, c := range []struct {
		name, address, body, contentType string
		status                           int
		code                             string
	}{
		{"no token", page + "/beacon", "{}", plainText, 403, "invalid_signature"},
		{"rubbish token", page + "/beacon?v=%00%ff", "{}", plainText, 403, "invalid_signature"},
		{"token of content", page + "/beacon?v=" + content, "{}", plainText, 403, "invalid_signature"},
		{"cut token", good[:len(good)-1], "{}", plainText, 403, "invalid_signature"},
		{"token with more", good + ".x", "{}", plainText, 403, "invalid_signature"},
		{"changed link", page + "/beacon?v=9" + token, "{}", plainText, 403, "invalid_signature"},
		{"signature before body", page + "/beacon?v=x", "rubbish", "Content-Type: image/png", 403, "invalid_signature"},
		{"no body", good, "", plainText, 400, "invalid_json"},
		{"no JSON", good, "engaged=1", plainText, 400, "invalid_json"},
		{"array", good, "[]", plainText, 400, "invalid_json"},
		{"null", good, "null", plainText, 400, "invalid_json"},
		{"two objects", good, "{}{}", plainText, 400, "invalid_json"},
		{"name twice", good, `{"engaged":1,"engaged":2}`, plainText, 400, "invalid_json"},
		{"page twice", good, `{"pages":{"1":1,"1":2}}`, plainText, 400, "invalid_json"},
		{"bad UTF-8", good, "{\"x\":\"\xff\"}", plainText, 400, "invalid_json"},
		{"deep", good, `{"x":` + strings.Repeat("[", 9) + strings.Repeat("]", 9) + `}`, plainText, 400, "invalid_json"},
		{"NaN", good, `{"engaged":NaN}`, plainText, 400, "invalid_json"},
		{"large", good, `{"x":"` + strings.Repeat("a", 4<<10) + `"}`, plainText, 400, "invalid_json"},
		{"form", good, "{}", "Content-Type: application/x-www-form-urlencoded", 400, "invalid_json"},
		{"no type", good, "{}", "Content-Type: ", 400, "invalid_json"},
		{"engaged is text", good, `{"engaged":"5"}`, plainText, 400, "invalid_request"},
		{"engaged is null", good, `{"engaged":null}`, plainText, 400, "invalid_request"},
		{"pages is a list", good, `{"pages":[1]}`, plainText, 400, "invalid_request"},
		{"page is a word", good, `{"pages":{"one":1}}`, plainText, 400, "invalid_request"},
		{"page has a zero", good, `{"pages":{"01":1}}`, plainText, 400, "invalid_request"},
		{"page is huge", good, `{"pages":{"99999999999":1}}`, plainText, 400, "invalid_request"},
		{"page time is text", good, `{"pages":{"1":"1"}}`, plainText, 400, "invalid_request"},
		{"downloaded is 1", good, `{"downloaded":1}`, plainText, 400, "invalid_request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := s.do(http.MethodPost, c.address, c.body, c.contentType)
			var e struct{ Error, Code string }
			if err := json.Unmarshal([]byte(r.body), &e); err != nil || r.StatusCode != c.status || e.Code != c.code ||
				e.Error == "" {
				t.Errorf("status %d, %s, want %d, %s", r.StatusCode, r.body, c.status, c.code)
			}
		})
	}
	s.status(s.get(good), 405)
	if o := s.countOpens(l, 1)[0]; o.Session != nil {
		t.Errorf("an invalid beacon stored a session: %+v", o.Session)
	}
	s.status(s.do(http.MethodPost, good, `{"depth":50}`, plainText), 204)
	s.ahead.Store(int64(24 * time.Hour))
	r := s.status(s.do(http.MethodPost, good, `{"depth":90}`, plainText), 403)
	if !strings.Contains(r.body, "url_expired") {
		t.Error(r.body)
	}
	s.ahead.Store(0)
	if o := s.views(l)[0]; o.Session == nil || o.Session.Depth != 500_000 {
		t.Errorf("session = %+v, want depth 500000", o.Session)
	}
}

// FuzzBeacon checks that any beacon is accepted or refused, and that the stored
// session is possible.
func FuzzBeacon(f *testing.F) {
	for _, seed := range []string{`{}`, `{"engaged":1,"present":2,"width":390,"pages":{"1":1200}}`,
		`{"pages":{"-1":-1}}`, `{"width":1e400}`, `{"a":{"b":[`, "\xff", `{"engaged":-0.0}`} {
		f.Add(seed)
	}
	s := newSite(f)
	l := s.publish("report.pdf", samples["report.pdf"])
	beacon := s.beaconOf(s.get("/p/" + string(l.Slug)).body)
	f.Fuzz(func(t *testing.T, body string) {
		s.t = t
		req := httptest.NewRequest(http.MethodPost, beacon, strings.NewReader(body))
		req.Header.Set("Content-Type", "text/plain")
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, req)
		if w.Code != 204 && w.Code != 400 {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		session := s.views(l)[0].Session
		if session == nil {
			return
		}
		for _, p := range session.Pages {
			if p.Page < 1 || p.Page > 12 {
				t.Errorf("page = %d, want 1 to 12", p.Page)
			}
		}
		if session.EngagedMs < 0 || session.EngagedMs > session.PresentMs ||
			session.PresentMs > time.Since(time.UnixMilli(s.views(l)[0].At)).Milliseconds()+2001 {
			t.Errorf("impossible session: %+v", session)
		}
	})
}
