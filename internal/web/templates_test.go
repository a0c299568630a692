package web_test

import (
	"testing"

	"vitrine/internal/web/ui"
)

// Templates are parsed on first use: all of them can be, and no file is left
// over.
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
