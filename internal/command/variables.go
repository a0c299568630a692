package command

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// notOurs are prefixes of variables that Kubernetes sets for a service named
// vitrine, and of those of tests.
var notOurs = []string{"VITRINE_SERVICE_", "VITRINE_PORT", "VITRINE_TEST_"}

// UnknownVariables returns the variables in an environment that look like ours,
// but that no command reads, with the variable that each may be, or "".
func UnknownVariables(parser *kong.Kong, environment []string) (unknown [][2]string) {
	known := []string{"VITRINE_URL"} // the old name of VITRINE_SERVER
	for _, command := range parser.Model.Leaves(false) {
		for _, f := range command.Flags {
			known = append(known, f.Envs...)
		}
	}
	for _, v := range environment {
		name, _, _ := strings.Cut(v, "=")
		foreign := slices.ContainsFunc(notOurs, func(p string) bool { return strings.HasPrefix(name, p) })
		if strings.HasPrefix(name, "VITRINE_") && !foreign && !slices.Contains(known, name) {
			unknown = append(unknown, [2]string{name, nearest(name, known)})
		}
	}
	slices.SortFunc(unknown, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return unknown
}

// nearest returns the word that differs least from another one, by at most
// three letters, or "".
func nearest(word string, words []string) (found string) {
	least := 4
	for _, w := range words {
		if d := differences(word, w); d < least {
			least, found = d, w
		}
	}
	return found
}

// differences returns how many letters must be added, deleted or replaced to
// turn one word into another.
func differences(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
