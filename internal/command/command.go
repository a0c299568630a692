// Package command is the command line of the program: how it is parsed, its
// help, and messages about wrong arguments.
package command

import (
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/terminal"

	"github.com/alecthomas/kong"
)

// New returns the parser of a grammar.
func New(grammar any, options ...kong.Option) *kong.Kong {
	h := &helper{short: map[*kong.Value]string{}}
	parser := kong.Must(grammar, append([]kong.Option{
		kong.Name("vitrine"),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110, NoExpandSubcommands: true,
			FlagsLast: true}),
		kong.ValueFormatter(h.format),
		kong.Help(func(o kong.HelpOptions, k *kong.Context) error {
			hideAliases(k.Model.Node)
			return kong.DefaultHelpPrinter(o, k)
		}),
		kong.KindMapper(reflect.Int, kong.MapperFunc(wholeNumber)),
		kong.KindMapper(reflect.Int64, kong.MapperFunc(wholeNumber)),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(duration)),
		kong.TypeMapper(reflect.TypeFor[slog.Level](), kong.MapperFunc(level)),
	}, options...)...)
	parser.Model.HelpFlag.Help = "Show this help."
	h.arrange(parser.Model.Node)
	showExamples(parser)
	return parser
}

// Rewrite replaces forms that other programs have: no arguments and "help",
// with or without a command, print help; --version, -V and -v are the command
// version. --version cannot be a flag of all commands, since some have one of
// their own. The name of a group alone prints the help of the group, and so
// does "help" after it.
func Rewrite(parser *kong.Kong, args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case slices.Contains([]string{"--version", "-V", "-v"}, args[0]):
		return append([]string{"version"}, args[1:]...)
	case !isGroup(parser.Model.Node, args[0]):
	case len(args) == 1:
		return []string{args[0], "--help"}
	case args[1] == "help":
		return slices.Concat(args[:1], args[2:], []string{"--help"})
	}
	return args
}

// isGroup reports whether a word is a command that has commands below it.
func isGroup(parent *kong.Node, word string) bool {
	c := child(parent, word)
	return c != nil && len(c.Children) > 0
}

// child returns the command that a word names below another one, or nil.
func child(parent *kong.Node, word string) *kong.Node {
	for _, c := range parent.Children {
		if c.Name == word || slices.Contains(c.Aliases, word) {
			return c
		}
	}
	return nil
}

// Parse parses arguments. Unlike kong, it ignores empty variables of the
// environment, and refuses empty values. A repeated flag has
// its last value, as usual, but one with the tag "once" is refused: people
// repeat filters of a list to combine them.
func Parse(parser *kong.Kong, args []string) (*kong.Context, error) {
	ignoreEmptyVariables()
	k, err := parser.Parse(flagsFirst(parser, joinNegative(args)))
	if err != nil {
		return nil, explain(err)
	}
	seen := map[*kong.Flag]bool{}
	for _, p := range k.Path {
		value := p.Positional
		if p.Flag != nil {
			value = p.Flag.Value
			if seen[p.Flag] && value.Tag.Has("once") {
				return nil, &wrong{named(value) + " is given twice, but takes one value", k}
			}
			seen[p.Flag] = true
		}
		if value != nil && empty(value.Target) {
			return nil, &wrong{fmt.Sprintf("%s must not be empty", named(value)), k}
		}
	}
	return k, nil
}

// negative matches a value that kong would take for a flag.
var negative = regexp.MustCompile(`^-[0-9]`)

// joinNegative joins a flag and its negative number, as in --limit=-1.
func joinNegative(args []string) (joined []string) {
	for i, arg := range args {
		last := len(joined) - 1
		switch {
		case arg == "--":
			return append(joined, args[i:]...)
		case negative.MatchString(arg) && last >= 0 && strings.HasPrefix(joined[last], "--") &&
			!strings.Contains(joined[last], "="):
			joined[last] += "=" + arg
		default:
			joined = append(joined, arg)
		}
	}
	return joined
}

// Given reports whether a flag is on the command line or in the environment,
// rather than at its default.
func Given(k *kong.Context, name string) bool {
	return source(k, "--"+name) != "--"+name || slices.ContainsFunc(k.Path, func(p *kong.Path) bool {
		return p.Flag != nil && p.Flag.Name == name
	})
}

// ignoreEmptyVariables removes empty variables of the program from the
// environment: kong would use them instead of defaults. Tools that start
// containers pass variables without a value.
func ignoreEmptyVariables() {
	for _, v := range os.Environ() {
		if name, value, _ := strings.Cut(v, "="); strings.HasPrefix(name, "VITRINE_") && value == "" {
			_ = os.Unsetenv(name)
		}
	}
}

// empty reports whether a value is an empty text, or has one.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return v.String() == ""
	case reflect.Slice:
		if v.Len() == 0 {
			return true
		}
		for i := range v.Len() {
			if empty(v.Index(i)) {
				return true
			}
		}
	}
	return false
}

// named returns a flag or an argument as in the help.
func named(v *kong.Value) string {
	if v.Flag != nil {
		return "--" + v.Flag.Name
	}
	return "<" + v.Name + ">"
}

// popped takes the text of a value.
func popped(k *kong.DecodeContext) (text string, err error) {
	err = k.Scan.PopValueInto("value", &text)
	return text, err
}

func wholeNumber(k *kong.DecodeContext, target reflect.Value) error {
	text, err := popped(k)
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || target.OverflowInt(n) {
		return fmt.Errorf("%q is not a whole number", text)
	}
	target.SetInt(n)
	return nil
}

func duration(k *kong.DecodeContext, target reflect.Value) error {
	text, err := popped(k)
	if err != nil {
		return err
	}
	d, err := time.ParseDuration(text)
	if err != nil && strings.HasSuffix(text, "d") {
		d, err = terminal.ParseSpan(text)
	}
	if err != nil {
		return fmt.Errorf("%q is not a length of time, such as 30s, 12h or 7d", text)
	}
	target.SetInt(int64(d))
	return nil
}

func level(k *kong.DecodeContext, target reflect.Value) error {
	text, err := popped(k)
	if err != nil {
		return err
	}
	var l slog.Level
	if err := l.UnmarshalText([]byte(text)); err != nil {
		return fmt.Errorf("%q is not one of debug, info, warn, error", text)
	}
	target.SetInt(int64(l))
	return nil
}
