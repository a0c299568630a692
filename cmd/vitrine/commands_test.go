package main

import (
	"io"
	"strings"
	"testing"

	"vitrine/internal/base/notation"
	"vitrine/internal/cli/command"
)

// parsed parses a command line, whose first words are the name of a command.
func parsed(c *command.Command, args ...string) error {
	_, err := newProgram().Parse(append(strings.Fields(c.FullName()), args...), io.Discard)
	return err
}

// TestEmptyFlags checks that each flag of each command refuses an empty value,
// and that the error names the flag. Without labels, a link has none.
func TestEmptyFlags(t *testing.T) {
	flags := 0
	newProgram().Walk(func(c *command.Command) {
		for _, f := range c.Options {
			flags++
			if c.FullName() == "edit" && f.Name == "labels" {
				continue
			}
			want := "--" + f.Name + " must not be empty"
			if err := parsed(c, "--"+f.Name+"="); err == nil || err.Error() != want {
				t.Errorf("%s --%s=: %v, want %s", c.FullName(), f.Name, err, want)
			}
			if f.Value.Type() == "bool" {
				continue
			}
			if err := parsed(c, "--"+f.Name, ""); err == nil || err.Error() != want {
				t.Errorf(`%s --%s "": %v, want %s`, c.FullName(), f.Name, err, want)
			}
		}
	})
	if flags < 200 {
		t.Errorf("found only %d flags", flags)
	}
}

// TestWrongValuesNameTheFlag checks that an error about a wrong value names the
// flag, or the variable that the value is from.
func TestWrongValuesNameTheFlag(t *testing.T) {
	const wrong = "no such value?"
	refused := 0
	newProgram().Walk(func(c *command.Command) {
		arguments := make([]string, len(c.Arguments))
		for i := range arguments {
			arguments[i] = "1"
		}
		for _, f := range c.Options {
			err := parsed(c, append(arguments, "--"+f.Name+"="+wrong)...)
			if err == nil || !strings.Contains(err.Error(), wrong) {
				continue // the command or the server knows what is wrong
			}
			refused++
			if !strings.HasPrefix(err.Error(), "--"+f.Name) {
				t.Errorf("%s --%s: %v", c.FullName(), f.Name, err)
			}
			if f.Variable == "" || c.Name() == "plan" { // "1" is not a plan
				continue
			}
			t.Run(f.Variable, func(t *testing.T) {
				t.Setenv(f.Variable, wrong)
				if err := parsed(c, arguments...); err == nil || !strings.HasPrefix(err.Error(), f.Variable+": ") &&
					!strings.HasPrefix(err.Error(), "--"+f.Name) {
					t.Errorf("%s with %s: %v", c.FullName(), f.Variable, err)
				}
			})
		}
	})
	if refused < 50 {
		t.Errorf("only %d flags refuse a wrong value", refused)
	}
}

// TestNamesOfCommands checks that no two commands of a group have names that
// differ by one letter.
func TestNamesOfCommands(t *testing.T) {
	var walk func(*command.Command)
	walk = func(group *command.Command) {
		var names []string
		for _, c := range group.Children {
			if like := notation.Nearest(c.Name(), names, 1); like != "" {
				t.Errorf("%s has the commands %s and %s", group.CommandPath(), like, c.Name())
			}
			names = append(names, c.Name())
			walk(c)
		}
	}
	walk(newProgram())
}
