package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
)

const apiTools = "../tools/api"

// npm runs a script of tools/api.
func npm(t *testing.T, script string) {
	t.Helper()
	vitrinetest.Program(t, "npm")
	if _, err := os.Stat(apiTools + "/node_modules"); err != nil {
		vitrinetest.Missing(t, "tools/api/node_modules")
	}
	cmd := exec.Command("npm", "--prefix", apiTools, "run", "--silent", script)
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm run %s: %v\n%s", script, err, out)
	}
}

// TestOpenAPILint checks that the linters find nothing in the OpenAPI document.
func TestOpenAPILint(t *testing.T) {
	tier.Need(t, tier.Test, "linting openapi.json")
	npm(t, "lint")
}

// TestGeneratedClients checks that clients generated from the OpenAPI document
// compile in strict mode and complete the three steps, with a repeated PUT.
func TestGeneratedClients(t *testing.T) {
	tier.Need(t, tier.All, "clients generated from openapi.json")
	npm(t, "clients")
	in := start(t)
	var made struct{ APIKey string }
	if err := json.Unmarshal([]byte(in.vitrine("admin", "account", "create", "ann@example.org", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	for client, title := range map[string]string{"fetch": "fetch.txt", "functions": "sdk.txt"} {
		out, err := exec.Command("node", apiTools+"/build/out/"+client+".js", in.url+"/api/v1",
			made.APIKey).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", client, err, out)
			continue
		}
		res, err := http.Get(strings.TrimSpace(string(out)))
		if err != nil {
			t.Errorf("%s: %v", client, err)
			continue
		}
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s: page of %s: %s, want 200", client, title, res.Status)
		}
	}
}
