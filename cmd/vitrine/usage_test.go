package main

import (
	"bytes"
	"path/filepath"
	"regexp"
	"testing"

	"vitrine/internal/cli/terminal"
)

// TestNoKey checks the exit code of commands without an API key.
func TestNoKey(t *testing.T) {
	t.Setenv("VITRINE_API_KEY", "")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, args := range [][]string{{"ls"}, {"stats"}, {"logout"}, {"ls", "--server", "http://127.0.0.1:1"}} {
		var out, errs bytes.Buffer
		code := run(t.Context(), &terminal.Terminal{Out: &out, Err: &errs}, args)
		if code != terminal.ExitAccess || errs.Len() == 0 || out.Len() != 0 {
			t.Errorf("run(%q) = %d, standard error %q, want %d and a message", args, code, &errs, terminal.ExitAccess)
		}
	}
}

// tryLast matches a message that begins in lower case and ends with the command
// that explains what is right, as text or as JSON.
var tryLast = regexp.MustCompile(`(?s)\A(vitrine: |\{"error":")[^A-Z].*(\n|")Try: vitrine [a-z -]*--help("\]\})?\n\z`)

// TestUsageErrors checks the exit code and the message of wrong arguments,
// whether the parser or a command refuses them.
func TestUsageErrors(t *testing.T) {
	t.Setenv("VITRINE_API_KEY", "")
	t.Setenv("VITRINE_DATA", filepath.Join(t.TempDir(), "data"))
	for _, args := range [][]string{
		{"nonsense"}, {"put"}, {"put", "--slug", "x", "a.txt", "b.txt"}, {"ls", "--limit=-1"}, {"stats", "--include", "foo", "--json"},
		{"stats", "--range", "31d"},
		{"put", "--api-key", "x", "--server", "nonsense", "a.txt"}, {"serve", "--max-views", "-1"},
		{"serve", "--log-format", "xml"},
		{"admin", "account", "create"}, {"admin", "account", "create", "a@b.c", "--plan", "gold"}, {"admin", "account", "plan", "a@b.c", "gold"},
		{"admin", "key", "revoke", "a@b.c", "x"}, {"admin", "key", "create", "a@b.c", "--expires", "soon"},
		{"admin", "key", "create", "a@b.c", "--link-life", "x"}, {"admin", "key", "rotate", "a@b.c", "1", "--grace", "-1h"},
		{"admin", "link", "preview"}, {"admin", "link", "rescan"}, {"admin", "link", "rescan", "abc", "--all"}, {"admin", "link", "delete", "abc"},
		{"admin", "link", "list", "--limit", "-1"}, {"admin", "migrate", "a", "b", "--at-once", "0"},
		{"admin", "account", "create", "nonsense"}, {"healthcheck", "--listen", "8080"},
		{"rm", "x", "--api-key", "x"}, {"captions", "x", "film.txt", "--language", "en"},
		{"captions", "x", "film.vtt", "--language", "english"},
		{"edit", "x", "--api-key", "x"}, {"edit", "x", "--expires", "soon"}, {"login", "--server", "nonsense"},
		{"put", "--expires", "soon", "a.txt"}, {"key", "create", "x", "--expires", "soon", "--json"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), &terminal.Terminal{Out: &out, Err: &errs}, args); code != terminal.ExitUsage ||
			out.Len() != 0 || !tryLast.Match(errs.Bytes()) {
			t.Errorf("run(%q) = %d, standard output %q, standard error %q, want a usage error and what to try", args,
				code, &out, &errs)
		}
	}
}
