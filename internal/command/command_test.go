package command

import (
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

// sample is a grammar with flags and arguments of each kind.
type sample struct {
	Do struct {
		What  string        `arg:""`
		Plan  string        `once:"" default:"" enum:",free,pro" env:"VITRINE_TEST_PLAN"`
		Count int           `env:"VITRINE_TEST_COUNT"`
		Wait  time.Duration `env:"VITRINE_TEST_WAIT"`
		Hosts []string
		Fast  bool
		Text  string `default:"given" env:"VITRINE_TEST_TEXT"`
	} `cmd:""`
	Group struct {
		Add    struct{} `cmd:""`
		Revoke struct{} `cmd:""`
	} `cmd:"" aliases:"gr"`
}

func parseSample(args ...string) (*sample, error) {
	s := new(sample)
	p := New(s, kong.Exit(func(int) {}), kong.Writers(new(strings.Builder), new(strings.Builder)))
	_, err := Parse(p, Rewrite(p, args))
	return s, err
}

func TestMessages(t *testing.T) {
	for _, c := range []struct{ args, want, try string }{
		{"-x", `unknown flag -x`, "vitrine --help"},
		{"--", "a command is missing", "vitrine --help"},
		{"upload x", `there is no command "upload", did you mean "put"?`, "vitrine --help"},
		{"lost", `there is no command "lost"`, "vitrine --help"},
		{"xy", `there is no command "xy"`, "vitrine --help"},
		{"group lost", `group has no command "lost"`, "vitrine group --help"},
		{"GROUP", `there is no command "GROUP", did you mean "group"?`, "vitrine --help"},
		{"group delete", `group has no command "delete", did you mean "revoke"?`, "vitrine group --help"},
		{"group adt", `group has no command "adt", did you mean "add"?`, "vitrine group --help"},
		{"group -- ", "group needs a command", "vitrine group --help"},
		{"group add x", `unexpected argument "x"`, "vitrine group add --help"},
		{"do", "<what> is missing: vitrine do <what>", "vitrine do --help"},
		{"do x --plam free", `unknown flag --plam, did you mean "--plan"?`, "vitrine do --help"},
		{"do x --clue free", `unknown flag --clue`, "vitrine do --help"},
		{"do x --plan gold", `--plan: "gold" is not one of free, pro`, "vitrine do --help"},
		{"do x --plan=", "--plan must not be empty", "vitrine do --help"},
		{"do x --hosts=", "--hosts must not be empty", "vitrine do --help"},
		{"do x --count 1.5", `--count: "1.5" is not a whole number`, "vitrine do --help"},
		{"do x --wait soon", `--wait: "soon" is not a length of time, such as 30s, 12h or 7d`, "vitrine do --help"},
		{"do x --plan free --plan=pro", "--plan is given twice, but takes one value", "vitrine do --help"},
		{"do x --hosts a --hosts b --fast --fast --text a --text b", "", ""},
		{"do x --plan", "--plan needs a value", "vitrine do --help"},
		{"do x --plan --fast", "--plan needs a value", "vitrine do --help"},
		{"do x --fast=maybe", `--fast: "maybe" is not true or false`, "vitrine do --help"},
		{"do x --wait 7d --count 12 --plan pro --hosts a,b", "", ""},
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

// TestFlagsBetweenArguments checks that flags may stand anywhere among the
// arguments of a command.
func TestFlagsBetweenArguments(t *testing.T) {
	for _, args := range []string{"many a --fast b --text=x c", "many --fast a b c --text x",
		"-q many a b --text x -f c",
		"many a b --text x --fast -- c"} {
		s := new(struct {
			Many struct {
				Words []string `arg:""`
				Fast  bool     `short:"f"`
				Text  string
			} `cmd:""`
			Quiet bool `short:"q"`
		})
		if _, err := Parse(New(s), strings.Fields(args)); err != nil || strings.Join(s.Many.Words, " ") != "a b c" ||
			s.Many.Text != "x" {
			t.Errorf("%q: %+v, %v", args, s, err)
		}
	}
	if _, err := parseSample("do", "a", "--fast", "b"); err == nil {
		t.Error("a second argument is accepted by a command that takes one")
	}
}

func TestRewrite(t *testing.T) {
	p := New(new(sample))
	for args, want := range map[string]string{
		"": "--help", "help": "--help", "help group add": "group add --help", "--version": "version",
		"-V x": "version x", "-v": "version",
		"group help": "group --help", "group help add": "group add --help", "do help": "do help",
		"group": "group --help", "gr": "gr --help", "group add": "group add", "do": "do",
	} {
		if got := strings.Join(Rewrite(p, strings.Fields(args)), " "); got != want {
			t.Errorf("%q becomes %q, want %q", args, got, want)
		}
	}
}

// TestVariables checks that messages name a variable, and that an empty one has
// no effect.
func TestVariables(t *testing.T) {
	for name, want := range map[string]string{
		"PLAN":  `VITRINE_TEST_PLAN: "x" is not one of free, pro`,
		"COUNT": `VITRINE_TEST_COUNT: "x" is not a whole number`,
		"WAIT":  `VITRINE_TEST_WAIT: "x" is not a length of time, such as 30s, 12h or 7d`,
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
	if s, err := parseSample("do", "x"); err != nil || s.Do.Text != "given" {
		t.Errorf("text %q, %v; want the default", s.Do.Text, err)
	}
}
