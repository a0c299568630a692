package geo_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/visitor/geo"
)

// TestFullDisk checks that a full disk does not affect the old file, and does
// not prevent a server from starting.
func TestFullDisk(t *testing.T) {
	disk := vitrinetest.SmallFileSystem(t, "64k")
	path := filepath.Join(disk, geo.DefaultName)
	write(t, path, cities)
	large := vitrinetest.MMDB("DBIP-City-Lite", map[string]any{"81.2.69.0/24": vitrinetest.CityRecord("GB", "Leeds")})
	large = append(make([]byte, 1<<20), large...)
	root, _ := mirror(t, func(w http.ResponseWriter, _ string) { _, _ = w.Write(packed(t, large)) })
	if _, err := geo.Fetch(t.Context(), root, path, today); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Fetch = %v, want ENOSPC", err)
	}
	checkNoFilesLeft(t, path)
	f := newFile(t, path, false)
	f.Temp = filepath.Join(disk, "temp")
	if err := f.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := placeOf(f, "81.2.69.142"); got != "GB London" {
		t.Errorf("place = %q, want GB London", got)
	}
	if err := os.WriteFile(filepath.Join(disk, "filler"), make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	full := newFile(t, path, false)
	full.Temp = f.Temp
	if err := full.Open(t.Context()); err != nil {
		t.Errorf("Open on a full disk = %v, want nil", err)
	}
	if got := placeOf(full, "81.2.69.142"); got != "" {
		t.Errorf("place = %q, want none", got)
	}
	if err := os.Remove(filepath.Join(disk, "filler")); err != nil {
		t.Fatal(err)
	}
	if err := full.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
	if got := placeOf(full, "81.2.69.142"); got != "GB London" {
		t.Errorf("place = %q, want GB London", got)
	}
}
