package terminal

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// JSONFlag adds the flag --json.
type JSONFlag struct {
	JSON bool `name:"json" help:"Print JSON, for programs."`
}

// LimitFlags select how many rows a list has.
type LimitFlags struct {
	All   bool `help:"List all, as --limit 0 does."`
	Limit *int `help:"How many to list; 0: all. Default: 20 on a terminal, otherwise all." placeholder:"N"`
}

// terminalLimit is the number of rows on a terminal without --limit.
const terminalLimit = 20

// Check returns an error for flags that cannot be meant.
func (f *LimitFlags) Check() error {
	switch {
	case f.Limit != nil && *f.Limit < 0:
		return errors.New("--limit must be 0 (all) or more")
	case f.Limit != nil && f.All:
		return errors.New("--all and --limit cannot be used together")
	}
	return nil
}

// Most returns the number of rows to list, or 0 for all.
func (f *LimitFlags) Most(t *Terminal) int {
	switch {
	case f.Limit != nil:
		return *f.Limit
	case f.All || !t.OutTTY:
		return 0
	}
	return terminalLimit
}

// SayMore says that there are more rows than the listed ones.
func (f *LimitFlags) SayMore(t *Terminal, most int, rows string) {
	if f.Limit == nil {
		t.Say("Only the newest %d %s are listed. For more: --limit N, or --all.", most, rows)
	}
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

// DataFlag returns " --data DIR" for suggested commands, or "" if they find the
// data directory without it.
func DataFlag(dir string) string {
	if known, err := filepath.Abs(cmp.Or(os.Getenv("VITRINE_DATA"), "data")); err == nil && known == dir {
		return ""
	}
	return " --data " + ShellWord(dir)
}

// StatusText returns the status of a link with its reason, if it has one.
func StatusText(status, reason string) string {
	if reason == "" {
		return status
	}
	return status + " (" + reason + ")"
}
