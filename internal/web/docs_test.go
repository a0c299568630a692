package web_test

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
)

// docPaths returns the paths of the documentation pages in the sitemap.
func (s *site) docPaths() (paths []string) {
	s.t.Helper()
	for _, m := range regexp.MustCompile(`<loc>([^<]+)</loc>`).FindAllStringSubmatch(s.get("/sitemap.xml").body, -1) {
		if path := strings.TrimPrefix(m[1], s.url); strings.HasPrefix(path, "/docs") {
			paths = append(paths, path)
		}
	}
	return paths
}

// reference returns the pages of the API reference, one after the other.
func (s *site) reference() string {
	s.t.Helper()
	var b strings.Builder
	for _, path := range s.docPaths() {
		if strings.HasPrefix(path, "/docs/api/") {
			b.WriteString(s.status(s.get(path), 200).body)
		}
	}
	return b.String()
}

var (
	hrefs   = regexp.MustCompile(` href="([^"]+)"`)
	ids     = regexp.MustCompile(` id="([^"]+)"`)
	current = regexp.MustCompile(`<a href="([^"]+)" aria-current="page"`)
)

// TestDocs checks that each page of the documentation has its place in the
// navigation, and that the links on the public pages lead to existing pages and
// anchors.
func TestDocs(t *testing.T) {
	s := newSite(t)
	paths := s.docPaths()
	pages := map[string]map[string]bool{} // the IDs on each page
	fetch := func(path string) map[string]bool {
		if at, ok := pages[path]; ok {
			return at
		}
		r := s.get(path)
		if r.StatusCode != 200 && r.StatusCode != 303 && r.StatusCode != 302 {
			t.Errorf("GET %s: status %d", path, r.StatusCode)
		}
		at := map[string]bool{}
		for _, m := range ids.FindAllStringSubmatch(r.body, -1) {
			if at[m[1]] {
				t.Errorf("%s has the id %s twice", path, m[1])
			}
			at[m[1]] = true
		}
		pages[path] = at
		return at
	}
	for i, path := range append(paths, "/", "/plans") {
		r := s.status(s.get(path), 200)
		if i < len(paths) {
			if m := current.FindStringSubmatch(r.body); m == nil || m[1] != path {
				t.Errorf("%s: current page in the navigation = %v", path, m)
			}
			if prev := strings.Contains(r.body, `rel="prev"`); prev != (i > 0) {
				t.Errorf("%s has a previous page: %t", path, prev)
			}
		}
		for _, m := range hrefs.FindAllStringSubmatch(r.body, -1) {
			u, err := url.Parse(html.UnescapeString(strings.TrimPrefix(m[1], s.url)))
			if m[1] == s.server.UpgradeURL {
				continue // on the site that sells plans
			}
			if err != nil || u.Host != "" && u.Host != strings.TrimPrefix(s.url, "http://") {
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
	if len(paths) != 31 {
		t.Errorf("%d pages: %v, want 31", len(paths), paths)
	}
}

// TestDocsInMarkdown checks that each page is also Markdown, with the sections
// that people see, and with nothing that is only for people or the repository.
func TestDocsInMarkdown(t *testing.T) {
	s := newSite(t)
	heading := regexp.MustCompile(`<h2 id="[^"]+">(.*?)</h2>`)
	left := regexp.MustCompile(`<!-|</?[a-z]+>|https://share\.example|]\(\.\.|\{#|%!|&#?\w+;`)
	code := regexp.MustCompile("(?s)```.*?```")
	for _, path := range s.docPaths() {
		page := s.status(s.get(path), 200).body
		text := s.status(s.get(path+".md"), 200).body
		title := s.parse(page).tags("h1")[0].text()
		if !strings.HasPrefix(text, "# "+title+"\n\n") {
			t.Errorf("%s.md begins with %.40q, want the title %q", path, text, title)
		}
		if m := left.FindString(code.ReplaceAllString(text, "")); m != "" {
			t.Errorf("%s.md has %q, which is not for agents:\n%s", path, m, text)
		}
		for _, shown := range []string{"{#", "](", "<!-"} {
			if strings.Contains(s.parse(page).tags("article")[0].text(), shown) {
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
	s := newSite(t)
	s.server.Uploads.Plans[vitrine.PlanFree] = vitrine.Limits{Links: 7, FileBytes: 3 * vitrine.MB,
		StorageBytes: 9 * vitrine.MB, HourlyUploads: 4, Versions: 2}
	limits := s.status(s.get("/docs/limits"), 200).body
	for _, want := range []string{"<td>7</td><td>3 MB</td><td>9 MB</td><td>4</td><td>2</td><td>no</td>",
		"10 minutes, for one file"} {
		if !strings.Contains(limits, want) {
			t.Errorf("the limits lack %q", want)
		}
	}
	api := s.reference()
	for _, want := range []string{`<h3 id="createUpload">`, `<h3 id="putCaptions">`, `id="schema-AccountReport"`,
		s.url + "/api/v1/links/spring-report/analytics?range=7d",
		"curl -sS -X DELETE " + s.url, `<a href="/docs/errors#storage_limit"`,
		"One of <code>7d</code>, <code>14d</code>", "Default: <code>20</code>", `"botsExcluded"`} {
		if !strings.Contains(api, html.EscapeString(want)) && !strings.Contains(api, want) {
			t.Errorf("the reference lacks %q", want)
		}
	}
	types := s.status(s.get("/docs/file-types"), 200).body
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
		if r := s.status(s.get(from), 308); r.Header.Get("Location") != to {
			t.Errorf("%s redirects to %s", from, r.Header.Get("Location"))
		}
	}
	for page, wants := range map[string][]string{ // in Markdown, with the tables and links of the page
		"/docs/limits.md":       {"| Links ", "| 7 "},
		"/docs/how-we-count.md": {"# How we count\n\nWhat every", "## Unique viewers\n", "[bots](#bots)"},
		"/docs/moderation.md":   {"(" + s.url + "/docs/file-types.md#reason-codes)"},
		"/docs/file-types.md":   {"`macros`"},
		"/docs/send-a-deck.md":  {"![The upload page: a place to drop files", "](" + s.url + "/assets/"},
		"/docs/api.md":          {"(" + s.url + "/docs/api/uploads.md#createUpload)"},
		"/docs/api/uploads.md":  {"## POST /uploads\n", "- `name` (string", "- 429:", "curl -sS"},
		"/docs.md":              {"(" + s.url + "/docs/links.md)"},
	} {
		body := s.status(s.get(page), 200).body
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %q:\n%s", page, want, body)
			}
		}
	}
	for page, want := range map[string]string{"/docs/websites": `<h2 id="albums">Albums</h2>`,
		"/docs/moderation": `<h2 id="work-through-the-queue">`} {
		if body := s.status(s.get(page), 200).body; !strings.Contains(body, want) || strings.Contains(body, ".md") ||
			strings.Contains(body, "<img") {
			t.Errorf("%s lacks %q, or has links to the repository", page, want)
		}
	}
	s.server.UpgradeURL, s.server.Accounts.SignUp = "", auth.SignUpInvite // the limits of invited users
	if r := s.status(s.get("/docs/limits.md"), 200); !strings.Contains(r.body, "| Limited access | 7 ") {
		t.Errorf("no limits for invited users:\n%s", r.body)
	}
	if strings.Contains(types, ".xlsb</code>") {
		t.Error("the types contain a format with macros")
	}
}

// TestDocPicturesAreServed checks the pictures of the app: each is small, is
// there for both themes, and has a text.
func TestDocPicturesAreServed(t *testing.T) {
	s := newSite(t)
	page := s.parse(s.status(s.get("/docs/send-a-deck"), 200).body)
	images, sources := page.tags("img"), page.tags("source")
	if len(images) < 3 || len(images) != len(sources) {
		t.Fatalf("%d pictures in the light and %d in the dark, want at least 3 of both", len(images), len(sources))
	}
	for i, img := range images {
		if len(img.attr("alt")) < 20 {
			t.Errorf("picture %d has the text %q", i, img.attr("alt"))
		}
		for _, address := range []string{img.attr("src"), sources[i].attr("srcset")} {
			r := s.status(s.get(address), 200)
			if len(r.body) > 60<<10 || r.Header.Get("Content-Type") != "image/webp" {
				t.Errorf("%s: %d bytes of %s, want at most 60 KB of WebP", address, len(r.body),
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
	f := newFixture(t)
	key := f.account(vitrine.PlanPro)
	s := f.site
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "report.pdf"), samples["report.pdf"], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, lines := range []struct{ page, name, program, want string }{
		{"/docs/quick-start", "Three steps with curl", "bash -euc", `"url":"` + f.url + "/p/"},
		{"/", "Three requests with curl", "bash -euc", `"url":"` + f.url + "/p/"},
		{"/docs/quick-start", "Three steps in JavaScript", "node --input-type=module -e", f.url + "/p/"},
		{"/docs/quick-start", "Three steps in Python", "python3 -c", f.url + "/p/"},
	} {
		page, name := lines.page, lines.name
		m := regexp.MustCompile(`(?s)aria-label="` + name + `"><code[^>]*>(.*?)</code>`).FindStringSubmatch(s.status(s.get(page),
			200).body)
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
	f := newFixture(t)
	m := regexp.MustCompile(`(?s)aria-label="An error"><code[^>]*>(.*?)</code>`).FindStringSubmatch(f.get("/docs/errors").body)
	if m == nil {
		t.Fatal("the page shows no error")
	}
	var shown map[string]any
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &shown); err != nil {
		t.Fatal(err)
	}
	file := noteFile.with(fields{"size": shown["used"]})
	real := f.call(f.account(vitrine.PlanFree), "POST", "/uploads", file).want(403, "file_too_large").json()
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
	s := newSite(t)
	results := func(query string) (list []string, page document) {
		t.Helper()
		r := s.status(s.get("/docs/search?q="+url.QueryEscape(query)), 200)
		if !strings.Contains(r.body, "noindex") {
			t.Error("the page of results lacks noindex")
		}
		page = s.parse(r.body)
		for _, ol := range page.class("found") {
			for _, a := range ol.tags("a") {
				list = append(list, a.attr("href"))
			}
		}
		return list, page
	}
	for query, first := range map[string]string{"albums": "/docs/websites#albums",
		"Queue work": "/docs/moderation#work-through-the-queue", "send deck": "/docs/send-a-deck",
		"idempotencyKey retries": "/docs/quick-start#retries",
		"completion":             "/docs/how-we-count#progress", "average time": "/docs/how-we-count#time",
		"bot": "/docs/how-we-count#bots", "expiry": "/docs/send-a-deck#prepare", "backup": "/docs/self-hosting#keeping",
		"uploading": "/docs/send-a-deck#upload", "webhook": "/docs/missing#webhooks", "delete": "/docs/links",
		"delete link": "/docs/links#delete", "password": "/docs/links#protect", "notifications": "/docs/missing#notifications",
		"forgot password": "/docs/accounts#help-someone-who-cannot-sign-in", "PPTX pages": "/docs/missing#slides",
		"PowerPoint": "/docs/missing#slides", "keynote": "/docs/send-a-deck#upload", "script": "/docs/command-line",
		"SSO": "/docs/missing#sign-on", "team": "/docs/missing#folders",
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
	if len(list) == 0 || !strings.EqualFold(page.tags("mark")[0].text(), "wildcard") {
		t.Errorf("search for wildcard = %v", list)
	}
	if r := s.get("/docs/search?q=" + url.QueryEscape(`"><script>alert(1)</script>`)); strings.Contains(r.body,
		"<script>alert") {
		t.Error("the search text is on the page as HTML")
	}
	seen := map[string]bool{}
	for _, to := range func() []string { l, _ := results("file"); return l }() {
		if seen[to] {
			t.Errorf("%s is found twice", to)
		}
		seen[to] = true
		s.status(s.get(strings.Split(to, "#")[0]), 200)
	}
}
