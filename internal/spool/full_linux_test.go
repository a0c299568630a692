package spool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/vitrinetest"
	"vitrine/internal/vitrinetest/spooltest"

	"golang.org/x/sys/unix"
)

// On a disk that is really full nothing is acknowledged, what was is kept, and
// with room it goes on by itself.
func TestDiskFull(t *testing.T) {
	dir := vitrinetest.SmallFileSystem(t, "64k")
	s, log := open(t, dir)
	var kept []int
	failures := 0
	for id := 0; failures < 5; id++ {
		err := s.Append(spooltest.Batch(id))
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
		spooltest.Add(t, s, id)
		kept = append(kept, id)
	}
	if got := spooltest.Replay(t, s); !slices.Equal(got, kept) {
		t.Errorf("replayed %v, want %v", got, kept)
	}
	if log.Len() > 0 || names(t, dir) != nil {
		t.Errorf("left behind: %v; the log says %q", names(t, dir), log)
	}
}

// On a disk that is really full, a file of which something is left stays whole,
// and comes again whole; the others are replayed and removed all the same. The
// room that they give is enough to go on.
func TestLeaveOnFullDisk(t *testing.T) {
	dir := vitrinetest.SmallFileSystem(t, "64k")
	s, log := open(t, dir)
	spooltest.Add(t, s, 1, 2)
	if err := s.seal(); err != nil {
		t.Fatal(err)
	}
	last := 3
	for ; s.Append(spooltest.Batch(last)) == nil; last++ {
	}
	if last < 10 {
		t.Fatalf("the disk was full with number %d", last)
	}
	var all []int
	for id := 1; id < last; id++ {
		all = append(all, id)
	}
	got, _ := leave(t, s, 2)
	spooltest.Want(t, got, all...)
	if !strings.Contains(log.String(), "the file stays for now") || s.Empty() {
		t.Errorf("the log says %q; empty: %v", log, s.Empty())
	}
	got, _ = leave(t, s, 2)
	spooltest.Want(t, got, 1, 2)
	got, _ = leave(t, s, 2)
	spooltest.Want(t, got, 2)
	spooltest.Want(t, spooltest.Replay(t, s), 2)
	if names(t, dir) != nil {
		t.Errorf("left behind: %v", names(t, dir))
	}
}

// On a full disk the spool goes on in its reserve, as far as that reaches,
// however often a replay fails meanwhile. With room again all of it is
// replayed, and the reserve is made anew.
func TestReserve(t *testing.T) {
	const most = 2 // pieces
	dir := vitrinetest.SmallFileSystem(t, fmt.Sprint(most*pieceBytes*reserveShare))
	s, log := open(t, filepath.Join(dir, "spool"))
	if err := s.Reserve(); err != nil {
		t.Fatal(err)
	}
	fill(t, dir)
	var kept []int
	failed := errors.New("the log is away")
	for id := 0; ; id++ {
		if id%1000 == 10 {
			if err := s.Replay(t.Context(), func(b vitrine.Batch) (vitrine.Batch, error) {
				return b,
					failed
			}); !errors.Is(err, failed) {
				t.Fatal(err)
			}
			if err := s.CheckSpace(); err != nil && s.pieces > 0 {
				t.Fatal(err)
			}
		}
		if err := s.Append(spooltest.Batch(id)); err != nil {
			if !errors.Is(err, unix.ENOSPC) {
				t.Fatal(err)
			}
			break
		}
		kept = append(kept, id)
	}
	if size := s.Size(); size < most*pieceBytes*9/10 || s.pieces != 0 {
		t.Errorf("the reserve took %d bytes in %d files, and has %d pieces", size, len(s.files), s.pieces)
	}
	if err := s.CheckSpace(); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("without reserve there is room: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, filler)); err != nil {
		t.Fatal(err)
	}
	if err := s.CheckSpace(); err != nil || s.pieces != most {
		t.Errorf("with room again: %v, %d pieces", err, s.pieces)
	}
	spooltest.Add(t, s, len(kept))
	if got := spooltest.Replay(t, s); !slices.Equal(got, append(kept, len(kept))) {
		t.Errorf("replayed %d batches, want %d", len(got), len(kept)+1)
	}
	if log.Len() > 0 || names(t, filepath.Join(dir, "spool")) != nil {
		t.Errorf("left behind: %v; the log says %q", names(t, filepath.Join(dir, "spool")), log)
	}
	again, _ := open(t, filepath.Join(dir, "spool"))
	fill(t, dir)
	if err := again.Reserve(); err != nil || again.pieces != most {
		t.Errorf("opened again on a full disk: %v, %d pieces", err, again.pieces)
	}
}

const filler = "filler"

// fill takes all that a file system has.
func fill(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, filler))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for n := 1 << 20; n > 0; {
		if _, err := f.Write(make([]byte, n)); err != nil {
			n /= 2
		}
	}
}

// What comes while a replay has the last piece of the reserve waits for the end
// of the replay, and goes into that piece.
func TestReserveWhileReplaying(t *testing.T) {
	dir := vitrinetest.SmallFileSystem(t, fmt.Sprint(pieceBytes*reserveShare))
	s, _ := open(t, filepath.Join(dir, "spool"))
	if err := s.Reserve(); err != nil {
		t.Fatal(err)
	}
	fill(t, dir)
	spooltest.Add(t, s, 1)
	if s.pieces != 0 {
		t.Fatalf("%d pieces are left", s.pieces)
	}
	failed := errors.New("the log is away")
	added := make(chan error, 1)
	err := s.Replay(t.Context(), func(b vitrine.Batch) (vitrine.Batch, error) {
		go func() { added <- s.Append(spooltest.Batch(2)) }()
		select {
		case err := <-added:
			t.Errorf("it did not wait: %v", err)
			added <- err
		case <-time.After(50 * time.Millisecond): // long enough for most that would not wait
		}
		return b, failed
	})
	if !errors.Is(err, failed) {
		t.Fatal(err)
	}
	if err := <-added; err != nil {
		t.Fatal(err)
	}
	spooltest.Want(t, spooltest.Replay(t, s), 1, 2)
}
