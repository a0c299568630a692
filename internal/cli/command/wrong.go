package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/base/notation"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// wrong is an error about the input of a command.
type wrong struct {
	message string
	command *Command
}

func (w *wrong) Error() string { return w.message }

// Try returns the command that explains the input that err is about.
func Try(err error) string {
	if w := new(wrong); errors.As(err, &w) {
		return w.command.Try()
	}
	return Program + " --help"
}

// Try returns the command that explains this one.
func (c *Command) Try() string { return c.CommandPath() + " --help" }

// wrongValue returns the error about the value of a flag, an argument or a
// variable.
func (c *Command) wrongValue(name string, err error) error {
	if r := rule(""); errors.As(err, &r) {
		return &wrong{name + " " + r.Error(), c}
	}
	return &wrong{name + ": " + err.Error(), c}
}

// wrongFlag replaces an error of pflag.
func (c *Command) wrongFlag(err error) error {
	var none *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &value):
		return c.wrongValue("--"+value.GetFlag().Name, errors.Unwrap(value))
	case errors.As(err, &empty):
		return &wrong{"--" + empty.GetFlag().Name + " needs a value", c}
	case !errors.As(err, &none):
		return &wrong{err.Error(), c}
	}
	if words := c.Flags().Args(); c.run == nil && len(words) > 0 { // the command is at fault
		return c.noCommand(nil, words)
	}
	if none.GetSpecifiedShortnames() != "" {
		return &wrong{"unknown flag -" + none.GetSpecifiedName(), c}
	}
	return &wrong{"unknown flag --" + none.GetSpecifiedName() + c.likeFlag(none.GetSpecifiedName()), c}
}

// likeFlag returns the end of a message about an unknown flag: the one that it
// may be.
func (c *Command) likeFlag(word string) string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	like := notation.Nearest(word, names, min((len(word)-1)/2, 3))
	begins := func(name string) bool { return strings.HasPrefix(name, word) }
	if i := slices.IndexFunc(names, begins); like == "" && i >= 0 {
		like = names[i]
	}
	return suggested("--", like)
}

// suggested returns the end of a message that names what was meant, or "".
func suggested(mark, word string) string {
	if word == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", mark+word)
}

// noCommand returns the error about a command that a group does not have.
// "help" prints the help of the group.
func (c *Command) noCommand(_ *cobra.Command, args []string) error {
	if len(args) == 0 || args[0] == "help" {
		return nil
	}
	what := "there is no command"
	if c.HasParent() {
		what = c.FullName() + " has no command"
	}
	return &wrong{fmt.Sprintf("%s %q%s", what, args[0], suggested("", c.likeCommand(args[0]))), c}
}

// likeCommand returns the command that a word may mean: one below another
// group, or one with a name like it.
func (c *Command) likeCommand(word string) string {
	if word == "version" && !c.HasParent() {
		return "--version"
	}
	for _, group := range c.Children {
		for _, below := range group.Children {
			if below.Name() == word {
				return group.Name() + " " + word
			}
		}
	}
	c.SuggestionsMinimumDistance = min(len(word)/2, 2)
	if like := c.SuggestionsFor(word); len(like) > 0 {
		return like[0]
	}
	return ""
}
