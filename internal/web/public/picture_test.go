package public_test

import (
	"bytes"
	"image"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
)

// TestPicture checks that a link has a picture for other sites, which reveals
// only the link's type and size and counts no view.
func TestPicture(t *testing.T) {
	s := webtest.NewSite(t)
	for name, content := range webtest.Samples {
		l := s.Publish(name, content)
		body := s.Status(s.Get("/p/"+string(l.Slug)), 200).Text
		address := s.Attr(body, `property="og:image" content="([^"]+)"`)
		r := s.Status(s.Get(address), 200)
		c, format, err := image.DecodeConfig(strings.NewReader(r.Text))
		if err != nil || c.Width != vitrine.PictureWidth || c.Height != vitrine.PictureHeight ||
			"image/"+format != s.Attr(body, `property="og:image:type" content="([^"]+)"`) ||
			r.Header.Get("Content-Type") != "image/"+format || r.Header.Get("Cache-Control") != "private, no-cache" ||
			len(r.Text) > 100_000 {
			t.Errorf("%s: %d bytes, %+v, %s, %v, headers %v", name, len(r.Text), c, format, err, r.Header)
		}
		if s.CountViews(l, 1); name != "report.pdf" { // each request draws the picture again
			continue
		}
		if r := s.Status(s.Get(address, "If-None-Match: "+r.Header.Get("ETag")), 304); r.Text != "" {
			t.Errorf("%s: 304 with %d bytes", name, len(r.Text))
		}
		s.Status(s.Do(http.MethodHead, address, ""), 200)
		s.Status(s.Get(address, "Sec-Purpose: prefetch"), 503)
		s.CountViews(l, 1)
	}
}

// TestPictureOfAPart checks that a picture made of the file is used if there is
// one.
func TestPictureOfAPart(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("report.pdf", webtest.Samples["report.pdf"])
	address := "/p/" + string(l.Slug) + "/picture"
	card := s.Status(s.Get(address), 200)
	has := func(parts vitrine.Parts) {
		s.Check(s.Server.Links.Store.Update(t.Context(), func(tx vitrine.Tx) error {
			now, err := tx.Link(l.ID)
			if err != nil {
				return err
			}
			now.Parts = parts
			return tx.PutLink(now)
		}))
	}
	has(l.Parts.With(vitrine.PartPicture)) // although the part is missing
	if r := s.Status(s.Get(address), 200); r.Text != card.Text || r.Header.Get("Content-Type") != "image/png" {
		t.Errorf("headers for a lost part = %v, want the drawn picture", r.Header)
	}
	s.Check(s.Server.Blobs.PutPart(t.Context(), l.Upload, vitrine.PartPicture,
		bytes.NewReader([]byte("\xff\xd8 a picture"))))
	r := s.Status(s.Get(address), 200)
	if r.Text != "\xff\xd8 a picture" || r.Header.Get("Content-Type") != "image/jpeg" ||
		r.Header.Get("ETag") == card.Header.Get("ETag") {
		t.Errorf("body %q, headers %v", r.Text, r.Header)
	}
	s.Status(s.Get(address, "If-None-Match: "+r.Header.Get("ETag")), 304)
	if body := s.Get("/p/" + string(l.Slug)).Text; !strings.Contains(body,
		`property="og:image:type" content="image/jpeg"`) {
		t.Error("the page names another type of the picture")
	}
}

// TestOpenGraph checks the metadata for social networks in the page's head.
func TestOpenGraph(t *testing.T) {
	s := webtest.NewSite(t)
	for name, kind := range map[string]string{"report.pdf": "website", "clip.webm": "video.other",
		"song.mp3": "music.song"} {
		l := s.Publish(name, webtest.Samples[name], webtest.Titled(`"Title" & more`))
		body := s.Get("/p/" + string(l.Slug)).Text
		page := s.URL + "/p/" + string(l.Slug)
		for property, want := range map[string]string{"og:title": "&#34;Title&#34; &amp; more", "og:type": kind,
			"og:url": page, "og:site_name": "Vitrine",
			"og:image": page + "/picture", "og:image:width": "1200", "og:image:height": "630",
			"og:image:alt": "&#34;Title&#34; &amp; more"} {
			m := regexp.MustCompile(`<meta property="` + property + `" content="([^"]*)">`).FindStringSubmatch(body)
			if m == nil || m[1] != want {
				t.Errorf("%s: %s = %q, want %q", name, property, m, want)
			}
		}
		if !strings.Contains(body, `<meta name="twitter:card" content="summary_large_image">`) {
			t.Errorf("%s: no Twitter card", name)
		}
	}
}

// TestRobots checks that programs that unfurl links may fetch pages and their
// pictures, and that pages that must not be indexed say so.
func TestRobots(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	page := "/p/" + string(l.Slug)
	var rules []*regexp.Regexp
	for line := range strings.Lines(s.Status(s.Get("/robots.txt"), 200).Text) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "Disallow: "); ok {
			rules = append(rules, regexp.MustCompile("^"+strings.ReplaceAll(regexp.QuoteMeta(path), `\*`, ".*")))
		}
	}
	for path, allowed := range map[string]bool{"/": true, page: true, page + "/embed": true, page + "/picture": true,
		"/oembed?url=x": true, page + "/download?v=1": false,
		page + "/qr.svg": false, page + "/beacon": false, "/api/v1/links": false, "/c/token/file": false} {
		refused := false
		for _, rule := range rules {
			refused = refused || rule.MatchString(path)
		}
		if refused == allowed {
			t.Errorf("%s: disallowed = %v", path, refused)
		}
		if allowed && strings.HasPrefix(path, "/p/") && s.Get(path).Header.Get("X-Robots-Tag") != "noindex" {
			t.Errorf("%s lacks noindex", path)
		}
	}
}
