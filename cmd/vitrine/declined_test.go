package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/cli/terminal"
)

// TestDeclined checks that a question which is not answered with yes changes
// nothing, and that the command then fails with the same exit code, whichever
// it is.
func TestDeclined(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	cmd, log := serveProcess(t, []string{"VITRINE_DATA=" + data})
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	port, ok := log.wait(serving)
	if !ok {
		t.Fatal(port)
	}
	t.Setenv("VITRINE_DATA", data)
	key, all, err := verb("admin", "account", "create", "owner@example.org")
	if err != nil {
		t.Fatal(all)
	}
	t.Setenv("VITRINE_SERVER", "http://127.0.0.1:"+port)
	t.Setenv("VITRINE_API_KEY", strings.TrimSpace(key))
	var wav bytes.Buffer
	writeWAV(&wav, 8000)
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text := file("minutes.txt", "The first minutes.")
	for _, args := range [][]string{{"put", "--slug", "talk", file("talk.wav", wav.String())},
		{"captions", "talk", file("talk.de.vtt", "WEBVTT\n\n00:00.000 --> 00:01.000\nGuten Morgen.\n")},
		{"put", "--slug", "minutes", text}, {"put", "--replace", "minutes", file("second.txt", "The second minutes.")},
		{"put", "--slug", "draft", text}} {
		if _, all, err := verb(args...); err != nil {
			t.Fatal(args, all)
		}
	}
	answer := func(answers string, args ...string) (code int, messages string) {
		var errs bytes.Buffer
		code = run(t.Context(), &terminal.Terminal{Out: new(bytes.Buffer), Err: &errs, ErrTTY: true, InTTY: true,
			In: strings.NewReader(answers)}, args)
		return code, errs.String()
	}
	for _, args := range [][]string{{"rm", "minutes"}, {"versions", "minutes", "--delete", "1"},
		{"captions", "talk", "--delete", "--language", "de"}, {"put", "--replace", "talk", text},
		{"admin", "link", "delete", "minutes"}, {"admin", "account", "role", "owner@example.org", "member"},
		{"admin", "account", "delete", "owner@example.org"}, {"admin", "key", "revoke", "owner@example.org", "1"},
		{"key", "revoke", "1"}} {
		for _, answers := range []string{"n\n", "\n", ""} {
			if code, messages := answer(answers, args...); code != terminal.ExitFailed ||
				!strings.Contains(messages, "[y/N] ") || !strings.Contains(messages, terminal.ErrDeclined.Error()) {
				t.Errorf("%q, answer %q: exit code %d, %s", args, answers, code, messages)
			}
		}
	}
	code, messages := answer("y\nn\n", "rm", "draft", "minutes")
	if code != terminal.ExitFailed || !strings.Contains(messages, `draft is deleted: "minutes"`) ||
		!strings.Contains(messages, "1 of 2 links were not deleted") {
		t.Errorf("one of two: exit code %d, %s", code, messages)
	}
	for _, c := range []struct{ args, want string }{{"ls", "minutes\tlive"}, {"ls", "talk\tlive\taudio"},
		{"versions minutes", "1\tkept"}, {"captions talk", "de\t"}, {"admin account list", "\towner"},
		{"key list", "active (used now)"}} {
		if out, _, err := verb(strings.Fields(c.args)...); err != nil || !strings.Contains(out, c.want) {
			t.Errorf("%s: %v\n%s, want %q", c.args, err, out, c.want)
		}
	}
}
