package spool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/ingest"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/test/porttest"
	"vitrine/internal/test/vitrinetest"

	"golang.org/x/sys/unix"
)

// TestDiskFull checks on a full disk that nothing is acknowledged, that what
// was acknowledged is kept, and that the spool continues by itself when there
// is space again.
func TestDiskFull(t *testing.T) {
	dir := vitrinetest.SmallFileSystem(t, "64k")
	s, log := open(t, dir)
	var kept []int
	failures := 0
	for id := 0; failures < 5; id++ {
		err := s.Append(porttest.SpoolBatch(id))
		if err == nil {
			kept = append(kept, id)
		} else if failures++; !errors.Is(err, unix.ENOSPC) {
			t.Fatalf("Append on a full disk = %v, want ENOSPC", err)
		}
		if id > 10_000 {
			t.Fatal("the disk did not fill up")
		}
	}
	vitrinetest.Resize(t, dir, "1m")
	for id := 20_000; id < 20_010; id++ {
		porttest.SpoolAdd(t, s, id)
		kept = append(kept, id)
	}
	if got := porttest.SpoolReplay(t, s); !slices.Equal(got, kept) {
		t.Errorf("replayed %v, want %v", got, kept)
	}
	if log.Len() > 0 || names(t, dir) != nil {
		t.Errorf("files left: %v; log: %q", names(t, dir), log)
	}
}

// TestLeaveOnFullDisk checks on a full disk that a file with remaining records
// stays complete and is replayed completely, and that the others are replayed
// and removed, which frees enough space to continue.
func TestLeaveOnFullDisk(t *testing.T) {
	dir := vitrinetest.SmallFileSystem(t, "64k")
	s, log := open(t, dir)
	porttest.SpoolAdd(t, s, 1, 2)
	if err := s.seal(); err != nil {
		t.Fatal(err)
	}
	last := 3
	for ; s.Append(porttest.SpoolBatch(last)) == nil; last++ {
	}
	if last < 10 {
		t.Fatalf("the disk was full after %d batches, want at least 10", last)
	}
	var all []int
	for id := 1; id < last; id++ {
		all = append(all, id)
	}
	got, _ := leave(t, s, 2)
	porttest.SpoolWant(t, got, all...)
	if !strings.Contains(log.String(), "the file is kept") || s.Empty() {
		t.Errorf("log: %q; Empty = %v", log, s.Empty())
	}
	got, _ = leave(t, s, 2)
	porttest.SpoolWant(t, got, 1, 2)
	got, _ = leave(t, s, 2)
	porttest.SpoolWant(t, got, 2)
	porttest.SpoolWant(t, porttest.SpoolReplay(t, s), 2)
	if names(t, dir) != nil {
		t.Errorf("files left: %v", names(t, dir))
	}
}

// TestReserve checks on a full disk that the spool uses its reserve, even if
// replays fail in the meantime. With space again everything is replayed, and
// the reserve is created again.
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
		if err := s.Append(porttest.SpoolBatch(id)); err != nil {
			if !errors.Is(err, unix.ENOSPC) {
				t.Fatal(err)
			}
			break
		}
		kept = append(kept, id)
	}
	if size := s.Size(); size < most*pieceBytes*9/10 || s.pieces != 0 {
		t.Errorf("%d bytes in %d files from the reserve, %d pieces left", size, len(s.files), s.pieces)
	}
	if err := s.CheckSpace(); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("CheckSpace without a reserve = %v, want ENOSPC", err)
	}
	if err := os.Remove(filepath.Join(dir, filler)); err != nil {
		t.Fatal(err)
	}
	if err := s.CheckSpace(); err != nil || s.pieces != most {
		t.Errorf("CheckSpace with space again = %v, %d pieces", err, s.pieces)
	}
	porttest.SpoolAdd(t, s, len(kept))
	if got := porttest.SpoolReplay(t, s); !slices.Equal(got, append(kept, len(kept))) {
		t.Errorf("replayed %d batches, want %d", len(got), len(kept)+1)
	}
	if log.Len() > 0 || names(t, filepath.Join(dir, "spool")) != nil {
		t.Errorf("files left: %v; log: %q", names(t, filepath.Join(dir, "spool")), log)
	}
	again, _ := open(t, filepath.Join(dir, "spool"))
	fill(t, dir)
	if err := again.Reserve(); err != nil || again.pieces != most {
		t.Errorf("Reserve of a reopened spool = %v, %d pieces", err, again.pieces)
	}
}

// TestReserveKept checks that the next process leaves a file of the reserve
// that has its blocks as it is, and gives blocks to one that lost them.
func TestReserveKept(t *testing.T) {
	dir := vitrinetest.SmallFileSystem(t, fmt.Sprint(2*pieceBytes*reserveShare))
	var changed [2][2]syscall.Timespec // of each file, for each process
	for process := range changed {
		s, _ := open(t, filepath.Join(dir, "spool"))
		if err := s.Reserve(); err != nil || s.pieces != 2 {
			t.Fatalf("Reserve = %v, %d pieces", err, s.pieces)
		}
		for n := range changed[process] {
			st, err := os.Stat(s.piece(n))
			if err != nil || allocated(st) < pieceBytes {
				t.Fatalf("piece %d (%v) has %d bytes, want %d", n, err, allocated(st), pieceBytes)
			}
			changed[process][n] = st.Sys().(*syscall.Stat_t).Ctim
		}
		if process == 0 {
			if err := os.Truncate(s.piece(1), 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	if changed[1][0] != changed[0][0] {
		t.Error("the next process changed a file that has its blocks")
	}
}

const filler = "filler"

// fill uses up the space of a file system.
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

// TestReserveWhileReplaying checks that an Append during a replay that holds
// the last piece of the reserve waits for its end, and then uses that piece.
func TestReserveWhileReplaying(t *testing.T) {
	dir := vitrinetest.SmallFileSystem(t, fmt.Sprint(pieceBytes*reserveShare))
	s, _ := open(t, filepath.Join(dir, "spool"))
	if err := s.Reserve(); err != nil {
		t.Fatal(err)
	}
	fill(t, dir)
	porttest.SpoolAdd(t, s, 1)
	if s.pieces != 0 {
		t.Fatalf("%d pieces are left, want 0", s.pieces)
	}
	failed := errors.New("the log is away")
	added := make(chan error, 1)
	err := s.Replay(t.Context(), func(b vitrine.Batch) (vitrine.Batch, error) {
		go func() { added <- s.Append(porttest.SpoolBatch(2)) }()
		select {
		case err := <-added:
			t.Errorf("Append did not wait: %v", err)
			added <- err
		case <-time.After(50 * time.Millisecond): // most calls that do not wait would have returned by now
		}
		return b, failed
	})
	if !errors.Is(err, failed) {
		t.Fatal(err)
	}
	if err := <-added; err != nil {
		t.Fatal(err)
	}
	porttest.SpoolWant(t, porttest.SpoolReplay(t, s), 1, 2)
}

// TestNotReadyOnReadOnlyDisk checks that with an unavailable log and a disk
// that became read-only Ready returns an error, however large the reserve is,
// and that it returns nil when the disk can be written again.
func TestNotReadyOnReadOnlyDisk(t *testing.T) {
	log, err := viewlog.Open(filepath.Join(t.TempDir(), "views.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	l := &awayLog{ViewLog: log}
	l.away.Store(true)
	dir := vitrinetest.SmallFileSystem(t, fmt.Sprint(2*pieceBytes*reserveShare))
	s, _ := open(t, filepath.Join(dir, "spool"))
	if err := s.Reserve(); err != nil {
		t.Fatal(err)
	}
	v := &ingest.Views{Log: l, Spool: s, Patience: time.Hour, Notice: func(error) {}}
	v.Start()
	defer v.Close()
	add := func(id int) error {
		view := porttest.SpoolBatch(id).Views[0]
		return v.Add(t.Context(), &view)
	}
	vitrinetest.MakeReadOnly(t, dir, true)
	if err := add(1); vitrine.CodeOf(err) != vitrine.CodeUnavailable || !errors.Is(err, unix.EROFS) {
		t.Fatalf("a view on a read-only disk = %v, want EROFS", err)
	}
	for range 2 {
		if err := v.Ready(); !errors.Is(err, unix.EROFS) {
			t.Errorf("Ready on a read-only disk = %v, want EROFS", err)
		}
	}
	vitrinetest.MakeReadOnly(t, dir, false)
	if err := v.Ready(); err != nil {
		t.Errorf("Ready on a writable disk = %v, want nil", err)
	}
	if err := add(2); err != nil {
		t.Error(err)
	}
}
