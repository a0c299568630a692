package main

import (
	"strings"
	"testing"

	"vitrine/internal/command"
)

// TestExamplesAreAccepted checks that the program accepts every example of the
// help.
func TestExamplesAreAccepted(t *testing.T) {
	for name, lines := range command.Examples {
		for _, line := range lines {
			line, _, _ = strings.Cut(line, " | ")
			parser := newParser(new(cli))
			args := strings.Fields(line)
			for i := len(args) - 1; i > 0; i-- { // join quoted words
				if strings.HasSuffix(args[i], "'") && !strings.HasPrefix(args[i], "'") {
					args[i-1] += " " + args[i]
					args = append(args[:i], args[i+1:]...)
				}
			}
			k, err := parser.Parse(args)
			if err != nil {
				t.Errorf("parse %s: %v", line, err)
			} else if got := command.Name(k.Selected()); got != name {
				t.Errorf("%s is of %q", line, got)
			}
		}
	}
	parser := newParser(new(cli))
	var help strings.Builder
	for _, node := range parser.Model.Leaves(false) {
		help.WriteString(node.Detail)
	}
	for name, lines := range command.Examples {
		if !strings.Contains(help.String(), "\n  vitrine "+lines[0]) {
			t.Errorf("no help shows the examples of %s", name)
		}
	}
}
