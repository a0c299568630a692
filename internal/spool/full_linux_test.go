package spool

import (
	"errors"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// On a disk that is really full nothing is acknowledged, what was is kept, and with room it goes on by itself.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("a small file system cannot be mounted (%v): a full disk was not tried", err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	s, log := open(t, dir)
	var kept []int
	failures := 0
	for id := 0; failures < 5; id++ {
		err := s.Append(batch(id))
		if err == nil {
			kept = append(kept, id)
		} else if failures++; !errors.Is(err, unix.ENOSPC) {
			t.Fatalf("on a full disk: %v", err)
		}
		if id > 10_000 {
			t.Fatal("the disk did not fill")
		}
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, "size=1m"); err != nil {
		t.Fatal(err)
	}
	for id := 20_000; id < 20_010; id++ {
		add(t, s, id)
		kept = append(kept, id)
	}
	if got := replay(t, s); !slices.Equal(got, kept) {
		t.Errorf("replayed %v, want %v", got, kept)
	}
	if log.Len() > 0 || names(t, dir) != nil {
		t.Errorf("left behind: %v; the log says %q", names(t, dir), log)
	}
}
