package front_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
)

// TestDocsForAgents checks that agents find llms.txt, and that every page of
// the documentation is also Markdown: by its address and by the Accept header.
func TestDocsForAgents(t *testing.T) {
	s := webtest.NewSite(t)
	list := s.Status(s.Get("/llms.txt"), http.StatusOK)
	if !strings.HasPrefix(list.Text, "# Vitrine\n\n> ") || !strings.Contains(list.Text, s.URL+"/mcp") {
		t.Errorf("llms.txt = %s", list.Text)
	}
	links := regexp.MustCompile(`\]\((\S+)\)`).FindAllStringSubmatch(list.Text, -1)
	if len(links) != len(s.DocPaths())+2 {
		t.Errorf("llms.txt has %d links for %d pages, want 2 more", len(links), len(s.DocPaths()))
	}
	for _, m := range links {
		path := strings.TrimPrefix(m[1], s.URL)
		page := s.Status(s.Get(path), http.StatusOK)
		if strings.HasSuffix(path, ".json") {
			continue
		}
		if kind := page.Header.Get("Content-Type"); kind != "text/markdown; charset=utf-8" ||
			strings.Contains(page.Text, "<article") || path == "/skill.md" &&
			(strings.Contains(page.Text, "share.example") || !strings.Contains(page.Text, s.URL+"/api/v1")) {
			t.Errorf("%s: Content-Type %s, or wrong content:\n%.300s", path, kind, page.Text)
		}
		if path == "/skill.md" {
			continue
		}
		asked := s.Get(strings.TrimSuffix(path, ".md"), "Accept: text/markdown, text/html;q=0.5")
		if asked.Text != page.Text || !strings.Contains(strings.Join(asked.Header.Values("Vary"), ","), "Accept") ||
			!strings.HasPrefix(page.Text, "# ") {
			t.Errorf("%s: Accept: text/markdown returns another page", path)
		}
		if html := s.Get(strings.TrimSuffix(path, ".md")); !strings.Contains(html.Text, "<article") {
			t.Errorf("%s has no HTML page", path)
		}
	}
	errors := s.Get("/docs/errors.md").Text
	if !strings.Contains(errors, "| 403 |") && !regexp.MustCompile(`\|[^|]*403[^|]*\|`).MatchString(errors) ||
		!strings.Contains(errors, "`forbidden`") {
		t.Errorf("the table of codes is not a Markdown table:\n%.2000s", errors)
	}
	s.Status(s.Get("/docs/nothing.md"), http.StatusNotFound)
}

// TestToolsInDocs checks that the documentation lists the tools that agents
// get.
func TestToolsInDocs(t *testing.T) {
	f := webtest.NewFixture(t)
	tools, err := f.Tools(f.Account(vitrine.PlanPro)).S.ListTools(t.Context(), nil)
	f.Check(err)
	page := f.Get("/docs/agents").Text
	for _, tool := range tools.Tools {
		if !strings.Contains(page, "<code>"+tool.Name+"</code>") {
			t.Errorf("the page lacks %s", tool.Name)
		}
	}
}

// TestAgentsOnTheKeysPage checks that the page shows the configuration of
// agents with a new key filled in.
func TestAgentsOnTheKeysPage(t *testing.T) {
	d := webtest.NewDesk(t)
	page := d.Status(d.Post("/keys", map[string][]string{"name": {"agent"}, "scope": {"publish"}}, d.SignIn(d.Member)),
		http.StatusOK).Text
	key := regexp.MustCompile(`vtr_[0-9A-Za-z]{38}`).FindString(page)
	for _, want := range []string{"claude mcp add --transport http vitrine " + d.URL + "/mcp", "Bearer " + key,
		"[mcp_servers.vitrine]", "mcpServers"} {
		if key == "" || !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
