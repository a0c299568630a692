package command

import (
	"os"
	"slices"
	"strings"

	"vitrine/internal/base/notation"
)

// readVariables sets the flags that are not on the command line from the
// environment. A variable without a value is as if it were not set: tools that
// start containers pass such ones.
func (c *Command) readVariables() error {
	for _, f := range c.Options {
		if f.Variable == "" || f.Changed {
			continue
		}
		text, name := os.Getenv(f.Variable), f.Variable
		if f.secret {
			var err error
			if text, name, err = Variable(f.Variable); err != nil {
				return c.wrongValue(name, err)
			}
		}
		if text == "" {
			continue
		}
		if err := f.Value.Set(text); err != nil {
			return c.wrongValue(name, err)
		}
		f.Changed = true
	}
	return nil
}

// notOurs are prefixes of variables that Kubernetes sets for a service named
// vitrine, and of those of tests.
var notOurs = []string{"VITRINE_SERVICE_", "VITRINE_PORT", "VITRINE_TEST_"}

// UnknownVariables returns the variables in an environment that look like ours,
// but that no command of the program reads, with the variable that each may be,
// or "".
func (c *Command) UnknownVariables(environment []string) (unknown [][2]string) {
	program := c
	for program.parent != nil {
		program = program.parent
	}
	var known []string
	program.Walk(func(c *Command) {
		for _, f := range c.Options {
			known = append(known, f.Variable)
			if f.secret {
				known = append(known, f.Variable+fileSuffix)
			}
		}
	})
	for _, v := range environment {
		name, _, _ := strings.Cut(v, "=")
		foreign := slices.ContainsFunc(notOurs, func(p string) bool { return strings.HasPrefix(name, p) })
		if strings.HasPrefix(name, "VITRINE_") && !foreign && !slices.Contains(known, name) {
			unknown = append(unknown, [2]string{name, notation.Nearest(name, known, 3)})
		}
	}
	slices.SortFunc(unknown, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return unknown
}
