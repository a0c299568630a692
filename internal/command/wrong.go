package command

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// wrong is an error about arguments.
type wrong struct {
	message string
	context *kong.Context // may be nil
}

func (w *wrong) Error() string { return w.message }

// Try returns the command that explains the arguments that err is about.
func Try(err error) string {
	if w := new(wrong); errors.As(err, &w) && w.context != nil {
		return Help(w.context)
	}
	return Help(nil)
}

// Help returns the command that explains the selected one, or the program if
// there is none.
func Help(k *kong.Context) string {
	if k == nil || k.Selected() == nil {
		return "vitrine --help"
	}
	return "vitrine " + Name(k.Selected()) + " --help"
}

// rewrite replaces a message of kong.
type rewrite struct {
	kong *regexp.Regexp
	ours string
}

// rewrites are tried in turn, until one matches.
var rewrites = []rewrite{
	{regexp.MustCompile(`^(?:--)?(\S+?)(?:=\S+)?: expected \w+ value but got .*`), "--$1 needs a value"},
	{regexp.MustCompile(`^(unknown flag -\w), did you mean .*`), "$1"},
	{regexp.MustCompile(`^expected bool value but got .*`), "this flag takes no value"},
	{regexp.MustCompile(`^(?:--\S+: )?(.*) \(from envar (\w+)=.*\)$`), "$2: $1"},
	{regexp.MustCompile(`^(.*): bool value must be .* but got (".*")$`), "$1: $2 is not true or false"},
	{regexp.MustCompile(`^<\w+>: stat (.*): no such file or directory$`), "$1: no such file or directory"},
	{regexp.MustCompile(`^unexpected flag argument (".*")$`), "this flag takes no value, but $1 was given"},
	{regexp.MustCompile(`^(.*) can't be used together$`), "$1 cannot be used together"},
}

var (
	notInEnum  = regexp.MustCompile(`^(\S+?)(?:=\S+)? must be one of (.*) but got (".*")$`)
	unexpected = regexp.MustCompile(`^unexpected argument (.*?)(, did you mean .*)?$`)
	unknown    = regexp.MustCompile(`^(unknown flag --(\S+)), did you mean (.*)\?$`)
	suggestion = regexp.MustCompile(`"--([^"]+)"`)
)

// explain replaces an error of kong by one in our words: it names the flag or
// argument, the value, and what is allowed.
func explain(err error) error {
	w := &wrong{message: err.Error()}
	if p := new(kong.ParseError); errors.As(err, &p) {
		w.context = p.Context
	}
	var node *kong.Node
	if w.context != nil {
		node = w.context.Selected()
	}
	if node != nil {
		w.message = strings.TrimPrefix(w.message, Name(node)+": ")
	}
	if m := notInEnum.FindStringSubmatch(w.message); m != nil {
		w.message = fmt.Sprintf("%s: %s is not one of %s", source(w.context, m[1]), m[3], choices(m[2]))
		return w
	}
	if m := unexpected.FindStringSubmatch(w.message); m != nil {
		what := "there is no command "
		switch {
		case node == nil:
		case len(node.Children) == 0:
			what = "unexpected argument "
		default:
			what = Name(node) + " has no command "
		}
		w.message = what + quoted(m[1]) + suggested(w.context, node, strings.Trim(m[1], `"`), m[2])
		return w
	}
	if m := unknown.FindStringSubmatch(w.message); m != nil {
		w.message = m[1] + likeFlag(m[2], m[3])
		return w
	}
	if strings.HasPrefix(w.message, "expected ") {
		switch {
		case node == nil:
			w.message = "a command is missing"
		case len(node.Children) > 0:
			w.message = Name(node) + " needs a command"
		case len(node.Positional) > 0:
			w.message = missing(w.context, node)
		}
		return w
	}
	for _, r := range rewrites {
		if r.kong.MatchString(w.message) {
			w.message = r.kong.ReplaceAllString(w.message, r.ours)
			return w
		}
	}
	return w
}

// suggested returns the end of a message about an unknown command below node,
// or below the program if node is nil: what it may be, in our words if we know
// the word, otherwise kong's suggestion.
func suggested(k *kong.Context, node *kong.Node, word, kongs string) string {
	instead := ""
	switch {
	case node == nil && synonyms[word] != "":
		instead = synonyms[word]
	case similar(word, kongs):
		return kongs
	case node == nil && k != nil && child(k.Model.Node, strings.ToLower(word)) != nil:
		instead = strings.ToLower(word)
	case node != nil:
		for _, ours := range groupSynonyms[word] {
			if instead == "" && child(node, ours) != nil {
				instead = ours
			}
		}
	}
	if instead == "" && node == nil && k != nil {
		instead = likeCommand(k.Model.Node, word)
	}
	if instead == "" {
		return ""
	}
	return ", did you mean " + quoted(instead) + "?"
}

// likeCommand returns the command of the program that differs least from a
// word, by less than half of its letters, or "".
func likeCommand(program *kong.Node, word string) (found string) {
	least := (len(word) + 1) / 2
	for _, c := range program.Children {
		if d := differences(word, c.Name); d < least && !c.Hidden {
			least, found = d, c.Name
		}
	}
	return found
}

// likeFlag returns the end of a message about an unknown flag: those of kong's
// suggestions that begin like it, or differ by less than half of its letters.
func likeFlag(flag, suggestions string) string {
	var like []string
	for _, m := range suggestion.FindAllStringSubmatch(suggestions, -1) {
		if strings.HasPrefix(m[1], flag) || 2*differences(flag, m[1]) < len(flag) {
			like = append(like, `"--`+m[1]+`"`)
		}
	}
	switch len(like) {
	case 0:
		return ""
	case 1:
		return ", did you mean " + like[0] + "?"
	}
	return ", did you mean one of " + strings.Join(like, ", ") + "?"
}

// similar reports whether a word is like the one that a message of kong
// suggests, if it suggests any.
func similar(word, message string) bool {
	suggestion := strings.Trim(strings.TrimPrefix(message, ", did you mean "), `"?`)
	return suggestion != "" && differences(word, suggestion) <= len(word)/2
}

// source returns the variable that a flag has its value from, or the flag.
func source(k *kong.Context, flag string) string {
	if k == nil {
		return flag
	}
	for _, p := range k.Path {
		if p.Flag != nil && "--"+p.Flag.Name == flag {
			return flag
		}
	}
	for _, f := range k.Flags() {
		for _, env := range f.Envs {
			if _, ok := os.LookupEnv(env); ok && "--"+f.Name == flag {
				return env
			}
		}
	}
	return flag
}

// missing names the first argument that is missing, and how to give it.
func missing(k *kong.Context, node *kong.Node) string {
	given := map[*kong.Positional]bool{}
	for _, p := range k.Path {
		given[p.Positional] = p.Positional != nil
	}
	usage := "vitrine " + Name(node)
	first := ""
	for _, p := range node.Positional {
		usage += " " + p.Summary()
		if first == "" && p.Required && !given[p] {
			first = p.Summary()
		}
	}
	return fmt.Sprintf("%s is missing: %s", strings.TrimSuffix(first, " ..."), usage)
}

// choices returns the values of kong's list, without quotes and without the
// empty one.
func choices(list string) string {
	var all []string
	for _, c := range strings.Split(list, ",") {
		if c = strings.Trim(c, `"`); c != "" {
			all = append(all, c)
		}
	}
	return strings.Join(all, ", ")
}

// quoted returns a text with quotes.
func quoted(text string) string { return `"` + strings.Trim(text, `"`) + `"` }
