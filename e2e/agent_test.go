package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/vitrinetest"
	"vitrine/internal/vitrinetest/tier"

	"github.com/chromedp/chromedp"
)

// agentCall is what the client of the protocol says of one call.
type agentCall struct {
	Tools   []string
	Refused bool
	Text    string
	Data    map[string]any
}

// agent calls a tool with the protocol's client for Node.js.
func (in *instance) agent(t *testing.T, env []string, how []string, tool string, args map[string]any) agentCall {
	t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", append(append([]string{apiTools + "/agent.mjs"}, how...), tool, string(b))...)
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", tool, err, &stderr)
	}
	var c agentCall
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatalf("%s: %v in %s", tool, err, out)
	}
	return c
}

// A client of the protocol that others have written publishes a page, replaces
// it at the same address, asks how it was read, and is told what to do when it
// is refused: over HTTP, and on standard input and output.
func TestAgent(t *testing.T) {
	tier.Need(t, tier.Test, "a client of the Model Context Protocol")
	vitrinetest.Program(t, "node")
	if _, err := os.Stat(apiTools + "/node_modules/@modelcontextprotocol"); err != nil {
		vitrinetest.Missing(t, "tools/api/node_modules")
	}
	in := start(t)
	var made struct{ APIKey string }
	if err := json.Unmarshal([]byte(in.vitrine("account", "create", "ann@example.org", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	agentKey := strings.TrimSpace(in.vitrine("key", "create", "ann@example.org", "--scope", "publish", "--link-life",
		"30d"))
	reader := newPerson(t)
	for _, way := range []struct {
		name string
		how  []string
		env  []string
	}{
		{"http", []string{"http", in.url + "/mcp", agentKey}, nil},
		{"stdio", []string{"stdio", in.bin}, []string{"VITRINE_URL=" + in.url, "VITRINE_API_KEY=" + agentKey}},
	} {
		t.Run(way.name, func(t *testing.T) {
			use := func(tool string, args map[string]any) agentCall {
				t.Helper()
				return in.agent(t, way.env, way.how, tool, args)
			}
			first := use("publish_text", map[string]any{"name": "weather.html", "title": "Weather " + way.name,
				"content": "<!doctype html><title>Weather</title><h1>Sunny in " + way.name + "</h1>"})
			if first.Refused || first.Data["status"] != "live" {
				t.Fatalf("published: %+v", first)
			}
			address, _ := first.Data["url"].(string)
			slug := first.Data["slug"]
			reader.do(chromedp.Navigate(address))
			reader.until(`document.title.includes("Weather")`)
			second := use("replace_file", map[string]any{"slug": slug,
				"content": "# Rain\n\nTomorrow in " + way.name + ".\n", "name": "weather.md"})
			if second.Refused || second.Data["url"] != address || second.Data["version"] != 2.0 {
				t.Fatalf("replaced: %+v", second)
			}
			reader.do(chromedp.Navigate(address))
			reader.shows("Tomorrow in " + way.name)
			report := use("link_report", map[string]any{"slug": address})
			if views := report.Data["totals"].(map[string]any)["views"]; report.Refused || views != 2.0 {
				t.Errorf("the report tells of %v views: %+v", views, report)
			}
			got := use("get_link", map[string]any{"slug": slug, "source": true})
			if got.Data["source"] != "# Rain\n\nTomorrow in "+way.name+".\n" || got.Data["publishedBy"] == "" ||
				got.Data["expiresAt"] == nil {
				t.Errorf("the link is %+v", got)
			}
			refused := use("publish_text", map[string]any{"name": "run.txt", "content": "#!/bin/sh\necho\n"})
			if !refused.Refused || !strings.HasPrefix(refused.Text, "unsafe_file: ") ||
				!strings.Contains(refused.Text, "Next: ") {
				t.Errorf("a script: %+v", refused)
			}
			if may := slices.Contains(refused.Tools, "delete_link"); may != (way.name == "stdio") {
				t.Errorf("the tools are %q", refused.Tools)
			}
			if way.name != "stdio" {
				return
			}
			if kept := use("delete_link", map[string]any{"slug": slug}); !kept.Refused ||
				!strings.HasPrefix(kept.Text, "forbidden: ") {
				t.Errorf("a publish key deletes: %+v", kept)
			}
			file := filepath.Join(t.TempDir(), "notes.txt")
			if err := os.WriteFile(file, []byte(strings.Repeat("a line of notes\n", 200_000)), 0o600); err != nil {
				t.Fatal(err)
			}
			if put := use("publish_file", map[string]any{"path": file}); put.Refused || put.Data["status"] != "live" {
				t.Errorf("a file by its path: %+v", put)
			}
		})
	}
}
