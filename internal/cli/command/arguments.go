package command

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
)

// Argument is an argument of a command.
type Argument struct {
	Name     string // such as "file"
	Help     string
	Optional bool
	Many     bool // the last one takes all that follow
	complete cobra.CompletionFunc
	value    *value
}

// Arg adds an argument that has to be given.
func (c *Command) Arg(to *string, name, help string) *Argument {
	return c.argument(name, help, texts(to, ""))
}

// ChoiceArg adds an argument with one of some values.
func (c *Command) ChoiceArg(to *string, name, help string, values ...string) *Argument {
	return c.argument(name, help, choice(to, "", values)).Complete(Words(values...))
}

// NumberArg adds an argument with a number, such as an ID.
func (c *Command) NumberArg(to *int64, name, help string) *Argument {
	return c.argument(name, help, &value{set: func(text string) (err error) {
		if *to, err = strconv.ParseInt(text, 10, 64); err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		return nil
	}})
}

// PathArg adds an argument with the path of a file or directory, which is made
// absolute.
func (c *Command) PathArg(to *string, name, help string) *Argument {
	return c.argument(name, help, &value{set: func(text string) (err error) { *to, err = absolute(text); return err }}).
		Complete(Files)
}

// Rest adds an argument that takes one text or more.
func (c *Command) Rest(to *[]string, name, help string) *Argument {
	a := c.argument(name, help, &value{set: func(text string) error { *to = append(*to, text); return nil }})
	a.Many = true
	return a
}

func (c *Command) argument(name, help string, v *value) *Argument {
	a := &Argument{Name: name, Help: help, value: v, complete: cobra.NoFileCompletions}
	c.Arguments = append(c.Arguments, a)
	return a
}

// OrNone lets the argument be left out.
func (a *Argument) OrNone() *Argument {
	a.Optional = true
	return a
}

// Summary returns the argument as in the help, such as "[<file> ...]".
func (a *Argument) Summary() string {
	text := "<" + a.Name + ">"
	if a.Many {
		text += " ..."
	}
	if a.Optional {
		text = "[" + text + "]"
	}
	return text
}

// Line returns the command with its arguments.
func (c *Command) Line() string {
	usage := c.CommandPath()
	for _, a := range c.Arguments {
		usage += " " + a.Summary()
	}
	if len(c.Children) > 0 {
		usage += " <command>"
	}
	return usage
}

// setArguments sets the arguments of a command.
func (c *Command) setArguments(_ *cobra.Command, args []string) error {
	if c.lists && len(args) == 1 && (args[0] == "ls" || args[0] == "list") {
		return nil
	}
	for i, text := range args {
		var a *Argument
		switch n := len(c.Arguments); {
		case i < n:
			a = c.Arguments[i]
		case n > 0 && c.Arguments[n-1].Many:
			a = c.Arguments[n-1]
		default:
			return &wrong{fmt.Sprintf("unexpected argument %q", text), c}
		}
		if err := a.value.Set(text); err != nil {
			return c.wrongValue("<"+a.Name+">", err)
		}
	}
	if len(args) < len(c.Arguments) && !c.Arguments[len(args)].Optional {
		return &wrong{fmt.Sprintf("<%s> is missing: %s", c.Arguments[len(args)].Name, c.Line()), c}
	}
	return nil
}
