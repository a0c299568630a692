package api_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/base/outbound"
	"vitrine/internal/test/webtest"
)

// assistant is a program that connects to a site by OAuth.
type assistant struct {
	*webtest.Site
	document string                                       // its client_id
	answer   func(w http.ResponseWriter, r *http.Request) // instead of its document
	fetched  atomic.Int32                                 // how often the document was
	me       string                                       // cookie of the person
}

const callback = "https://assistant.example/callback"

// newAssistant starts the server with the document of a program.
func newAssistant(t *testing.T) *assistant {
	t.Helper()
	a := &assistant{Site: webtest.NewDesk(t)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.fetched.Add(1)
		if a.answer != nil {
			a.answer(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, a.words(nil))
	}))
	t.Cleanup(server.Close)
	a.document = server.URL + "/client.json"
	a.Server.Grants.Guard = &outbound.Guard{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	a.me = a.SignIn(a.Member)
	return a
}

// words returns the document, with other members.
func (a *assistant) words(other map[string]any) string {
	m := map[string]any{"client_id": a.document, "client_name": "Assistant", "redirect_uris": []string{callback,
		"http://127.0.0.1/cb"}, "token_endpoint_auth_method": "none"}
	for name, v := range other {
		if m[name] = v; v == nil {
			delete(m, name)
		}
	}
	b, err := json.Marshal(m)
	a.Check(err)
	return string(b)
}

const verifier = "a-verifier-of-forty-three-characters-or-more-0"

// request returns the parameters of a right request, with some of them changed;
// "-" leaves one out.
func (a *assistant) request(changes ...string) url.Values {
	sum := sha256.Sum256([]byte(verifier))
	q := url.Values{"response_type": {"code"}, "client_id": {a.document}, "redirect_uri": {callback}, "state": {"xyz"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
		"resource": {a.Server.Grants.Resource}, "scope": {"read publish"}}
	return changed(q, changes)
}

func changed(q url.Values, changes []string) url.Values {
	for i := 0; i+1 < len(changes); i += 2 {
		if q.Set(changes[i], changes[i+1]); changes[i+1] == "-" {
			q.Del(changes[i])
		}
	}
	return q
}

var returns = regexp.MustCompile(`<a class="button primary wide" href="([^"]+)" rel="noreferrer">Return to the program`)

// decide answers the question of a request, and returns what the program gets.
func (a *assistant) decide(q url.Values, form url.Values) url.Values {
	a.T.Helper()
	page := a.Status(a.Post("/oauth/authorize?"+q.Encode(), form, a.me), 200)
	found := returns.FindStringSubmatch(page.Text)
	if found == nil {
		a.T.Fatalf("no way back to the program:\n%s", page.Text)
	}
	to, err := url.Parse(html.UnescapeString(found[1]))
	a.Check(err)
	if page.Header.Get("Refresh") != "0; url="+to.String() || to.Query().Get("iss") != a.Server.Grants.Issuer ||
		to.Query().Get("state") != q.Get("state") || !strings.HasPrefix(to.String(), q.Get("redirect_uri")+"?") {
		a.T.Errorf("the answer goes to %s, by %q", to, page.Header.Get("Refresh"))
	}
	return to.Query()
}

var allowing = url.Values{"answer": {"allow"}, "scope": {"publish"}, "expires": {"30d"}}

func (a *assistant) code(changes ...string) string {
	a.T.Helper()
	return a.decide(a.request(changes...), allowing).Get("code")
}

// exchange sends a code, with some parameters changed.
func (a *assistant) exchange(code string, changes ...string) (key, refused string) {
	a.T.Helper()
	f := changed(url.Values{"grant_type": {"authorization_code"}, "code": {code}, "client_id": {a.document},
		"redirect_uri": {callback}, "code_verifier": {verifier}, "resource": {a.Server.Grants.Resource}}, changes)
	r := a.Do("POST", "/oauth/token", f.Encode(), "Content-Type: application/x-www-form-urlencoded")
	var answer struct {
		Key     string `json:"access_token"`
		Type    string `json:"token_type"`
		Scope   string `json:"scope"`
		Seconds int    `json:"expires_in"`
		Error   string `json:"error"`
	}
	a.Check(json.Unmarshal([]byte(r.Text), &answer))
	if (r.StatusCode == 200) != (answer.Key != "") || answer.Error == "" && (answer.Type != "Bearer" ||
		answer.Scope != "publish" || answer.Seconds < 30*24*3600-60 || answer.Seconds > 30*24*3600) || r.Header.Get("Cache-Control") != "no-store" {
		a.T.Errorf("the exchange answers %d %s", r.StatusCode, r.Text)
	}
	return answer.Key, answer.Error
}

// use calls the tools with a key, and returns the status.
func (a *assistant) use(key string) int {
	a.T.Helper()
	return a.Do("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Content-Type: application/json",
		"Accept: application/json, text/event-stream", "Authorization: Bearer "+key).StatusCode
}

func (a *assistant) keys() []*vitrine.APIKey {
	a.T.Helper()
	keys, err := a.Server.Keys.List(a.T.Context(), a.Member.Email)
	a.Check(err)
	return keys
}

// TestOAuth connects a program as claude.ai does: from the refusal of its first
// call to a key, which the person revokes.
func TestOAuth(t *testing.T) {
	a := newAssistant(t)
	first := a.Status(a.Do("POST", "/mcp", "{}", "Content-Type: application/json"), 401)
	describes := regexp.MustCompile(`resource_metadata="([^"]+)"`).FindStringSubmatch(first.Header.Get("WWW-Authenticate"))
	if describes == nil {
		t.Fatalf("WWW-Authenticate is %q", first.Header.Get("WWW-Authenticate"))
	}
	var resource struct {
		Resource string
		Servers  []string `json:"authorization_servers"`
	}
	described := a.Status(a.Get(describes[1]), 200)
	a.Check(json.Unmarshal([]byte(described.Text), &resource))
	if resource.Resource != a.URL+"/mcp" || len(resource.Servers) != 1 || described.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("the resource is %s", described.Text)
	}
	var server map[string]any
	a.Check(json.Unmarshal([]byte(a.Status(a.Get(resource.Servers[0]+"/.well-known/oauth-authorization-server"), 200).Text), &server))
	if server["issuer"] != a.URL || fmt.Sprint(server["code_challenge_methods_supported"]) != "[S256]" ||
		server["client_id_metadata_document_supported"] != true || server["registration_endpoint"] != nil ||
		server["authorization_response_iss_parameter_supported"] != true {
		t.Errorf("the server is %v", server)
	}

	where := "/oauth/authorize?" + a.request().Encode()
	out := a.Status(a.Get(where), 303) // not signed in
	if next, _ := url.QueryUnescape(out.Header.Get("Location")); !strings.Contains(next, "client_id=") {
		t.Errorf("sign-in does not lead back: %s", next)
	}
	question := a.Status(a.Get(where, a.me), 200)
	for _, has := range []string{"Assistant", "127.0.0.1:", "assistant.example", a.Member.Email} {
		if !strings.Contains(question.Text, has) {
			t.Errorf("the question has no %q", has)
		}
	}
	if policy := question.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") ||
		question.Header.Get("Cache-Control") != "no-store" || strings.Contains(question.Text, `value="full"`) {
		t.Errorf("the question has the policy %q", policy)
	}
	if r := a.Do("POST", where, allowing.Encode(), a.me, "Origin: https://evil.example",
		"Content-Type: application/x-www-form-urlencoded"); r.StatusCode != 403 {
		t.Errorf("a form of another site is answered with %d", r.StatusCode)
	}
	if got := a.decide(a.request(), url.Values{"answer": {"refuse"}}); got.Get("error") != "access_denied" || got.Has("code") {
		t.Errorf("a refusal answers %v", got)
	}
	key, refused := a.exchange(a.code())
	if refused != "" || a.use(key) != 200 {
		t.Fatalf("exchange: %q, the key is answered with %d", refused, a.use(key))
	}
	if n := a.fetched.Load(); n != 1 {
		t.Errorf("the document was fetched %d times", n)
	}
	keys := a.keys()
	k := keys[len(keys)-1]
	if k.Scope != vitrine.ScopePublish || !strings.HasPrefix(k.Name, "Assistant (127.0.0.1:") || k.Code == "" {
		t.Errorf("the key is %+v", k)
	}
	if !strings.Contains(a.Status(a.Get("/keys", a.me), 200).Text, "as the program calls itself") {
		t.Error("the keys page does not say whose word the name is")
	}
	a.Status(a.Post(fmt.Sprintf("/keys/%d/revoke", k.ID), nil, a.me), 303)
	if status := a.use(key); status != 401 {
		t.Errorf("a revoked key is answered with %d", status)
	}
}

// TestOAuthRefusesRequests checks requests with a fault. Those whose program or
// address is in doubt lead nowhere.
func TestOAuthRefusesRequests(t *testing.T) {
	a := newAssistant(t)
	before := len(a.keys())
	for what, c := range map[string]struct {
		change []string
		want   string // "": a page
	}{
		"another redirect_uri":   {[]string{"redirect_uri", "https://evil.example/callback"}, ""},
		"a longer redirect_uri":  {[]string{"redirect_uri", callback + "/x"}, ""},
		"no redirect_uri":        {[]string{"redirect_uri", "-"}, ""},
		"loopback, another path": {[]string{"redirect_uri", "http://127.0.0.1:99/other"}, ""},
		"no client":              {[]string{"client_id", "-"}, ""},
		"an unknown client":      {[]string{"client_id", "nonsense"}, ""},
		"a client without path":  {[]string{"client_id", "https://assistant.example/"}, ""},
		"a client by javascript": {[]string{"client_id", "javascript:alert(1)"}, ""},
		"another resource":       {[]string{"resource", "https://evil.example/mcp"}, "invalid_target"},
		"no resource":            {[]string{"resource", "-"}, "invalid_target"},
		"plain PKCE":             {[]string{"code_challenge_method", "plain"}, "invalid_request"},
		"no method":              {[]string{"code_challenge_method", "-"}, "invalid_request"},
		"no challenge":           {[]string{"code_challenge", "-"}, "invalid_request"},
		"a short challenge":      {[]string{"code_challenge", "abc"}, "invalid_request"},
		"an implicit grant":      {[]string{"response_type", "token"}, "unsupported_response_type"},
		"an unknown scope":       {[]string{"scope", "read admin"}, "invalid_scope"},
	} {
		where := "/oauth/authorize?" + a.request(c.change...).Encode()
		r := a.Get(where, a.me)
		to, err := url.Parse(r.Header.Get("Location"))
		a.Check(err)
		if c.want == "" && (r.StatusCode != 400 || to.String() != "") || c.want != "" && (r.StatusCode != 302 ||
			to.Host != "assistant.example" || to.Query().Get("error") != c.want || to.Query().Get("iss") != a.URL) {
			t.Errorf("%s: %d to %q, want %q", what, r.StatusCode, to, c.want)
		}
		if r := a.Post(where, allowing, a.me); r.StatusCode != 400 || strings.Contains(r.Text, "code=") {
			t.Errorf("%s: an answer to it gets %d", what, r.StatusCode)
		}
	}
	for _, form := range []url.Values{{"answer": {"allow"}, "scope": {"full"}, "expires": {"30d"}},
		{"answer": {"allow"}, "scope": {"read"}}, {}} {
		a.Status(a.Post("/oauth/authorize?"+a.request().Encode(), form, a.me), 400)
	}
	a.Status(a.Get("/oauth/authorize?"+a.request().Encode()+"&state=2", a.me), 400)
	if n := len(a.keys()); n != before {
		t.Errorf("%d keys were made", n-before)
	}
	a.Status(a.Get("/oauth/authorize?"+a.request("redirect_uri", "http://127.0.0.1:49152/cb").Encode(), a.me), 200)
}

// TestOAuthRefusesExchanges checks that a code gives one key, to the one who
// asked for it, within a minute.
func TestOAuthRefusesExchanges(t *testing.T) {
	a := newAssistant(t)
	before := len(a.keys())
	for what, c := range map[string][]string{
		"another verifier":     {"invalid_grant", "code_verifier", verifier + "1"},
		"no verifier":          {"invalid_grant", "code_verifier", "-"},
		"another client":       {"invalid_grant", "client_id", a.document + "2"},
		"another redirect_uri": {"invalid_grant", "redirect_uri", "http://127.0.0.1/cb"},
		"no redirect_uri":      {"invalid_grant", "redirect_uri", "-"},
		"another resource":     {"invalid_target", "resource", "https://evil.example/mcp"},
		"another grant":        {"unsupported_grant_type", "grant_type", "refresh_token"},
		"no code":              {"invalid_grant", "code", "-"},
		"a code of nobody":     {"invalid_grant", "code", "AAAA"},
	} {
		if key, refused := a.exchange(a.code(), c[1:]...); key != "" || refused != c[0] {
			t.Errorf("%s: %q, %q, want %q", what, key, refused, c[0])
		}
	}
	if n := len(a.keys()); n != before {
		t.Errorf("%d keys were made", n-before)
	}
	late := a.code()
	a.Ahead.Add(int64(auth.GrantCodeLife))
	if key, refused := a.exchange(late); key != "" || refused != "invalid_grant" {
		t.Errorf("a code after a minute: %q, %q", key, refused)
	}
	code := a.code()
	key, refused := a.exchange(code)
	if refused != "" || a.use(key) != 200 {
		t.Fatalf("a right exchange: %q", refused)
	}
	a.Ahead.Add(int64(time.Hour)) // also later
	if again, refused := a.exchange(code); again != "" || refused != "invalid_grant" {
		t.Errorf("a code again: %q, %q", again, refused)
	}
	if status := a.use(key); status != 401 {
		t.Errorf("the key of a code that came again is answered with %d", status)
	}
	banned := a.code()
	a.Suspend(a.Member, true)
	if key, refused := a.exchange(banned); key != "" || refused != "invalid_grant" {
		t.Errorf("a code of a suspended account: %q, %q", key, refused)
	}
}

// TestOAuthDocuments checks which documents of programs are taken, and that
// none is fetched from a private address unless it is allowed.
func TestOAuthDocuments(t *testing.T) {
	a := newAssistant(t)
	for what, c := range map[string]struct {
		kind string
		body string
		want int
	}{
		"as it is":             {"application/json; charset=utf-8", a.words(nil), 200},
		"a JSON type":          {"application/cimd+json", a.words(nil), 200},
		"not JSON":             {"text/html", a.words(nil), 400},
		"another client_id":    {"application/json", a.words(map[string]any{"client_id": a.document + "x"}), 400},
		"no name":              {"application/json", a.words(map[string]any{"client_name": nil}), 400},
		"a name of two lines":  {"application/json", a.words(map[string]any{"client_name": "a\nb"}), 400},
		"no addresses":         {"application/json", a.words(map[string]any{"redirect_uris": []string{}}), 400},
		"an address by script": {"application/json", a.words(map[string]any{"redirect_uris": []string{callback, "javascript:alert(1)"}}), 400},
		"plain http":           {"application/json", a.words(map[string]any{"redirect_uris": []string{callback, "http://assistant.example/"}}), 400},
		"a secret":             {"application/json", a.words(map[string]any{"token_endpoint_auth_method": "client_secret_basic"}), 400},
		"another grant":        {"application/json", a.words(map[string]any{"grant_types": []string{"client_credentials"}}), 400},
		"too large":            {"application/json", a.words(map[string]any{"more": strings.Repeat("x", auth.MaxClient)}), 400},
		"a list":               {"application/json", "[]", 400},
		"a redirect":           {"", "", 400},
	} {
		a.Ahead.Add(int64(time.Hour)) // the document is fetched again
		a.answer = func(w http.ResponseWriter, r *http.Request) {
			if c.kind == "" {
				http.Redirect(w, r, "/elsewhere", http.StatusFound)
				return
			}
			w.Header().Set("Content-Type", c.kind)
			fmt.Fprint(w, c.body)
		}
		if r := a.Get("/oauth/authorize?"+a.request().Encode(), a.SignIn(a.Member)); r.StatusCode != c.want {
			t.Errorf("%s: %d, want %d\n%s", what, r.StatusCode, c.want, r.Text)
		}
	}
	a.Ahead.Add(int64(time.Hour))
	a.Server.Grants.Guard = new(outbound.Guard)
	before := a.fetched.Load()
	a.Status(a.Get("/oauth/authorize?"+a.request().Encode(), a.SignIn(a.Member)), 400)
	if a.fetched.Load() != before {
		t.Error("a document was fetched from a private address")
	}
}

// TestOAuthRegistration checks that programs register only if the administrator
// allows it, and that what they get is bound to what they said.
func TestOAuthRegistration(t *testing.T) {
	a := newAssistant(t)
	register := func(body string, want int) (id string) {
		t.Helper()
		r := a.Status(a.Do("POST", "/oauth/register", body, "Content-Type: application/json"), want)
		var answer struct {
			ID string `json:"client_id"`
		}
		a.Check(json.Unmarshal([]byte(r.Text), &answer))
		return answer.ID
	}
	words := `{"client_name":"Old","redirect_uris":["` + callback + `"],"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none"}`
	register(words, 404)
	a.Server.Grants.Register = true
	if !strings.Contains(a.Get("/.well-known/oauth-authorization-server").Text, a.URL+"/oauth/register") {
		t.Error("the server does not say where programs register")
	}
	id := register(words, 201)
	for what, body := range map[string]string{"no addresses": `{"client_name":"x"}`, "a list": "[]",
		"too large":      `{"client_name":"` + strings.Repeat("x", 6000) + `"}`,
		"by script":      `{"client_name":"x","redirect_uris":["javascript:alert(1)"]}`,
		"long addresses": `{"client_name":"x","redirect_uris":["` + callback + strings.Repeat("x", 1900) + `"]}`} {
		if id := register(body, 400); id != "" {
			t.Errorf("%s: registered", what)
		}
	}
	code := a.code("client_id", id)
	if key, refused := a.exchange(code, "client_id", id); refused != "" || a.use(key) != 200 {
		t.Errorf("a registered program is refused: %q", refused)
	}
	keys := a.keys()
	if k := keys[len(keys)-1]; k.Name != "Old" {
		t.Errorf("the key is called %q", k.Name)
	}
	for _, forged := range []string{id[:len(id)-2] + "AA", code, strings.ToUpper(id)} {
		a.Status(a.Get("/oauth/authorize?"+a.request("client_id", forged).Encode(), a.me), 400)
	}
	a.Server.Grants.Register = false
	a.Status(a.Get("/oauth/authorize?"+a.request("client_id", id).Encode(), a.me), 400)
}
