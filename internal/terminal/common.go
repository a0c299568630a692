package terminal

import (
	"os"
	"time"
)

// JSONFlag adds the flag --json.
type JSONFlag struct {
	JSON bool `name:"json" help:"Print JSON, for programs."`
}

// Stamp formats a time for output, or returns "" for the zero time.
func Stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05Z")
}

// Why returns a reason code with its details.
func Why(reason, detail string) string {
	if reason == "" || detail == "" {
		return reason + detail
	}
	return reason + ": " + detail
}

// Self returns the command name of this program, for suggested commands.
func Self() string { return ShellWord(os.Args[0]) }
