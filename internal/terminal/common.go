package terminal

import (
	"os"
	"time"
)

// JSONFlag is the flag of commands that can print for programs.
type JSONFlag struct {
	JSON bool `name:"json" help:"Print JSON, for programs."`
}

// Stamp returns a time in a form for people and programs, or "" for the zero
// time.
func Stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05Z")
}

// Why returns a reason code with the detail that was found.
func Why(reason, detail string) string {
	if reason == "" || detail == "" {
		return reason + detail
	}
	return reason + ": " + detail
}

// Self returns the name with which the program was called, for commands that it
// suggests.
func Self() string { return ShellWord(os.Args[0]) }
