package vitrinetest

import (
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

// SmallFileSystem returns a directory on a new file system of the given size
// ("64k", "2m"). It is unmounted with the test. [Resize] changes its size.
func SmallFileSystem(t testing.TB, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		Missing(t, fmt.Sprintf("a small file system (mount: %v)", err))
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// MakeReadOnly makes a file system of [SmallFileSystem] read-only, as a disk
// becomes after an error, or writable again. The writes of open files fail,
// too.
func MakeReadOnly(t testing.TB, dir string, is bool) {
	t.Helper()
	flags := uintptr(unix.MS_REMOUNT)
	if is {
		flags |= unix.MS_RDONLY
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", flags, ""); err != nil {
		t.Fatal(err)
	}
}

// Resize changes the size of a file system of [SmallFileSystem].
func Resize(t testing.TB, dir, size string) {
	t.Helper()
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, "size="+size); err != nil {
		t.Fatal(err)
	}
}
