package public_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/filetype/text"
	"vitrine/internal/test/webtest"
	"vitrine/internal/visitor"
	"vitrine/internal/web/app/reportpage"
	"vitrine/report"
)

const (
	asMarkdown = "Accept: text/markdown, text/html, */*"
	assistant  = "User-Agent: Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot"
)

// pagesOf publishes a PDF with the text of some pages.
func pagesOf(t testing.TB, s *webtest.Site, pages ...string) *vitrine.Link {
	t.Helper()
	l := s.Publish("report.pdf", webtest.Samples["report.pdf"], webtest.Titled("The year"))
	var b bytes.Buffer
	s.Check(text.WritePages(&b, "page", pages, false))
	s.Part(l, vitrine.PartText, b.Bytes())
	return l
}

// TestTextOfALink reads the text of each kind of file that has one, and parts
// of it, by the Accept header and by the address.
func TestTextOfALink(t *testing.T) {
	s := webtest.NewSite(t)
	sheets := s.Publish("report.pdf", webtest.Samples["report.pdf"])
	s.Part(sheets, vitrine.PartSheets, []byte(`{"sheets":[{"name":"First","rows":[],"total":2,"at":0,"size":22},`+
		`{"name":"Second","rows":[],"total":1,"at":22,"size":6}]}`+"\n"+`["a","b|c"]`+"\n"+`["1","2"]`+"\n"+`["x"]`+"\n"))
	md := "Before.\n\n# One\n\nText.\n\n```sh\n# no heading\n```\n\n## Two\n\nEnd.\n"
	for _, c := range []struct {
		l     *vitrine.Link
		query string
		want  string
	}{
		{pagesOf(t, s, "one", "two", "three"), "?parts=2-3", "unit: page\nparts: 3\nshown: 2-3\n---\n\n<!-- page 2 -->\n\ntwo\n\n<!-- page 3 -->\n\nthree\n"},
		{s.Publish("notes.md", []byte(md)), "", "parts: 3\nshown: 1-3\n---\n\n<!-- section 1 -->\n\nBefore.\n\n\n\n<!-- section 2 -->\n\n# One\n\nText.\n\n```sh\n# no heading\n```\n\n\n\n<!-- section 3 -->\n\n## Two\n\nEnd.\n\n"},
		{s.Publish("notes2.md", []byte(md)), "?parts=3-", "shown: 3\n---\n\n<!-- section 3 -->\n\n## Two\n\nEnd.\n\n"},
		{s.Publish("data.json", []byte(`{"a":"`+"```"+`"}`)), "", "<!-- section 1 -->\n\n````json\n{\"a\":\"```\"}\n````\n"},
		{s.Publish("notes.txt", []byte("caf\xe9\n")), "", "<!-- section 1 -->\n\ncafé\n"},
		{sheets, "?parts=1", "shown: 1\nnext: \"" + s.URL + "/p/" + string(sheets.Slug) + ".md?parts=2-\"\n---\n\n<!-- sheet 1 -->\n\n## First\n\n| a | b\\|c |\n| --- | --- |\n| 1 | 2 |\n"},
	} {
		address := "/p/" + string(c.l.Slug)
		named := s.Status(s.Get(address+".md"+c.query, assistant), 200)
		asked := s.Status(s.Get(address+c.query, assistant, asMarkdown), 200)
		if !strings.Contains(named.Text, c.want) || asked.Text != named.Text {
			t.Errorf("the text of %s%s is\n%s\nwant\n%s", c.l.Name, c.query, named.Text, c.want)
		}
		for name, want := range map[string]string{"Content-Type": "text/markdown; charset=utf-8", "X-Robots-Tag": "noindex",
			"Link": "<" + s.URL + address + `>; rel="canonical"`, "Cache-Control": "private, no-cache"} {
			if got := named.Header.Get(name); got != want {
				t.Errorf("%s of %s is %q, want %q", name, c.l.Name, got, want)
			}
		}
		page := s.Status(s.Get(address, "Accept: */*"), 200)
		if !strings.Contains(page.Text, `<link rel="alternate" type="text/markdown" href="`+s.URL+address+`.md">`) {
			t.Errorf("the page of %s does not lead to its text", c.l.Name)
		}
		_, unscripted, _ := strings.Cut(page.Text, "<noscript>")
		if strings.Contains(page.Text, "<iframe") && !strings.Contains(unscripted, `href="`+s.URL+address+`.md">Read as text</a>`) {
			t.Errorf("without JavaScript, the page of %s does not lead to its text", c.l.Name)
		}
		for _, r := range []webtest.Reply{page, asked} {
			if !strings.Contains(strings.Join(r.Header.Values("Vary"), ","), "Accept") {
				t.Errorf("%s varies by %q", c.l.Name, r.Header.Values("Vary"))
			}
		}
		again := "If-None-Match: " + named.Header.Get("ETag")
		s.Status(s.Get(address+".md"+c.query, assistant, again), 304)
		s.Status(s.Do(http.MethodHead, address+".md"+c.query, ""), 200)
	}
	if r := s.Get("/p/" + strings.ToUpper(string(sheets.Slug)) + ".md?parts=2"); r.StatusCode != 308 && r.StatusCode != 404 {
		t.Errorf("another spelling answers %d", r.StatusCode)
	}
	s.Status(s.Get("/p/"+string(sheets.Slug)+".md/download"), 404)
}

// TestTextPrefersWhatIsNamed checks that only those get text who name it and do
// not prefer a page.
func TestTextPrefersWhatIsNamed(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", []byte("marker"))
	for accept, want := range map[string]string{
		"*/*": "text/html", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8": "text/html", "text/*": "text/html", "": "text/html",
		"text/markdown;q=0": "text/html", "text/html, text/markdown;q=0.5": "text/html", "text/markdownish": "text/html",
		"text/markdown": "text/markdown", "text/html;q=0.5, text/markdown": "text/markdown", "Text/Markdown": "text/html",
		"text/markdown, */*;q=0.1": "text/markdown",
	} {
		r := s.Status(s.Get("/p/"+string(l.Slug), "Accept: "+accept), 200)
		if got, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); got != want {
			t.Errorf("Accept %q gets %s, want %s", accept, got, want)
		}
	}
}

// TestTextOfBadParts checks the answer to parts that a text does not have.
func TestTextOfBadParts(t *testing.T) {
	s := webtest.NewSite(t)
	l := pagesOf(t, s, "one", "two", "three", "four")
	before := len(s.Views(l))
	for _, parts := range []string{"5-3", "0", "999999", "a", "-", "-3", "1-5", "1-2-3", "3--", "1,2", "99999999999999999999", "%00"} {
		r := s.Status(s.Get("/p/"+string(l.Slug)+".md?parts="+parts, assistant), 400)
		if !strings.Contains(r.Text, "a range from 1 to 4") {
			t.Errorf("parts=%s is answered with %q", parts, r.Text)
		}
	}
	if n := len(s.Views(l)); n != before {
		t.Errorf("%d views of what was refused", n-before)
	}
}

// TestTextIsBounded checks that an answer has at most 1 MiB of text, says where
// it goes on, and that all of it can be read that way.
func TestTextIsBounded(t *testing.T) {
	s := webtest.NewSite(t)
	var pages []string
	for i := range 60 {
		pages = append(pages, fmt.Sprintf("[%d]", i+1)+strings.Repeat("x", 50_000))
	}
	pages[30] = "[31]" + strings.Repeat("y", 3<<20)
	l := pagesOf(t, s, pages...)
	address, calls, seen := s.URL+"/p/"+string(l.Slug)+".md", 0, 0
	for next := address; next != "" && calls < 10; calls++ {
		r := s.Status(s.Get(next, assistant), 200)
		if len(r.Text) > 1<<20+8<<10 {
			t.Errorf("%s answers %d bytes", next, len(r.Text))
		}
		next = ""
		if _, rest, ok := strings.Cut(r.Text, "next: \""); ok {
			next, _, _ = strings.Cut(rest, "\"")
		}
		seen += strings.Count(r.Text, "<!-- page ")
	}
	if calls < 4 || seen != 60 {
		t.Errorf("%d calls have %d pages, want all 60 in 4 or more", calls, seen)
	}
}

// TestTextOfEveryState checks that a link whose page shows no file to a
// stranger, or that must not be downloaded, has no text, and that its addresses
// answer as its page does.
func TestTextOfEveryState(t *testing.T) {
	s := webtest.NewSite(t)
	s.Gatekeeper()
	change := func(do func(*vitrine.Link)) func(*vitrine.Link) {
		return func(l *vitrine.Link) {
			s.Check(s.Server.Links.Store.Update(t.Context(), func(tx vitrine.Tx) error {
				now, err := tx.Link(l.ID)
				if err == nil {
					do(now)
					err = tx.PutLink(now)
				}
				return err
			}))
		}
	}
	for name, c := range map[string]struct {
		set  func(*vitrine.Link)
		want int
	}{
		"live":       {func(*vitrine.Link) {}, 200},
		"view-only":  {change(func(l *vitrine.Link) { l.AllowDownload = false }), 200},
		"password":   {func(l *vitrine.Link) { s.Protect(l, "secret") }, 403},
		"email gate": {func(l *vitrine.Link) { s.AskEmail(l, access.Email{}) }, 403},
		"limit":      {func(l *vitrine.Link) { s.Limit(l, 3) }, 0},
		"review":     {func(l *vitrine.Link) { s.SetState(l, vitrine.StateReview) }, 0},
		"processing": {func(l *vitrine.Link) { s.SetState(l, vitrine.StateProcessing) }, 0},
		"disabled":   {func(l *vitrine.Link) { s.SetState(l, vitrine.StateDisabled) }, 0},
		"expired":    {change(func(l *vitrine.Link) { l.ExpiresAt = s.Server.Now().Add(-time.Hour) }), 0},
		"deleted":    {change(func(l *vitrine.Link) { l.DeletedAt = s.Server.Now() }), 0},
		"no bytes":   {change(func(l *vitrine.Link) { l.HasBytes = false }), 200},
	} {
		l := pagesOf(t, s, "marker of the text")
		c.set(l)
		address := "/p/" + string(l.Slug)
		page := s.Get(address, assistant)
		for _, r := range []webtest.Reply{s.Get(address+".md", assistant), s.Get(address, assistant, asMarkdown)} {
			if has := strings.Contains(r.Text, "marker of the text"); has != (name == "live") {
				t.Errorf("%s: text %t, status %d", name, has, r.StatusCode)
			}
			if r.StatusCode != page.StatusCode && name != "limit" || c.want != 0 && r.StatusCode != c.want {
				t.Errorf("%s: status %d, that of the page %d, want %d", name, r.StatusCode, page.StatusCode, c.want)
			}
		}
		if has := strings.Contains(page.Text, "text/markdown"); has != (name == "live") {
			t.Errorf("%s: the page leads to the text: %t", name, has)
		}
	}
}

// TestTextReadsAreAssistants checks how reads of the text are counted: by
// program and parts, and in no average.
func TestTextReadsAreAssistants(t *testing.T) {
	s := webtest.NewDesk(t)
	s.Limited(1000, 100)
	l := pagesOf(t, s, "one", "two", "three", "four", "five")
	me := s.SignIn(s.Account)
	read := "/p/" + string(l.Slug) + ".md"
	for _, c := range [][2]string{{"?parts=3-5", assistant}, {"?parts=3-5", assistant}, {"", assistant},
		{"?parts=2", "User-Agent: curl/8.5.0"}, {"", "User-Agent: " + webtest.Reader}, {"?parts=1", "User-Agent: "},
		{"?parts=1", "User-Agent: Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"}} {
		s.Status(s.Get(read+c[0], c[1]), 200)
	}
	s.Status(s.Get(read, me), 200) // the owner's is none
	s.Status(s.Get("/p/"+string(l.Slug), "User-Agent: "+webtest.Reader), 200)
	got := map[string]int{}
	for _, v := range s.Views(l) {
		got[v.Bot+": "+v.Product]++
		if v.Bot != "" && visitor.ReasonOf(v.Bot, v.Product) != v.Bot {
			t.Errorf("the rules of today turn %s of %s into %s", v.Bot, v.Product, visitor.ReasonOf(v.Bot, v.Product))
		}
	}
	want := map[string]int{"ai_assistant: ChatGPT-User, parts 3-5": 2, "ai_assistant: ChatGPT-User, parts 1-5": 1,
		"ai_assistant: curl, parts 2": 1, "ai_assistant: unknown, parts 1-5": 1, "ai_assistant: unknown, parts 1": 1,
		"ai_training: GPTBot, parts 1": 1, ": ": 1}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("views are %v, want %v", got, want)
	}
	if n := s.ReportOf(l).Totals; n.Views != 1 || n.BotsExcluded != 7 || n.Sessions != 0 {
		t.Errorf("totals are %+v", n)
	}
	page := s.Status(s.Get("/links/"+string(l.Slug)+"/analytics", me), 200).Text
	for _, row := range []string{"<bdi>ChatGPT-User</bdi> <small class=\"soft\">parts 3–5 (2), 1–5</small>",
		"<bdi>curl</bdi> <small class=\"soft\">parts 2</small>"} {
		if !strings.Contains(page, row) {
			t.Errorf("the report has no row %s", row)
		}
	}
	reads := reportpage.TextReads(s.ReportOf(l), report.BotAIAssistant)["ChatGPT-User"]
	if len(reads) != 2 || reads[0] != (report.Bucket{Key: "3-5", Count: 2}) {
		t.Errorf("ChatGPT-User read %v", reads)
	}
}
