package e2e

import (
	"encoding/json"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
)

// TestMCPConformance runs the conformance suite of the Model Context Protocol
// against the tools, as far as it applies (tools/api/conformance.yaml). Its
// scenarios of OAuth are for clients only.
func TestMCPConformance(t *testing.T) {
	tier.Need(t, tier.Test, "the conformance suite of the Model Context Protocol")
	vitrinetest.Program(t, "node")
	suite := apiTools + "/node_modules/@modelcontextprotocol/conformance/dist/index.js"
	if _, err := os.Stat(suite); err != nil {
		vitrinetest.Missing(t, "tools/api/node_modules")
	}
	in := start(t)
	to, err := url.Parse(in.url)
	if err != nil {
		t.Fatal(err)
	}
	var made struct{ APIKey string }
	if err := json.Unmarshal([]byte(in.vitrine("admin", "account", "create", "ann@example.org", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	// The suite has no keys, and sends the address of the proxy as its own.
	var proxy *httptest.Server
	proxy = httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Header.Set("Authorization", "Bearer "+made.APIKey)
		if r.In.Header.Get("Origin") == proxy.URL {
			r.Out.Header.Set("Origin", in.url)
		}
	}})
	defer proxy.Close()
	out, err := exec.Command("node", suite, "server", "--url", proxy.URL+"/mcp", "--expected-failures",
		apiTools+"/conformance.yaml").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"server-initialize", "ping", "tools-list", "dns-rebinding-protection"} {
		if !regexp.MustCompile(`✓ ` + name + `: [1-9]\d* passed, 0 failed`).Match(out) {
			t.Errorf("%s has not passed:\n%s", name, out)
		}
	}
}
