package durable

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWriteFile checks that a file is replaced, and that it stays as it was if
// the new one cannot be written.
func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "note")
	has := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("the file has %q, %v, want %q", got, err, want)
		}
	}
	for _, text := range []string{"a long first text\n", "second\n"} {
		if err := WriteFile(path, text); err != nil {
			t.Fatal(err)
		}
		has(text)
	}
	if err := os.Mkdir(path+".new", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, "third\n"); err == nil {
		t.Error("WriteFile succeeds where it cannot write")
	}
	has("second\n")
}
