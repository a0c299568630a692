package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"vitrine"
)

// TestDocsForAgents checks that agents find llms.txt, and that every page of
// the documentation is also Markdown: by its address and by the Accept header.
func TestDocsForAgents(t *testing.T) {
	s := newSite(t)
	list := s.status(s.get("/llms.txt"), http.StatusOK)
	if !strings.HasPrefix(list.body, "# Vitrine\n\n> ") || !strings.Contains(list.body, s.url+"/mcp") {
		t.Errorf("llms.txt = %s", list.body)
	}
	links := regexp.MustCompile(`\]\((\S+)\)`).FindAllStringSubmatch(list.body, -1)
	if len(links) != len(s.docPaths())+2 {
		t.Errorf("llms.txt has %d links for %d pages, want 2 more", len(links), len(s.docPaths()))
	}
	for _, m := range links {
		path := strings.TrimPrefix(m[1], s.url)
		page := s.status(s.get(path), http.StatusOK)
		if strings.HasSuffix(path, ".json") {
			continue
		}
		if kind := page.Header.Get("Content-Type"); kind != "text/markdown; charset=utf-8" ||
			strings.Contains(page.body, "<article") || path == "/skill.md" &&
			(strings.Contains(page.body, "share.example") || !strings.Contains(page.body, s.url+"/api/v1")) {
			t.Errorf("%s: Content-Type %s, or wrong content:\n%.300s", path, kind, page.body)
		}
		if path == "/skill.md" {
			continue
		}
		asked := s.get(strings.TrimSuffix(path, ".md"), "Accept: text/markdown, text/html;q=0.5")
		if asked.body != page.body || !strings.Contains(strings.Join(asked.Header.Values("Vary"), ","), "Accept") ||
			!strings.HasPrefix(page.body, "# ") {
			t.Errorf("%s: Accept: text/markdown returns another page", path)
		}
		if html := s.get(strings.TrimSuffix(path, ".md")); !strings.Contains(html.body, "<article") {
			t.Errorf("%s has no HTML page", path)
		}
	}
	errors := s.get("/docs/errors.md").body
	if !strings.Contains(errors, "| 403 |") && !regexp.MustCompile(`\|[^|]*403[^|]*\|`).MatchString(errors) ||
		!strings.Contains(errors, "`forbidden`") {
		t.Errorf("the table of codes is not a Markdown table:\n%.2000s", errors)
	}
	s.status(s.get("/docs/nothing.md"), http.StatusNotFound)
}

// TestToolsInDocs checks that the documentation lists the tools that agents
// get.
func TestToolsInDocs(t *testing.T) {
	f := newFixture(t)
	tools, err := f.tools(f.account(vitrine.PlanPro)).s.ListTools(t.Context(), nil)
	f.check(err)
	page := f.get("/docs/agents").body
	for _, tool := range tools.Tools {
		if !strings.Contains(page, "<code>"+tool.Name+"</code>") {
			t.Errorf("the page lacks %s", tool.Name)
		}
	}
}

// TestAgentsOnTheKeysPage checks that the page shows the configuration of
// agents with a new key filled in.
func TestAgentsOnTheKeysPage(t *testing.T) {
	d := newDesk(t)
	page := d.status(d.post("/keys", map[string][]string{"name": {"agent"}, "scope": {"publish"}}, d.signIn(d.member)),
		http.StatusOK).body
	key := regexp.MustCompile(`vtr_[0-9A-Za-z]{38}`).FindString(page)
	for _, want := range []string{"claude mcp add --transport http vitrine " + d.url + "/mcp", "Bearer " + key,
		"[mcp_servers.vitrine]", "mcpServers"} {
		if key == "" || !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
