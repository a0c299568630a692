package web_test

import (
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/test/webtest"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// TestTemplates checks that all templates can be parsed, which normally happens
// on first use, and that no file is unused.
func TestTemplates(t *testing.T) {
	used := map[string]bool{}
	use := func(name string, parts ...string) {
		if name == "" || slices.Contains(parts, "") {
			return // a viewer without it
		}
		for _, part := range ui.Template(name, parts...).Templates() {
			used[part.Name()] = true
		}
	}
	for _, name := range ui.PageNames() {
		use(name)
	}
	for _, v := range viewer.Table {
		use("link.html", v.Page)
		use("embed.html", v.Page)
		use("inert.html", v.Inert)
		if v.Frame != nil {
			use(v.Frame.Template)
		}
	}
	for _, name := range ui.TemplateNames() {
		if !used[name] {
			t.Errorf("no page uses %s", name)
		}
	}
}

// TestTemplatesAreInTheTable checks that the program renders each page of the
// table, and no page that is not in it: nothing else parses templates, but the
// icons, which are a component, and guides, which are Markdown.
func TestTemplatesAreInTheTable(t *testing.T) {
	written := regexp.MustCompile(`"(\w+\.html)"`)
	parses := regexp.MustCompile(`\btemplate\.(?:New|Parse\w*)\(|"text/template"`)
	rendered := map[string]bool{}
	err := fs.WalkDir(os.DirFS("."), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(p) != ".go" || strings.HasSuffix(p, "_test.go") || p == "ui/templates.go" {
			return err
		}
		b, err := os.ReadFile(p)
		if m := parses.Find(b); m != nil && p != "ui/components.go" && p != "front/docs_guides.go" {
			t.Errorf("%s has %s, want a row in ui/templates.go", p, m)
		}
		for _, m := range written.FindAllSubmatch(b, -1) {
			rendered[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(rendered, func(name string, _ bool) bool { // blocks, and files of published websites
		return slices.Contains([]string{"icons.html", "layout.html", "index.html", "404.html"}, name)
	})
	names := slices.Sorted(slices.Values(ui.PageNames()))
	if got := slices.Sorted(maps.Keys(rendered)); !slices.Equal(got, names) {
		t.Errorf("the program renders\n%q\nthe table of pages has\n%q", got, names)
	}
}

// TestTemplatesUseComponents checks that buttons, fields, selects, tiles, drop
// zones, chips, banners, dialogs, tabs, progress bars, toasts and empty states
// are written only by their components, and that each component is used.
// Frames of viewers are documents with their own controls.
func TestTemplatesUseComponents(t *testing.T) {
	raw := regexp.MustCompile(`<(?:button|select|textarea|progress)\b[^>]*|<input\b[^>]*|` +
		`<\w+ [^>]*class="(?:chip|banner|dialog|panel|tabs|empty|switch|well|said)[ "{][^>]*|<section\b[^>]*class="tile[ "{][^>]*`)
	own := regexp.MustCompile(`type="(?:radio|checkbox|file)"`) // in a label or list
	exceptions := map[string]string{
		"app/app.html who-button":          "an e-mail address between two icons",
		"app/app.html is-note":             "has a form in it",
		"app/key/keys.html chip":           "has a time in it",
		"app/link/links.html is-alarm":     "has a list in it",
		"public/link.html address":         "pages of readers load no styles of forms",
		"public/album_public.html address": "",
		"public/link.html embed":           "", "public/report.html note": "", "public/content.html speed": "",
		"ui/gallery.html shown-dialog": "one that is always open",
		"ui/gallery.html shown-toast":  "",
	}
	use := regexp.MustCompile(`\{\{-? *(?:template|block) "([^"]+)"`)
	used := map[string]bool{}
	err := fs.WalkDir(os.DirFS("."), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(p) != ".html" || p == "ui/parts.html" || strings.HasPrefix(p, "viewer/") ||
			strings.HasPrefix(p, "testdata/") {
			return err
		}
		b, err := os.ReadFile(p)
		for _, m := range use.FindAllSubmatch(b, -1) {
			used[string(m[1])] = used[string(m[1])] || p != "ui/gallery.html"
		}
		for _, tag := range raw.FindAllString(string(b), -1) {
			excepted := own.MatchString(tag) && !strings.Contains(tag, `class="switch`)
			for e := range exceptions {
				file, word, _ := strings.Cut(e, " ")
				excepted = excepted || file == p && strings.Contains(tag, word)
			}
			if !excepted {
				t.Errorf("%s writes out a component (ui/components.go, ui/parts.html): %s", p, tag)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	parts, err := os.ReadFile("ui/parts.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range use.FindAllSubmatch(parts, -1) {
		used[string(m[1])] = true
	}
	for _, m := range regexp.MustCompile(`\{\{define "([^"]+)"`).FindAllSubmatch(parts, -1) {
		if !used[string(m[1])] {
			t.Errorf("no page uses the component %s", m[1])
		}
	}
}

// TestGallery checks that the gallery shows every component that has a
// template, and exists only in development.
func TestGallery(t *testing.T) {
	s := webtest.NewSite(t)
	page := s.Status(s.Get("/dev/gallery"), 200).Text
	for _, class := range []string{"button", "field", "well", "tile", "table", "chip", "badge", "dialog", "said",
		"banner", "tabs", "empty", "bar", "panel", "menu"} {
		if !slices.ContainsFunc(regexp.MustCompile(`class="([^"]*)"`).FindAllStringSubmatch(page, -1),
			func(m []string) bool {
				return slices.Contains(strings.Fields(m[1]), class)
			}) {
			t.Errorf("the gallery lacks the class %s", class)
		}
	}
	production := *s.Server
	production.Gallery = false
	w := httptest.NewRecorder()
	production.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/dev/gallery", nil))
	if w.Code != http.StatusNotFound {
		t.Errorf("gallery in production: status %d, want 404", w.Code)
	}
}

// TestScriptBudget checks that the scripts of all pages of a member, with their
// imports, are at most 60 KB in total as sent.
func TestScriptBudget(t *testing.T) {
	d := webtest.NewDemo(t)
	sizes := map[string]int{}
	var follow func(address string)
	follow = func(address string) {
		if _, ok := sizes[address]; ok {
			return
		}
		r := d.Status(d.Get(address), http.StatusOK)
		sizes[address] = r.Wire
		for _, m := range importedModule.FindAllStringSubmatch(r.Text, -1) {
			follow(path.Join(path.Dir(address), m[1]))
		}
	}
	pages := webtest.SitePages(d)
	cookies := d.Cookies()
	for _, p := range pages {
		if p.As == nil || p.Status != 0 {
			continue
		}
		for _, script := range d.Parse(d.Status(d.Get(p.Path, cookies[p.As]), http.StatusOK).Text).Tags("script") {
			follow(script.Attribute("src"))
		}
	}
	sum := 0
	for _, address := range slices.Sorted(maps.Keys(sizes)) {
		t.Logf("%6d %s", sizes[address], address)
		sum += sizes[address]
	}
	if t.Logf("%6d in total", sum); len(sizes) < 8 || sum > 60_000 {
		t.Errorf("%d scripts with %d bytes in total, want at most 60,000", len(sizes), sum)
	}
}
