package main

import (
	"context"
	"runtime"

	"vitrine/internal/backend/preview"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
)

// version is set by release builds (-ldflags "-X main.version=…").
var version = "dev"

// platform returns the version and what the program is built for.
func platform() string { return version + " " + runtime.GOOS + "/" + runtime.GOARCH }

// newPreview returns the hidden command that the server starts for one
// untrusted file.
func newPreview() *command.Command {
	order := ""
	cmd := command.New("preview", "Make the preview of a file. For the server.",
		func(context.Context, *terminal.Terminal) error { return preview.Child(order) })
	cmd.Hidden = true
	cmd.Arg(&order, "order", "What to do.")
	return cmd
}
