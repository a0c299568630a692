package e2e

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"

	"github.com/chromedp/chromedp"
)

// agentCall is the result of one call by the MCP client.
type agentCall struct {
	Tools   []string
	Refused bool
	Text    string
	Data    map[string]any
	// Progress has the number of bytes sent, and the total, of each progress
	// notification.
	Progress [][2]float64
	// Unknown is the code of the answer to an unknown method.
	Unknown int
}

// uploads checks that the progress of a call increased until all bytes were
// sent.
func (c agentCall) uploads(t *testing.T, size int) {
	t.Helper()
	last := -1.0
	for _, p := range c.Progress {
		if p[0] <= last || p[1] != float64(size) {
			t.Errorf("progress = %v of %d bytes", c.Progress, size)
			return
		}
		last = p[0]
	}
	if last != float64(size) {
		t.Errorf("the progress ends at %v of %d bytes", last, size)
	}
}

// agent calls a tool with the official MCP client for Node.js.
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
	if c.Unknown != -32601 {
		t.Errorf("an unknown method: code %d, want -32601", c.Unknown)
	}
	return c
}

// TestAgent uses the MCP client of another project to publish a page, replace
// it at the same address, read its report, and follow the hints of refusals:
// over HTTP and over standard input and output, with each pair of backends.
func TestAgent(t *testing.T) {
	tier.Need(t, tier.Test, "a client of the Model Context Protocol")
	vitrinetest.Program(t, "node")
	if _, err := os.Stat(apiTools + "/node_modules/@modelcontextprotocol"); err != nil {
		vitrinetest.Missing(t, "tools/api/node_modules")
	}
	t.Run("SQLite and a directory", func(t *testing.T) { useAsAgent(t, start(t), "") })
	t.Run("PostgreSQL and a bucket", func(t *testing.T) {
		server := vitrinetest.SharedS3(t)
		in := startAt(t, []string{"--database", vitrinetest.PostgresDatabase(t), "--files",
			server.Address(server.Bucket(t), "")})
		useAsAgent(t, in, server.Endpoint)
	})
}

// useAsAgent runs the calls of TestAgent on an instance. bucket is the origin
// of its files, or "" if it serves them itself.
func useAsAgent(t *testing.T, in *instance, bucket string) {
	var made struct{ APIKey string }
	if err := json.Unmarshal([]byte(in.vitrine("admin", "account", "create", "ann@example.org", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	agentKey := strings.TrimSpace(in.vitrine("admin", "key", "create", "ann@example.org", "--scope", "publish", "--link-life",
		"30d"))
	reader, folder := newPerson(t), t.TempDir()
	for _, way := range []struct {
		name string
		how  []string
		env  []string
	}{
		{"http", []string{"http", in.url + "/mcp", agentKey}, nil},
		{"stdio", []string{"stdio", in.bin, folder}, []string{"VITRINE_SERVER=" + in.url, "VITRINE_API_KEY=" + agentKey}},
	} {
		t.Run(way.name, func(t *testing.T) {
			a := agent{t, in, reader, way.name, func(tool string, args map[string]any) agentCall {
				t.Helper()
				return in.agent(t, way.env, way.how, tool, args)
			}}
			slug := a.publishesAndReplaces()
			in.ownerGets(t, agentKey, slug, bucket, "weather.md", "# Rain\n\nTomorrow in "+way.name+".\n")
			a.isRefused(way.name == "stdio")
			if way.name == "stdio" {
				a.usesFiles(slug, folder)
			}
		})
	}
}

// agent is a program that uses an instance, and a person who views what it
// publishes.
type agent struct {
	t      *testing.T
	in     *instance
	reader *person
	name   string
	use    func(tool string, args map[string]any) agentCall
}

func (a agent) publishesAndReplaces() (slug string) {
	t, reader := a.t, a.reader
	text := "<!doctype html><title>Weather</title><h1>Sunny in " + a.name + "</h1>"
	first := a.use("publish_text", map[string]any{"name": "weather.html", "title": "Weather " + a.name,
		"content": text})
	if first.Refused || first.Data["status"] != "live" {
		t.Fatalf("publish = %+v", first)
	}
	first.uploads(t, len(text))
	address, _ := first.Data["url"].(string)
	slug, _ = first.Data["slug"].(string)
	reader.do(chromedp.Navigate(address))
	reader.until(`document.title.includes("Weather")`)
	text = "# Rain\n\nTomorrow in " + a.name + ".\n"
	second := a.use("replace_file", map[string]any{"slug": slug, "content": text, "name": "weather.md"})
	if second.Refused || second.Data["url"] != address || second.Data["version"] != 2.0 {
		t.Fatalf("replace = %+v", second)
	}
	second.uploads(t, len(text))
	reader.do(chromedp.Navigate(address))
	reader.shows("Tomorrow in " + a.name)
	report := a.use("link_report", map[string]any{"slug": address})
	if views := report.Data["totals"].(map[string]any)["views"]; report.Refused || views != 2.0 {
		t.Errorf("the report has %v views: %+v", views, report)
	}
	got := a.use("get_link", map[string]any{"slug": slug, "source": true})
	if got.Data["source"] != text || got.Data["publishedBy"] == "" || got.Data["expiresAt"] == nil {
		t.Errorf("get_link = %+v", got)
	}
	return slug
}

func (a agent) isRefused(mayDelete bool) {
	refused := a.use("publish_text", map[string]any{"name": "run.txt", "content": "#!/bin/sh\necho\n"})
	if !refused.Refused || !strings.HasPrefix(refused.Text, "unsafe_file: ") ||
		!strings.Contains(refused.Text, "Next: ") {
		a.t.Errorf("publishing a script = %+v, want unsafe_file", refused)
	}
	if slices.Contains(refused.Tools, "delete_link") != mayDelete {
		a.t.Errorf("tools = %q", refused.Tools)
	}
}

// usesFiles checks the tools that only an agent on the machine with the files
// can use.
func (a agent) usesFiles(slug, folder string) {
	t := a.t
	if kept := a.use("delete_link", map[string]any{"slug": slug}); !kept.Refused ||
		!strings.HasPrefix(kept.Text, "forbidden: ") {
		t.Errorf("delete_link with a publish key = %+v, want forbidden", kept)
	}
	file := filepath.Join(folder, "notes.txt")
	const line, lines = "a line of notes\n", 200_000
	if err := os.WriteFile(file, []byte(strings.Repeat(line, lines)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := a.use("publish_file", map[string]any{"path": a.in.bin}); !strings.Contains(out.Text, "is outside") {
		t.Errorf("publishing a file outside of the folder = %+v", out)
	}
	for _, args := range []map[string]any{{"path": file}, {"path": file, "replace": slug}} {
		put := a.use("publish_file", args)
		if put.Refused || put.Data["status"] != "live" {
			t.Errorf("publishing a file by its path = %+v", put)
		}
		put.uploads(t, len(line)*lines)
		if len(put.Progress) < 10 {
			t.Errorf("%d progress notifications: %v", len(put.Progress), put.Progress)
		}
	}
}

// ownerGets downloads the file of a link as its owner, and checks from where it
// comes.
func (in *instance) ownerGets(t *testing.T, key, slug, bucket, name, content string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, in.url+"/api/v1/links/"+slug+"/file", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	from := res.Request
	_, disposition, _ := mime.ParseMediaType(res.Header.Get("Content-Disposition"))
	if err != nil || res.StatusCode != http.StatusOK || string(body) != content || disposition["filename"] != name {
		t.Errorf("%s: %s, %v, %q %q", from.URL, res.Status, err, res.Header.Get("Content-Disposition"), body)
	}
	if from.Response == nil || from.Response.StatusCode != http.StatusFound {
		t.Errorf("the file comes from %s", from.URL)
	}
	if bucket != "" && strings.HasPrefix(from.URL.String(), bucket+"/") {
		t.Error("the bucket has an address that outlives the key")
	}
}
