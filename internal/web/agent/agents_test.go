package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestToolsOverHTTP publishes, replaces, reads, changes, reports and deletes as
// an agent.
func TestToolsOverHTTP(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	a := f.Tools(key)
	link := a.Must("publish_text", webtest.Fields{"name": "report.md", "content": "# Numbers\n\nAll is well.\n",
		"title": "Numbers", "slug": "numbers", "expires": "30d"})
	if link["slug"] != "numbers" || link["status"] != "live" || link["warnings"] != nil {
		t.Errorf("publish_text = %v", link)
	}
	again := a.Must("publish_text", webtest.Fields{"name": "report.md", "content": "# Numbers\n\nAll is well.\n",
		"title": "Numbers", "slug": "numbers", "expires": "30d"})
	if again["slug"] != "numbers" || f.OpenPage("numbers") != 200 {
		t.Errorf("publish_text again = %v, want the same link", again)
	}
	got := a.Must("get_link", webtest.Fields{"slug": link["url"], "source": true})
	if got["source"] != "# Numbers\n\nAll is well.\n" || got["version"] != 1.0 ||
		got["publishedBy"] != "test-agent/1.0" || got["expiresAt"] == nil {
		t.Errorf("get_link = %v", got)
	}
	secret := "key: ghp_" + strings.Repeat("a", 36)
	if _, failure := a.Use("replace_file", webtest.Fields{"slug": "numbers",
		"content": secret}); !strings.HasPrefix(failure, "secret_found: Line 1 looks like a GitHub token.") {
		t.Errorf("replace_file with a secret = %s, want secret_found", failure)
	}
	second := a.Must("replace_file", webtest.Fields{"slug": "numbers", "content": secret, "publish_secrets": true})
	if w, _ := second["warnings"].([]any); second["version"] != 2.0 || len(w) != 1 ||
		!strings.Contains(w[0].(string), "GitHub") {
		t.Errorf("replace_file = %v, want version 2 and one warning", second)
	}
	if _, failure := a.Use("replace_file", webtest.Fields{"slug": "numbers", "content": "# Other\n",
		"if_match": got["etag"]}); !strings.HasPrefix(failure, "precondition_failed: ") {
		t.Errorf("replace_file with an old ETag = %s, want precondition_failed", failure)
	}
	for tool, args := range map[string]webtest.Fields{"begin_upload": {"name": "a.pdf", "size": 5, "slug": "other"},
		"complete_upload": {"path": "x", "name": "a.pdf", "title": "Other"}} {
		if _, failure := a.Use(tool, args.With(webtest.Fields{"replace": "numbers"})); !strings.Contains(failure,
			"a link keeps its title") {
			t.Errorf("%s with replace and another field = %s, want an error", tool, failure)
		}
	}
	if got := a.Must("get_link", webtest.Fields{"slug": "numbers"}); got["title"] != "Numbers" {
		t.Errorf("title after a replacement = %v, want Numbers", got["title"])
	}
	plain := a.Must("publish_text", webtest.Fields{"name": "plain.md", "content": "# One\n", "slug": "plain"})
	a.Must("replace_file", webtest.Fields{"slug": "plain", "name": "two.txt", "content": "two"})
	if got := a.Must("get_link",
		webtest.Fields{"slug": "plain"}); got["title"] != plain["title"] || got["version"] != 2.0 {
		t.Errorf("title before %v, after a replacement %v", plain["title"], got["title"])
	}
	a.Must("delete_link", webtest.Fields{"slug": "plain"})
	if same := a.Must("replace_file", webtest.Fields{"slug": "numbers", "content": secret,
		"publish_secrets": true}); same["unchanged"] != true {
		t.Errorf("replace_file with the same bytes = %v, want unchanged", same)
	}
	if _, failure := a.Use("update_link", webtest.Fields{"slug": "numbers", "title": "x",
		"if_match": got["etag"]}); !strings.HasPrefix(failure, "precondition_failed: ") ||
		!strings.Contains(failure, "Next: ") || !strings.Contains(failure, `"version":2`) {
		t.Errorf("update_link with an old ETag = %s, want precondition_failed", failure)
	}
	changed := a.Must("update_link", webtest.Fields{"slug": "numbers", "title": "New", "disabled": true,
		"expires": "never"})
	if changed["title"] != "New" || changed["status"] != "disabled" || changed["expiresAt"] != nil {
		t.Errorf("update_link = %v", changed)
	}
	list := a.Must("list_links", webtest.Fields{"query": "new", "status": "disabled"})
	if rows := list["links"].([]any); len(rows) != 1 {
		t.Errorf("list_links = %v, want one row", list)
	}
	f.Call(key, "PATCH", "/links/numbers", webtest.Fields{"labels": []string{"Sales"}}).Want(200, "")
	for label, want := range map[string]int{"sales": 1, "Other": 0} {
		rows := a.Must("list_links", webtest.Fields{"label": label})["links"].([]any)
		if len(rows) != want || want == 1 && fmt.Sprint(rows[0].(map[string]any)["labels"]) != "[Sales]" {
			t.Errorf("list_links with the label %q = %v", label, rows)
		}
	}
	if got := a.Must("get_link", webtest.Fields{"slug": "numbers"}); fmt.Sprint(got["labels"]) != "[Sales]" {
		t.Errorf("get_link = %v, want its label", got)
	}
	for _, full := range []bool{false, true} {
		if r := a.Must("link_report", webtest.Fields{"slug": "numbers", "range": "7d",
			"full": full}); (r["report"] != nil) != full || r["totals"].(map[string]any)["views"] == nil {
			t.Errorf("link_report = %v", r)
		}
		if r := a.Must("account_report", webtest.Fields{"full": full}); (r["report"] != nil) != full ||
			len(r["topLinks"].([]any)) != 1 {
			t.Errorf("account_report = %v", r)
		}
	}
	for _, slug := range []string{"numbers", ""} {
		x := a.Must("explain_figure", webtest.Fields{"slug": slug, "figure": "/totals/views"})
		if len(x["visits"].([]any)) == 0 || x["rule"] == "" || x["count"] != float64(len(x["visits"].([]any))) {
			t.Errorf("explain_figure of %q = %v", slug, x)
		}
	}
	if _, failure := a.Use("explain_figure", webtest.Fields{"figure": "/totals/x"}); !strings.HasPrefix(failure,
		"invalid_request: ") {
		t.Errorf("explain_figure of no figure = %s", failure)
	}
	if _, failure := a.Use("link_report", webtest.Fields{"slug": "numbers", "range": "1d"}); !strings.HasPrefix(failure,
		"bad_range") {
		t.Errorf("link_report with an unknown range = %s, want bad_range", failure)
	}
	a.Must("delete_link", webtest.Fields{"slug": "numbers"})
	if _, failure := a.Use("get_link", webtest.Fields{"slug": "numbers"}); !strings.HasPrefix(failure, "not_found: ") ||
		!strings.Contains(failure, "Next: call list_links") {
		t.Errorf("get_link of a deleted link = %s, want not_found", failure)
	}
}

// TestTrashTools deletes a link, finds it in the trash, restores it and deletes
// it permanently.
func TestTrashTools(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	a, slug := f.Tools(key), f.Published(key, webtest.NoteFile, webtest.Note)
	rows := func(want int) []any {
		t.Helper()
		list := a.Must("list_links", webtest.Fields{"status": "trash", "limit": 1})["links"].([]any)
		if len(list) != want {
			t.Errorf("the trash has %d links, want %d", len(list), want)
		}
		return list
	}
	gone := a.Must("delete_link", webtest.Fields{"slug": slug})
	if l := rows(1)[0].(map[string]any); l["slug"] != slug || l["purgeAt"] == nil || l["purgeAt"] != gone["purgeAt"] {
		t.Errorf("in the trash is %v, after %v", l, gone)
	}
	if _, failure := a.Use("list_links", webtest.Fields{"status": "trash", "query": "x"}); failure == "" {
		t.Error("the trash was searched")
	}
	if back := a.Must("restore_link", webtest.Fields{"slug": slug}); back["restored"] != slug || back["status"] != "live" {
		t.Errorf("restore_link = %v", back)
	}
	rows(0)
	a.Must("delete_link", webtest.Fields{"slug": slug})
	if gone := a.Must("delete_link", webtest.Fields{"slug": slug, "permanent": true}); gone["purgeAt"] != nil {
		t.Errorf("a permanent deletion = %v", gone)
	}
	rows(0)
}

// TestProgressOverHTTP checks that a caller that asks for progress gets it
// during an upload until all bytes are sent, and that other callers get one
// object.
func TestProgressOverHTTP(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	notes := make(chan *mcp.ProgressNotificationParams, 100)
	c := mcp.NewClient(&mcp.Implementation{Name: "test agent", Version: "1.0"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			notes <- r.Params
		}})
	s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: f.URL + "/mcp",
		HTTPClient: &http.Client{Transport: webtest.Bearer(key)}, DisableStandaloneSSE: true}, nil)
	f.Check(err)
	defer s.Close()
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	for i, tool := range []string{"publish_text", "replace_file"} {
		text := strings.Repeat("All is well.\n", 50_000+i)
		call := &mcp.CallToolParams{Name: tool, Arguments: webtest.Fields{"name": "a.txt", "content": text,
			"slug": slug}}
		if tool == "publish_text" {
			call.Arguments = webtest.Fields{"name": "a.txt", "content": text}
		}
		call.SetProgressToken(tool)
		r, err := s.CallTool(t.Context(), call)
		f.Check(err)
		if r.IsError {
			t.Fatal(r.Content[0].(*mcp.TextContent).Text)
		}
		for last := -1.0; last < float64(len(text)); {
			p := <-notes
			if p.ProgressToken != tool || p.Progress <= last || p.Total != float64(len(text)) {
				t.Fatalf("%s: progress %+v after %v", tool, p, last)
			}
			last = p.Progress
		}
	}
	for body, want := range map[string]string{"": "application/json",
		`,"_meta":{"progressToken":1}`: "text/event-stream"} {
		req, err := http.NewRequest("POST", f.URL+"/mcp", strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_links","arguments":{}`+body+`}}`))
		f.Check(err)
		req.Header = http.Header{"Content-Type": {"application/json"},
			"Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + key}}
		res, err := http.DefaultClient.Do(req)
		f.Check(err)
		res.Body.Close()
		if got := res.Header.Get("Content-Type"); got != want {
			t.Errorf("%q: Content-Type %s, want %s", body, got, want)
		}
	}
}

// TestUploadByTools uploads a binary file to the signed URL that a tool
// returns.
func TestUploadByTools(t *testing.T) {
	f := webtest.NewFixture(t)
	a := f.Tools(f.Account(vitrine.PlanFree))
	pdf := string(webtest.MakePDF(3))
	begun := a.Must("begin_upload", webtest.Fields{"name": "it's a report.pdf", "size": len(pdf)})
	if curl := begun["curl"].(string); !strings.HasPrefix(curl,
		`curl -fsS -T './it'\''s a report.pdf' -H 'Content-Type: application/pdf' '`+f.URL) {
		t.Errorf("curl command = %s", curl)
	}
	if _, failure := a.Use("complete_upload", webtest.Fields{"path": begun["path"],
		"name": "it's a report.pdf"}); !strings.HasPrefix(failure, "upload_incomplete") {
		t.Errorf("complete_upload without bytes = %s, want upload_incomplete", failure)
	}
	f.Put(begun["upload_url"].(string), "application/pdf", strings.NewReader(pdf)).Want(200, "")
	for range 2 {
		if l := a.Must("complete_upload", webtest.Fields{"path": begun["path"], "name": "it's a report.pdf",
			"title": "Report"}); l["status"] != "live" || l["title"] != "Report" {
			t.Errorf("complete_upload = %v", l)
		}
	}
	for args, want := range map[*webtest.Fields]string{
		{"name": "a.exe", "content": "x"}:                          "unsupported_type: ",
		{"name": "a.txt", "content": "#!/bin/sh\nrm -rf /\n"}:      "unsafe_file: ",
		{"name": "a.txt", "content": ""}:                           "invalid_request: the content is empty",
		{"name": "a.txt", "content": strings.Repeat("x", 1<<20+1)}: "invalid_request: the content has",
		{"name": "a.txt", "content": "x", "slug": "mine"}:          "pro_required: ",
		{"name": "a.txt", "content": "x", "expires": "soon"}:       "invalid_request: ",
	} {
		if _, failure := a.Use("publish_text", *args); !strings.HasPrefix(failure, want) {
			t.Errorf("%v: %s, want %s", (*args)["name"], failure, want)
		}
	}
	if _, failure := a.Use("account_report", nil); !strings.HasPrefix(failure, "pro_required: ") ||
		!strings.Contains(failure, "Next: ") {
		t.Errorf("account_report on Free = %s, want pro_required", failure)
	}
}

// TestToolsByScope checks that a key is offered the tools of its scope and can
// call no others.
func TestToolsByScope(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.NoteFile, webtest.Note)
	reading := []string{"account_report", "explain_figure", "get_link", "link_report", "list_events", "list_links", "list_recipients"}
	publishing := append([]string{"add_recipients", "begin_upload", "complete_upload", "publish_text", "replace_file",
		"update_link"},
		reading...)
	for scope, want := range map[vitrine.KeyScope][]string{vitrine.ScopeRead: reading, vitrine.ScopePublish: publishing,
		vitrine.ScopeFull: append([]string{"delete_link", "restore_link"}, publishing...)} {
		a := f.Tools(f.Scoped(key, scope))
		list, err := a.S.ListTools(t.Context(), nil)
		f.Check(err)
		var names []string
		listing, err := json.Marshal(list.Tools)
		f.Check(err)
		if t.Logf("a %s key is offered %d tools in %d bytes", scope, len(list.Tools),
			len(listing)); len(listing) > 28<<10 {
			t.Errorf("the list of tools has %d bytes, want at most 28672", len(listing))
		}
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			if tool.Description == "" || tool.OutputSchema == nil || tool.Annotations == nil ||
				tool.Annotations.ReadOnlyHint != slices.Contains(reading, tool.Name) ||
				*tool.Annotations.DestructiveHint != slices.Contains([]string{"delete_link", "publish_text",
					"replace_file", "update_link", "complete_upload"}, tool.Name) {
				t.Errorf("tool without description, schema or right annotations: %+v", tool)
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
		before, err := f.Server.Keys.Store.Version(t.Context())
		f.Check(err)
		if _, err := a.S.CallTool(t.Context(), &mcp.CallToolParams{Name: "delete_link",
			Arguments: webtest.Fields{"slug": slug}}); err == nil {
			t.Errorf("a %s key can call delete_link", scope)
		}
		if after, err := f.Server.Keys.Store.Version(t.Context()); err != nil || after != before {
			t.Errorf("a %s key has changed the store: %v", scope, err)
		}
	}
}

// TestToolsNeedAKey checks that requests without a valid key are refused before
// the protocol, and that links of another account look like links that do not
// exist.
func TestToolsNeedAKey(t *testing.T) {
	f := webtest.NewFixture(t)
	owner, other, banned := f.Account(vitrine.PlanPro), f.Account(vitrine.PlanPro), f.Account(vitrine.PlanPro)
	slug := f.Published(owner, webtest.NoteFile, webtest.Note)
	f.Ban(banned)
	post := func(key string) (int, http.Header) {
		req, err := http.NewRequest("POST", f.URL+"/mcp",
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		f.Check(err)
		req.Header = http.Header{"Content-Type": {"application/json"},
			"Accept": {"application/json, text/event-stream"}}
		if key != "" {
			req.Header.Set("Authorization", "Bearer "+key)
		}
		res, err := http.DefaultClient.Do(req)
		f.Check(err)
		res.Body.Close()
		return res.StatusCode, res.Header
	}
	for key, want := range map[string]int{"": 401, "nonsense": 401, banned: 403, owner: 200} {
		if status, h := post(key); status != want || status == 401 &&
			!strings.HasSuffix(h.Get("WWW-Authenticate"), `resource_metadata="`+f.Server.PublicURL.String()+
				`/.well-known/oauth-protected-resource/mcp", scope="publish"`) {
			t.Errorf("key %.8q: status %d, want %d", key, status, want)
		}
	}
	a := f.Tools(other)
	for tool, args := range map[string]webtest.Fields{"get_link": nil, "link_report": nil, "delete_link": nil,
		"update_link": {"title": "x"}, "replace_file": {"content": "x", "name": "x.txt"}} {
		_, foreign := a.Use(tool, args.With(webtest.Fields{"slug": slug}))
		_, unknown := a.Use(tool, args.With(webtest.Fields{"slug": "nothing-here"}))
		if foreign != unknown || foreign == "" {
			t.Errorf("%s of another account's link: %q, of an unknown one: %q, want the same", tool, foreign, unknown)
		}
	}
	f.Call(owner, "GET", "/links/"+slug, nil).Want(200, "")
}

// TestToolsGarbage checks that invalid messages get an error and change
// nothing.
func TestToolsGarbage(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	for _, body := range []string{"", "x", "{}", "[]", `{"jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"publish_text","arguments":5}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"publish_text","arguments":{"name":"a.txt"}}}`} {
		req, err := http.NewRequestWithContext(context.Background(), "POST", f.URL+"/mcp", strings.NewReader(body))
		f.Check(err)
		req.Header = http.Header{"Content-Type": {"application/json"},
			"Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + key}}
		res, err := http.DefaultClient.Do(req)
		f.Check(err)
		res.Body.Close()
		if res.StatusCode >= 500 {
			t.Errorf("%q: status %d", body, res.StatusCode)
		}
	}
	if n := len(f.Call(key, "GET", "/links", nil).JSON()["links"].([]any)); n != 0 {
		t.Errorf("%d links, want 0", n)
	}
}
