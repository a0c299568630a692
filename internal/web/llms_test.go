package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"vitrine"
)

// Agents find what they can read here, and every page of the documentation is
// also Markdown: by its address, and by what is accepted.
func TestDocsForAgents(t *testing.T) {
	s := newSite(t)
	list := s.status(s.get("/llms.txt"), http.StatusOK)
	if !strings.HasPrefix(list.body, "# Vitrine\n\n> ") || !strings.Contains(list.body, s.url+"/mcp") {
		t.Errorf("llms.txt is\n%s", list.body)
	}
	links := regexp.MustCompile(`\]\((\S+)\)`).FindAllStringSubmatch(list.body, -1)
	if len(links) != len(s.docPaths())+2 {
		t.Errorf("llms.txt has %d links for %d pages", len(links), len(s.docPaths()))
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
			t.Errorf("%s is %s:\n%.300s", path, kind, page.body)
		}
		if path == "/skill.md" {
			continue
		}
		asked := s.get(strings.TrimSuffix(path, ".md"), "Accept: text/markdown, text/html;q=0.5")
		if asked.body != page.body || !strings.Contains(strings.Join(asked.Header.Values("Vary"), ","), "Accept") ||
			!strings.HasPrefix(page.body, "# ") {
			t.Errorf("%s is another page when Markdown is asked for", path)
		}
		if html := s.get(strings.TrimSuffix(path, ".md")); !strings.Contains(html.body, "<article") {
			t.Errorf("%s is no page", path)
		}
	}
	errors := s.get("/docs/errors.md").body
	if !strings.Contains(errors, "| 403 |") && !regexp.MustCompile(`\|[^|]*403[^|]*\|`).MatchString(errors) ||
		!strings.Contains(errors, "`forbidden`") {
		t.Errorf("the table of codes is no table:\n%.2000s", errors)
	}
	s.status(s.get("/docs/nothing.md"), http.StatusNotFound)
}

// The tools that the documentation lists are those that agents are offered.
func TestToolsInDocs(t *testing.T) {
	f := newFixture(t)
	tools, err := f.tools(f.account(vitrine.PlanPro)).s.ListTools(t.Context(), nil)
	f.check(err)
	page := f.get("/docs/agents").body
	for _, tool := range tools.Tools {
		if !strings.Contains(page, "<code>"+tool.Name+"</code>") {
			t.Errorf("the page does not list %s", tool.Name)
		}
	}
}

// A new key comes with the configuration of agents, filled in.
func TestAgentsOnTheKeysPage(t *testing.T) {
	d := newDesk(t)
	page := d.status(d.post("/keys", map[string][]string{"name": {"agent"}, "scope": {"publish"}}, d.signIn(d.member)),
		http.StatusOK).body
	key := regexp.MustCompile(`vtr_[0-9A-Za-z]{38}`).FindString(page)
	for _, want := range []string{"claude mcp add --transport http vitrine " + d.url + "/mcp", "Bearer " + key,
		"[mcp_servers.vitrine]", "mcpServers"} {
		if key == "" || !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}
