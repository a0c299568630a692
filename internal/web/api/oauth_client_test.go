package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
)

// TestOAuthByAnotherClient connects the official client of the Model Context
// Protocol, by the document of a program and by registration. It publishes,
// reads the report, and loses access when its key is revoked.
func TestOAuthByAnotherClient(t *testing.T) {
	tier.Need(t, tier.Test, "a client of the Model Context Protocol")
	vitrinetest.Program(t, "node")
	const tools = "../../../tools/api"
	if _, err := os.Stat(tools + "/node_modules/@modelcontextprotocol"); err != nil {
		vitrinetest.Missing(t, "tools/api/node_modules")
	}
	a := newAssistant(t)
	a.Server.Grants.Register = true
	for _, way := range [][]string{{a.document}, nil} {
		cmd := exec.Command("node", append([]string{tools + "/oauth.mjs", a.URL + "/mcp", strings.TrimPrefix(a.me, "Cookie: "),
			callback}, way...)...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		in, err := cmd.StdinPipe()
		a.Check(err)
		out, err := cmd.StdoutPipe()
		a.Check(err)
		a.Check(cmd.Start())
		lines := bufio.NewScanner(out)
		read := func(to any) {
			t.Helper()
			if !lines.Scan() {
				_ = cmd.Wait()
				t.Fatalf("%v: no answer: %s", way, &stderr)
			}
			a.Check(json.Unmarshal(lines.Bytes(), to))
		}
		var made struct {
			Tools       []string
			Slug, Scope string
			Views       *int
		}
		read(&made)
		if made.Slug == "" || made.Scope != "publish" || made.Views == nil || slices.Contains(made.Tools, "delete_link") {
			t.Errorf("%v: the client has %+v", way, made)
		}
		a.Status(a.Get("/p/"+made.Slug), 200)
		keys := a.keys()
		k := slices.MaxFunc(keys, func(k, other *vitrine.APIKey) int { return int(k.ID - other.ID) })
		a.Status(a.Post(fmt.Sprintf("/keys/%d/revoke", k.ID), nil, a.me), 303)
		_, err = io.WriteString(in, "\n")
		a.Check(err)
		var ended struct {
			End   string
			Asked bool
		}
		read(&ended)
		if ended.End == "answered" || !ended.Asked {
			t.Errorf("%v: after its key was revoked, a call ends with %+v", way, ended)
		}
		a.Check(cmd.Wait())
	}
}
