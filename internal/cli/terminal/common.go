package terminal

import (
	"cmp"
	"os"
	"path/filepath"
	"time"

	"vitrine/internal/base/notation"
)

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
func Self() string { return notation.ShellWord(os.Args[0]) }

// DataFlag returns " --data DIR" for suggested commands, or "" if they find the
// data directory without it.
func DataFlag(dir string) string {
	if known, err := filepath.Abs(cmp.Or(os.Getenv("VITRINE_DATA"), "data")); err == nil && known == dir {
		return ""
	}
	return " --data " + notation.ShellWord(dir)
}

// StatusText returns the status of a link with its reason, if it has one.
func StatusText(status, reason string) string {
	if reason == "" {
		return status
	}
	return status + " (" + reason + ")"
}
