package geo_test

import (
	"os"
	"path/filepath"
	"testing"

	"vitrine/internal/visitor/geo"
)

// TestOpenSweeps checks that a server removes at its start what a killed
// download left just now.
func TestOpenSweeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), geo.DefaultName)
	left := filepath.Join(filepath.Dir(path), "."+geo.DefaultName+"-123")
	if err := os.WriteFile(left, cities, 0o600); err != nil {
		t.Fatal(err)
	}
	f := &geo.File{Path: path, Optional: true, Temp: t.TempDir()}
	if err := f.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("the rest of a download was not removed")
	}
}
