package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"vitrine/client"
	"vitrine/internal/vitrinetest"
)

// TestReadyWithoutLog takes the log of opens away from a server: it stays ready and serves pages, and their opens are counted when the log is
// there again.
func TestReadyWithoutLog(t *testing.T) {
	t.Parallel()
	log := vitrinetest.Postgres(t)
	h := &held{t: t, data: t.TempDir(), settings: []string{"VITRINE_VIEWS=" + log.NewDatabase(t)}}
	key := (&killed{t: t, data: h.data}).run("account", "create", "owner@example.org")
	h.serve()
	c, err := client.New(h.url, strings.TrimSpace(key))
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("Nothing of this may be lost.\n")
	l, err := c.Upload(t.Context(), client.File{Name: "a.txt", Size: int64(len(text)), Content: bytes.NewReader(text)}, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h.get("/p/" + l.Slug)
	h.get("/readyz")
	log.Stop(t)
	h.get("/readyz")
	h.get("/p/" + l.Slug)
	h.get("/readyz")
	log.Start(t)
	h.wait("the spool is empty")
	r, err := c.LinkAnalytics(t.Context(), l.Slug, "7d")
	if err != nil {
		t.Fatal(err)
	}
	if r.Totals.Views != 2 {
		t.Errorf("%d views, want 2", r.Totals.Views)
	}
	h.stop(os.Interrupt)
}
