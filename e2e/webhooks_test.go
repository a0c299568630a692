package e2e

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

	"vitrine/client"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
)

// verifier is a receiver with the library of Standard Webhooks.
type verifier struct {
	t       *testing.T
	lines   *bufio.Scanner
	secrets io.Writer
	port    string
}

func newVerifier(t *testing.T) *verifier {
	vitrinetest.Program(t, "node")
	if _, err := os.Stat(apiTools + "/node_modules/standardwebhooks"); err != nil {
		vitrinetest.Missing(t, "tools/api/node_modules/standardwebhooks")
	}
	cmd := exec.Command("node", apiTools+"/webhooks.mjs")
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	cmd.Stderr = os.Stderr
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	v := &verifier{t: t, lines: bufio.NewScanner(out), secrets: in}
	v.port = v.line()
	return v
}

func (v *verifier) line() string {
	v.t.Helper()
	if !v.lines.Scan() {
		v.t.Fatal("the receiver has ended:", v.lines.Err())
	}
	return v.lines.Text()
}

// wants checks the next message: its type, and which secrets verify it.
func (v *verifier) wants(kind string, verified ...bool) {
	v.t.Helper()
	var m struct {
		ID, Type string
		Verified []bool
	}
	if err := json.Unmarshal([]byte(v.line()), &m); err != nil {
		v.t.Fatal(err)
	}
	if m.Type != kind || m.ID == "" || !slices.Equal(m.Verified, verified) {
		v.t.Errorf("message %+v, want %s, verified %v", m, kind, verified)
	}
}

// TestWebhookVerifier sends events to a receiver with another project's library
// of Standard Webhooks, before and after the secret is rotated.
func TestWebhookVerifier(t *testing.T) {
	tier.Need(t, tier.Test, "the library of Standard Webhooks")
	v := newVerifier(t)
	in := start(t, "--webhook-networks", "127.0.0.0/8")
	var made struct{ APIKey string }
	if err := json.Unmarshal([]byte(in.vitrine("admin", "account", "create", "ann@example.org", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(in.url, made.APIKey)
	must(t, err)
	hook, err := c.CreateWebhook(t.Context(), client.WebhookRequest{URL: new("http://127.0.0.1:" + v.port + "/hook")})
	must(t, err)
	fmt.Fprintln(v.secrets, hook.Secret)
	test := func() {
		t.Helper()
		_, err := c.TestWebhook(t.Context(), hook.ID)
		must(t, err)
	}
	test()
	v.wants("webhook.test", true)
	link, err := c.Upload(t.Context(), client.File{Name: "a.txt", Size: 4, Content: strings.NewReader("text")}, client.Options{})
	must(t, err)
	v.wants("link.live", true)
	fresh, err := c.RotateWebhook(t.Context(), hook.ID)
	must(t, err)
	fmt.Fprintln(v.secrets, fresh.Secret)
	_, err = c.UpdateLink(t.Context(), link.Slug, client.Change{Disabled: new(true)})
	must(t, err)
	v.wants("link.disabled", true, true)
	_, err = c.RotateWebhook(t.Context(), hook.ID)
	must(t, err)
	test()
	v.wants("webhook.test", false, true) // the first one is no longer good
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
