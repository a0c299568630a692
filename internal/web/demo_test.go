package web_test

import (
	"testing"

	"vitrine/internal/test/webtest"
)

// newPicturedDemo returns a demo with the previews of its files.
func newPicturedDemo(t testing.TB) *webtest.Demo {
	t.Helper()
	d := webtest.NewDemo(t)
	webtest.Previewer(t, d.Site)
	d.Check(d.Server.Previews.Make(t.Context()))
	return d
}
