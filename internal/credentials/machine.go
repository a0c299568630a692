package credentials

import (
	"cmp"
	"os"
	"strings"

	"vitrine/internal/terminal"
)

// maxMachine is the maximum length of the machine name in bytes.
const maxMachine = 60

// MachineName returns the name of this machine for the key's name.
func MachineName() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown machine"
	}
	name = strings.TrimSpace(terminal.Plain(name))
	return cmp.Or(strings.ToValidUTF8(name[:min(len(name), maxMachine)], ""), "unknown machine")
}
