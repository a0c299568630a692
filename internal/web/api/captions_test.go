package api_test

import (
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

func TestCaptionsOverTheAPI(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanFree)
	path := f.Sound(key)
	listed := func(a webtest.Answer) string {
		t.Helper()
		text := ""
		for _, c := range a.Want(200, "").JSON()["captions"].([]any) {
			c := c.(map[string]any)
			text += fmt.Sprintf("%s=%s ", c["language"], c["label"])
			if u, _ := c["url"].(string); !strings.HasPrefix(u, f.URL+"/c/") ||
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
	is(listed(f.Call(key, "GET", path, nil)), "")
	is(listed(f.Send(key, "PUT", path+"/fr", "text/vtt", webtest.Morning)), "fr=français")
	is(listed(f.Send(key, "PUT", path+"/en_us", "text/vtt; charset=utf-8", webtest.Morning)),
		"en-US=American English fr=français")
	is(listed(f.Send(key, "PUT", path+"/DE", "application/x-subrip",
		"1\n00:00:01,000 --> 00:00:02,000\nGuten Morgen.\n")), "en-US=American English de=Deutsch fr=français")
	is(listed(f.Call(key, "GET", path, nil)), "en-US=American English de=Deutsch fr=français")
	for range 2 {
		if a := f.Call(key, "DELETE", path+"/fr", nil).Want(204, ""); len(a.Body) > 0 {
			t.Errorf("body = %q, want none", a.Body)
		}
	}
	is(listed(f.Call(key, "GET", path, nil)), "en-US=American English de=Deutsch")
	f.Audit()
}

// TestCaptionsRefusedByTheAPI checks that errors have the contract's order
// (401, 403, 400, 404), and that another account's link looks like one that
// does not exist.
func TestCaptionsRefusedByTheAPI(t *testing.T) {
	f := webtest.NewFixture(t)
	key, stranger := f.Account(vitrine.PlanFree), f.Account(vitrine.PlanFree)
	path := f.Sound(key)
	notes := "/links/" + f.Published(key, webtest.NoteFile, webtest.Note) + "/captions"
	put := func(key, path, contentType, body string) webtest.Answer {
		return f.Send(key, "PUT", path, contentType, body)
	}
	put("", path+"/xx", "text/plain", "").Want(401, "unauthorized")
	put(key, path+"/en", "text/plain", webtest.Morning).Want(400, "invalid_request")
	put(key, path+"/en", "", webtest.Morning).Want(400, "invalid_request")
	put(key, path+"/xx", "text/vtt", webtest.Morning).Want(400, "invalid_request")
	put(key, path+"/en", "text/vtt", "Good morning.").Want(400, "invalid_request")
	put(key, path+"/en", "text/vtt", webtest.Morning+strings.Repeat("x", 3<<20)).Want(400, "invalid_request")
	put(key, notes+"/en", "text/vtt", webtest.Morning).Want(400, "invalid_request")
	put(stranger, path+"/en", "text/vtt", "x").Want(400, "invalid_request")
	f.Call(key, "DELETE", path+"/xx", nil).Want(400, "invalid_request")
	for _, method := range []string{"PUT", "DELETE", "GET"} {
		suffix := "/en"
		if method == "GET" {
			suffix = ""
		}
		foreign := f.Send(stranger, method, path+suffix, "text/vtt", webtest.Morning).Want(404, "not_found")
		unknown := f.Send(stranger, method, "/links/nope/captions"+suffix, "text/vtt", webtest.Morning).Want(404,
			"not_found")
		if string(foreign.Body) != string(unknown.Body) {
			t.Errorf("%s: another account's link: %s, an unknown one: %s, want the same", method, foreign.Body,
				unknown.Body)
		}
		f.Send("", method, path+suffix, "text/vtt", webtest.Morning).Want(401, "unauthorized")
	}
	if a := f.Call(key, "POST", path+"/en", nil).Want(405,
		"method_not_allowed"); a.Header.Get("Allow") != "PUT, DELETE" {
		t.Errorf("Allow = %s, want PUT, DELETE", a.Header.Get("Allow"))
	}
	f.Call(key, "PUT", path, nil).Want(405, "method_not_allowed")
	f.Ban(key)
	for _, method := range []string{"PUT", "DELETE"} {
		f.Send(key, method, path+"/xx", "text/plain", "").Want(403, "banned")
	}
	f.Call(key, "GET", path, nil).Want(403, "banned")
	f.Audit()
}

// TestCaptionsAreServed checks that captions are served with their type, from
// the origin of file bytes, and only while the link is public.
func TestCaptionsAreServed(t *testing.T) {
	s := webtest.NewSiteWith(t, webtest.SiteOptions{Content: true})
	l := s.Publish("clip.webm", webtest.Samples["clip.webm"])
	if page := s.Get("/p/" + string(l.Slug)); strings.Contains(page.Text, "<track") {
		t.Error("a page without captions has a track")
	}
	s.Caption(l, "pt-BR", webtest.Morning)
	s.Caption(l, "de", webtest.Morning)
	page := s.Status(s.Get("/p/"+string(l.Slug)), 200)
	if de, pt := strings.Index(page.Text, `srclang="de" label="Deutsch"`), strings.Index(page.Text,
		`srclang="pt-BR"`); de < 0 || pt < de {
		t.Errorf("positions of the tracks = %d, %d\n%s", de, pt, page.Text)
	}
	address := s.Attr(page.Text, `<track [^>]*srclang="pt-BR"[^>]* src="([^"]+)"`)
	if !strings.HasPrefix(address, s.Server.ContentURL.String()+"/c/") {
		t.Errorf("captions are at %s, want them at the content origin", address)
	}
	r := s.Status(s.Get(address), 200)
	for name, want := range map[string]string{"Content-Type": "text/vtt; charset=utf-8",
		"Access-Control-Allow-Origin": "*", "Content-Security-Policy": "default-src 'none'; sandbox",
		"Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff"} {
		if r.Header.Get(name) != want {
			t.Errorf("%s = %q, want %q", name, r.Header.Get(name), want)
		}
	}
	if r.Text != webtest.Morning {
		t.Errorf("captions = %q", r.Text)
	}
	s.Status(s.Get(address, "If-None-Match: "+r.Header.Get("ETag")), 304)
	s.Caption(l, "pt-BR", strings.Replace(webtest.Morning, "Good morning", "Bom dia", 1))
	if again := s.Status(s.Get(address, "If-None-Match: "+r.Header.Get("ETag")), 200); !strings.Contains(again.Text,
		"Bom dia") {
		t.Errorf("captions after a change = %q", again.Text)
	}
	for _, other := range []string{"fr", "xx", "pt-BR/x", "../file", "%00"} {
		if r := s.Get(strings.Replace(address, "pt-BR", other, 1)); r.StatusCode < 300 {
			t.Errorf("%s: status %d, want an error", other, r.StatusCode)
		}
	}
	s.Status(s.Get(strings.Replace(address, s.Server.ContentURL.String(), s.URL, 1)), 404)
	for state, status := range map[vitrine.LinkState]int{vitrine.StateReview: 404, vitrine.StateDisabled: 410} {
		s.SetState(l, state)
		s.Status(s.Get(address), status)
	}
}

// TestLinkCaptions adds and removes captions with forms, on links that have
// sound.
func TestLinkCaptions(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Member)
	song, notes := d.Publish("song.mp3", webtest.Samples["song.mp3"]), d.Publish("notes.txt",
		webtest.Samples["notes.txt"])
	send := func(l *vitrine.Link, language, text string) webtest.Reply {
		t.Helper()
		var b strings.Builder
		m := multipart.NewWriter(&b)
		d.Check(m.WriteField("language", language))
		part, err := m.CreateFormFile("file", "captions.vtt")
		d.Check(err)
		_, err = part.Write([]byte(text))
		d.Check(err)
		d.Check(m.Close())
		return d.Do(http.MethodPost, webtest.LinkPath(l)+"/captions", b.String(),
			"Content-Type: "+m.FormDataContentType(), "Origin: "+d.URL, "Sec-Fetch-Site: same-origin", cookie)
	}
	const vtt = "WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n"
	if r := d.Follow(send(song, "de", vtt), cookie); !strings.Contains(r.Text, "Deutsch") ||
		!strings.Contains(r.Text, "Captions added.") {
		t.Errorf("after adding captions: %s", r.Text)
	}
	if r := d.Status(send(song, "nonsense!", vtt), 400); !strings.Contains(r.Text, "BCP 47") ||
		!strings.Contains(r.Text, `value="nonsense!"`) {
		t.Errorf("captions without a valid language: %s", r.Text)
	}
	if r := d.Status(send(song, "en", "rubbish"), 400); !strings.Contains(r.Text, `id="wrong-file"`) {
		t.Errorf("invalid captions: %s", r.Text)
	}
	d.Status(send(song, "en", strings.Repeat("x", 2<<20)), 400)
	d.Status(send(notes, "de", vtt), 400)
	if r := d.Follow(d.Post(webtest.LinkPath(song)+"/captions/delete", url.Values{"language": {"de"}}, cookie),
		cookie); strings.Contains(r.Text, "Deutsch") {
		t.Errorf("after removing captions: %s", r.Text)
	}
	if r := d.Get(webtest.LinkPath(notes)+"/settings", cookie); strings.Contains(r.Text, "Captions") {
		t.Error("the page of a text offers captions")
	}
}

// TestBrowserCaptions checks that a browser loads the captions of a video and
// shows the first track, also on an instance with two hosts.
func TestBrowserCaptions(t *testing.T) {
	for name, o := range map[string]webtest.SiteOptions{"one host": {}, "two hosts": {Content: true}} {
		t.Run(name, func(t *testing.T) {
			s := webtest.NewSiteWith(t, o)
			for _, file := range []string{"clip.webm", "song.mp3"} {
				l := s.Publish(file, webtest.Samples[file])
				s.Caption(l, "pt-BR", webtest.Morning)
				s.Caption(l, "de",
					"1\n00:00:00,000 --> 00:00:02,000\nGuten {\\an8}Morgen.\n\n2\n00:00:02,000 --> 00:00:04,000\n<i>Danke.</i>\n")
				tb := webtest.NewTab(t, s.Page(l))
				mode := "showing"
				if file == "song.mp3" {
					mode = "hidden" // "hidden", because the page draws them itself
				}
				tb.Until(`(() => {
					const mode = "` + mode + `"
					const tracks = document.querySelector("video, audio").textTracks
					const [first, second] = tracks
					return tracks.length === 2 && first.language === "de" && first.label === "Deutsch" && first.mode === mode && first.cues.length === 2 &&
						first.cues[0].text === "Guten Morgen." && first.cues[1].startTime === 2 && second.mode === "disabled"
				})()`)
				if file == "song.mp3" {
					tb.Run(chromedp.Evaluate(`{ const a = document.querySelector("audio"); a.currentTime = 2.2; void a.play() }`, nil))
					tb.Until(`document.querySelector("#cue i")?.textContent === "Danke."`)
				}
				tb.Until(`(() => {
					const second = document.querySelector("video, audio").textTracks[1]
					second.mode = "showing"
					return second.cues?.length === 1 && second.cues[0].text === "Good morning."
				})()`)
				tb.Until(`document.querySelector("video, audio").duration > 3`) // the video still plays
				tb.Quiet()
			}
		})
	}
}
