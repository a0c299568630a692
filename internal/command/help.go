package command

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// helper writes the help of values.
type helper struct {
	short map[*kong.Value]string // instead of the help of a value
}

// shortHelp is the help of flags that many commands take. The server's help and
// the reference explain them.
var shortHelp = map[string]string{
	"data":     "Data directory of the instance. Default: data, in the current directory",
	"database": "PostgreSQL with accounts and links, as for serve",
	"views":    "Where views are, as for serve",
	"files":    "Bucket with the files, as for serve",
	"server":   "Address of the instance. Default: that of the last login. Required with your own key after a login elsewhere",
	"api-key":  "API key. Default: that of the last login",
}

// explains are the commands whose help explains all flags.
var explains = []string{"serve", "doctor"}

// arrange puts the flags of each command into one order: its own, then those
// that many commands have.
func (h *helper) arrange(node *kong.Node) {
	for _, f := range node.Flags {
		if text := shortHelp[f.Name]; text != "" && !slices.Contains(explains, node.Name) && len(f.Envs) > 0 {
			h.short[f.Value] = text + " ($" + f.Envs[0] + ")."
		}
	}
	slices.SortStableFunc(node.Flags, func(a, b *kong.Flag) int { return rank(a) - rank(b) })
	for _, child := range node.Children {
		h.arrange(child)
	}
}

// last are the names of flags in the order in which they end a list.
var last = []string{"note", "yes", "json"}

func rank(f *kong.Flag) int {
	switch {
	case f.Name == "help":
		return len(last) + 1
	case f.Name == "quiet":
		return len(last) + 2
	}
	return slices.Index(last, f.Name)
}

// format returns the help of a value with its variable.
func (h *helper) format(v *kong.Value) string {
	if text, ok := h.short[v]; ok {
		return text
	}
	if v.Flag == nil || len(v.Flag.Envs) == 0 {
		return v.Help
	}
	text := strings.TrimSuffix(v.Help, ".")
	return text + " ($" + v.Flag.Envs[0] + ")."
}

// hideAliases removes the aliases of commands from help, which is printed last.
func hideAliases(node *kong.Node) {
	node.Aliases = nil
	for _, child := range node.Children {
		hideAliases(child)
	}
}

// Name returns the words of a command, without its aliases.
func Name(command *kong.Node) string {
	var words []string
	for n := command; n != nil && n.Parent != nil; n = n.Parent {
		words = append([]string{n.Name}, words...)
	}
	return strings.Join(words, " ")
}
