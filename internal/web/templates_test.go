package web_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/web/ui"
)

// TestTemplates checks that all templates can be parsed, which normally happens
// on first use, and that no file is unused.
func TestTemplates(t *testing.T) {
	used := map[string]bool{}
	for _, parsed := range ui.Templates() {
		for _, part := range parsed().Templates() {
			used[part.Name()] = true
		}
	}
	for _, name := range ui.TemplateNames() {
		if !used[name] {
			t.Errorf("no page uses %s", name)
		}
	}
}

// TestTemplatesUseComponents checks that buttons, fields, selects, chips,
// banners, dialogs, tabs, progress bars and empty states are written only by
// their components. Frames of viewers are documents with their own controls.
func TestTemplatesUseComponents(t *testing.T) {
	raw := regexp.MustCompile(`<(?:button|select|textarea|progress)\b[^>]*|<input\b[^>]*|` +
		`<\w+ [^>]*class="(?:chip|banner|dialog|panel|tabs|empty|switch)[ "][^>]*`)
	own := regexp.MustCompile(`type="(?:radio|checkbox|file)"`) // in a label or list
	exceptions := map[string]string{
		"app/app.html who-button":    "an e-mail address between two icons",
		"app/app.html is-note":       "has a form in it",
		"app/keypage/keys.html chip": "has a time in it",
		"public/link.html address":   "pages of readers load no styles of forms", "public/album_public.html address": "",
		"public/link.html embed": "", "public/report.html note": "", "public/content.html speed": "",
		"ui/gallery.html shown-dialog": "one that is always open",
	}
	err := fs.WalkDir(os.DirFS("."), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(p) != ".html" || p == "ui/parts.html" || strings.HasPrefix(p, "viewer/") ||
			strings.HasPrefix(p, "testdata/") {
			return err
		}
		b, err := os.ReadFile(p)
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
}
