package vitrinetest

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// diskVariable names a directory on a disk, for runs that keep their temporary
// directories in memory.
const diskVariable = "VITRINE_TEST_DISK"

// DiskDir returns a directory on a disk, which is removed with the test. Tests
// of crashes need it, because memory is never flushed.
func DiskDir(t testing.TB) string {
	t.Helper()
	root := os.Getenv(diskVariable)
	if root == "" {
		return t.TempDir()
	}
	dir, err := tempDir(t, root)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// OtherFileSystem returns a directory on another file system than t.TempDir's,
// so that files cannot be hard-linked between them. It is removed with the
// test.
func OtherFileSystem(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{"/dev/shm", os.Getenv(diskVariable), "/var/tmp", "/tmp"} {
		if root == "" {
			continue
		}
		dir, err := tempDir(t, root)
		if err == nil && errors.Is(os.Link(file, filepath.Join(dir, "file")), syscall.EXDEV) {
			return dir
		}
		_ = os.RemoveAll(dir)
	}
	Missing(t, "a second file system")
	return ""
}

// tempDir creates a directory that is removed with the test.
func tempDir(t testing.TB, root string) (string, error) {
	dir, err := os.MkdirTemp(root, "vitrine")
	if err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
	}
	return dir, err
}
