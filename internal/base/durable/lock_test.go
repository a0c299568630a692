//go:build unix

package durable

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func openToLock(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestLocks checks which locks exclude others, and that Close releases one
// while a program that is being started has a copy of the descriptor.
func TestLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	for _, first := range []Hold{{}, {Shared: true}, {Wait: true}, {Shared: true, Wait: true}} {
		l, err := Lock(openToLock(t, path), first)
		if err != nil {
			t.Fatalf("%+v: %v", first, err)
		}
		for _, second := range []Hold{{}, {Shared: true}} {
			other, err := Lock(openToLock(t, path), second)
			if both := first.Shared && second.Shared; both && err != nil || !both && !errors.Is(err, ErrLocked) {
				t.Errorf("%+v beside %+v: %v", second, first, err)
			}
			if err := other.Close(); err != nil {
				t.Error(err)
			}
		}
		copied, err := unix.Dup(int(l.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		next, err := Lock(openToLock(t, path), Hold{})
		if err != nil {
			t.Errorf("after %+v was closed: %v", first, err)
		}
		if err := errors.Join(next.Close(), unix.Close(copied)); err != nil {
			t.Error(err)
		}
	}
}
