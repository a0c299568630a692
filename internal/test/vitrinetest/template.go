package vitrinetest

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// templates are the directories that [CopyOf] has made, by key.
var templates sync.Map // string → func() (map[string][]byte, error)

// CopyOf returns a new temporary directory of t that holds a copy of the files
// that fill writes. fill runs once per key and test binary: use it for what is
// slow to make and the same in every test, such as a migrated database. It must
// close what it opens, and must leave files only, no directories.
func CopyOf(t testing.TB, key string, fill func(dir string) error) string {
	t.Helper()
	made, _ := templates.LoadOrStore(key, sync.OnceValues(func() (map[string][]byte, error) { return filesOf(fill) }))
	files, err := made.(func() (map[string][]byte, error))()
	if err != nil {
		t.Fatalf("create %s: %v", key, err)
	}
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// filesOf returns the files that fill writes into a directory, by name. It
// removes the directory, so that the tests have nothing to clean up.
func filesOf(fill func(dir string) error) (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "template")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := fill(dir); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			return nil, fmt.Errorf("%s is not a file", e.Name())
		}
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	return files, nil
}
