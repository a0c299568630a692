package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/cli/command"
)

var update = flag.Bool("update", false, "write docs/reference/commands.md and testdata/flags.txt")

// plain escapes a text for Markdown.
func plain(text string) string {
	return strings.NewReplacer("\n", " ", "*", `\*`, "<", `\<`).Replace(text)
}

func code(text string) string { return "`" + text + "`" }

// shared are sets of flags that many commands take. The reference has each set
// once.
var shared = []struct {
	title, intro string
	names        []string
}{
	{"Storage flags", "Commands that open an instance take these flags, which say where its data is:",
		[]string{"data", "database", "views", "files"}},
	{"Connection flags", "Commands that use an instance over its API take these flags:", []string{"server", "api-key"}},
	{"Plan flags", "Commands that show or change plans take these flags, which set the limits of each plan:",
		[]string{"plan-free", "plan-pro", "plan-lifetime", "upgrade-url"}},
	{"Server flags", "Commands that run or check a server take these flags, which say how it works:",
		[]string{"listen", "public-url", "content-url", "sites-url", "trusted-proxy", "sink", "clamd", "scans", "office",
			"ffmpeg", "heif", "sign-up", "sign-up-plan", "smtp", "mail-from", "redirect-downloads", "drain",
			"shutdown-timeout", "viewer-key-life", "keep-views", "max-views", "abuse-threshold", "log-format", "log-level",
			"dev", "geo"}},
}

// flagName returns a flag with its value.
func flagName(f *command.Flag) string {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if kind := f.Value.Type(); kind != "bool" {
		name += " " + kind
	}
	return name
}

// sharedRows returns the rows of each shared set, as the first command with all
// of its flags has them.
func sharedRows(program *command.Command) []string {
	rows := make([]string, len(shared))
	program.Walk(func(c *command.Command) {
		for i := range shared {
			if rows[i] == "" {
				rows[i] = rowsOf(c, shared[i].names)
			}
		}
	})
	return rows
}

// rowsOf returns the named flags of a command, or "" unless it has all of them.
func rowsOf(c *command.Command, names []string) string {
	var found []string
	for _, f := range c.Options {
		if slices.Contains(names, f.Name) {
			found = append(found, code(flagName(f)))
		}
	}
	if len(found) < len(names) {
		return ""
	}
	return strings.Join(found, ", ")
}

// exitCodes is the section about exit codes. They do not change within a major
// version.
const exitCodes = "\n## Exit codes\n\n| code | meaning |\n|---|---|\n" +
	"| 0 | The command did all that it says. |\n" +
	"| 1 | It failed, for example because an address is taken; or you did not answer its question with yes; or it found faults (`audit`, `doctor`). Standard error says why. |\n" +
	"| 2 | Arguments or flags are missing, unknown or not allowed, also by the rules of the server; or the command needs a confirmation (`--yes`). |\n" +
	"| 3 | There is no such link, version, captions, account or key. With several arguments: none of those that failed exists. |\n" +
	"| 4 | You are not signed in, or the API key was refused: it is unknown, revoked or expired, its scope does not allow this, or its account is suspended. |\n" +
	"| 75 | Try again later: the server cannot be reached, did not answer in time, is busy, or limits the rate of requests; or the database cannot be reached. |\n" +
	"| 130 | You interrupted it. |\n" +
	"| 143 | It was ended with SIGTERM. |\n"

// output is the section about what commands print.
const output = "\n## Output\n\nResults go to standard output, messages and progress to standard error. On a terminal, a list is a table that\n" +
	"fits its width. For a program, its columns are separated by tabs; later versions add columns only at the end.\n\n" +
	"With `--json`, the commands that use an instance over its API print one object per line, which is the API's own,\n" +
	"with its names: links have `size_bytes` and `created_at`, and other names are like `expiresAt`. The commands below\n" +
	"`vitrine admin` print objects of their own; the links in them have the same names. `put` and `rm` print a\n" +
	"line for each file or link, also for those that failed: `error` and `code` say why,\n" +
	"`limit`, `used` and `upgradeUrl` which limit of the plan is reached, and `advice` what to do.\n\n" +
	"A command with `--json` that fails prints one object as the last line of standard error: `error` is the message,\n" +
	"`advice` what to do, if there is any, and `code` a word for programs. It is the code of the API if the server\n" +
	"answered, otherwise `usage`, `not_found`, `unauthorized`, `unreachable`, `interrupted`, `declined` (you did not\n" +
	"answer yes), `file_not_found`, `not_tried` or `failed`.\n"

// reference returns every command with its arguments and flags.
func reference(program *command.Command) string {
	var b strings.Builder
	b.WriteString("# Commands\n\nThe option `--help` after a command explains its arguments and flags, with their defaults. A flag whose help\nnames a variable can also be set in the environment. [A list](../../cmd/vitrine/testdata/flags.txt) has the names\nof all.\n\nEvery command takes `--quiet` (`-q`), which prints only results and errors. Output has colors on a terminal only,\nunless `NO_COLOR` is set.\n" + exitCodes + output)
	common := sharedRows(program)
	for i, set := range shared {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n%s.\n", set.title, set.intro, common[i])
	}
	b.WriteString("\n## Commands\n\n")
	program.Walk(func(c *command.Command) {
		if !c.Hidden {
			fmt.Fprintf(&b, "- `%s`: %s\n", c.CommandPath(), plain(c.Short))
		}
	})
	return b.String()
}

// flagsOf returns every command with its arguments and flags, each in a line.
func flagsOf(program *command.Command) string {
	var b strings.Builder
	program.Walk(func(c *command.Command) {
		if c.Hidden {
			return
		}
		b.WriteString(c.CommandPath())
		for _, a := range c.Arguments {
			b.WriteString(" " + a.Summary())
		}
		for _, f := range c.Options {
			b.WriteString(" [" + flagName(f) + "]")
		}
		b.WriteString("\n")
	})
	return b.String()
}

// TestCommandReference checks that the reference has every command of the
// program, and that testdata/flags.txt has the arguments and flags, on which
// scripts rely.
func TestCommandReference(t *testing.T) {
	program := newProgram()
	page, flags := reference(program), flagsOf(program)
	for i, rows := range sharedRows(program) {
		if rows == "" {
			t.Errorf("no command has all of the %s", strings.ToLower(shared[i].title))
		}
	}
	if n := strings.Count(flags, "\n"); n < 30 {
		t.Fatalf("found only %d commands, want at least 30", n)
	}
	for _, word := range []string{" VALUE]", " STRING]"} {
		if strings.Contains(flags, word) {
			t.Errorf("a flag has the value%s, which says nothing", word)
		}
	}
	for path, want := range map[string]string{"../../docs/reference/commands.md": page, "testdata/flags.txt": flags} {
		got, err := os.ReadFile(path)
		switch {
		case string(got) == want:
		case *update:
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is out of date (%v): go test ./cmd/vitrine -run %s -update", path, err, t.Name())
		}
	}
}
