package web_test

import (
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"vitrine"
)

const morning = "WEBVTT\n\n00:00.000 --> 00:04.000\nGood morning.\n"

// send sends a body of a type to the API.
func (f *fixture) send(key, method, path, contentType, body string) answer {
	f.t.Helper()
	req, err := http.NewRequest(method, f.url+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	req.Header.Set("Content-Type", contentType)
	return f.do(req)
}

// sound publishes an audio file and returns the path of its captions.
func (f *fixture) sound(key string) (path string) {
	f.t.Helper()
	song := string(mustRead("testdata/song.mp3"))
	return "/links/" + f.published(key, fields{"name": "song.mp3", "type": "audio/mpeg", "size": len(song)}, song) +
		"/captions"
}

func TestCaptionsOverTheAPI(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanFree)
	path := f.sound(key)
	listed := func(a answer) string {
		t.Helper()
		text := ""
		for _, c := range a.want(200, "").json()["captions"].([]any) {
			c := c.(map[string]any)
			text += fmt.Sprintf("%s=%s ", c["language"], c["label"])
			if u, _ := c["url"].(string); !strings.HasPrefix(u, f.url+"/c/") ||
				!strings.HasSuffix(u, "/captions/"+c["language"].(string)) {
				t.Errorf("url = %q", u)
			}
		}
		return strings.TrimSpace(text)
	}
	is := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("captions = %q, want %q", got, want)
		}
	}
	is(listed(f.call(key, "GET", path, nil)), "")
	is(listed(f.send(key, "PUT", path+"/fr", "text/vtt", morning)), "fr=français")
	is(listed(f.send(key, "PUT", path+"/en_us", "text/vtt; charset=utf-8", morning)),
		"en-US=American English fr=français")
	is(listed(f.send(key, "PUT", path+"/DE", "application/x-subrip",
		"1\n00:00:01,000 --> 00:00:02,000\nGuten Morgen.\n")), "en-US=American English de=Deutsch fr=français")
	is(listed(f.call(key, "GET", path, nil)), "en-US=American English de=Deutsch fr=français")
	for range 2 {
		if a := f.call(key, "DELETE", path+"/fr", nil).want(204, ""); len(a.Body) > 0 {
			t.Errorf("body = %q, want none", a.Body)
		}
	}
	is(listed(f.call(key, "GET", path, nil)), "en-US=American English de=Deutsch")
	f.audit()
}

// TestCaptionsRefusedByTheAPI checks that errors have the contract's order
// (401, 403, 400, 404), and that another account's link looks like one that
// does not exist.
func TestCaptionsRefusedByTheAPI(t *testing.T) {
	f := newFixture(t)
	key, stranger := f.account(vitrine.PlanFree), f.account(vitrine.PlanFree)
	path := f.sound(key)
	notes := "/links/" + f.published(key, noteFile, note) + "/captions"
	put := func(key, path, contentType, body string) answer { return f.send(key, "PUT", path, contentType, body) }
	put("", path+"/xx", "text/plain", "").want(401, "unauthorized")
	put(key, path+"/en", "text/plain", morning).want(400, "invalid_request")
	put(key, path+"/en", "", morning).want(400, "invalid_request")
	put(key, path+"/xx", "text/vtt", morning).want(400, "invalid_request")
	put(key, path+"/en", "text/vtt", "Good morning.").want(400, "invalid_request")
	put(key, path+"/en", "text/vtt", morning+strings.Repeat("x", 3<<20)).want(400, "invalid_request")
	put(key, notes+"/en", "text/vtt", morning).want(400, "invalid_request")
	put(stranger, path+"/en", "text/vtt", "x").want(400, "invalid_request")
	f.call(key, "DELETE", path+"/xx", nil).want(400, "invalid_request")
	for _, method := range []string{"PUT", "DELETE", "GET"} {
		suffix := "/en"
		if method == "GET" {
			suffix = ""
		}
		foreign := f.send(stranger, method, path+suffix, "text/vtt", morning).want(404, "not_found")
		unknown := f.send(stranger, method, "/links/nope/captions"+suffix, "text/vtt", morning).want(404, "not_found")
		if string(foreign.Body) != string(unknown.Body) {
			t.Errorf("%s: another account's link: %s, an unknown one: %s, want the same", method, foreign.Body,
				unknown.Body)
		}
		f.send("", method, path+suffix, "text/vtt", morning).want(401, "unauthorized")
	}
	if a := f.call(key, "POST", path+"/en", nil).want(405,
		"method_not_allowed"); a.Header.Get("Allow") != "PUT, DELETE" {
		t.Errorf("Allow = %s, want PUT, DELETE", a.Header.Get("Allow"))
	}
	f.call(key, "PUT", path, nil).want(405, "method_not_allowed")
	f.ban(key)
	for _, method := range []string{"PUT", "DELETE"} {
		f.send(key, method, path+"/xx", "text/plain", "").want(403, "banned")
	}
	f.call(key, "GET", path, nil).want(403, "banned")
	f.audit()
}

// caption adds captions to a link.
func (s *site) caption(l *vitrine.Link, language, text string) {
	s.t.Helper()
	_, err := s.server.Captions.Put(s.t.Context(), s.account, string(l.Slug), language, strings.NewReader(text), nil)
	s.check(err)
}

// TestCaptionsAreServed checks that captions are served with their type, from
// the origin of file bytes, and only while the link is public.
func TestCaptionsAreServed(t *testing.T) {
	s := newSiteWith(t, siteOptions{content: true})
	l := s.publish("clip.webm", samples["clip.webm"])
	if page := s.get("/p/" + string(l.Slug)); strings.Contains(page.body, "<track") {
		t.Error("a page without captions has a track")
	}
	s.caption(l, "pt-BR", morning)
	s.caption(l, "de", morning)
	page := s.status(s.get("/p/"+string(l.Slug)), 200)
	if de, pt := strings.Index(page.body, `srclang="de" label="Deutsch"`), strings.Index(page.body,
		`srclang="pt-BR"`); de < 0 || pt < de {
		t.Errorf("positions of the tracks = %d, %d\n%s", de, pt, page.body)
	}
	address := s.attr(page.body, `<track [^>]*srclang="pt-BR"[^>]* src="([^"]+)"`)
	if !strings.HasPrefix(address, s.server.ContentURL.String()+"/c/") {
		t.Errorf("captions are at %s, want them at the content origin", address)
	}
	r := s.status(s.get(address), 200)
	for name, want := range map[string]string{"Content-Type": "text/vtt; charset=utf-8",
		"Access-Control-Allow-Origin": "*", "Content-Security-Policy": "default-src 'none'; sandbox",
		"Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff"} {
		if r.Header.Get(name) != want {
			t.Errorf("%s = %q, want %q", name, r.Header.Get(name), want)
		}
	}
	if r.body != morning {
		t.Errorf("captions = %q", r.body)
	}
	s.status(s.get(address, "If-None-Match: "+r.Header.Get("ETag")), 304)
	s.caption(l, "pt-BR", strings.Replace(morning, "Good morning", "Bom dia", 1))
	if again := s.status(s.get(address, "If-None-Match: "+r.Header.Get("ETag")), 200); !strings.Contains(again.body,
		"Bom dia") {
		t.Errorf("captions after a change = %q", again.body)
	}
	for _, other := range []string{"fr", "xx", "pt-BR/x", "../file", "%00"} {
		if r := s.get(strings.Replace(address, "pt-BR", other, 1)); r.StatusCode < 300 {
			t.Errorf("%s: status %d, want an error", other, r.StatusCode)
		}
	}
	s.status(s.get(strings.Replace(address, s.server.ContentURL.String(), s.url, 1)), 404)
	for state, status := range map[vitrine.LinkState]int{vitrine.StateReview: 404, vitrine.StateDisabled: 410} {
		s.setState(l, state)
		s.status(s.get(address), status)
	}
}

// TestLinkCaptions adds and removes captions with forms, on links that have
// sound.
func TestLinkCaptions(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	cookie := d.signIn(d.member)
	song, notes := d.publish("song.mp3", samples["song.mp3"]), d.publish("notes.txt", samples["notes.txt"])
	send := func(l *vitrine.Link, language, text string) reply {
		t.Helper()
		var b strings.Builder
		m := multipart.NewWriter(&b)
		d.check(m.WriteField("language", language))
		part, err := m.CreateFormFile("file", "captions.vtt")
		d.check(err)
		_, err = part.Write([]byte(text))
		d.check(err)
		d.check(m.Close())
		return d.do(http.MethodPost, linkPath(l)+"/captions", b.String(), "Content-Type: "+m.FormDataContentType(),
			"Origin: "+d.url, "Sec-Fetch-Site: same-origin", cookie)
	}
	const vtt = "WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n"
	if r := d.follow(send(song, "de", vtt), cookie); !strings.Contains(r.body, "Deutsch") ||
		!strings.Contains(r.body, "Captions added.") {
		t.Errorf("after adding captions: %s", r.body)
	}
	if r := d.status(send(song, "nonsense!", vtt), 400); !strings.Contains(r.body, "BCP 47") ||
		!strings.Contains(r.body, `value="nonsense!"`) {
		t.Errorf("captions without a valid language: %s", r.body)
	}
	if r := d.status(send(song, "en", "rubbish"), 400); !strings.Contains(r.body, `id="wrong-file"`) {
		t.Errorf("invalid captions: %s", r.body)
	}
	d.status(send(song, "en", strings.Repeat("x", 2<<20)), 400)
	d.status(send(notes, "de", vtt), 400)
	if r := d.follow(d.post(linkPath(song)+"/captions/delete", url.Values{"language": {"de"}}, cookie),
		cookie); strings.Contains(r.body, "Deutsch") {
		t.Errorf("after removing captions: %s", r.body)
	}
	if r := d.get(linkPath(notes)+"/settings", cookie); strings.Contains(r.body, "Captions") {
		t.Error("the page of a text offers captions")
	}
}

// TestBrowserCaptions checks that a browser loads the captions of a video and
// shows the first track, also on an instance with two hosts.
func TestBrowserCaptions(t *testing.T) {
	for name, o := range map[string]siteOptions{"one host": {}, "two hosts": {content: true}} {
		t.Run(name, func(t *testing.T) {
			s := newSiteWith(t, o)
			for _, file := range []string{"clip.webm", "song.mp3"} {
				l := s.publish(file, samples[file])
				s.caption(l, "pt-BR", morning)
				s.caption(l, "de", "1\n00:00:00,000 --> 00:00:02,000\nGuten {\\an8}Morgen.\n\n2\n00:00:02,000 --> 00:00:04,000\n<i>Danke.</i>\n")
				tb := newTab(t, s.page(l))
				mode := "showing"
				if file == "song.mp3" {
					mode = "hidden" // "hidden", because the page draws them itself
				}
				tb.until(`(() => {
					const mode = "` + mode + `"
					const tracks = document.querySelector("video, audio").textTracks
					const [first, second] = tracks
					return tracks.length === 2 && first.language === "de" && first.label === "Deutsch" && first.mode === mode && first.cues.length === 2 &&
						first.cues[0].text === "Guten Morgen." && first.cues[1].startTime === 2 && second.mode === "disabled"
				})()`)
				if file == "song.mp3" {
					tb.run(chromedp.Evaluate(`{ const a = document.querySelector("audio"); a.currentTime = 2.2; void a.play() }`, nil))
					tb.until(`document.querySelector("#cue i")?.textContent === "Danke."`)
				}
				tb.until(`(() => {
					const second = document.querySelector("video, audio").textTracks[1]
					second.mode = "showing"
					return second.cues?.length === 1 && second.cues[0].text === "Good morning."
				})()`)
				tb.until(`document.querySelector("video, audio").duration > 3`) // the video still plays
				tb.quiet()
			}
		})
	}
}
