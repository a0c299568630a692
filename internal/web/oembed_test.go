package web_test

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"vitrine"
)

type oembedReply struct {
	XMLName     xml.Name `json:"-"`
	Version     string   `json:"version" xml:"version"`
	Type        string   `json:"type" xml:"type"`
	Title       string   `json:"title" xml:"title"`
	ProviderURL string   `json:"provider_url" xml:"provider_url"`
	HTML        string   `json:"html" xml:"html"`
	W           int      `json:"width" xml:"width"`
	H           int      `json:"height" xml:"height"`
	Thumbnail   string   `json:"thumbnail_url" xml:"thumbnail_url"`
	CacheAge    int      `json:"cache_age" xml:"cache_age"`
}

func TestOEmbed(t *testing.T) {
	s := newSite(t)
	const title = `A "title" & <b>more</b>`
	l := s.publish("clip.webm", samples["clip.webm"], titled(title))
	doc := s.publish("report.pdf", samples["report.pdf"])
	address := func(l *vitrine.Link, rest string) string {
		return "/oembed?url=" + url.QueryEscape(s.url+"/p/"+string(l.Slug)) + rest
	}
	for _, format := range []string{"", "&format=json", "&format=xml"} {
		r := s.status(s.get(address(l, format)), 200)
		var got oembedReply
		var err error
		if strings.HasSuffix(format, "xml") {
			err = xml.Unmarshal([]byte(r.body), &got)
		} else {
			err = json.Unmarshal([]byte(r.body), &got)
		}
		if err != nil {
			t.Fatalf("%v in %s", err, r.body)
		}
		if got.Version != "1.0" || got.Type != "video" || got.Title != title || got.ProviderURL != s.url+"/" ||
			got.W != 640 || got.H != 400 || got.CacheAge <= 0 ||
			got.Thumbnail != s.url+"/p/"+string(l.Slug)+"/picture" ||
			!strings.Contains(got.HTML, `src="`+s.url+"/p/"+string(l.Slug)+`/embed"`) ||
			!strings.Contains(got.HTML, `width="640" height="400"`) || strings.Contains(got.HTML, "<b>") ||
			strings.Count(got.HTML, "<") != 2 {
			t.Errorf("format %q = %+v", format, got)
		}
		if r.Header.Get("Access-Control-Allow-Origin") != "*" ||
			!strings.HasPrefix(r.Header.Get("Content-Type"),
				map[bool]string{true: "text/xml", false: "application/json"}[format == "&format=xml"]) {
			t.Errorf("format %q: headers = %v", format, r.Header)
		}
	}
	for _, c := range []struct {
		link          *vitrine.Link
		query, kind   string
		width, height int
		thumbnail     bool
	}{
		{l, "&maxwidth=320", "video", 320, 220, false},
		{l, "&maxheight=220", "video", 320, 220, false},
		{l, "&maxwidth=2000&maxheight=2000", "video", 640, 400, true},
		{l, "&maxwidth=1&maxheight=1", "video", 1, 1, false},
		{doc, "", "rich", 640, 760, true},
		{doc, "&maxwidth=500&maxheight=400", "rich", 500, 400, false},
	} {
		var got oembedReply
		if err := json.Unmarshal([]byte(s.status(s.get(address(c.link, c.query)), 200).body), &got); err != nil {
			t.Fatal(err)
		}
		if got.Type != c.kind || got.W != c.width || got.H != c.height || (got.Thumbnail != "") != c.thumbnail {
			t.Errorf("%s %s = %+v", c.link.Name, c.query, got)
		}
	}
	s.countOpens(l, 0)
}

// TestOEmbedRefusals checks that links that are not public get the same answer
// as addresses that never were links.
func TestOEmbedRefusals(t *testing.T) {
	s := newSite(t)
	l := s.publish("notes.txt", samples["notes.txt"], titled("A secret title"))
	page := s.url + "/p/" + string(l.Slug)
	ask := func(address string) reply { return s.get("/oembed?url=" + url.QueryEscape(address)) }
	for _, good := range []string{page, page + "/", page + "/embed", page + "?qr=1#x",
		strings.Replace(page, string(l.Slug), strings.ToUpper(string(l.Slug)), 1),
		strings.Replace(page, "http:", "https:", 1)} {
		s.status(ask(good), 200)
	}
	nothing := s.status(ask(s.url+"/p/nothing-here"), 404)
	for _, bad := range []string{"rubbish", "https://example.org/p/" + string(l.Slug), s.url, s.url + "/p/",
		page + "/download", "javascript:" + page, "//" + page[7:], s.url + "/x" + page[len(s.url):], "%zz"} {
		if r := s.status(ask(bad), 404); r.body != nothing.body {
			t.Errorf("oEmbed of %s = %s, want the answer for an unknown link", bad, r.body)
		}
	}
	for _, state := range []vitrine.LinkState{vitrine.StateReview, vitrine.StateProcessing, vitrine.StateDisabled} {
		s.setState(l, state)
		if r := s.status(ask(page), 404); r.body != nothing.body || r.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("state %s: %s", state, r.body)
		}
		s.status(s.get("/p/"+string(l.Slug)+"/picture"),
			map[bool]int{true: 410, false: 404}[state == vitrine.StateDisabled])
		s.status(s.get("/p/"+string(l.Slug)+"/embed"),
			map[bool]int{true: 410, false: 404}[state == vitrine.StateDisabled])
	}
	s.setState(l, vitrine.StateLive)
	s.status(s.get("/oembed"), 400)
	s.status(s.get("/oembed?url="), 400)
	for _, query := range []string{"&maxwidth=0", "&maxwidth=-1", "&maxheight=x", "&maxheight=99999999999"} {
		s.status(s.get("/oembed?url="+url.QueryEscape(page)+query), 400)
	}
	s.status(s.get("/oembed?format=yaml&url="+url.QueryEscape(page)), 501)
	s.status(s.do(http.MethodHead, "/oembed?url="+url.QueryEscape(page), ""), 200)
	s.countOpens(l, 0)
}

// TestOEmbedDiscovery checks that a page names its oEmbed address, and that the
// address works.
func TestOEmbedDiscovery(t *testing.T) {
	s := newSite(t)
	for name, content := range samples {
		l := s.publish(name, content)
		body := s.get("/p/" + string(l.Slug)).body
		for _, kind := range []string{"json", "xml"} {
			address := s.attr(body, `<link rel="alternate" type="(?:application|text)/`+kind+`\+oembed" href="([^"]+)"`)
			if r := s.status(s.get(address), 200); !strings.Contains(r.Header.Get("Content-Type"), kind) {
				t.Errorf("%s: headers = %v", name, r.Header)
			}
		}
		// The code that users copy is the one in the oEmbed answer.
		var got oembedReply
		if err := json.Unmarshal([]byte(s.get(s.attr(body, `json\+oembed" href="([^"]+)"`)).body), &got); err != nil {
			t.Fatal(err)
		}
		code := regexp.MustCompile(`(?s)<textarea[^>]*>(.*?)</textarea>`).FindStringSubmatch(body)[1]
		if code = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&amp;",
			"&").Replace(code); code != got.HTML {
			t.Errorf("%s: code on the page = %q, in oEmbed = %q", name, code, got.HTML)
		}
	}
}
