package remote

import (
	"fmt"
	"os"
	"strings"

	"vitrine/internal/terminal"
)

// CompletionCmd prints what makes a shell complete commands and flags.
type CompletionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// completions are the commands for each shell, in which %s is the program. The
// shell calls it with COMP_LINE.
var completions = map[string]string{
	"bash": "complete -o default -C %s vitrine\n",
	"zsh":  "autoload -U +X bashcompinit && bashcompinit\ncomplete -o default -C %s vitrine\n",
	"fish": `function __complete_vitrine
    set -lx COMP_LINE (commandline -cp)
    test -z (commandline -ct)
    and set COMP_LINE "$COMP_LINE "
    %s
end
complete -c vitrine -a "(__complete_vitrine)"
`,
}

// Run prints the commands.
func (c *CompletionCmd) Run(t *terminal.Terminal) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(t.Out, strings.Replace(completions[c.Shell], "%s", terminal.ShellWord(program), 1))
	return err
}
