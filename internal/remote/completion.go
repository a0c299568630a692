package remote

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"vitrine/internal/terminal"
)

// CompletionCmd prints a shell script that completes commands and flags.
type CompletionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help says where the script belongs.
func (*CompletionCmd) Help() string {
	return `For bash, add to ~/.bashrc: source <(vitrine completion bash)

For zsh, add to ~/.zshrc: source <(vitrine completion zsh)

For fish, run: vitrine completion fish > ~/.config/fish/completions/vitrine.fish`
}

// completions are the scripts for each shell. %s is the program, which the
// shell calls with COMP_LINE.
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

// Run prints the script.
func (c *CompletionCmd) Run(t *terminal.Terminal) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if found, err := exec.LookPath("vitrine"); err == nil && found == program { // an update may move it
		program = "vitrine"
	}
	_, err = fmt.Fprint(t.Out, strings.Replace(completions[c.Shell], "%s", terminal.ShellWord(program), 1))
	return err
}
