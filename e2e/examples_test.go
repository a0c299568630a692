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

// TestExamplePrograms runs the example programs, which publish, replace, change
// what they have read, report, and handle errors. The one in TypeScript is
// checked against the types generated from the OpenAPI document.
func TestExamplePrograms(t *testing.T) {
	tier.Need(t, tier.Test, "the example programs")
	in := start(t)
	var made struct{ APIKey string }
	if err := json.Unmarshal([]byte(in.vitrine("admin", "account", "create", "ann@example.org", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	for _, example := range []struct {
		name    string
		prepare func(t *testing.T)
		command []string
	}{
		{"Python", func(t *testing.T) { vitrinetest.Program(t, "python3") },
			[]string{"python3", "../docs/examples/loop.py"}},
		{"TypeScript", func(t *testing.T) { npm(t, "examples") },
			[]string{"node", apiTools + "/build/examples/out/loop.js"}},
	} {
		t.Run(example.name, func(t *testing.T) {
			example.prepare(t)
			cmd := exec.Command(example.command[0], example.command[1:]...)
			cmd.Env = append(os.Environ(), "VITRINE_SERVER="+in.url, "VITRINE_API_KEY="+made.APIKey)
			b, err := cmd.CombinedOutput()
			out := string(b)
			if err != nil {
				t.Fatalf("example program: %v\n%s", err, out)
			}
			for _, want := range []string{"Report, corrected is version 2\n",
				"refused: precondition_failed because it is now Report, corrected\n", "0 views\n",
				"refused: unsafe_file\n"} {
				if !strings.Contains(out, want) {
					t.Errorf("the output lacks %q:\n%s", want, out)
				}
			}
			address, _, _ := strings.Cut(out, "\n")
			res, err := http.Get(address)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != http.StatusOK {
				t.Errorf("report page: %s, want 200", res.Status)
			}
		})
	}
}
