package command

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"vitrine/internal/cli/terminal"

	"github.com/spf13/cobra"
)

// sample is what the commands of a small program set.
type sample struct {
	what, plan, text string
	count            int
	limit            *int
	wait             time.Duration
	hosts, each      []string
	fast             bool
	open             *bool
	note             *string
}

func (s *sample) run(context.Context, *terminal.Terminal) error { return nil }

// program returns a program with flags and arguments of each kind.
func program(s *sample) *Command {
	do := New("do", "Do something.", s.run)
	do.Examples("do it")
	do.Arg(&s.what, "what", "What to do.")
	do.Choice(&s.plan, "plan", "PLAN", "The plan.", "free", "pro").Env("VITRINE_TEST_PLAN").Once()
	do.Int(&s.count, "count", "N", "How many.").Env("VITRINE_TEST_COUNT")
	do.OptionalInt(&s.limit, "limit", "N", "The most.")
	do.Duration(&s.wait, "wait", "How long.").Env("VITRINE_TEST_WAIT")
	do.Strings(&s.hosts, "hosts", "HOST", "The hosts.")
	do.Repeated(&s.each, "each", "WORD", "Words.")
	do.Bool(&s.fast, "fast,f", "Faster.").Env("VITRINE_TEST_FAST")
	do.OptionalBool(&s.open, "open", "Open it.")
	do.OptionalString(&s.note, "note", "TEXT", "A note, or none.")
	s.text = "given"
	do.String(&s.text, "text", "TEXT", "The text.").Env("VITRINE_TEST_TEXT")
	do.Exclusive("fast", "open")
	many := New("many", "Many words.", s.run)
	many.SuggestFor = []string{"several"}
	many.Rest(&s.each, "word", "The words.")
	many.Bool(&s.fast, "fast,f", "Faster.")
	many.String(&s.text, "text", "TEXT", "The text.")
	p := NewProgram("A program.", "It does something.", "v1")
	p.Add("Commands", do, many,
		NewGroup("group", "A group.", New("add", "Add.", s.run), New("revoke", "Revoke.", s.run)))
	return p
}

func parseSample(args ...string) (*sample, error) {
	s := new(sample)
	_, err := program(s).Parse(args, io.Discard)
	return s, err
}

func TestListHasTwoNames(t *testing.T) {
	s := new(sample)
	p := NewProgram("A program.", "It does something.", "v1")
	trash := New("trash", "List the trash.", s.run)
	trash.Lists()
	p.Add("Commands", New("ls", "List links.", s.run), trash, NewGroup("key", "Keys.", New("list", "List keys.", s.run)))
	for typed, want := range map[string]string{"list": "ls", "ls": "ls", "key ls": "key list", "key list": "key list",
		"trash list": "trash", "trash ls": "trash", "trash": "trash"} {
		c, err := p.Parse(strings.Fields(typed), io.Discard)
		if err != nil || c.FullName() != want {
			t.Errorf("%q is %v, %v; want %q", typed, c, err, want)
		}
	}
	for _, typed := range []string{"trash lists", "trash ls ls", "ls list"} {
		if _, err := p.Parse(strings.Fields(typed), io.Discard); err == nil {
			t.Errorf("%q is no command", typed)
		}
	}
}

func TestMessages(t *testing.T) {
	for _, c := range []struct{ args, want, try string }{
		{"-x", `unknown flag -x`, "vitrine --help"},
		{"several x", `there is no command "several", did you mean "many"?`, "vitrine --help"},
		{"several --nope", `there is no command "several", did you mean "many"?`, "vitrine --help"},
		{"lost", `there is no command "lost"`, "vitrine --help"},
		{"xy", `there is no command "xy"`, "vitrine --help"},
		{"version", `there is no command "version", did you mean "--version"?`, "vitrine --help"},
		{"revoke", `there is no command "revoke", did you mean "group revoke"?`, "vitrine --help"},
		{"group lost", `group has no command "lost"`, "vitrine group --help"},
		{"GROUP", `there is no command "GROUP", did you mean "group"?`, "vitrine --help"},
		{"group adt", `group has no command "adt", did you mean "add"?`, "vitrine group --help"},
		{"group add x", `unexpected argument "x"`, "vitrine group add --help"},
		{"help lost", `there is no command "lost"`, "vitrine --help"},
		{"do", "<what> is missing: vitrine do <what>", "vitrine do --help"},
		{"many", "<word> is missing: vitrine many <word> ...", "vitrine many --help"},
		{"do x --plam free", `unknown flag --plam, did you mean "--plan"?`, "vitrine do --help"},
		{"do x --lim 3", `unknown flag --lim, did you mean "--limit"?`, "vitrine do --help"},
		{"do x --clue free", `unknown flag --clue`, "vitrine do --help"},
		{"do x --plan gold", `--plan: "gold" is not one of free, pro`, "vitrine do --help"},
		{"do x --count 1.5", `--count: "1.5" is not a whole number`, "vitrine do --help"},
		{"do x --wait soon", `--wait: "soon" is not a length of time, such as 30s, 12h or 7d`, "vitrine do --help"},
		{"do x --plan free --plan=pro", "--plan is given twice, but takes one value", "vitrine do --help"},
		{"do x --hosts a --hosts b --fast --fast --text a --text b", "", ""},
		{"do x --plan", "--plan needs a value", "vitrine do --help"},
		{"do x --fast=maybe", `--fast: "maybe" is not true or false`, "vitrine do --help"},
		{"do x --fast --open", "--fast and --open cannot be used together", "vitrine do --help"},
		{"do x --wait 7d --count -12 --plan pro --hosts a,b --open=false", "", ""},
	} {
		_, err := parseSample(strings.Fields(c.args)...)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%q: %v, want no error", c.args, err)
		case c.want != "" && (err == nil || err.Error() != c.want || Try(err) != c.try):
			t.Errorf("%q: %v, try %s; want %s, try %s", c.args, err, Try(err), c.want, c.try)
		}
	}
}

// TestEmptyValues checks that no flag and no argument may be empty, but for a
// flag that says so, and that the error names it.
func TestEmptyValues(t *testing.T) {
	program(new(sample)).Walk(func(c *Command) {
		for _, f := range c.Options {
			if f.Name == "note" {
				continue
			}
			args := []string{c.Name(), "--" + f.Name + "="}
			if _, err := parseSample(args...); err == nil || err.Error() != "--"+f.Name+" must not be empty" {
				t.Errorf("%q: %v", args, err)
			}
		}
		for _, a := range c.Arguments {
			args := []string{c.Name(), ""}
			if _, err := parseSample(args...); err == nil || err.Error() != "<"+a.Name+"> must not be empty" {
				t.Errorf("%q: %v", args, err)
			}
		}
	})
	if s, err := parseSample("do", "x", "--note="); err != nil || s.note == nil || *s.note != "" {
		t.Errorf("an empty text: %+v, %v", s, err)
	}
	if s, err := parseSample("do", "x"); err != nil || s.note != nil {
		t.Errorf("no text: %+v, %v", s, err)
	}
	if _, err := parseSample("do", "x", "--hosts", "a,"); err == nil || err.Error() != "--hosts must not be empty" {
		t.Errorf("a list with an empty value: %v", err)
	}
}

// TestValues checks what flags and arguments of each kind are set to, wherever
// they stand.
func TestValues(t *testing.T) {
	for _, args := range []string{"many a --fast b --text=x c", "many --fast a b c --text x",
		"-q many a b --text x -f c", "many a b --text x --fast -- c"} {
		s, err := parseSample(strings.Fields(args)...)
		if err != nil || strings.Join(s.each, " ") != "a b c" || s.text != "x" || !s.fast {
			t.Errorf("%q: %+v, %v", args, s, err)
		}
	}
	s, err := parseSample("do", "x", "--limit", "-1", "--open=false", "--hosts", "a,b", "--each", "c,d", "--wait", "7d")
	if err != nil || *s.limit != -1 || *s.open || len(s.hosts) != 2 || len(s.each) != 1 || s.wait != 168*time.Hour ||
		s.text != "given" {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestVariables checks that variables of the environment set flags, that
// messages name them, and that an empty one has no effect.
func TestVariables(t *testing.T) {
	for name, want := range map[string]string{
		"PLAN":  `VITRINE_TEST_PLAN: "x" is not one of free, pro`,
		"COUNT": `VITRINE_TEST_COUNT: "x" is not a whole number`,
		"WAIT":  `VITRINE_TEST_WAIT: "x" is not a length of time, such as 30s, 12h or 7d`,
		"FAST":  `VITRINE_TEST_FAST: "x" is not true or false`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("VITRINE_TEST_"+name, "x")
			if _, err := parseSample("do", "x"); err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
			t.Setenv("VITRINE_TEST_"+name, "")
			if _, err := parseSample("do", "x"); err != nil {
				t.Errorf("with an empty variable: %v", err)
			}
		})
	}
	t.Setenv("VITRINE_TEST_TEXT", "")
	if s, err := parseSample("do", "x"); err != nil || s.text != "given" {
		t.Errorf("text %q, %v; want the default", s.text, err)
	}
	t.Setenv("VITRINE_TEST_TEXT", "of the environment")
	for args, want := range map[string]string{"do x": "of the environment", "do x --text own": "own"} {
		if s, err := parseSample(strings.Fields(args)...); err != nil || s.text != want {
			t.Errorf("%s: text %q, %v; want %q", args, s.text, err, want)
		}
	}
}

// TestHelp checks the forms that print help, and what it has.
func TestHelp(t *testing.T) {
	for args, want := range map[string]string{
		"":               "Usage: vitrine <command>",
		"help":           "Usage: vitrine <command>",
		"--help":         "Usage: vitrine <command>",
		"group":          "Usage: vitrine group <command>",
		"group help":     "Usage: vitrine group <command>",
		"help group":     "Usage: vitrine group <command>",
		"help group add": "Usage: vitrine group add",
		"do -h":          "Usage: vitrine do <what> [flags]",
		"do --help":      "--count N      How many ($VITRINE_TEST_COUNT).",
		"help do":        "Examples:\n  vitrine do it",
		"help many":      "Arguments:\n  <word> ...  The words.",
		"--version":      "vitrine v1",
		"-v":             "vitrine v1",
	} {
		var out strings.Builder
		chosen, err := program(new(sample)).Parse(strings.Fields(args), &out)
		if chosen != nil || err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%q: %v, %v, output\n%s\nwant %q", args, chosen, err, &out, want)
		}
	}
}

// TestCompletion checks what shells complete.
func TestCompletion(t *testing.T) {
	for args, want := range map[string]string{
		"d":            "do\tDo something.\n",
		"do --pl":      "--plan\tThe plan",
		"do --plan f":  "free\n",
		"group r":      "revoke\t",
		"help group ":  "add\n",
		"do x --text ": ":4\n", // no file
		"many ":        "one\n",
		"many a ":      "one\n",
	} {
		p := program(new(sample))
		p.Children[1].Arguments[0].Complete(func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"one"}, cobra.ShellCompDirectiveNoFileComp
		})
		words := append([]string{cobra.ShellCompRequestCmd}, strings.Split(args, " ")...)
		var out strings.Builder
		if _, err := p.Parse(words, &out); err != nil || !strings.HasPrefix(out.String(), want) {
			t.Errorf("%q: %v, %s, want %q", args, err, &out, want)
		}
	}
}
