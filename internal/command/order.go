package command

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// flagsFirst moves the flags of a command that takes any number of arguments
// before them: kong accepts no arguments after a flag that follows others. It
// returns args unchanged if it does not know a flag.
func flagsFirst(parser *kong.Kong, args []string) []string {
	node, first := parser.Model.Node, 0
	for ; first < len(args) && len(node.Children) > 0; first++ {
		if strings.HasPrefix(args[first], "-") {
			continue
		}
		i := slices.IndexFunc(node.Children, func(c *kong.Node) bool {
			return c.Name == args[first] || slices.Contains(c.Aliases, args[first])
		})
		if i < 0 {
			return args
		}
		node = node.Children[i]
	}
	if n := len(node.Positional); n == 0 || !node.Positional[n-1].IsCumulative() {
		return args
	}
	var flags, others []string
	for rest := args[first:]; len(rest) > 0; {
		arg := rest[0]
		switch {
		case arg == "--":
			return slices.Concat(args[:first], flags, []string{"--"}, others, rest[1:])
		case len(arg) < 2 || arg[0] != '-':
			others, rest = append(others, arg), rest[1:]
			continue
		}
		width := widthOf(node, arg)
		if width == 0 || width > len(rest) {
			return args
		}
		flags, rest = append(flags, rest[:width]...), rest[width:]
	}
	return slices.Concat(args[:first], flags, others)
}

// widthOf returns how many arguments a flag and its value are, or 0 if the flag
// is unknown.
func widthOf(node *kong.Node, arg string) int {
	name, _, joined := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	long := strings.HasPrefix(arg, "--")
	for _, level := range node.AllFlags(false) {
		for _, f := range level {
			found := f.Name == name || "no-"+f.Name == name || slices.Contains(f.Aliases, name)
			if !long {
				found = f.Short != 0 && string(f.Short) == name
			}
			switch {
			case !found:
			case joined || f.IsBool():
				return 1
			default:
				return 2
			}
		}
	}
	return 0
}
