package command

import (
	"errors"

	"vitrine/internal/cli/terminal"
)

// Part is a part of a command: arguments and flags that several commands have.
type Part interface{ AddFlags(*Command) }

// Take adds parts to a command.
func (c *Command) Take(parts ...Part) {
	for _, p := range parts {
		p.AddFlags(c)
	}
}

// JSONFlag is the flag --json.
type JSONFlag struct{ JSON bool }

// AddFlags adds the flag to a command.
func (f *JSONFlag) AddFlags(c *Command) { c.Bool(&f.JSON, "json", "Print JSON, for programs.") }

// List prints a list: with --json an object a line, otherwise a table. Of an
// empty list, a terminal shows the sentence none.
func List[T any](t *terminal.Terminal, f JSONFlag, none string, header []string, list []T, object func(T) any,
	cells func(T) []string) error {
	if f.JSON {
		for _, item := range list {
			if err := t.JSON(object(item)); err != nil {
				return err
			}
		}
		return nil
	}
	if len(list) == 0 && t.OutTTY {
		t.Say("%s", terminal.Plain(none))
		return nil
	}
	rows := make([][]string, len(list))
	for i, item := range list {
		rows[i] = cells(item)
	}
	return t.Table(header, rows)
}

// Itself is the object of an item that is printed as it is.
func Itself[T any](item T) any { return item }

// Confirm adds the flag --yes to a command that asks for confirmation.
func (c *Command) Confirm(to *bool) *Flag {
	return c.Bool(to, "yes,y", "Do not ask for confirmation. Required without a terminal.")
}

// LimitFlags select how many rows a list has.
type LimitFlags struct {
	All   bool
	Limit *int
}

// AddFlags adds the flags to a command.
func (f *LimitFlags) AddFlags(c *Command) {
	c.Bool(&f.All, "all", "List all, as --limit 0 does.")
	c.OptionalInt(&f.Limit, "limit", "N", "How many to list; 0: all. Default: 20 on a terminal, otherwise all.")
	c.Exclusive("all", "limit")
	c.Check(func() error {
		if f.Limit != nil && *f.Limit < 0 {
			return errors.New("--limit must be 0 (all) or more")
		}
		return nil
	})
}

// terminalLimit is the number of rows on a terminal without --limit.
const terminalLimit = 20

// Most returns the number of rows to list, or 0 for all.
func (f *LimitFlags) Most(t *terminal.Terminal) int {
	switch {
	case f.Limit != nil:
		return *f.Limit
	case f.All || !t.OutTTY:
		return 0
	}
	return terminalLimit
}

// SayMore says that there are more rows than the listed ones.
func (f *LimitFlags) SayMore(t *terminal.Terminal, most int, rows string) {
	if f.Limit == nil {
		t.Say("Only the newest %d %s are listed. For more: --limit N, or --all.", most, rows)
	}
}
