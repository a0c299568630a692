package command

import (
	"encoding"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Flag is a flag of a command.
type Flag struct {
	*pflag.Flag
	Help     string // as in the reference, without the variable
	Variable string // of the environment, or ""
	secret   bool   // see Secret
	title    string // of the group that it belongs to in the help
	complete cobra.CompletionFunc
	value    *value
}

// value is the value of a flag or an argument.
type value struct {
	kind  string             // the placeholder for its value in the help, or "bool"
	set   func(string) error // with a text that is not empty, unless empty is set
	text  func() string
	once  bool
	given bool
	empty bool // an empty text is a value
}

// rule is an error that continues the name of a flag or an argument, as in
// "--slug must not be empty". Others follow a colon.
type rule string

func (r rule) Error() string { return string(r) }

// Set sets the value. It may be empty only where that has a meaning of its own:
// what a program passes as "" is usually a variable that it forgot to set.
func (v *value) Set(text string) error {
	switch {
	case text == "" && !v.empty:
		return rule("must not be empty")
	case v.once && v.given:
		return rule("is given twice, but takes one value")
	}
	v.given = true
	return v.set(text)
}

func (v *value) String() string {
	if v.text == nil {
		return ""
	}
	return v.text()
}

func (v *value) Type() string { return v.kind }

// add adds a flag. name is its name, or its name and its letter as in "yes,y".
func (c *Command) add(name, help string, v *value) *Flag {
	name, letter, _ := strings.Cut(name, ",")
	f := &Flag{Flag: c.Flags().VarPF(v, name, letter, help), Help: help, title: c.title, value: v,
		complete: cobra.NoFileCompletions}
	if v.kind == "bool" {
		f.NoOptDefVal = "true"
	}
	c.Options = append(c.Options, f)
	return f
}

// Title puts the flags that are added next below a title in the help.
func (c *Command) Title(title string) { c.title = title }

// Env names the variable of the environment that sets a flag which is not on
// the command line.
func (f *Flag) Env(variable string) *Flag {
	f.Variable = variable
	f.Usage = strings.TrimSuffix(f.Usage, ".") + " ($" + variable + ")."
	return f
}

// Brief sets a shorter help. The reference has the whole one.
func (f *Flag) Brief(help string) *Flag {
	f.Usage = help
	if f.Variable != "" {
		f.Env(f.Variable)
	}
	if f.secret {
		f.Secret()
	}
	return f
}

// Once refuses a flag that is given twice: people repeat filters of a list to
// combine them. Otherwise the last value counts.
func (f *Flag) Once() *Flag {
	f.value.once = true
	return f
}

// Bool adds a switch.
func (c *Command) Bool(to *bool, name, help string) *Flag {
	return c.add(name, help, &value{kind: "bool", text: func() string { return strconv.FormatBool(*to) },
		set: func(text string) (err error) { *to, err = parseBool(text); return err }})
}

// OptionalBool adds a switch that may be left out.
func (c *Command) OptionalBool(to **bool, name, help string) *Flag {
	return c.add(name, help, &value{kind: "bool", text: func() string { return "" },
		set: func(text string) error {
			on, err := parseBool(text)
			*to = &on
			return err
		}})
}

func parseBool(text string) (bool, error) {
	if on, err := strconv.ParseBool(text); err == nil {
		return on, nil
	}
	return false, fmt.Errorf("%q is not true or false", text)
}

// String adds a flag with a text. kind is the placeholder for its value in the
// help.
func (c *Command) String(to *string, name, kind, help string) *Flag {
	return c.add(name, help, texts(to, kind))
}

func texts(to *string, kind string) *value {
	return &value{kind: kind, text: func() string { return *to },
		set: func(text string) error { *to = text; return nil }}
}

// Choice adds a flag with one of some values.
func (c *Command) Choice(to *string, name, kind, help string, values ...string) *Flag {
	if kind == "" {
		kind = strings.Join(values, "|")
	}
	return c.add(name, help, choice(to, kind, values)).Complete(Words(values...))
}

func choice(to *string, kind string, values []string) *value {
	return &value{kind: kind, text: func() string { return *to }, set: func(text string) error {
		if !slices.Contains(values, text) {
			return fmt.Errorf("%q is not one of %s", text, strings.Join(values, ", "))
		}
		*to = text
		return nil
	}}
}

// Path adds a flag with the path of a file or directory, which is made
// absolute, like its default.
func (c *Command) Path(to *string, name, kind, help string) *Flag {
	f := c.add(name, help, &value{kind: kind, text: func() string { return *to },
		set: func(text string) (err error) { *to, err = absolute(text); return err }})
	if path, err := absolute(*to); err == nil && *to != "" {
		*to = path
	}
	return f.Complete(Files)
}

// absolute returns the absolute path of a file. A shell replaces ~ except
// behind a =, and in variables.
func absolute(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		path = filepath.Join(home, rest)
	}
	return filepath.Abs(path)
}

// Strings adds a flag with several texts, separated by commas or by repeating
// the flag.
func (c *Command) Strings(to *[]string, name, kind, help string) *Flag {
	return c.add(name, help, &value{kind: kind, text: func() string { return strings.Join(*to, ",") },
		set: func(text string) error {
			all := strings.Split(text, ",")
			if slices.Contains(all, "") {
				return rule("must not be empty")
			}
			*to = append(*to, all...)
			return nil
		}})
}

// Repeated adds a flag that has one text each time it is given.
func (c *Command) Repeated(to *[]string, name, kind, help string) *Flag {
	return c.add(name, help, &value{kind: kind, text: func() string { return "" },
		set: func(text string) error { *to = append(*to, text); return nil }})
}

// Int adds a flag with a whole number.
func (c *Command) Int(to *int, name, kind, help string) *Flag {
	return c.add(name, help, &value{kind: kind, text: func() string { return strconv.Itoa(*to) },
		set: func(text string) (err error) { *to, err = parseInt(text); return err }})
}

// OptionalString adds a flag for a text that may be empty; nil if it is not
// given.
func (c *Command) OptionalString(to **string, name, kind, help string) *Flag {
	return c.add(name, help, &value{kind: kind, empty: true, text: func() string { return "" },
		set: func(text string) error { *to = &text; return nil }})
}

// OptionalInt adds a flag with a whole number that may be left out.
func (c *Command) OptionalInt(to **int, name, kind, help string) *Flag {
	return c.add(name, help, &value{kind: kind, text: func() string { return "" },
		set: func(text string) error {
			n, err := parseInt(text)
			*to = &n
			return err
		}})
}

func parseInt(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number", text)
	}
	return n, nil
}

// Text adds a flag with a value that knows its text. initial is the text of its
// default.
func (c *Command) Text(to encoding.TextUnmarshaler, name, kind, initial, help string) *Flag {
	return c.add(name, help, &value{kind: kind, text: func() string { return initial },
		set: func(text string) error { return to.UnmarshalText([]byte(text)) }})
}

// Exclusive refuses more than one of some flags.
func (c *Command) Exclusive(names ...string) {
	c.Check(func() error {
		var given []string
		for _, name := range names {
			if c.Given(name) {
				given = append(given, "--"+name)
			}
		}
		if len(given) > 1 {
			return errors.New(strings.Join(given, " and ") + " cannot be used together")
		}
		return nil
	})
}
