package webtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Used returns the links and bytes that an account has or reserves.
func (f *Fixture) Used(key string) string {
	f.T.Helper()
	used := f.Call(key, "GET", "/key", nil).Want(200, "").JSON()["used"].(map[string]any)
	return fmt.Sprint(used["links"], " links, ", used["storageBytes"], " bytes")
}

// Renamed are the members of the API for arguments of tools.
var Renamed = map[string]string{"title": "linkName", "expires": "expiresAt", "idempotency_key": "idempotencyKey",
	"view_only": "allowDownload"}

// Publishes publishes a text by the API with one member changed, and reports
// whether that is taken. It leaves nothing.
func (f *Fixture) Publishes(key, argument string, value any) bool {
	f.T.Helper()
	if name := Renamed[argument]; name != "" {
		argument = name
	}
	file := Fields{"name": "a.txt", "type": "text/plain", "size": 5}
	change := Fields{argument: value}
	if argument == "password" || argument == "readers" || argument == "email" {
		change = Fields{"access": change}
	}
	begun := file.With(nil)
	if argument == "name" || argument == "slug" || argument == "idempotencyKey" {
		begun = file.With(change)
	}
	r := f.Call(key, "POST", "/uploads", begun)
	if r.Status != 200 {
		return false
	}
	f.Put(r.Text("signedUrl"), "text/plain", strings.NewReader("hello")).Want(200, "")
	done := f.Call(key, "POST", "/uploads/complete", begun.With(change).With(Fields{"path": r.Text("path"),
		"size": nil}))
	if done.Status != 200 {
		f.Call(key, "POST", "/uploads/cancel", Fields{"path": r.Text("path")}).Want(204, "")
		return false
	}
	f.Delete(done.Text("slug"))
	return true
}

// Message sends one message to the tools, with more headers as "Name: value".
func (f *Fixture) Message(key string, body io.Reader, headers ...string) Answer {
	f.T.Helper()
	req, err := http.NewRequest(http.MethodPost, f.URL+"/mcp", body)
	f.Check(err)
	req.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + key},
		"Accept": {"application/json, text/event-stream"}}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	return f.Do(req)
}

// ProtocolError checks that an answer is an error of JSON-RPC with an id and a
// code.
func (a Answer) ProtocolError(id any, code float64) {
	a.t.Helper()
	got := a.JSON()
	e, _ := got["error"].(map[string]any)
	if got["jsonrpc"] != "2.0" || got["id"] != id || e["code"] != code || e["message"] == "" {
		a.t.Errorf("status %d: %s, want id %v and code %v", a.Status, a.Body, id, code)
	}
}

// Bearer sends a key with each request.
type Bearer string

func (b Bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	r.Header.Set("User-Agent", "test-agent/1.0 (x)")
	return http.DefaultTransport.RoundTrip(r)
}

// Tools returns an agent that is connected with a key.
func (f *Fixture) Tools(key string) *agentSession {
	f.T.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test agent", Version: "1.0"}, nil)
	s, err := c.Connect(f.T.Context(), &mcp.StreamableClientTransport{Endpoint: f.URL + "/mcp",
		HTTPClient: &http.Client{Transport: Bearer(key)}, DisableStandaloneSSE: true}, nil)
	f.Check(err)
	f.T.Cleanup(func() { s.Close() })
	return &agentSession{f, s}
}

type agentSession struct {
	*Fixture
	S *mcp.ClientSession
}

// Use calls a tool. failure is the tool's message if it returns an error.
func (a *agentSession) Use(tool string, args Fields) (out map[string]any, failure string) {
	a.T.Helper()
	r, err := a.S.CallTool(a.T.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	a.Check(err)
	if r.IsError {
		return nil, r.Content[0].(*mcp.TextContent).Text
	}
	b, err := json.Marshal(r.StructuredContent)
	a.Check(err)
	a.Check(json.Unmarshal(b, &out))
	if len(b) > 8<<10 && args["full"] != true && args["source"] != true {
		a.T.Errorf("%s answers with %d bytes, want at most 8192", tool, len(b))
	}
	return out, ""
}

// Must calls a tool and fails the test if the tool returns an error.
func (a *agentSession) Must(tool string, args Fields) map[string]any {
	a.T.Helper()
	out, failure := a.Use(tool, args)
	if failure != "" {
		a.T.Fatalf("%s: %s", tool, failure)
	}
	return out
}
