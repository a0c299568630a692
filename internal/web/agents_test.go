package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"vitrine"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer sends a key with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	r.Header.Set("User-Agent", "test-agent/1.0 (x)")
	return http.DefaultTransport.RoundTrip(r)
}

// tools returns an agent that is connected with a key.
func (f *fixture) tools(key string) *agentSession {
	f.t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test agent", Version: "1.0"}, nil)
	s, err := c.Connect(f.t.Context(), &mcp.StreamableClientTransport{Endpoint: f.url + "/mcp",
		HTTPClient: &http.Client{Transport: bearer(key)}, DisableStandaloneSSE: true}, nil)
	f.check(err)
	f.t.Cleanup(func() { s.Close() })
	return &agentSession{f, s}
}

type agentSession struct {
	*fixture
	s *mcp.ClientSession
}

// use calls a tool. failure is the tool's message if it refuses.
func (a *agentSession) use(tool string, args fields) (out map[string]any, failure string) {
	a.t.Helper()
	r, err := a.s.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	a.check(err)
	if r.IsError {
		return nil, r.Content[0].(*mcp.TextContent).Text
	}
	b, err := json.Marshal(r.StructuredContent)
	a.check(err)
	a.check(json.Unmarshal(b, &out))
	if len(b) > 8<<10 && args["full"] != true && args["source"] != true {
		a.t.Errorf("%s answers with %d bytes", tool, len(b))
	}
	return out, ""
}

// must calls a tool and fails the test if the tool refuses.
func (a *agentSession) must(tool string, args fields) map[string]any {
	a.t.Helper()
	out, failure := a.use(tool, args)
	if failure != "" {
		a.t.Fatalf("%s: %s", tool, failure)
	}
	return out
}

// An agent publishes, replaces, reads back, changes, reports and deletes.
func TestToolsOverHTTP(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanPro)
	a := f.tools(key)
	link := a.must("publish_text", fields{"name": "report.md", "content": "# Numbers\n\nAll is well.\n",
		"title": "Numbers", "slug": "numbers", "expires": "30d"})
	if link["slug"] != "numbers" || link["status"] != "live" || link["warnings"] != nil {
		t.Errorf("published %v", link)
	}
	again := a.must("publish_text", fields{"name": "report.md", "content": "# Numbers\n\nAll is well.\n",
		"title": "Numbers", "slug": "numbers", "expires": "30d"})
	if again["slug"] != "numbers" || f.openPage("numbers") != 200 {
		t.Errorf("repeated: %v", again)
	}
	got := a.must("get_link", fields{"slug": link["url"], "source": true})
	if got["source"] != "# Numbers\n\nAll is well.\n" || got["version"] != 1.0 ||
		got["publishedBy"] != "test-agent/1.0" || got["expiresAt"] == nil {
		t.Errorf("got %v", got)
	}
	secret := "key: ghp_" + strings.Repeat("a", 36)
	second := a.must("replace_file", fields{"slug": "numbers", "content": secret})
	if w, _ := second["warnings"].([]any); second["version"] != 2.0 || len(w) != 1 ||
		!strings.Contains(w[0].(string), "GitHub") {
		t.Errorf("replaced %v", second)
	}
	if _, failure := a.use("replace_file", fields{"slug": "numbers", "content": "# Other\n",
		"if_match": got["etag"]}); !strings.HasPrefix(failure, "precondition_failed: ") {
		t.Errorf("an outdated replacement: %s", failure)
	}
	for tool, args := range map[string]fields{"begin_upload": {"name": "a.pdf", "size": 5, "slug": "other"},
		"complete_upload": {"path": "x", "name": "a.pdf", "title": "Other"}} {
		if _, failure := a.use(tool, args.with(fields{"replace": "numbers"})); !strings.Contains(failure,
			"a link keeps its title") {
			t.Errorf("%s of a replacement with more: %s", tool, failure)
		}
	}
	if got := a.must("get_link", fields{"slug": "numbers"}); got["title"] != "Numbers" {
		t.Errorf("the title after a replacement is %v", got["title"])
	}
	plain := a.must("publish_text", fields{"name": "plain.md", "content": "# One\n", "slug": "plain"})
	a.must("replace_file", fields{"slug": "plain", "name": "two.txt", "content": "two"})
	if got := a.must("get_link", fields{"slug": "plain"}); got["title"] != plain["title"] || got["version"] != 2.0 {
		t.Errorf("the title %v became %v", plain["title"], got["title"])
	}
	a.must("delete_link", fields{"slug": "plain"})
	if same := a.must("replace_file", fields{"slug": "numbers", "content": secret}); same["unchanged"] != true {
		t.Errorf("the same bytes: %v", same)
	}
	if _, failure := a.use("update_link", fields{"slug": "numbers", "title": "x",
		"if_match": got["etag"]}); !strings.HasPrefix(failure, "precondition_failed: ") ||
		!strings.Contains(failure, "Next: ") || !strings.Contains(failure, `"version":2`) {
		t.Errorf("an outdated change: %s", failure)
	}
	changed := a.must("update_link", fields{"slug": "numbers", "title": "New", "disabled": true, "expires": "never"})
	if changed["title"] != "New" || changed["status"] != "disabled" || changed["expiresAt"] != nil {
		t.Errorf("changed %v", changed)
	}
	list := a.must("list_links", fields{"query": "new", "status": "disabled"})
	if rows := list["links"].([]any); len(rows) != 1 {
		t.Errorf("listed %v", list)
	}
	for _, full := range []bool{false, true} {
		if r := a.must("link_report", fields{"slug": "numbers", "range": "7d",
			"full": full}); (r["report"] != nil) != full || r["totals"].(map[string]any)["views"] == nil {
			t.Errorf("report %v", r)
		}
		if r := a.must("account_report", fields{"full": full}); (r["report"] != nil) != full ||
			len(r["topLinks"].([]any)) != 1 {
			t.Errorf("report %v", r)
		}
	}
	if _, failure := a.use("link_report", fields{"slug": "numbers", "range": "1d"}); !strings.HasPrefix(failure,
		"bad_range") {
		t.Errorf("a range that is none: %s", failure)
	}
	a.must("delete_link", fields{"slug": "numbers"})
	if _, failure := a.use("get_link", fields{"slug": "numbers"}); !strings.HasPrefix(failure, "not_found: ") ||
		!strings.Contains(failure, "Next: call list_links") {
		t.Errorf("a deleted link: %s", failure)
	}
}

// A caller that asks for it is told how far an upload is, until all of it is
// sent; any other one gets one object.
func TestProgressOverHTTP(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanPro)
	told := make(chan *mcp.ProgressNotificationParams, 100)
	c := mcp.NewClient(&mcp.Implementation{Name: "test agent", Version: "1.0"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			told <- r.Params
		}})
	s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: f.url + "/mcp",
		HTTPClient: &http.Client{Transport: bearer(key)}, DisableStandaloneSSE: true}, nil)
	f.check(err)
	defer s.Close()
	slug := f.published(key, noteFile, note)
	for i, tool := range []string{"publish_text", "replace_file"} {
		text := strings.Repeat("All is well.\n", 50_000+i)
		call := &mcp.CallToolParams{Name: tool, Arguments: fields{"name": "a.txt", "content": text, "slug": slug}}
		if tool == "publish_text" {
			call.Arguments = fields{"name": "a.txt", "content": text}
		}
		call.SetProgressToken(tool)
		r, err := s.CallTool(t.Context(), call)
		f.check(err)
		if r.IsError {
			t.Fatal(r.Content[0].(*mcp.TextContent).Text)
		}
		for last := -1.0; last < float64(len(text)); {
			p := <-told
			if p.ProgressToken != tool || p.Progress <= last || p.Total != float64(len(text)) {
				t.Fatalf("%s is told %+v after %v", tool, p, last)
			}
			last = p.Progress
		}
	}
	for body, want := range map[string]string{"": "application/json",
		`,"_meta":{"progressToken":1}`: "text/event-stream"} {
		req, err := http.NewRequest("POST", f.url+"/mcp", strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_links","arguments":{}`+body+`}}`))
		f.check(err)
		req.Header = http.Header{"Content-Type": {"application/json"},
			"Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + key}}
		res, err := http.DefaultClient.Do(req)
		f.check(err)
		res.Body.Close()
		if got := res.Header.Get("Content-Type"); got != want {
			t.Errorf("%q is answered as %s", body, got)
		}
	}
}

// A file that is no text goes to the signed address that a tool returns.
func TestUploadByTools(t *testing.T) {
	f := newFixture(t)
	a := f.tools(f.account(vitrine.PlanFree))
	pdf := string(makePDF(3))
	begun := a.must("begin_upload", fields{"name": "it's a report.pdf", "size": len(pdf)})
	if curl := begun["curl"].(string); !strings.HasPrefix(curl,
		`curl -fsS -T './it'\''s a report.pdf' -H 'Content-Type: application/pdf' '`+f.url) {
		t.Errorf("curl is %s", curl)
	}
	if _, failure := a.use("complete_upload", fields{"path": begun["path"],
		"name": "it's a report.pdf"}); !strings.HasPrefix(failure, "upload_incomplete") {
		t.Errorf("without bytes: %s", failure)
	}
	f.put(begun["upload_url"].(string), "application/pdf", strings.NewReader(pdf)).want(200, "")
	for range 2 {
		if l := a.must("complete_upload", fields{"path": begun["path"], "name": "it's a report.pdf",
			"title": "Report"}); l["status"] != "live" || l["title"] != "Report" {
			t.Errorf("completed %v", l)
		}
	}
	for args, want := range map[*fields]string{
		{"name": "a.exe", "content": "x"}:                          "unsupported_type: ",
		{"name": "a.txt", "content": "#!/bin/sh\nrm -rf /\n"}:      "unsafe_file: ",
		{"name": "a.txt", "content": ""}:                           "error: the content is empty",
		{"name": "a.txt", "content": strings.Repeat("x", 1<<20+1)}: "error: the content has",
		{"name": "a.txt", "content": "x", "slug": "mine"}:          "pro_required: ",
		{"name": "a.txt", "content": "x", "expires": "soon"}:       "error: ",
	} {
		if _, failure := a.use("publish_text", *args); !strings.HasPrefix(failure, want) {
			t.Errorf("%v: %s, want %s", (*args)["name"], failure, want)
		}
	}
	if _, failure := a.use("account_report", nil); !strings.HasPrefix(failure, "pro_required: ") ||
		!strings.Contains(failure, "Next: ") {
		t.Errorf("a report on Free: %s", failure)
	}
}

// A key is offered the tools of its scope, and can call no other.
func TestToolsByScope(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanPro)
	slug := f.published(key, noteFile, note)
	reading := []string{"account_report", "get_link", "link_report", "list_links"}
	publishing := append([]string{"begin_upload", "complete_upload", "publish_text", "replace_file", "update_link"},
		reading...)
	for scope, want := range map[vitrine.KeyScope][]string{vitrine.ScopeRead: reading, vitrine.ScopePublish: publishing,
		vitrine.ScopeFull: append([]string{"delete_link"}, publishing...)} {
		a := f.tools(f.scoped(key, scope))
		list, err := a.s.ListTools(t.Context(), nil)
		f.check(err)
		var names []string
		said, err := json.Marshal(list.Tools)
		f.check(err)
		if t.Logf("a %s key is offered %d tools in %d bytes", scope, len(list.Tools), len(said)); len(said) > 20<<10 {
			t.Errorf("the tools take %d bytes of an agent's context", len(said))
		}
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			if tool.Description == "" || tool.OutputSchema == nil || tool.Annotations == nil ||
				tool.Annotations.ReadOnlyHint != slices.Contains(reading, tool.Name) ||
				*tool.Annotations.DestructiveHint != slices.Contains([]string{"delete_link", "replace_file",
					"update_link", "complete_upload"}, tool.Name) {
				t.Errorf("%+v", tool)
			}
		}
		slices.Sort(names)
		slices.Sort(want)
		if !slices.Equal(names, want) {
			t.Errorf("a %s key is offered %q, want %q", scope, names, want)
		}
		if scope == vitrine.ScopeFull {
			continue
		}
		before, err := f.server.Keys.Store.Version(t.Context())
		f.check(err)
		if _, err := a.s.CallTool(t.Context(), &mcp.CallToolParams{Name: "delete_link",
			Arguments: fields{"slug": slug}}); err == nil {
			t.Errorf("a %s key calls delete_link", scope)
		}
		if after, err := f.server.Keys.Store.Version(t.Context()); err != nil || after != before {
			t.Errorf("a %s key has changed something: %v", scope, err)
		}
	}
}

// Without a key that is good there is no protocol at all; what another account
// has does not exist.
func TestToolsNeedAKey(t *testing.T) {
	f := newFixture(t)
	owner, other, banned := f.account(vitrine.PlanPro), f.account(vitrine.PlanPro), f.account(vitrine.PlanPro)
	slug := f.published(owner, noteFile, note)
	f.ban(banned)
	post := func(key string) (int, http.Header) {
		req, err := http.NewRequest("POST", f.url+"/mcp",
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		f.check(err)
		req.Header = http.Header{"Content-Type": {"application/json"},
			"Accept": {"application/json, text/event-stream"}}
		if key != "" {
			req.Header.Set("Authorization", "Bearer "+key)
		}
		res, err := http.DefaultClient.Do(req)
		f.check(err)
		res.Body.Close()
		return res.StatusCode, res.Header
	}
	for key, want := range map[string]int{"": 401, "nonsense": 401, banned: 403, owner: 200} {
		if status, h := post(key); status != want || status == 401 && h.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("key %.8q: %d, want %d", key, status, want)
		}
	}
	a := f.tools(other)
	for tool, args := range map[string]fields{"get_link": nil, "link_report": nil, "delete_link": nil,
		"update_link": {"title": "x"}, "replace_file": {"content": "x", "name": "x.txt"}} {
		_, foreign := a.use(tool, args.with(fields{"slug": slug}))
		_, unknown := a.use(tool, args.with(fields{"slug": "nothing-here"}))
		if foreign != unknown || foreign == "" {
			t.Errorf("%s of another account's link: %q; of an unknown one: %q", tool, foreign, unknown)
		}
	}
	f.call(owner, "GET", "/links/"+slug, nil).want(200, "")
}

// Garbage does not get past the protocol.
func TestToolsGarbage(t *testing.T) {
	f := newFixture(t)
	key := f.account(vitrine.PlanPro)
	for _, body := range []string{"", "x", "{}", "[]", `{"jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"publish_text","arguments":5}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"publish_text","arguments":{"name":"a.txt"}}}`} {
		req, err := http.NewRequestWithContext(context.Background(), "POST", f.url+"/mcp", strings.NewReader(body))
		f.check(err)
		req.Header = http.Header{"Content-Type": {"application/json"},
			"Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + key}}
		res, err := http.DefaultClient.Do(req)
		f.check(err)
		res.Body.Close()
		if res.StatusCode >= 500 {
			t.Errorf("%q: %d", body, res.StatusCode)
		}
	}
	if n := len(f.call(key, "GET", "/links", nil).json()["links"].([]any)); n != 0 {
		t.Errorf("%d links", n)
	}
}
