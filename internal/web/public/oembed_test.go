package public_test

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
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
	s := webtest.NewSite(t)
	const title = `A "title" & <b>more</b>`
	l := s.Publish("clip.webm", webtest.Samples["clip.webm"], webtest.Titled(title))
	doc := s.Publish("report.pdf", webtest.Samples["report.pdf"])
	address := func(l *vitrine.Link, rest string) string {
		return "/oembed?url=" + url.QueryEscape(s.URL+"/p/"+string(l.Slug)) + rest
	}
	for _, format := range []string{"", "&format=json", "&format=xml"} {
		r := s.Status(s.Get(address(l, format)), 200)
		var got oembedReply
		var err error
		if strings.HasSuffix(format, "xml") {
			err = xml.Unmarshal([]byte(r.Text), &got)
		} else {
			err = json.Unmarshal([]byte(r.Text), &got)
		}
		if err != nil {
			t.Fatalf("%v in %s", err, r.Text)
		}
		if got.Version != "1.0" || got.Type != "video" || got.Title != title || got.ProviderURL != s.URL+"/" ||
			got.W != 640 || got.H != 400 || got.CacheAge <= 0 ||
			got.Thumbnail != s.URL+"/p/"+string(l.Slug)+"/picture" ||
			!strings.Contains(got.HTML, `src="`+s.URL+"/p/"+string(l.Slug)+`/embed"`) ||
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
		if err := json.Unmarshal([]byte(s.Status(s.Get(address(c.link, c.query)), 200).Text), &got); err != nil {
			t.Fatal(err)
		}
		if got.Type != c.kind || got.W != c.width || got.H != c.height || (got.Thumbnail != "") != c.thumbnail {
			t.Errorf("%s %s = %+v", c.link.Name, c.query, got)
		}
	}
	s.CountViews(l, 0)
}

// TestOEmbedRefusals checks that links that are not public get the same answer
// as addresses that never were links.
func TestOEmbedRefusals(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"], webtest.Titled("A secret title"))
	page := s.URL + "/p/" + string(l.Slug)
	ask := func(address string) webtest.Reply { return s.Get("/oembed?url=" + url.QueryEscape(address)) }
	for _, good := range []string{page, page + "/", page + "/embed", page + "?qr=1#x",
		strings.Replace(page, string(l.Slug), strings.ToUpper(string(l.Slug)), 1),
		strings.Replace(page, "http:", "https:", 1)} {
		s.Status(ask(good), 200)
	}
	nothing := s.Status(ask(s.URL+"/p/nothing-here"), 404)
	for _, bad := range []string{"rubbish", "https://example.org/p/" + string(l.Slug), s.URL, s.URL + "/p/",
		page + "/download", "javascript:" + page, "//" + page[7:], s.URL + "/x" + page[len(s.URL):], "%zz"} {
		if r := s.Status(ask(bad), 404); r.Text != nothing.Text {
			t.Errorf("oEmbed of %s = %s, want the answer for an unknown link", bad, r.Text)
		}
	}
	for _, state := range []vitrine.LinkState{vitrine.StateReview, vitrine.StateProcessing, vitrine.StateDisabled} {
		s.SetState(l, state)
		if r := s.Status(ask(page), 404); r.Text != nothing.Text || r.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("state %s: %s", state, r.Text)
		}
		s.Status(s.Get("/p/"+string(l.Slug)+"/picture"),
			map[bool]int{true: 410, false: 404}[state == vitrine.StateDisabled])
		s.Status(s.Get("/p/"+string(l.Slug)+"/embed"),
			map[bool]int{true: 410, false: 404}[state == vitrine.StateDisabled])
	}
	s.SetState(l, vitrine.StateLive)
	s.Status(s.Get("/oembed"), 400)
	s.Status(s.Get("/oembed?url="), 400)
	for _, query := range []string{"&maxwidth=0", "&maxwidth=-1", "&maxheight=x", "&maxheight=99999999999"} {
		s.Status(s.Get("/oembed?url="+url.QueryEscape(page)+query), 400)
	}
	s.Status(s.Get("/oembed?format=yaml&url="+url.QueryEscape(page)), 501)
	s.Status(s.Do(http.MethodHead, "/oembed?url="+url.QueryEscape(page), ""), 200)
	s.CountViews(l, 0)
}

// TestOEmbedDiscovery checks that a page names its oEmbed address, and that the
// address works.
func TestOEmbedDiscovery(t *testing.T) {
	s := webtest.NewSite(t)
	for name, content := range webtest.Samples {
		l := s.Publish(name, content)
		body := s.Get("/p/" + string(l.Slug)).Text
		for _, kind := range []string{"json", "xml"} {
			address := s.Attr(body, `<link rel="alternate" type="(?:application|text)/`+kind+`\+oembed" href="([^"]+)"`)
			if r := s.Status(s.Get(address), 200); !strings.Contains(r.Header.Get("Content-Type"), kind) {
				t.Errorf("%s: headers = %v", name, r.Header)
			}
		}
		// The code that users copy is the one in the oEmbed answer.
		var got oembedReply
		if err := json.Unmarshal([]byte(s.Get(s.Attr(body, `json\+oembed" href="([^"]+)"`)).Text), &got); err != nil {
			t.Fatal(err)
		}
		code := regexp.MustCompile(`(?s)<textarea[^>]*>(.*?)</textarea>`).FindStringSubmatch(body)[1]
		if code = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&amp;",
			"&").Replace(code); code != got.HTML {
			t.Errorf("%s: code on the page = %q, in oEmbed = %q", name, code, got.HTML)
		}
	}
}
