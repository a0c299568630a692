package front_test

import (
	"encoding/json"
	"html"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/test/webtest"
)

var (
	hrefs   = regexp.MustCompile(` href="([^"]+)"`)
	ids     = regexp.MustCompile(` id="([^"]+)"`)
	current = regexp.MustCompile(`<a href="([^"]+)" aria-current="page"`)
)

// TestDocs checks that each page of the documentation has its place in the
// navigation, and that the links on the public pages lead to existing pages and
// anchors.
func TestDocs(t *testing.T) {
	s := webtest.NewSite(t)
	paths := s.DocPaths()
	pages := map[string]map[string]bool{} // the IDs on each page
	fetch := func(path string) map[string]bool {
		if at, ok := pages[path]; ok {
			return at
		}
		r := s.Get(path)
		if r.StatusCode != 200 && r.StatusCode != 303 && r.StatusCode != 302 {
			t.Errorf("GET %s: status %d", path, r.StatusCode)
		}
		at := map[string]bool{}
		for _, m := range ids.FindAllStringSubmatch(r.Text, -1) {
			if at[m[1]] {
				t.Errorf("%s has the id %s twice", path, m[1])
			}
			at[m[1]] = true
		}
		pages[path] = at
		return at
	}
	for i, path := range append(paths, "/", "/plans") {
		r := s.Status(s.Get(path), 200)
		if i < len(paths) {
			if m := current.FindStringSubmatch(r.Text); m == nil || m[1] != path {
				t.Errorf("%s: current page in the navigation = %v", path, m)
			}
			if prev := strings.Contains(r.Text, `rel="prev"`); prev != (i > 0) {
				t.Errorf("%s has a previous page: %t", path, prev)
			}
		}
		for _, m := range hrefs.FindAllStringSubmatch(r.Text, -1) {
			u, err := url.Parse(html.UnescapeString(strings.TrimPrefix(m[1], s.URL)))
			if m[1] == s.Server.UpgradeURL {
				continue // on the site that sells plans
			}
			if err != nil || u.Host != "" && u.Host != strings.TrimPrefix(s.URL, "http://") {
				t.Errorf("%s links to %s", path, m[1])
				continue
			}
			to := u.Path
			if to == "" {
				to = path
			}
			if at := fetch(to); u.Fragment != "" && !at[u.Fragment] {
				t.Errorf("%s links to %s, but there is no such anchor", path, m[1])
			}
		}
	}
	if len(paths) != 37 {
		t.Errorf("%d pages: %v, want 37", len(paths), paths)
	}
}

// TestDocsInMarkdown checks that each page is also Markdown, with the sections
// that people see, and with nothing that is only for people or the repository.
func TestDocsInMarkdown(t *testing.T) {
	s := webtest.NewSite(t)
	heading := regexp.MustCompile(`<h2 id="[^"]+">(.*?)</h2>`)
	left := regexp.MustCompile(`<!-|</?[a-z]+>|https://share\.example|]\(\.\.|\{#|%!|&#?\w+;`)
	code := regexp.MustCompile("(?s)```.*?```")
	for _, path := range s.DocPaths() {
		page := s.Status(s.Get(path), 200).Text
		text := s.Status(s.Get(path+".md"), 200).Text
		title := s.Parse(page).Tags("h1")[0].Text()
		if !strings.HasPrefix(text, "# "+title+"\n\n") {
			t.Errorf("%s.md begins with %.40q, want the title %q", path, text, title)
		}
		if m := left.FindString(code.ReplaceAllString(text, "")); m != "" {
			t.Errorf("%s.md has %q, which is not for agents:\n%s", path, m, text)
		}
		for _, shown := range []string{"{#", "](", "<!-"} {
			if strings.Contains(s.Parse(page).Tags("article")[0].Text(), shown) {
				t.Errorf("%s shows %q", path, shown)
			}
		}
		if strings.HasPrefix(path, "/docs/api/") {
			continue // whose sections are operations and schemas
		}
		for _, m := range heading.FindAllStringSubmatch(page, -1) {
			want := strings.NewReplacer("’", "'", "&amp;", "&").Replace(html.UnescapeString(m[1]))
			if want != "On this page" && !strings.Contains(text, "\n## "+want+"\n") {
				t.Errorf("%s.md lacks the section %q", path, want)
			}
		}
	}
}

// TestDocsOfThisInstance checks that the documentation contains this instance's
// address and plans.
func TestDocsOfThisInstance(t *testing.T) {
	s := webtest.NewSite(t)
	s.Server.Uploads.Plans[vitrine.PlanFree] = vitrine.Limits{Links: 7, FileBytes: 3 * vitrine.MB,
		StorageBytes: 9 * vitrine.MB, HourlyUploads: 4, Versions: 2, Recipients: 6}
	limits := s.Status(s.Get("/docs/limits"), 200).Text
	for _, want := range []string{"<td>7</td><td>3 MB</td><td>9 MB</td><td>4</td><td>2</td><td>6</td><td>no</td>",
		"10 minutes, for one file"} {
		if !strings.Contains(limits, want) {
			t.Errorf("the limits lack %q", want)
		}
	}
	api := s.Reference()
	for _, want := range []string{`<h3 id="createUpload">`, `<h3 id="putCaptions">`, `id="schema-AccountReport"`,
		s.URL + "/api/v1/links/spring-report/analytics?range=7d",
		"curl -sS -X DELETE " + s.URL, `<a href="/docs/errors#storage_limit"`,
		"One of <code>7d</code>, <code>14d</code>", "Default: <code>20</code>", `"botsExcluded"`} {
		if !strings.Contains(api, html.EscapeString(want)) && !strings.Contains(api, want) {
			t.Errorf("the reference lacks %q", want)
		}
	}
	types := s.Status(s.Get("/docs/file-types"), 200).Text
	for ext := range strings.SplitSeq("pdf heic webm opus epub csv htm tgz", " ") {
		if !strings.Contains(types, "<code>."+ext+"</code>") {
			t.Errorf("the types lack %s", ext)
		}
	}
	for _, r := range vitrine.Reasons() {
		if !strings.Contains(types, "<code>"+r.Code+"</code>") {
			t.Errorf("the types lack the reason %s", r.Code)
		}
	}
	for from, to := range map[string]string{"/docs/albums-and-websites": "/docs/websites", "/login": "/sign-in",
		"/signup": "/sign-up"} {
		if r := s.Status(s.Get(from), 308); r.Header.Get("Location") != to {
			t.Errorf("%s redirects to %s", from, r.Header.Get("Location"))
		}
	}
	for page, wants := range map[string][]string{ // in Markdown, with the tables and links of the page
		"/docs/limits.md":       {"| Links ", "| 7 "},
		"/docs/how-we-count.md": {"# How we count\n\nWhat every", "## Unique viewers\n", "[bots](#bots)"},
		"/docs/moderation.md":   {"(" + s.URL + "/docs/file-types.md#reason-codes)"},
		"/docs/file-types.md":   {"`macros`"},
		"/docs/send-a-deck.md":  {"![The upload page: a place to drop files", "](" + s.URL + "/assets/"},
		"/docs/api.md":          {"(" + s.URL + "/docs/api/uploads.md#createUpload)"},
		"/docs/api/uploads.md":  {"## POST /uploads\n", "- `name` (string", "- 429:", "curl -sS"},
		"/docs.md":              {"(" + s.URL + "/docs/links.md)"},
	} {
		body := s.Status(s.Get(page), 200).Text
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %q:\n%s", page, want, body)
			}
		}
	}
	for page, want := range map[string]string{"/docs/websites": `<h2 id="albums">Albums</h2>`,
		"/docs/moderation": `<h2 id="work-through-the-queue">`} {
		if body := s.Status(s.Get(page), 200).Text; !strings.Contains(body, want) || strings.Contains(body, ".md") ||
			strings.Contains(body, "<img") {
			t.Errorf("%s lacks %q, or has links to the repository", page, want)
		}
	}
	s.Server.UpgradeURL, s.Server.Accounts.SignUp = "", auth.SignUpInvite // the limits of invited users
	if r := s.Status(s.Get("/docs/limits.md"), 200); !strings.Contains(r.Text, "| Limited access | 7 ") {
		t.Errorf("no limits for invited users:\n%s", r.Text)
	}
	if strings.Contains(types, ".xlsb</code>") {
		t.Error("the types contain a format with macros")
	}
}

// TestDocPicturesAreServed checks the pictures of the app: each is small, is
// there for both themes, and has a text.
func TestDocPicturesAreServed(t *testing.T) {
	s := webtest.NewSite(t)
	page := s.Parse(s.Status(s.Get("/docs/send-a-deck"), 200).Text)
	images, sources := page.Tags("img"), page.Tags("source")
	if len(images) < 3 || len(images) != len(sources) {
		t.Fatalf("%d pictures in the light and %d in the dark, want at least 3 of both", len(images), len(sources))
	}
	for i, img := range images {
		if len(img.Attribute("alt")) < 20 {
			t.Errorf("picture %d has the text %q", i, img.Attribute("alt"))
		}
		for _, address := range []string{img.Attribute("src"), sources[i].Attribute("srcset")} {
			r := s.Status(s.Get(address), 200)
			if len(r.Text) > 60<<10 || r.Header.Get("Content-Type") != "image/webp" {
				t.Errorf("%s: %d bytes of %s, want at most 60 KB of WebP", address, len(r.Text),
					r.Header.Get("Content-Type"))
			}
		}
	}
}

// TestQuickStart runs the commands of the quick start.
func TestQuickStart(t *testing.T) {
	for _, program := range []string{"bash", "curl", "jq", "node", "python3"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skipf("cannot run the quick start: %v", err)
		}
	}
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	s := f.Site
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "report.pdf"), webtest.Samples["report.pdf"], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, lines := range []struct{ page, name, program, want string }{
		{"/docs/quick-start", "Three steps with curl", "bash -euc", `"url":"` + f.URL + "/p/"},
		{"/docs/quick-start", "Three steps in JavaScript", "node --input-type=module -e", f.URL + "/p/"},
		{"/docs/quick-start", "Three steps in Python", "python3 -c", f.URL + "/p/"},
	} {
		page, name := lines.page, lines.name
		m := regexp.MustCompile(`(?s)aria-label="` + name + `"><code[^>]*>(.*?)</code>`).FindStringSubmatch(s.Status(s.Get(page),
			200).Text)
		if m == nil {
			t.Fatalf("no %s on %s", name, page)
		}
		text := strings.Replace(html.UnescapeString(m[1]), "key=vtr_…", "key="+key, 1)
		command := append(strings.Fields(lines.program), text)
		c := exec.CommandContext(t.Context(), command[0], command[1:]...)
		c.Dir, c.Env = dir, append(os.Environ(), "VITRINE_API_KEY="+key, "no_proxy=*")
		out, err := c.CombinedOutput()
		if err != nil || !strings.Contains(string(out), lines.want) {
			t.Errorf("%s: %v\n%s", page, err, out)
		}
	}
}

// TestDocErrorIsReal checks that the API really returns the error in the
// documentation.
func TestDocErrorIsReal(t *testing.T) {
	t.Parallel()
	f := webtest.NewFixture(t)
	m := regexp.MustCompile(`(?s)aria-label="An error"><code[^>]*>(.*?)</code>`).FindStringSubmatch(f.Get("/docs/errors").Text)
	if m == nil {
		t.Fatal("the page shows no error")
	}
	var shown map[string]any
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &shown); err != nil {
		t.Fatal(err)
	}
	file := webtest.NoteFile.With(webtest.Fields{"size": shown["used"]})
	real := f.Call(f.Account(vitrine.PlanFree), "POST", "/uploads", file).Want(403, "file_too_large").JSON()
	for name := range real {
		if !reflect.DeepEqual(real[name], shown[name]) {
			t.Errorf("%s is %v, but the page shows %v", name, real[name], shown[name])
		}
	}
	if len(real) != len(shown) {
		t.Errorf("the API returns %v, but the page shows %v", real, shown)
	}
}

// TestDocsSearch checks the search of the documentation on the server: it finds
// sections that contain all words, first those with the words in their title,
// and nothing else.
func TestDocsSearch(t *testing.T) {
	t.Parallel()
	s := webtest.NewSite(t)
	results := func(query string) (list []string, page webtest.Document) {
		t.Helper()
		r := s.Status(s.Get("/docs/search?q="+url.QueryEscape(query)), 200)
		if !strings.Contains(r.Text, "noindex") {
			t.Error("the page of results lacks noindex")
		}
		page = s.Parse(r.Text)
		for _, ol := range page.Class("found") {
			for _, a := range ol.Tags("a") {
				list = append(list, a.Attribute("href"))
			}
		}
		return list, page
	}
	for query, first := range map[string]string{"albums": "/docs/websites#albums",
		"Queue work": "/docs/moderation#work-through-the-queue", "send deck": "/docs/send-a-deck",
		"idempotencyKey retries": "/docs/quick-start#retries",
		"completion":             "/docs/how-we-count#progress", "average time": "/docs/how-we-count#time",
		"bot": "/docs/how-we-count#bots", "expiry": "/docs/send-a-deck#prepare", "backup": "/docs/self-hosting#keeping",
		"uploading": "/docs/send-a-deck#upload", "webhook": "/docs/webhooks", "delete": "/docs/links",
		"delete link": "/docs/links#delete", "password": "/docs/links#protect",
		"notifications":   "/docs/accounts#notifications",
		"forgot password": "/docs/accounts#help-someone-who-cannot-sign-in", "PPTX pages": "/docs/send-a-deck#upload",
		"PowerPoint": "/docs/file-types#extensions", "keynote": "/docs/send-a-deck#upload", "script": "/docs/command-line",
		"SSO": "/docs/sign-in-at-work", "2FA": "/docs/accounts#require-two-step-sign-in", "team": "/docs/missing#folders",
		"share report": "/docs/reports#share-a-report", "disable": "/docs/links#disable",
		"createUpload": "/docs/api/uploads#createUpload", "GET /links": "/docs/api/links#listLinks"} {
		if list, _ := results(query); len(list) == 0 || !strings.HasPrefix(list[0], first) {
			t.Errorf("search for %q = %v, want it to begin with the best match", query, list)
		}
	}
	for _, query := range []string{"", "  ", "no-such-word-anywhere", strings.Repeat("ä", 4000), "\x00\xff", "%"} {
		if list, _ := results(query); len(list) > 0 && query != "%" {
			t.Errorf("search for %.20q = %v, want nothing", query, list)
		}
	}
	if list, _ := results("rate"); slices.Contains(list, "/docs/moderation#choose-who-moderates") {
		t.Errorf("search for rate finds moderators: %v", list)
	}
	list, page := results(`wildcard`)
	if len(list) == 0 || !strings.EqualFold(page.Tags("mark")[0].Text(), "wildcard") {
		t.Errorf("search for wildcard = %v", list)
	}
	if r := s.Get("/docs/search?q=" + url.QueryEscape(`"><script>alert(1)</script>`)); strings.Contains(r.Text,
		"<script>alert") {
		t.Error("the search text is on the page as HTML")
	}
	seen := map[string]bool{}
	for _, to := range func() []string { l, _ := results("file"); return l }() {
		if seen[to] {
			t.Errorf("%s is found twice", to)
		}
		seen[to] = true
		s.Status(s.Get(strings.Split(to, "#")[0]), 200)
	}
}
