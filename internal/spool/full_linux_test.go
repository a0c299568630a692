package spool

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/vitrinetest"

	"golang.org/x/sys/unix"
)

// On a disk that is really full nothing is acknowledged, what was is kept, and with room it goes on by itself.
func TestDiskFull(t *testing.T) {
	dir := vitrinetest.SmallFileSystem(t, "64k")
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
	vitrinetest.Resize(t, dir, "1m")
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

// On a disk that is really full, a file of which something is left stays whole, and comes again whole; the others are replayed and removed
// all the same. The room that they give is enough to go on.
func TestLeaveOnFullDisk(t *testing.T) {
	dir := vitrinetest.SmallFileSystem(t, "64k")
	s, log := open(t, dir)
	add(t, s, 1, 2)
	if err := s.seal(); err != nil {
		t.Fatal(err)
	}
	last := 3
	for ; s.Append(batch(last)) == nil; last++ {
	}
	if last < 10 {
		t.Fatalf("the disk was full with number %d", last)
	}
	var all []int
	for id := 1; id < last; id++ {
		all = append(all, id)
	}
	got, _ := leave(t, s, 2)
	want(t, got, all...)
	if !strings.Contains(log.String(), "the file stays for now") || s.Empty() {
		t.Errorf("the log says %q; empty: %v", log, s.Empty())
	}
	got, _ = leave(t, s, 2)
	want(t, got, 1, 2)
	got, _ = leave(t, s, 2)
	want(t, got, 2)
	want(t, replay(t, s), 2)
	if names(t, dir) != nil {
		t.Errorf("left behind: %v", names(t, dir))
	}
}
