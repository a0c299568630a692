package vitrinetest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestCopyOf(t *testing.T) {
	runs := 0
	fill := func(dir string) error {
		runs++
		return os.WriteFile(filepath.Join(dir, "a.db"), []byte("filled"), 0o600)
	}
	for range 2 {
		name := filepath.Join(CopyOf(t, "TestCopyOf", fill), "a.db")
		if got, err := os.ReadFile(name); err != nil || string(got) != "filled" {
			t.Errorf("content of the copy = %q, %v, want filled", got, err)
		}
		if err := os.WriteFile(name, []byte("changed by a test"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if runs != 1 {
		t.Errorf("fill was called %d times, want 1", runs)
	}
}

func TestFilesOfFails(t *testing.T) {
	failure := errors.New("no")
	if _, err := filesOf(func(string) error { return failure }); !errors.Is(err, failure) {
		t.Errorf("error of a failing fill = %v, want %v", err, failure)
	}
	if _, err := filesOf(func(dir string) error { return os.Mkdir(filepath.Join(dir, "sub"), 0o700) }); err == nil {
		t.Error("a directory is ignored, want an error")
	}
}
