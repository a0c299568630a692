package main

import (
	"context"
	"fmt"
	"runtime"

	"vitrine/internal/preview"
	"vitrine/internal/terminal"
)

// version is set when a release is built (-ldflags "-X main.version=…").
var version = "dev"

type versionCmd struct{}

func (versionCmd) Run(_ context.Context, t *terminal.Terminal) error {
	_, err := fmt.Fprintf(t.Out, "vitrine %s %s/%s\n", version, runtime.GOOS, runtime.GOARCH)
	return err
}

// previewCmd runs as a child of the server, for one untrusted file. Do not call
// it otherwise.
type previewCmd struct {
	Order string `arg:""`
}

func (p previewCmd) Run() error { return preview.Child(p.Order) }
