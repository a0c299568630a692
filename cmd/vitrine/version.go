package main

import (
	"context"
	"fmt"
	"runtime"

	"vitrine/internal/preview"
	"vitrine/internal/terminal"
)

// version is set by release builds (-ldflags "-X main.version=…").
var version = "dev"

type versionCmd struct{ terminal.JSONFlag }

func (c versionCmd) Run(_ context.Context, t *terminal.Terminal) error {
	if c.JSON {
		return t.JSON(map[string]string{"version": version, "os": runtime.GOOS, "arch": runtime.GOARCH})
	}
	_, err := fmt.Fprintf(t.Out, "vitrine %s %s/%s\n", version, runtime.GOOS, runtime.GOARCH)
	return err
}

// previewCmd is the hidden command that the server starts for one untrusted
// file.
type previewCmd struct {
	Order string `arg:""`
}

func (p previewCmd) Run() error { return preview.Child(p.Order) }
