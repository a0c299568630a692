package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/test/vitrinetest"
)

// TestSkill runs the commands of the skill that an instance serves, unchanged,
// on that instance.
func TestSkill(t *testing.T) {
	for _, program := range []string{"bash", "curl", "jq"} {
		vitrinetest.Program(t, program)
	}
	in := start(t)
	var made struct{ APIKey string }
	if err := json.Unmarshal([]byte(in.vitrine("admin", "account", "create", "ann@example.org", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"report.pdf": onePage(), "draft.pdf": onePage() + "%draft\n",
		"report.md":       "# Report\n",
		"page/index.html": "<h1>Page</h1>"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, skill := in.get("/skill.md", "")
	found := shellBlocks(skill)
	if len(found) != 2 || !strings.HasPrefix(skill, "---\nname: vitrine\n") {
		t.Fatalf("%d blocks, want 2:\n%s", len(found), skill)
	}
	run := func(commands string) string {
		t.Helper()
		c := exec.Command("bash", "-euo", "pipefail", "-c", commands)
		c.Dir, c.Env = dir, append(os.Environ(), "VITRINE_API_KEY="+made.APIKey,
			"PATH="+filepath.Dir(in.bin)+":"+os.Getenv("PATH"))
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("commands failed: %v\n%s\n%s", err, commands, out)
		}
		return string(out)
	}
	address := strings.TrimSpace(run("vitrine put draft.pdf --server " + in.url))
	slug := address[strings.LastIndex(address, "/")+1:]
	for i, want := range []string{`"views"`, `"insights"`} {
		if out := run(strings.ReplaceAll(found[i][2], "SLUG", slug)); !strings.Contains(out, want) {
			t.Errorf("the output of block %d lacks %s:\n%s", i+1, want, out)
		}
	}
}
