package main

import "vitrine/internal/preview"

// previewCmd is a child of the server, for one file that a stranger sent.
// Nobody else has a use for it.
type previewCmd struct {
	Order string `arg:""`
}

func (p previewCmd) Run() error { return preview.Child(p.Order) }
