package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/cli/command"
)

// TestSecretSettings checks that each setting that is a secret or may have one
// in it can be given as a file, in every command that takes it.
func TestSecretSettings(t *testing.T) {
	secret := regexp.MustCompile(`^API key|PASSWORD|SECRET|Credentials|as for serve`)
	var found []string
	newProgram().Walk(func(c *command.Command) {
		for _, f := range c.Options {
			is := f.Variable != "" && secret.MatchString(f.Help+f.Usage)
			if is != strings.Contains(f.Usage, f.Variable+"_FILE") {
				t.Errorf("%s --%s: is a secret: %v; its help: %s", c.FullName(), f.Name, is, f.Usage)
			}
			if is && !slices.Contains(found, f.Name) {
				found = append(found, f.Name)
			}
		}
	})
	slices.Sort(found)
	if want := []string{"api-key", "database", "files", "oidc", "sink", "smtp", "views"}; !slices.Equal(found, want) {
		t.Errorf("secret settings: %v, want %v", found, want)
	}
}
