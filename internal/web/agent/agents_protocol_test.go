package agent_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
)

// goWords are what an error must not have: words of Go and its libraries.
var goWords = regexp.MustCompile(`\bmcp\.|jsonrpc2|Go (value|type)|json:|unmarshal|map\[|interface *\{|\*[a-z]+\.`)

// TestToolsProtocolErrors checks that each malformed message is answered
// with an error of JSON-RPC, with the id of the call if it has one.
func TestToolsProtocolErrors(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	const parse, request, method, params = -32700, -32600, -32601, -32602
	call := func(rest string) string { return `{"jsonrpc":"2.0","id":7,"method":` + rest + `}` }
	for body, want := range map[string]struct {
		status int
		id     any
		code   float64
	}{
		"": {400, nil, parse}, "x": {400, nil, parse}, `{"jsonrpc":`: {400, nil, parse}, "{}{}": {400, nil, parse},
		call(`"ping"`) + call(`"ping"`): {400, nil, parse},
		call(`"ping","method":"ping"`):  {400, nil, parse},
		call("\"ping\",\"x\":\"\xff\""): {400, nil, parse},
		"[]":                            {400, nil, request},
		"[" + call(`"ping"`) + "]":      {400, nil, request},
		`"text"`:                        {400, nil, request},
		"{}":                            {400, nil, request},
		`{"jsonrpc":"1.0","id":7,"method":"ping"}`:    {400, 7.0, request},
		`{"jsonrpc":"2.0","id":7}`:                    {400, 7.0, request},
		`{"jsonrpc":"2.0","id":7.5,"method":"ping"}`:  {400, nil, request},
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`: {400, nil, request},
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`:   {400, nil, request},
		`{"jsonrpc":"2.0","method":"tools/list"}`:     {400, nil, request},
		call("5"):                                                            {400, 7.0, request},
		call(`"notifications/initialized"`):                                  {400, 7.0, request},
		call(strings.Repeat(`[`, 100)):                                       {400, nil, request},
		call(`"no/such"`):                                                    {200, 7.0, method},
		call(`"resources/list"`):                                             {200, 7.0, method},
		call(`"subscriptions/listen"`):                                       {200, 7.0, method},
		call(`"tools/call"`):                                                 {200, 7.0, params},
		call(`"tools/call","params":null`):                                   {200, 7.0, params},
		call(`"tools/call","params":[1]`):                                    {200, 7.0, params},
		call(`"tools/call","params":{}`):                                     {200, 7.0, params},
		call(`"tools/call","params":{"name":5}`):                             {200, 7.0, params},
		call(`"tools/call","params":{"name":"no_such"}`):                     {200, 7.0, params},
		call(`"tools/list","params":{"cursor":"x"}`):                         {200, 7.0, params},
		call(`"initialize"`):                                                 {200, 7.0, params},
		call(`"initialize","params":{"clientInfo":5}`):                       {200, 7.0, params},
		call(`"ping","params":{"_meta":5}`):                                  {200, 7.0, params},
		call(`"ping","params":{"_meta":{"progressToken":{}}}`):               {200, 7.0, params},
		call(`"tools/call","params":{"name":"list_links","arguments":5}`):    {200, 7.0, params},
		call(`"tools/call","params":{"name":"list_links","arguments":[]}`):   {200, 7.0, params},
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"x":[]}}`: {200, "a", params},
	} {
		a := f.Message(key, strings.NewReader(body))
		a.ProtocolError(want.id, want.code)
		if a.Status != want.status || a.Header.Get("Cache-Control") != "no-store" || goWords.Match(a.Body) {
			t.Errorf("%s: status %d, want %d: %s", body, a.Status, want.status, a.Body)
		}
	}
	for _, body := range []string{`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"notifications/no_such"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`} {
		if a := f.Message(key, strings.NewReader(body)); a.Status != 202 || len(a.Body) > 0 {
			t.Errorf("%s: status %d: %s, want 202", body, a.Status, a.Body)
		}
	}
	if a := f.Message(key, strings.NewReader(call(`"no/such"`)), "Mcp-Protocol-Version: 2026-07-28"); a.Status != 404 {
		t.Errorf("an unknown method: status %d, want 404", a.Status)
	}
}

// TestToolsHeaders checks the headers of requests and answers.
func TestToolsHeaders(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for header, want := range map[string]int{
		"Origin: " + f.URL: 200, "Origin: null": 403, "Origin: https://evil.example": 403,
		"Origin: " + f.URL + "0":                        403,
		"Content-Type: application/json; charset=utf-8": 200, "Content-Type: text/plain": 415,
		"Content-Encoding: identity": 200, "Content-Encoding: gzip": 415, "Content-Encoding: x": 415,
		"Mcp-Protocol-Version: 2025-06-18": 200, "Mcp-Protocol-Version: 2020-01-01": 400,
		"Accept: */*": 200, "Accept: application/json": 400, "Accept: text/html": 400, "Last-Event-Id: 1": 400,
	} {
		a := f.Message(key, strings.NewReader(list), header)
		if a.Status != want || a.Header.Get("Cache-Control") != "no-store" || goWords.Match(a.Body) {
			t.Errorf("%s: status %d, want %d, Cache-Control %q: %.200s", header, a.Status, want,
				a.Header.Get("Cache-Control"), a.Body)
		}
		if want != 200 {
			a.ProtocolError(a.JSON()["id"], -32600)
		} else if r, _ := a.JSON()["result"].(map[string]any); r["cacheScope"] == "public" {
			t.Errorf("%s: the list of tools is public", header)
		}
	}
	// Names that lead to this server are those of the page that asks, too.
	req, err := http.NewRequest(http.MethodPost, f.URL+"/mcp", strings.NewReader(list))
	f.Check(err)
	req.Host = "rebound.example"
	req.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + key},
		"Accept": {"*/*"}, "Origin": {"http://rebound.example"}, "Sec-Fetch-Site": {"same-origin"}}
	if a := f.Do(req); a.Status != 403 {
		t.Errorf("a page of another name of this server: status %d, want 403", a.Status)
	}
	events := f.Message(key, strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":1}}}`))
	if events.Header.Get("Content-Type") != "text/event-stream" || events.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers of events: %v", events.Header)
	}
}

// TestToolsAnyParams sends parameters of every wrong type to each method, and
// checks that no answer has words of Go.
func TestToolsAnyParams(t *testing.T) {
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	values := []string{"null", "5", `"x"`, "true", "[]", "{}", "[5]", "1e400", `{"a":{"b":[{}]}}`}
	for _, method := range []string{"initialize", "server/discover", "ping", "tools/list", "tools/call",
		"notifications/cancelled", "notifications/progress", "resources/list", "prompts/get"} {
		for _, member := range []string{"", "_meta", "name", "arguments", "cursor", "protocolVersion", "capabilities",
			"clientInfo", "requestId", "progressToken", "reason"} {
			for _, value := range values {
				params := value
				if member != "" {
					params = fmt.Sprintf(`{%q:%s}`, member, value)
				}
				for _, version := range []string{"2025-06-18", "2026-07-28"} {
					a := f.Message(key, strings.NewReader(
						fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":%q,"params":%s}`, method, params)),
						"Mcp-Protocol-Version: "+version)
					var e struct {
						Error *struct{ Code int }
					}
					if err := json.Unmarshal(a.Body, &e); err != nil || a.Status >= 500 || goWords.Match(a.Body) ||
						e.Error != nil && e.Error.Code == 0 {
						t.Errorf("%s %s (%s): status %d: %s", method, params, version, a.Status, a.Body)
					}
				}
			}
		}
	}
}

// listing returns a call with a body of n bytes.
func listing(n int) io.Reader {
	const head, tail = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_links","arguments":{"query":"`, `"}}}`
	return io.MultiReader(strings.NewReader(head), io.LimitReader(letters{}, int64(n-len(head)-len(tail))),
		strings.NewReader(tail))
}

// atEnd is an empty reader that calls a function.
type atEnd func()

func (f atEnd) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// TestToolsMemory checks what large messages cost: hardly anything with a read
// key, and with other keys not more for many at once than for some.
func TestToolsMemory(t *testing.T) {
	f := webtest.NewFixture(t)
	full := f.Account(vitrine.PlanPro)
	h := f.Server.Handler()
	send := func(key string, body io.Reader, size int64) *httptest.ResponseRecorder {
		req := httptest.NewRequest(http.MethodPost, "/mcp", body)
		req.ContentLength = size
		req.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + key},
			"Accept": {"application/json, text/event-stream"}}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		return w
	}
	for scope, want := range map[vitrine.KeyScope]uint64{vitrine.ScopeRead: 1 << 20, vitrine.ScopePublish: 20 << 20} {
		key := f.Scoped(full, scope)
		for _, size := range []int64{7 << 20, -1} { // -1: not announced
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			w := send(key, listing(7<<20), size)
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; w.Code != http.StatusRequestEntityTooLarge || got > want {
				t.Errorf("%s key, 7 MiB: status %d, %d bytes allocated, want 413 and at most %d", scope, w.Code, got,
					want)
			}
		}
		for size, status := range map[int]int{64 << 10: 200, 64<<10 + 1: 413} {
			if w := send(key, listing(size), int64(size)); w.Code != status {
				t.Errorf("%s key, %d bytes: status %d, want %d", scope, size, w.Code, status)
			}
		}
	}
	// Texts of 1 MiB whose letters are escaped take 4 MiB.
	var peak atomic.Uint64
	sample := func() {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		peak.Store(max(peak.Load(), m.HeapInuse))
	}
	texts := webtest.Parallel(8, func(i int) int {
		content := strings.Repeat(`é`, 600_000) + fmt.Sprint(i)
		body := strings.ReplaceAll(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"publish_text","arguments":{"name":"a.txt","content":%q}}}`,
			content), "é", `\u0061`)
		w := send(full, io.MultiReader(strings.NewReader(body), atEnd(sample)), -1)
		sample()
		if !strings.Contains(w.Body.String(), `\"status\":\"live\"`) {
			t.Errorf("text %d: %d %.300s", i, w.Code, w.Body)
		}
		return w.Code
	})
	t.Logf("at most %d MiB", peak.Load()>>20)
	if peak := peak.Load(); peak > 200<<20 {
		t.Errorf("%d texts at once took %d MiB, want at most 200", len(texts), peak>>20)
	}
}
